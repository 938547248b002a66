import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import BoxPlausibility

EMPTY = np.empty((0, 4))
HERE = [[10.0, 10, 20, 20]]
THERE = [[50.0, 50, 60, 60]]


def iou(a, b):
    wide = max(0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0, min(a[3], b[3]) - max(a[1], b[1]))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - wide * high
    return wide * high / union


def brute_force(frames, labels, memory):
    scores = [0.0]
    for now in range(1, len(frames)):
        earlier = [(b, c) for t in range(max(0, now - memory), now) for b, c in zip(frames[t], labels[t], strict=True)]
        best = [
            max((iou(box, b) for b, c in earlier if c == label), default=0)
            for box, label in zip(frames[now], labels[now], strict=True)
        ]
        scores.append(max((1 - overlap for overlap in best), default=0.0))
    return scores


def random_episode(seed, length):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, length)
    corners = [rng.uniform(0, 50, (k, 2)) for k in counts]
    frames = [np.concatenate([c, c + rng.uniform(20, 50, c.shape)], axis=1) for c in corners]
    return frames, [rng.choice(["car", "person"], k) for k in counts]


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_scores_equal_brute_force_where_boxes_are_not_moved(seed, length, memory):
    frames, labels = random_episode(seed, length)
    scores = BoxPlausibility(memory=memory, moving=False).decision_function(frames, labels)
    np.testing.assert_allclose(scores, brute_force(frames, labels, memory), atol=1e-12)


@pytest.mark.parametrize("missing", [False, True])
def test_stream_and_batch_give_the_same_figures(missing):
    frames, labels = random_episode(3, 40)
    detector = BoxPlausibility(missing=missing, image=(100, 100), border=2)
    batch = detector.decision_function(frames, labels)
    assert [detector.step(*each) for each in zip(frames, labels, strict=True)] == batch.tolist()
    assert len(np.unique(batch)) > 10


def test_sudden_boxes_score_one_and_those_that_stay_nothing():
    assert BoxPlausibility().decision_function([HERE, HERE, HERE + THERE, HERE + THERE]).tolist() == [0, 0, 1, 0]


def test_the_first_frame_knows_nothing_and_an_empty_one_knows_that_nothing_was_there():
    assert BoxPlausibility().decision_function([HERE]).tolist() == [0]
    assert BoxPlausibility().decision_function([[], HERE, EMPTY]).tolist() == [0, 1, 0]


def test_a_half_overlap_scores_by_its_iou():
    assert BoxPlausibility().decision_function([HERE, [[15, 10, 25, 20]]])[1] == pytest.approx(1 - 1 / 3)


def test_memory_bridges_frames_in_which_a_detector_lost_the_box():
    frames = [HERE, [], [], HERE]
    assert BoxPlausibility(memory=3).decision_function(frames).tolist() == [0, 0, 0, 0]
    assert BoxPlausibility(memory=2).decision_function(frames).tolist() == [0, 0, 0, 1]


def test_steady_motion_is_expected_after_two_frames():
    frames = [np.add(HERE, [4 * t, 0, 4 * t, 0]) for t in range(5)]
    scores = BoxPlausibility().decision_function(frames)
    assert scores[1] == pytest.approx(1 - 6 / 14)
    assert scores[2:].tolist() == [0, 0, 0]
    standing = BoxPlausibility(moving=False).decision_function(frames)
    np.testing.assert_allclose(standing[1:], 1 - 6 / 14)


def test_speed_carries_a_box_through_frames_in_which_it_was_lost():
    moved = [np.add(HERE, [4 * t, 0, 4 * t, 0]) for t in range(5)]
    scores = BoxPlausibility(memory=3).decision_function([moved[0], moved[1], [], [], moved[4]])
    assert scores[-1] == 0
    assert BoxPlausibility(memory=3, moving=False).decision_function([moved[1], [], [], moved[4]])[-1] == 1


def test_growth_is_expected_and_a_box_that_shrinks_to_nothing_is_no_error():
    growing = [[[50.0 - 3 * t, 50 - 3 * t, 60 + 3 * t, 60 + 3 * t]] for t in range(4)]
    assert BoxPlausibility().decision_function(growing)[2:].tolist() == [0, 0]
    shrinking = [*growing[::-1], [], growing[0]]
    assert np.isfinite(BoxPlausibility().decision_function(shrinking)).all()


def test_a_slow_overlap_below_the_limit_gives_no_speed():
    frames = [np.add(HERE, [6 * t, 0, 6 * t, 0]) for t in range(3)]
    assert BoxPlausibility(iou=0.2).decision_function(frames)[2] == 0
    assert BoxPlausibility(iou=0.3).decision_function(frames)[2] == pytest.approx(1 - 4 / 16)


