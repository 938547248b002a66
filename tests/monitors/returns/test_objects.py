import numpy as np
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import returns

objects = returns.objects

MAN, DOG, GHOST = [0, 0, 10, 20], [50, 50, 60, 60], [80, 0, 90, 10]
NEAR_MAN = [0, 0, 10, 19]


def test_an_image_is_an_error_with_a_miss_or_a_ghost():
    predicted = [[NEAR_MAN, DOG], [MAN], [MAN, DOG, GHOST], [], [GHOST], []]
    truth = [[MAN, DOG], [MAN, DOG], [MAN, DOG], [], [], [MAN]]
    stakes = objects(predicted, truth)
    assert stakes.hazardous.tolist() == [False, True, True, False, True, True]
    returns = stakes.under([1, 1, 0, 1, 0, 0])
    assert returns.gains.tolist() == [0, 1, 0, 0, 0, 0]
    assert returns.residuals.tolist() == [0, 0, 1, 0, 1, 1]
    assert returns.costs.tolist() == [1, 0, 0, 1, 0, 0]
    assert (stakes.unit, stakes.name) == ("image", "object errors")


def test_overlap_score_and_label_decide_whether_a_box_counts():
    one = {"predicted": [[NEAR_MAN]], "truth": [[MAN]]}
    assert not objects(**one, iou=0.95).hazardous.any()
    assert objects(**one, iou=0.96).hazardous.all()
    assert not objects(**one, scores=[[0.5]]).hazardous.any()
    assert objects(**one, scores=[[0.49]]).hazardous.all()
    assert not objects(**one, predicted_labels=[["man"]], true_labels=[["man"]]).hazardous.any()
    assert objects(**one, predicted_labels=[["dog"]], true_labels=[["man"]]).hazardous.all()


def test_a_ghost_below_the_score_does_not_count():
    stakes = objects([[MAN, GHOST]], [[MAN]], scores=[[0.9, 0.1]], predicted_labels=[[1, 2]], true_labels=[[1]])
    assert not stakes.hazardous.any()


def test_hazard_can_grow_with_misses_and_ghosts():
    predicted, truth = [[], [GHOST], [MAN, GHOST], [MAN]], [[MAN, DOG], [], [MAN, DOG], [MAN]]
    stakes = objects(predicted, truth, miss=2, ghost=1, most=4)
    np.testing.assert_allclose(1 - stakes.safety_quiet, [1, 0.25, 0.75, 0])
    assert stakes.mission_alarm.tolist() == [1, 1, 1, 0]
    np.testing.assert_allclose(1 - objects(predicted, truth, most=1).safety_quiet, [1, 1, 1, 0])


def test_ghosts_can_be_left_out():
    stakes = objects([[GHOST], []], [[], [MAN]], ghost=0)
    assert stakes.hazardous.tolist() == [False, True]
    assert stakes.under([1, 1]).costs.tolist() == [1, 0]


def test_objects_refuse_what_they_cannot_match():
    for arguments, words in [
        ({"predicted": [[]], "truth": [[], []]}, "one list of boxes an image"),
        ({"predicted": [], "truth": []}, "at least 1 value"),
        ({"predicted": [None], "truth": [[]]}, "must be numbers"),
        ({"predicted": [[[0, 0, 1], MAN]], "truth": [[]]}, "must be numbers"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "scores": [[np.nan]]}, "scores must be finite"),
        ({"predicted": [[], [[0, 0, np.nan, 1]]], "truth": [[], []]}, "image 1"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "scores": [[0.5, 0.5]]}, "one value a predicted box"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "scores": [[0.5], [0.5]]}, "one list an image"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "true_labels": [["man"]]}, "predicted_labels is missing"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "miss": -1}, "at least 0"),
        ({"predicted": [[MAN]], "truth": [[MAN]], "most": 0}, "most"),
        (
            {"predicted": [[MAN]], "truth": [[MAN]], "predicted_labels": [[]], "true_labels": [["man"]]},
            "one value a predicted box",
        ),
    ]:
        with refused(words, InvalidInput, match=words):
            objects(**arguments)
