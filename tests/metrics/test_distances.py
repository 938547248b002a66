"""Distances, against scipy, sacrebleu, recursion, and the laws that distances obey."""

import pickle
import re
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as scipy_cosine
from tests.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.metrics import as_distance, distance_named, distances

SIMILAR = ["the cat sat on the mat", "the cat sat", "the cat is on the mat", "a dog", ""]
PREDICTIONS = {
    "bleu": SIMILAR,
    "edit": SIMILAR,
    "label": ["car", "bus", "car"],
    "numeric": [0.0, -2.5, 7],
    "cosine": [[1.0, 2.0], [-1.0, 0.5], [0.0, 0.0]],
    "boxes": [[[0, 0, 1, 1]], [], [[0, 0, 2, 1], [5, 5, 6, 6]]],
    "labelled boxes": [([[0, 0, 1, 1]], ["car"]), ([], []), ([[0, 0, 1, 1]], ["bus"])],
    "tracks": [[[1, 1, 0, 0, 5, 5]], [], [[1, 1, 0, 0, 5, 5], [2, 1, 0, 0, 5, 5]]],
}


def test_every_name_is_tried_here():
    with pytest.raises(InvalidInput, match=f"Choose one of {', '.join(sorted(PREDICTIONS))}"):
        distance_named("zeppelin")


@pytest.mark.parametrize("name", sorted(PREDICTIONS))
def test_equal_predictions_are_at_distance_zero_and_others_are_not(name):
    distance = distance_named(name)
    assert distance.name == name
    for prediction in PREDICTIONS[name]:
        assert distance(prediction, prediction) == pytest.approx(0, abs=1e-15)
    assert distance(*PREDICTIONS[name][:2]) > 0


@pytest.mark.parametrize("name", sorted(PREDICTIONS))
def test_distances_say_rightly_whether_they_are_symmetric(name):
    distance = distance_named(name)
    values = [(distance(a, b), distance(b, a)) for a in PREDICTIONS[name] for b in PREDICTIONS[name]]
    assert all(one == pytest.approx(other) for one, other in values) is distance.symmetric


def test_distances_can_be_sent_to_another_process():
    for name in sorted(PREDICTIONS):
        distance = distance_named(name)
        assert pickle.loads(pickle.dumps(distance))(*PREDICTIONS[name][:2]) == distance(*PREDICTIONS[name][:2]), name


def test_unknown_names_get_a_suggestion_and_functions_pass():
    with pytest.raises(InvalidInput, match="Did you mean 'cosine'"):
        distance_named("cosin")
    assert as_distance("edit").name == "edit"
    own = as_distance(lambda a, b: a - b)
    assert (own(3, 1), own.symmetric) == (2, False)
    assert as_distance(own) is own


def test_numbers_are_scaled_and_cut():
    assert distances.numeric()(2, 5.5) == 3.5
    assert distances.numeric(scale=10)(2, 5.5) == 0.35
    assert distances.numeric(scale=2)(2, 5.5) == 1
    assert distances.numeric(scale=1e-300)(1e300, -1e300) == 1
    assert distances.numeric(scale=1e-300)(1e300, 1e300) == 0


@given(st.lists(st.tuples(*[st.floats(-1e3, 1e3)] * 2), min_size=2, max_size=9))
@settings(max_examples=25, deadline=None)
def test_cosine_equals_that_of_scipy(pairs):
    a, b = np.array(pairs).T
    if min(np.linalg.norm(a), np.linalg.norm(b)) > 1e-100:
        assert distances.cosine()(a, b) == pytest.approx(scipy_cosine(a, b), abs=1e-12)


def test_cosine_is_defined_for_zeros_and_for_huge_and_tiny_numbers():
    cosine = distances.cosine()
    assert cosine([0, 0], [0, 0]) == 0
    assert cosine([0, 0], [1, 0]) == 1
    assert cosine([1e300, 1e300], [1e-300, 0]) == pytest.approx(1 - 0.5**0.5)
    assert cosine([1, 0], [-1, 0]) == 2


def test_boxes_without_a_partner_count_as_no_overlap():
    boxes = distances.boxes()
    assert boxes([], []) == 0
    assert boxes([[0, 0, 1, 1]], []) == 1
    assert boxes([[0, 0, 1, 1]], [[0, 0, 1, 1], [5, 5, 6, 6]]) == 0.5
    assert boxes([[0, 0, 2, 1], [5, 5, 6, 6]], [[5, 5, 6, 6], [0, 0, 1, 1]]) == 0.25


def test_boxes_of_other_labels_are_no_partners():
    boxes = distances.labelled_boxes()
    two = [[0, 0, 1, 1], [5, 5, 6, 6]]
    assert boxes((two, ["car", "bus"]), (two, ["car", "car"])) == 0.5


@given(seed=st.integers(0, 10**6), sizes=st.tuples(*[st.integers(0, 3)] * 3))
@settings(max_examples=25, deadline=None)
def test_no_way_between_boxes_is_shorter_than_the_direct_one(seed, sizes):
    rng = np.random.default_rng(seed)
    a, b, c = (np.sort(rng.integers(0, 5, size=(size, 2, 2)), axis=1).reshape(size, 4) for size in sizes)
    boxes = distances.boxes()
    assert boxes(a, c) <= boxes(a, b) + boxes(b, c) + 1e-12
    assert 0 <= boxes(a, c) <= 1


