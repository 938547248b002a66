"""Reading of tracks, and the counts behind their distance, against trackeval's CLEAR metrics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trackeval.metrics import CLEAR

from surefoot.core import InvalidInput
from surefoot.metrics import as_distance, distances, of, tracks
from surefoot.metrics.clear import clear
from surefoot.metrics.tasks.tracking import _sequence
from surefoot.metrics.tracks import as_tracks
from surefoot.monitors import variation_ratio, variation_ratio_original

BOX = [0.0, 0.0, 10.0, 10.0]


def crowd(rng, frames=8, ids=5, grid=None):
    """Boxes that crowd each other, so that many pairs have rivals; on a grid, so that there are ties."""
    frame, track = np.divmod(np.arange(frames * ids), ids)
    places = rng.uniform(0, 12, (len(frame), 2))
    places = places if grid is None else np.round(places / grid) * grid
    rows = np.column_stack([frame + 1, track, places, np.full((len(frame), 2), 10.0)])
    return rows[rng.random(len(rows)) < rng.choice([0.1, 0.5, 0.9], p=[0.2, 0.3, 0.5])]


def their_counts(output, truth, iou):
    data = _sequence(output, truth, 0, "test")
    found = CLEAR({"THRESHOLD": iou, "PRINT_CONFIG": False}).eval_sequence(data)
    return [found["CLR_FN"], found["CLR_FP"], found["IDSW"], data["num_gt_dets"]]


def our_counts(output, truth, iou):
    counts = clear(*(as_tracks(side, where="test") for side in (output, truth)), iou=iou)
    return [counts.misses, counts.false_alarms, counts.switches, counts.boxes]


@given(seed=st.integers(0, 10**6), iou=st.sampled_from([0.1, 0.3, 0.5]), grid=st.sampled_from([None, 2.5]))
@settings(max_examples=150, deadline=None)
def test_counts_equal_those_of_trackeval_in_a_crowd(seed, iou, grid):
    rng = np.random.default_rng(seed)
    output, truth = crowd(rng, grid=grid), crowd(rng, grid=grid)
    assert our_counts(output, truth, iou) == their_counts(output, truth, iou)


def test_a_crowd_has_rivals_and_switches():
    rng = np.random.default_rng(0)
    counts = np.sum([our_counts(crowd(rng), crowd(rng), 0.3) for _ in range(20)], axis=0)
    assert (counts > 50).all()


def test_pairs_that_go_on_come_before_pairs_that_overlap_more():
    truth = [[1, 1, *BOX], [2, 1, *BOX]]
    output = [[1, 7, *BOX], [2, 7, 3, 0, 10, 10], [2, 8, *BOX]]
    assert our_counts(output, truth, 0.5) == [0, 1, 0, 2]


def test_blocks_of_pairs_give_the_same_counts(monkeypatch):
    output, truth = (crowd(np.random.default_rng(seed), frames=30) for seed in (1, 4))
    at_once = our_counts(output, truth, 0.3)
    monkeypatch.setattr(tracks, "PAIRS_AT_ONCE", 40)
    assert our_counts(output, truth, 0.3) == at_once
    assert at_once == their_counts(output, truth, 0.3)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_distance_is_one_minus_mota_cut_at_one(seed):
    rng = np.random.default_rng(seed)
    output, truth = crowd(rng), crowd(rng)
    if len(truth):
        expected = np.clip(1 - of([output], [truth], "mota"), 0, 1)
        assert distances.tracks()(output, truth) == pytest.approx(expected, abs=1e-12)
    both = distances.tracks(symmetric=True)
    assert both(output, truth) == both(truth, output)
    assert distances.tracks()(truth, truth) == 0


def test_the_order_matters_unless_told_otherwise():
    one, two = [[1, 1, *BOX]], [[1, 1, *BOX], [1, 2, 50, 0, 10, 10]]
    assert (distances.tracks()(one, two), distances.tracks()(two, one)) == (0.5, 1)
    assert distances.tracks(symmetric=True)(one, two) == 0.75


def test_empty_answers_are_equal_to_each_other_and_unlike_others():
    distance, some = distances.tracks(), [[1, 1, *BOX]]
    for empty in ([], (), np.empty((0, 6)), [([], [])]):
        assert distance(empty, []) == 0
        assert distance(empty, some) == distance(some, empty) == 1


def test_more_overlap_can_be_asked_for():
    one, moved = [[1, 1, *BOX]], [[1, 1, 3, 0, 10, 10]]
    assert distances.tracks()(one, moved) == 0
    assert distances.tracks(iou=0.6)(one, moved) == 1
    for iou in (0, -1, 2, np.nan):
        with pytest.raises(InvalidInput, match="iou"):
            distances.tracks(iou=iou)


def test_passes_of_a_tracker_have_a_variation_ratio():
    first, second = [[1, 1, *BOX], [2, 1, *BOX]], [[1, 1, *BOX], [2, 2, *BOX]]
    assert variation_ratio([first, first, second], "tracks") == pytest.approx(2 * 0.5 / 6)
    many = [[first, []], [second, np.array(first)]]
    assert variation_ratio(many, "tracks").tolist() == [0.25, 1]
    assert variation_ratio_original([first, second], first, "tracks") == 0.25


@pytest.mark.parametrize(
    ("thing", "one"),
    [
        ([[1, 1, *BOX]], True),
        (np.empty((0, 6)), True),
        ([], True),
        ([([1], [BOX])], True),
        ([([1], [BOX]), ([], [])], True),
        ([[[1, 1, *BOX]]], False),
        ([[], []], False),
        ([np.empty((0, 6)), np.ones((1, 6))], False),
        ([[([1], [BOX])], [([], [])]], False),
        ("text", False),
        (3.0, False),
    ],
)
def test_one_answer_is_told_from_many(thing, one):
    assert as_distance("tracks").is_one(thing) is one


def test_rows_are_put_in_order_and_further_columns_are_not_read():
    rows = [[2, 5, *BOX, 0.9], [1, 5, *BOX, 0.1], [1, 3, 1, 2, 3, 4, 0.5]]
    read = as_tracks(rows, where="test")
    assert read.frames.tolist() == [1, 1, 2]
    assert read.tracks.tolist() == [0, 1, 1]
    assert read.corners[0].tolist() == [1, 2, 4, 6]
    assert read.count == 2


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (None, "must be tracks; found None"),
        ("tracks", "must be tracks"),
        (5.0, "6 columns"),
        ([[1, 1, 0, 0, 1]], "6 columns"),
        (np.ones((2, 2, 6)), "6 columns"),
        ([[1, 1, 0, 0, np.nan, 1]], "finite"),
        ([["1", "1", "0", "0", "1", "1"]], "numbers"),
        ([[1.5, 1, *BOX]], "frames of tracks must be whole numbers; found 1.5 in row 0"),
        ([[1, 0.5, *BOX]], "ids of tracks must be whole numbers"),
        ([[1e300, 1, *BOX]], "whole numbers"),
        ([[1, -1, *BOX], [1, -1, 50, 0, 9, 9]], "detections have none"),
        ([[1, 1, 5, 5, 2, -3]], "not two corners"),
        ([[1, 1, 1e308, 0, 1e308, 1]], "corners of tracks must be finite"),
        ([([1, 1], [BOX, BOX])], "id 1.0 twice in frame 1"),
        ([(["a", "a"], [BOX, BOX])], "id a twice in frame 1"),
        ([([1], [BOX]), ([1, 2], [BOX])], "frame 2 of tracks must have one id and 4 numbers a box"),
        ([([1], [[0, 0, 1]])], "4 numbers a box"),
        ([([1], [BOX]), (["a"], [BOX])], "all numbers or all text"),
        ([([None], [BOX])], "ids in frame 1 of tracks must be numbers"),
        ([([1], [None])], "numbers"),
    ],
    ids=repr,
)
def test_what_are_no_tracks_is_refused(thing, message):
    with pytest.raises(InvalidInput, match=message):
        distances.tracks()(thing, [])
