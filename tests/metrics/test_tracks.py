"""Reading of tracks, and the counts behind their distance, against trackeval's CLEAR metrics."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refusal
from trackeval.metrics import CLEAR

from surefoot.core import InvalidInput
from surefoot.metrics import as_distance, distances, iou_matrix, of
from surefoot.monitors import variation_ratio, variation_ratio_original

BOX = [0.0, 0.0, 10.0, 10.0]


def crowd(rng, frames=8, ids=5, grid=None, room=12.0, kept=None):
    """Boxes that crowd each other, so that many pairs have rivals; on a grid, so that there are ties."""
    frame, track = np.divmod(np.arange(frames * ids), ids)
    places = rng.uniform(0, room, (len(frame), 2))
    places = places if grid is None else np.round(places / grid) * grid
    rows = np.column_stack([frame + 1, track, places, np.full((len(frame), 2), 10.0)])
    return rows[rng.random(len(rows)) < (kept or rng.choice([0.1, 0.5, 0.9], p=[0.2, 0.3, 0.5]))]


def followed(rng, truth, grid=None):
    """The answer of a tracker that trembles, loses boxes, and takes tracks for each other now and then."""
    answer = truth[rng.random(len(truth)) < 0.9]
    moved = rng.normal(0, 1.5, (len(answer), 2))
    answer[:, 2:4] += moved if grid is None else np.round(moved / grid) * grid
    for frame in np.unique(answer[:, 0]):
        if rng.random() < 0.3:
            later = answer[:, 0] >= frame
            answer[later, 1] = answer[later, 1].astype(int) ^ 1
    false = answer[rng.random(len(answer)) < 0.1] + [0, 1_000, 4, 0, 0, 0]
    return np.concatenate([answer, false])


def their_counts(output, truth, iou):
    """Misses, false alarms and switches of trackeval, which is given our overlaps: ties are ties for both."""
    sides = {"tracker": output[np.lexsort((output[:, 1], output[:, 0]))], "gt": truth}
    frames = np.union1d(output[:, 0], truth[:, 0])
    data, corners = {"num_timesteps": len(frames)}, {}
    for side, rows in sides.items():
        ids = np.unique(rows[:, 1], return_inverse=True)[1]
        data[f"{side}_ids"] = [ids[rows[:, 0] == frame] for frame in frames]
        data[f"num_{side}_dets"], data[f"num_{side}_ids"] = len(rows), len(set(ids))
        boxes = np.column_stack([rows[:, 2:4], rows[:, 2:4] + rows[:, 4:6]])
        corners[side] = [boxes[rows[:, 0] == frame] for frame in frames]
    data["similarity_scores"] = [iou_matrix(*pair) for pair in zip(corners["gt"], corners["tracker"], strict=True)]
    found = CLEAR({"THRESHOLD": iou, "PRINT_CONFIG": False}).eval_sequence(data)
    return [found["CLR_FN"], found["CLR_FP"], found["IDSW"]]


@given(
    seed=st.integers(0, 10**6),
    iou=st.sampled_from([0.1, 0.3, 0.5]),
    grid=st.sampled_from([None, 2.5]),
    follows=st.sampled_from([True, True, False]),
)
@settings(max_examples=50, deadline=None)
def test_errors_equal_those_of_trackeval_in_a_crowd(seed, iou, grid, follows):
    rng = np.random.default_rng(seed)
    truth = crowd(rng, grid=grid)
    output = followed(rng, truth, grid) if follows else crowd(rng, grid=grid)
    found = distances.tracks(iou=iou)(output, truth) * max(len(truth), 1)
    assert found == pytest.approx(min(sum(their_counts(output, truth, iou)), max(len(truth), 1)))


def test_a_crowd_has_rivals_and_switches_and_errors_that_are_not_cut():
    rng = np.random.default_rng(0)
    truths = [crowd(rng) for _ in range(30)]
    counts = np.array([their_counts(followed(rng, truth), truth, 0.3) for truth in truths])
    assert (counts.sum(axis=0) > 30).all()
    assert (counts.sum(axis=1) < [len(truth) for truth in truths]).sum() > 15


def test_pairs_that_go_on_come_before_pairs_that_overlap_more():
    truth = [[1, 1, *BOX], [2, 1, *BOX]]
    output = [[1, 7, *BOX], [2, 7, 3, 0, 10, 10], [2, 8, *BOX]]
    assert distances.tracks()(output, truth) == 0.5


def test_more_pairs_than_are_compared_at_once_have_the_errors_of_trackeval():
    rng = np.random.default_rng(1)
    truth = crowd(rng, frames=12, ids=330, room=300, kept=0.95)
    output = followed(rng, truth)
    assert sum((truth[:, 0] == frame).sum() * (output[:, 0] == frame).sum() for frame in range(13)) > 10**6
    found = distances.tracks(iou=0.3)(output, truth) * len(truth)
    assert found == pytest.approx(sum(their_counts(output, truth, 0.3)))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
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


def test_one_answer_is_told_from_many():
    for thing, one in (
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
    ):
        assert as_distance("tracks").is_one(thing) is one, (thing, one)


def test_rows_are_put_in_order_and_further_columns_are_not_read():
    rows = [[2, 5, *BOX, 0.9], [1, 5, *BOX, 0.1], [1, 3, 1, 2, 3, 4, 0.5]]
    listed = [(["three", "five"], [[1, 2, 3, 4], BOX]), (["five"], [BOX])]
    assert distances.tracks()(rows, listed) == distances.tracks()(listed, rows) == 0
    assert distances.tracks()(rows, [(["three", "five"], [BOX, [1, 2, 3, 4]]), (["five"], [BOX])]) > 0


def test_what_are_no_tracks_is_refused():
    for thing, message in (
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
    ):
        assert re.search(message, refusal(InvalidInput, distances.tracks(), thing, [])), message
