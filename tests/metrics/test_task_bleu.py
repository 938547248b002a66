"""BLEU from sums of counts, against sacrebleu on whole corpora and on sentences."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import InvalidInput, Undefined
from surefoot.metrics import of, tasks

SMOOTHINGS = ["exp", "floor", "add-k", "none"]
WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat.", "Cat"]), max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5)
OUTPUTS = ["the cat sat on the mat", "a hotel in the north please", "yes", "no no", ""]
TRUTHS = ["the cat is on the mat", "i want a hotel in the north", "yes", "no thanks", "bye"]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(pairs=PAIRS)
@settings(max_examples=25, deadline=None)
def test_corpus_and_sentences_equal_those_of_sacrebleu(smoothing, pairs):
    outputs, truths = map(list, zip(*pairs, strict=True))
    metric = tasks.bleu(smoothing=smoothing)
    statistics = metric.statistics(outputs, truths)
    corpus = sacrebleu.BLEU(smooth_method=smoothing, force=True).corpus_score(outputs, [truths]).score / 100
    if any(outputs) or any(truths):
        assert metric.value(statistics.sum(axis=0)) == pytest.approx(corpus, abs=1e-12)
    sentence = sacrebleu.BLEU(smooth_method=smoothing, effective_order=True)
    for error, (output, truth) in zip(metric.error(statistics), pairs, strict=True):
        expected = 1 - sentence.sentence_score(output, [truth]).score / 100 if output or truth else 0
        assert error == pytest.approx(expected, abs=1e-12)


def test_the_usual_bleu_is_corpus_bleu_and_sentence_bleu_of_sacrebleu():
    expected = sacrebleu.corpus_bleu(OUTPUTS, [TRUTHS]).score / 100
    assert 0.2 < expected < 0.6
    assert of(OUTPUTS, TRUTHS, "bleu") == pytest.approx(expected, rel=1e-12)
    errors = tasks.bleu().error(tasks.bleu().statistics(OUTPUTS, TRUTHS))
    sentences = [sacrebleu.sentence_bleu(a, [b]).score / 100 for a, b in zip(OUTPUTS, TRUTHS, strict=True)]
    np.testing.assert_allclose(errors, 1 - np.array(sentences), atol=1e-12)


def test_case_counts_unless_told_otherwise():
    texts = ["The Cat Sat On The Mat"], ["the cat sat on the mat"]
    assert of(*texts, "bleu") == 0
    assert of(*texts, tasks.bleu(lower_case=True)) == pytest.approx(1)
    expected = sacrebleu.corpus_bleu(*[texts[0], [texts[1]]], lowercase=True).score / 100
    assert of(*texts, tasks.bleu(lower_case=True)) == pytest.approx(expected)


def test_texts_without_words_have_no_bleu_and_no_error():
    assert tasks.bleu().error(tasks.bleu().statistics([""], [""])).tolist() == [0]
    with pytest.raises(Undefined, match="nothing to divide by"):
        of(["", ""], ["", ""], "bleu")


def test_an_unknown_smoothing_is_refused():
    with pytest.raises(InvalidInput, match="Did you mean 'floor'"):
        tasks.bleu(smoothing="flor")
