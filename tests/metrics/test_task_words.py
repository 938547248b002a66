"""Word and character error rates, against jiwer and our own Levenshtein distance."""

import re

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refusal

from surefoot.core import InvalidInput, MissingExtra, Undefined
from surefoot.metrics import distances, metric_named, of, tasks

WORDS = st.lists(st.sampled_from(["one", "two", "three", "Zwölf", "四"]), max_size=7).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


def levenshtein(a, b):
    """Edits between two lists, from their distance."""
    return round(distances.edit()(a, b) * max(len(a), len(b)))


@given(PAIRS)
@settings(max_examples=30, deadline=None)
def test_rates_equal_those_of_jiwer_and_edits_those_of_levenshtein(pairs):
    outputs, truths = map(list, zip(*pairs, strict=True))
    for name, theirs, units in (("wer", jiwer.wer, str.split), ("cer", jiwer.cer, list)):
        statistics = metric_named(name).statistics(outputs, truths)
        expected = [(levenshtein(units(b), units(a)), len(units(b))) for a, b in pairs]
        assert list(zip(statistics[:, :3].sum(axis=1), statistics[:, 3], strict=True)) == expected
        if any(truths):
            assert of(outputs, truths, name) == pytest.approx(theirs(truths, outputs), rel=1e-12)


def test_substitutions_deletions_and_insertions_are_told_apart():
    outputs, truths = ["one four three", "one", "one two"], ["one two three", "one two", "one"]
    assert tasks.wer().statistics(outputs, truths).tolist() == [[1, 0, 0, 3], [0, 1, 0, 2], [0, 0, 1, 1]]
    assert of(outputs, truths, "wer") == 0.5


def test_a_truth_without_words_adds_its_insertions():
    metric = tasks.wer()
    statistics = metric.statistics(["one two", "", "one"], ["", " ", "one"])
    assert statistics.tolist() == [[0, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert metric.error(statistics).tolist() == [jiwer.wer("", "one two"), 0, 0]
    assert metric.value(statistics.sum(axis=0)) == 2


def test_without_any_word_in_the_truth_there_is_no_rate():
    with pytest.raises(Undefined, match="nothing to divide by"):
        of(["one"], [""], "wer")
    assert np.isnan(tasks.wer().value(np.zeros(4)))


def test_no_answer_deletes_every_word():
    assert of([tasks.wer().empty], ["one two"], "wer") == 1
    assert of(["one two three four five"], ["one"], "wer") == 4


def test_case_and_punctuation_count_unless_told_otherwise():
    outputs, truths = ["Twenty-one please!"], ["twenty-one please"]
    assert of(outputs, truths, "wer") == 1
    assert of(outputs, truths, tasks.wer(lower_case=True)) == 0.5
    assert of(outputs, truths, tasks.wer(lower_case=True, drop_punctuation=True)) == 0
    assert of(["a-b"], ["ab"], tasks.cer(drop_punctuation=True)) == 0
    assert tasks.wer().meaning == "word error rate; case counts, punctuation counts"
    assert tasks.cer(lower_case=True).meaning == "character error rate; case does not count, punctuation counts"


def test_any_white_space_separates_words_and_any_script_survives():
    assert of(["one\ttwo\n three "], ["one two three"], "wer") == 0
    assert of(["🙂 привет"], ["🙂 привет мир"], "wer") == pytest.approx(1 / 3)
    assert of(["привет"], ["привед"], "cer") == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", ["wer", "cer", "bleu"])
def test_what_is_no_text_is_refused(name):
    for outputs, truths, message in (
        (["one"], ["one", "two"], "same length"),
        ([], [], "at least one item"),
        ("one", "one", "must be a list"),
        ([None], ["one"], "Give '' for no answer"),
        ([1], ["one"], "found 1 at index 0"),
        (["one"], [None], "without a truth"),
        ([b"one"], ["one"], "must be text"),
    ):
        assert re.search(message, refusal(InvalidInput, of, outputs, truths, name)), message


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("wer", "jiwer", "text"), ("bleu", "sacrebleu", "text"), ("mota", "trackeval", "tracking")],
)
def test_a_missing_library_names_the_extra(name, module, extra, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtra, match=rf"surefoot\[{extra}\]"):
        of([metric_named(name).empty], [metric_named(name).empty], name)
