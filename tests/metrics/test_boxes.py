"""Overlap and matching of boxes, against pixel counts and against every possible pairing."""

import re
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.metrics import iou_matrix, match

CELLS = 8


def random_boxes(rng, count, size=CELLS):
    corners = np.sort(rng.integers(0, size + 1, size=(count, 2, 2)), axis=1)
    return corners.reshape(count, 4).astype(float)


def pixels(box):
    image = np.zeros((CELLS, CELLS), dtype=bool)
    x1, y1, x2, y2 = box.astype(int)
    image[y1:y2, x1:x2] = True
    return image


def test_iou_equals_the_share_of_pixels():
    rng = np.random.default_rng(0)
    a, b = random_boxes(rng, 30), random_boxes(rng, 40)
    overlaps = iou_matrix(a, b)
    for (row, column), overlap in np.ndenumerate(overlaps):
        both = (pixels(a[row]) & pixels(b[column])).sum()
        either = (pixels(a[row]) | pixels(b[column])).sum()
        expected = both / either if either else float((a[row] == b[column]).all())
        assert overlap == pytest.approx(expected, abs=1e-15)


def test_boxes_without_area_overlap_only_with_themselves():
    point, line, area = [1, 1, 1, 1], [0, 1, 2, 1], [0, 0, 2, 2]
    np.testing.assert_array_equal(iou_matrix([point, line, area], [point, line, area]), np.eye(3))


def test_no_size_of_boxes_overflows():
    for scale in (1e-300, 1e-160, 1.0, 1e160, 1e308):
        boxes = np.array([[-1, -1, 1, 1], [-1, -1, 0, 1]]) * scale
        np.testing.assert_allclose(iou_matrix(boxes, boxes), [[1, 0.5], [0.5, 1]], err_msg=str(scale))


def test_one_huge_box_does_not_blur_the_others():
    boxes = [[0, 0, 2, 2], [0, 0, 2, 1], [0, 0, 1e300, 1e300]]
    assert iou_matrix(boxes, boxes)[0, 1] == 0.5


@pytest.mark.parametrize("empty", [[], np.empty((0, 4)), [[]]], ids=["list", "array", "nested"])
def test_no_boxes_are_boxes_too(empty):
    assert iou_matrix(empty, [[0, 0, 1, 1]]).shape == (0, 1)
    matching = match(empty, [[0, 0, 1, 1]])
    assert matching.pairs.shape == (0, 2)
    assert matching.false_negatives.tolist() == [0]
    assert match([[0, 0, 1, 1]], empty).false_positives.tolist() == [0]
    assert match(empty, empty).false_positives.tolist() == []


def test_what_is_no_box_is_refused():
    for boxes, message in (
        ([[0, 0, np.nan, 1]], "finite"),
        ([[0, 0, np.inf, 1]], "finite"),
        ([[2, 0, 1, 1]], "corner and size"),
        ([[0, 0, 1, 1, 0.9]], "labels and scores apart"),
        ([0, 0, 1, 1], "4 columns"),
        ([["a", "b", "c", "d"]], "numbers"),
        (np.empty((2, 0, 4)), "4 columns"),
    ):
        assert re.search(message, refusal(InvalidInput, iou_matrix, boxes, [[0, 0, 1, 1]])), message


def best_total(overlap, possible):
    """The largest sum of IoU over all one-to-one pairings."""
    rows, columns = overlap.shape
    best = 0.0
    for size in range(1, min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            for partners in permutations(range(columns), size):
                if possible[list(chosen), list(partners)].all():
                    best = max(best, overlap[list(chosen), list(partners)].sum())
    return best


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 4), m=st.integers(0, 4), iou=st.sampled_from([0.05, 0.3, 0.5]))
def test_no_pairing_beats_the_optimal_one(seed, n, m, iou):
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, n, 4), random_boxes(rng, m, 4)
    labels_a, labels_b = rng.integers(0, 2, n), rng.integers(0, 2, m)
    matching = match(a, b, iou=iou, predicted_labels=labels_a, true_labels=labels_b)
    overlap = iou_matrix(a, b)
    possible = (overlap >= iou) & (labels_a[:, None] == labels_b[None])
    assert matching.overlaps.sum() == pytest.approx(best_total(overlap, possible))
    assert possible[matching.pairs[:, 0], matching.pairs[:, 1]].all()
    assert sorted([*matching.pairs[:, 0], *matching.false_positives]) == list(range(n))
    assert sorted([*matching.pairs[:, 1], *matching.false_negatives]) == list(range(m))


def coco_pairs(overlap, scores, iou):
    """The loop of COCO's evaluateImg for one category without crowds."""
    taken = {}
    for found in np.argsort([-s for s in scores], kind="mergesort"):
        best, partner = min(iou, 1 - 1e-10), -1
        for real in range(overlap.shape[1]):
            if real in taken.values() or overlap[found, real] < best:
                continue
            best, partner = overlap[found, real], real
        if partner >= 0:
            taken[int(found)] = partner
    return sorted(taken.items())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 6), m=st.integers(0, 6))
def test_greedy_pairs_are_those_of_coco(seed, n, m):
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, n, 4), random_boxes(rng, m, 4)
    scores = rng.integers(0, 4, n) / 4
    matching = match(a, b, iou=0.3, scores=scores, rule="greedy")
    assert [tuple(pair) for pair in matching.pairs.tolist()] == coco_pairs(iou_matrix(a, b), scores, 0.3)


def test_greedy_and_optimal_differ_where_the_first_takes_the_best_of_the_second():
    predicted, truth = [[0, 0, 10, 10], [1, 0, 11, 10]], [[1, 0, 11, 10], [0, 3, 10, 13]]
    assert match(predicted, truth, iou=0.5).pairs.tolist() == [[0, 1], [1, 0]]
    assert match(predicted, truth, iou=0.5, scores=[0.9, 0.8], rule="greedy").pairs.tolist() == [[0, 0]]


@pytest.mark.parametrize("options", [{}, {"rule": "greedy", "scores": [1.0]}], ids=["optimal", "greedy"])
def test_an_overlap_of_just_the_limit_makes_a_pair(options):
    assert match([[0, 0, 2, 2]], [[0, 0, 2, 1]], iou=0.5, **options).overlaps.tolist() == [0.5]
    assert match([[0, 0, 2, 2]], [[0, 0, 2, 1]], iou=0.5001, **options).overlaps.tolist() == []


def test_labels_of_any_kind_must_agree():
    box = [[0, 0, 1, 1]]
    assert match(box, box, predicted_labels=["car"], true_labels=["car"]).pairs.tolist() == [[0, 0]]
    other = match(box, box, predicted_labels=["car"], true_labels=["bus"])
    assert (other.false_positives.tolist(), other.false_negatives.tolist()) == ([0], [0])


def test_options_that_do_not_fit_are_refused():
    for options, message in (
        ({"iou": 0}, "above 0"),
        ({"iou": 1.5}, "iou must lie"),
        ({"scores": [0.5]}, "greedy rule only"),
        ({"rule": "greedy"}, "needs scores"),
        ({"rule": "greedy", "scores": [0.5, 0.1]}, "one value a predicted box"),
        ({"rule": "greedy", "scores": [np.nan]}, "finite"),
        ({"rule": "gredy"}, "Did you mean 'greedy'"),
        ({"predicted_labels": ["car"]}, "true_labels is missing"),
        ({"predicted_labels": ["car"], "true_labels": ["car", "bus"]}, "one value a box"),
    ):
        assert re.search(message, refusal(InvalidInput, match, [[0, 0, 1, 1]], [[0, 0, 1, 1]], **options)), message
