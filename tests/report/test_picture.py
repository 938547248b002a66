"""The picture of a target: places are right on both kinds of axes, whatever the numbers are."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.core import Bound, Estimate
from surefoot.report.picture import LEFT, RIGHT, Axis, bound_picture
from tests.report import results


def answer(value, limit, *, side="upper", looks=None, **target):
    bounds = () if limit is None else (Bound(limit, side, 0.05, "confidence"),)
    estimate = Estimate("risk", value, target.get("unit", "per demand"), bounds=bounds)
    asked = {name: number for name, number in target.items() if name != "unit"}
    return results.answer("risk", "Small.", "s.risk", estimate, sf.Target(**asked), looks=looks)


def drawn(found):
    return ElementTree.fromstring(bound_picture(found, "picture"))


def place(root, name):
    element = next(e for e in root.iter() if e.get("class", "").split()[:1] == [name])
    return float(element.get("cx") or re.match(r"M([\d.]+)", element.get("d"))[1])


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_places_keep_the_order_of_the_numbers_and_stay_on_the_axis(value, bound, limit):
    target = sf.Target(at_most=limit)
    axis = Axis.over([value, bound, limit], target)
    places = [axis.place(number) for number in sorted([value, bound, limit])]
    assert places == sorted(places)
    assert all(LEFT <= x <= RIGHT for x in places)
    assert all(axis.low <= tick * (1 + 1e-9) for tick in axis.ticks())
    assert all(tick <= axis.high * (1 + 1e-9) for tick in axis.ticks())
    assert len(axis.ticks()) <= 6


def test_numbers_of_different_magnitude_stand_on_a_logarithmic_axis():
    assert Axis.over([1e-5, 1e-3, 0.04], sf.Target(at_most=1e-3)).log
    assert not Axis.over([0.015, 0.0383, 0.05], sf.Target(at_most=0.05)).log


def test_an_axis_of_small_numbers_begins_at_zero_and_one_of_shares_ends_at_one():
    assert Axis.over([0.015, 0.0383, 0.05], sf.Target(at_most=0.05)).low == 0
    assert Axis.over([0.97, 0.99, 1.0], sf.Target(at_least=0.99)).high == 1


def test_a_target_that_is_met_has_its_bound_on_the_good_side_of_the_limit():
    root = drawn(answer(0.01, 0.03, at_most=0.05))
    (bar,) = [e for e in root.iter() if e.get("class") == "bar"]
    end = float(re.search(r"H([\d.]+)", bar.get("d"))[1])
    assert place(root, "dot") < end < place(root, "limit")
    assert root.get("class") == "sf-bound met"


def test_the_picture_says_its_numbers_in_words():
    root = drawn(answer(0.01, 0.0301, at_most=0.05))
    assert root[0].text == "Value 0.01, upper bound 0.0301; target at most 0.05"


def test_repeated_looks_add_a_row():
    few = results.counted()
    found = results.answer("misses", "Few.", "c.x", few, sf.Target(at_most=0.05), looks=3)
    words = [e.text for e in drawn(found).iter() if e.get("class") == "row"]
    assert words == ["Value", "Upper bound", "At look 3"]


@pytest.mark.parametrize(
    "found",
    [
        answer(0.0, 1e-9, at_most=1e-3),
        answer(0.0, 0.0, at_most=0.0),
        answer(0.5, None, at_most=0.4),
        answer(0.5, math.inf, at_most=0.4),
        answer(1.0, 1.0, side="lower", at_least=1.0),
        answer(-5.0, -4.0, at_most=-3.0, per="hour", unit="per hour"),
        answer(1e9, 2e12, at_most=1e10, per="hour", unit="per hour"),
        answer(1e-300, 1e-299, at_most=1e-300),
    ],
    ids=["zero", "all zero", "no bound", "infinite", "one", "negative", "large", "tiny"],
)
def test_unusual_numbers_are_drawn_inside_the_picture(found):
    text = bound_picture(found, "picture")
    assert "nan" not in text
    assert "inf" not in text
    root = ElementTree.fromstring(text)
    assert LEFT <= place(root, "dot") <= RIGHT
    assert LEFT <= place(root, "limit") <= RIGHT
