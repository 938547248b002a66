"""Rows outside the operating conditions, against the check of an assessment and against counting by hand."""

import numpy as np
import pytest
from scipy import stats

from surefoot import watch as watches
from surefoot.project import Conditions, Project
from tests.refusals import told

from . import guarded

CONDITIONS = Conditions.model_validate(guarded.CONDITIONS)
ODD = "inside-operating-conditions"


def watching(columns=("heat", "light")):
    return watches.ConditionWatch(CONDITIONS, "guard", columns, level=0.99)


def update(watch, heat, light="day", first=1):
    columns = {"heat": np.asarray(heat, float), "light": np.broadcast_to(np.asarray(light), len(heat))}
    return list(watch.update(columns, np.arange(first, first + len(heat))))


def test_the_first_row_outside_is_named():
    for place in [0, 1, 6, 7, 98, 99]:
        with told(place):
            heat = np.full(100, 20.0)
            heat[place] = 9
            heat[-1] = 9
            (event,) = update(watching(), heat, first=501)
            assert (event.code, event.row, event.about) == ("watch-condition", 501 + place, "warm")
            count = int((heat < 10).sum())
            assert event.figures["outside"] == count
            assert event.figures["at least"] == pytest.approx(stats.beta.ppf(0.01, count, 100 - count + 1))


def test_each_condition_is_raised_once_and_counted_on():
    watch = watching()
    assert update(watch, [20] * 10) == []
    assert [event.about for event in update(watch, [5] * 4, "fog", first=11)] == ["warm", ODD]
    assert update(watch, [5] * 6, "fog", first=15) == []
    found = watch.found["warm"]
    assert (found.rows, found.outside, found.first, found.share) == (20, 10, 11, 0.5)
    assert watch.broken["warm"].status == "contradicted"
    assert watch.broken["warm"].effect == 0.5


def test_columns_that_a_stream_lacks_are_said_not_to_be_watched():
    data = {"inputs": guarded.rows(60, seed=0)[0], "labels": guarded.rows(60, seed=0)[1]}
    made = Project.of(
        "Side guard",
        model=guarded.answer,
        data=data,
        classes=list(guarded.CLASSES),
        conditions={"assumptions": guarded.CONDITIONS["assumptions"][1:], "odd": guarded.CONDITIONS["odd"]},
        evidence={"errors": {"step": "binomial_bound"}},
    )
    assert (
        "condition stated, light of the operating conditions: the stream has no column"
        in guarded.watched(given=made).unwatched[0]
    )
    watch = watching(("heat",))
    assert list(watch.update({"light": np.array(["fog"])}, np.array([1]))) == []
    assert list(watch.update({}, np.array([1]))) == []
    assert watch.found == {}


def test_a_column_may_be_missing_for_a_while():
    watch = watching()
    assert list(watch.update({"light": np.array(["day"] * 3)}, np.arange(3))) == []
    assert watch.found[ODD].rows == 3
    assert "warm" not in watch.found


def test_a_restart_changes_nothing():
    watch, again = watching(), watching()
    update(watch, [20] * 10 + [3])
    again.resume(watch.snapshot())
    assert update(again, [3], first=12) == []
    assert again.found["warm"].outside == 2