def recursive_edits(a, b):
    @cache
    def fewest(i, j):
        if not i or not j:
            return i + j
        replaced = fewest(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(replaced, fewest(i - 1, j) + 1, fewest(i, j - 1) + 1)

    return fewest(len(a), len(b))


@given(st.text("abc", max_size=12), st.text("abcä", max_size=12))
@settings(max_examples=60, deadline=None)
def test_edits_equal_the_recursive_definition(a, b):
    assert distances.edit()(a, b) * max(len(a), len(b), 1) == pytest.approx(recursive_edits(a, b), abs=1e-9)


def test_edits_of_long_texts_equal_the_recursive_definition():
    rng = np.random.default_rng(3)
    a, b = ("".join(rng.choice(list("abcd"), size)) for size in (150, 130))
    assert distances.edit()(a, b) * max(len(a), len(b), 1) == pytest.approx(recursive_edits(a, b), abs=1e-9)


def test_edits_are_divided_by_the_longer_length():
    assert distances.edit()("kitten", "sitting") == pytest.approx(3 / 7)
    assert distances.edit(unit="words")("the cat sat", "the cat sat down") == 0.25
    assert distances.edit()(["the", "cat"], ["the", "dog"]) == 0.5
    assert distances.edit()("", "") == 0


@pytest.mark.parametrize(("candidate", "reference"), [(SIMILAR[0], SIMILAR[2]), ("the cat", "the dog")])
def test_bleu_is_one_minus_the_sentence_bleu_of_sacrebleu(candidate, reference):
    expected = 1 - sacrebleu.sentence_bleu(candidate, [reference]).score / 100
    assert 0.3 < expected < 0.9
    assert distances.bleu()(candidate, reference) == pytest.approx(expected, abs=1e-12)


def test_symmetric_bleu_is_the_mean_of_both_orders():
    a, b = "the cat sat on the mat", "the cat sat"
    bleu, both = distances.bleu(), distances.bleu(symmetric=True)
    assert bleu(a, b) != pytest.approx(bleu(b, a))
    assert both(a, b) == both(b, a) == pytest.approx((bleu(a, b) + bleu(b, a)) / 2)


def test_a_missing_sacrebleu_names_the_extra():
    code = """
import sys
sys.modules["sacrebleu"] = None
from surefoot.core import MissingExtra
from surefoot.metrics import distances
try:
    distances.bleu()("a", "b")
except MissingExtra as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "surefoot[text]" in done.stdout


def test_predictions_of_another_kind_are_refused():
    for name, a, b, message in (
        ("label", [0.1, 0.9], [0.2, 0.8], "argmax"),
        ("numeric", [1, 2], [1, 2], "'cosine'"),
        ("numeric", np.nan, 1, "finite"),
        ("numeric", "a", "b", "numbers"),
        ("cosine", [1, 2], [1, 2, 3], "one shape"),
        ("cosine", 1, 2, "vector"),
        ("cosine", [np.inf, 1], [0, 1], "finite"),
        ("bleu", 1, "text", "found int"),
        ("edit", 1, "text", "found int"),
        ("boxes", [[0, 0, 1]], [], "4 columns"),
        ("labelled boxes", [[0, 0, 1, 1]], ([], []), "boxes and labels"),
        ("labelled boxes", ([[0, 0, 1, 1]], []), ([], []), "one value a box"),
    ):
        assert re.search(message, refusal(InvalidInput, distance_named(name), a, b)), message


def test_a_scale_is_positive():
    for scale in (0, -1, np.nan, np.inf):
        assert "scale" in refusal(InvalidInput, distances.numeric, scale=scale), scale


VECTOR, BOXES = [0.5, 0.5], [[0, 0, 1, 1]]


def test_one_prediction_is_told_from_many():
    for name, one, many in (
        ("label", ["car", 3, np.int64(2)], [["car"], [3, 4], np.zeros((2, 1))]),
        ("numeric", [0.5, 3], [[0.5], []]),
        ("cosine", [VECTOR], [[VECTOR], np.zeros((0, 2)), 0.5]),
        ("boxes", [BOXES, [], np.empty((0, 4))], [[BOXES], [BOXES, []], [[], []], [BOXES, BOXES * 2]]),
        ("labelled boxes", [(BOXES, ["car"])], [[(BOXES, ["car"])]]),
        ("bleu", ["text"], [["text"]]),
    ):
        distance = distance_named(name)
        assert all(distance.is_one(thing) for thing in one), (name, one, many)
        assert not any(distance.is_one(thing) for thing in many), (name, one, many)


def test_what_a_function_compares_is_one_unless_it_is_a_list_or_an_array():
    own = as_distance(lambda a, b: 0.0)
    assert all(own.is_one(thing) for thing in ["text", 3, np.float64(2), {"a": 1}])
    assert not any(own.is_one(thing) for thing in [["text"], (1, 2), np.zeros(2)])