def test_boxes_of_another_label_do_not_count():
    scores = BoxPlausibility().decision_function([HERE, HERE], [["car"], ["person"]])
    assert scores.tolist() == [0, 1]


def test_boxes_may_enter_at_the_edge_of_the_image_only():
    detector = BoxPlausibility(image=(100, 80), border=5)
    edges = [[0, 30, 9, 40], [30, 4, 40, 9], [92, 30, 96, 40], [30, 70, 40, 75]]
    assert [detector.decision_function([[], [box]])[1] for box in edges] == [0, 0, 0, 0]
    assert detector.decision_function([[], [[6, 6, 94, 74]]])[1] == 1
    assert BoxPlausibility().decision_function([[], [edges[0]]])[1] == 1


def test_only_boxes_in_the_zone_are_judged():
    detector = BoxPlausibility(zone=(0, 0, 30, 30))
    assert detector.decision_function([[], THERE, THERE + HERE]).tolist() == [0, 0, 1]
    assert detector.decision_function([[], [[30, 0, 40, 10]]]).tolist() == [0, 0]


def test_missing_boxes_count_where_asked_for_once_and_not_at_the_edge():
    frames = [HERE, [], []]
    assert BoxPlausibility().decision_function(frames).tolist() == [0, 0, 0]
    assert BoxPlausibility(missing=True).decision_function(frames).tolist() == [0, 1, 0]
    assert BoxPlausibility(missing=True, image=(20, 100)).decision_function(frames).tolist() == [0, 0, 0]
    assert BoxPlausibility(missing=True).decision_function([HERE, HERE + THERE, THERE]).tolist() == [0, 1, 1]


def test_episodes_of_unequal_length_know_nothing_of_each_other():
    parts = [random_episode(seed, length) for seed, length in ((1, 4), (2, 1), (3, 9))]
    frames, labels = ([each for part in parts for each in part[n]] for n in (0, 1))
    detector = BoxPlausibility()
    scores = detector.decision_function(frames, labels, episodes=np.repeat([5, 6, 5], [4, 1, 9]))
    np.testing.assert_array_equal(scores, np.concatenate([detector.decision_function(*part) for part in parts]))
    assert scores[4] == scores[5] == 0


def test_reset_forgets_and_a_batch_leaves_the_stream_alone():
    detector = BoxPlausibility()
    assert detector.step(HERE) == 0
    detector.decision_function([[], THERE])
    assert detector.step(THERE) == 1
    assert detector.reset().step(HERE) == 0


def test_no_frames_have_no_scores_and_huge_boxes_have_finite_ones():
    assert BoxPlausibility().decision_function([]).shape == (0,)
    huge = [[[-1e308, -1e308, 1e308, 1e308]], [[0, 0, 1e300, 1e300]], HERE, HERE]
    assert np.isfinite(BoxPlausibility(missing=True).decision_function(huge)).all()


def test_boxes_that_are_none_are_refused_with_the_number_of_the_frame():
    for frames, said in [
        ([HERE, [[1, 2, 3]]], "frame 1.*4 columns"),
        ([HERE, HERE, [[5, 5, 1, 9]]], "frame 2.*x1 <= x2"),
        ([[[np.nan, 0, 1, 1]]], "frame 0.*finite"),
        (np.array(HERE), "frame 0.*4 columns"),
    ]:
        with refused((frames, said), InvalidInput, match=said):
            BoxPlausibility().decision_function(frames)


def test_labels_and_episodes_must_fit_the_frames():
    with pytest.raises(InvalidInput, match="one entry a frame"):
        BoxPlausibility().decision_function([HERE], [])
    with pytest.raises(InvalidInput, match="one entry a box"):
        BoxPlausibility().decision_function([HERE], [["a", "b"]])
    with pytest.raises(InvalidInput, match="episodes"):
        BoxPlausibility().decision_function([HERE], episodes=[1, 2])


def test_parameters_are_checked():
    for wrong, said in [
        ({"iou": 0.0}, "iou"),
        ({"memory": 0}, "memory"),
        ({"border": -1.0}, "border"),
        ({"border": 3.0}, "image"),
        ({"image": (100,)}, "image"),
        ({"image": (100, 0)}, "image"),
        ({"zone": (5, 5, 1, 1)}, "zone"),
    ]:
        with refused((wrong, said), InvalidInput, match=said):
            BoxPlausibility(**wrong)


def test_labels_come_as_a_list():
    for labels in ["c", 3, {"car"}, iter(["car"])]:
        with refused(labels, InvalidInput, match="list or an array"):
            BoxPlausibility().step([[0, 0, 1, 1]], labels)


@pytest.mark.parametrize("frames", [3, "frames", iter([[[0, 0, 1, 1]]])])
def test_frames_come_as_a_list(frames):
    with pytest.raises(InvalidInput, match="list or an array"):
        BoxPlausibility().decision_function(frames)
