"""The picture of a target: places are right on both kinds of axes, whatever the numbers are."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.core import Bound, Estimate
from surefoot.report import bound_picture
from tests.report import results

LEFT, RIGHT = 86.0, 298.0
"""Where the axis begins and ends."""


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


def ticks(root):
    """Places and numbers along the axis."""
    found = [element for element in root.iter() if element.get("class") == "tick"]
    powers = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    said = [element.text.replace(",", "").translate(powers).replace("×10", "e") for element in found]
    return [(float(element.get("x")), float(number)) for element, number in zip(found, said, strict=True)]


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_places_keep_the_order_of_the_numbers_and_stay_on_the_axis(value, bound, limit):
    root = drawn(answer(value, max(value, bound), at_most=limit))
    bar = next(e for e in root.iter() if e.get("class") == "bar").get("d")
    places = {
        value: place(root, "dot"),
        limit: place(root, "limit"),
        max(value, bound): float(bar.partition("H")[2].partition("M")[0]),
    }
    in_order = [places[number] for number in sorted(places)]
    assert in_order == sorted(in_order)
    found = ticks(root)
    assert all(LEFT <= x <= RIGHT for x in (*in_order, *(x for x, _ in found)))
    assert found == sorted(found)
    assert len(found) <= 6


def test_numbers_of_different_magnitude_stand_on_a_logarithmic_axis():
    (one, first), (two, second), (three, third), *_ = ticks(drawn(answer(1e-5, 0.04, at_most=1e-3)))
    assert second / first == pytest.approx(third / second) == pytest.approx(10)
    assert two - one == pytest.approx(three - two, abs=0.2)
    (one, first), (two, second), (three, third), *_ = ticks(drawn(answer(0.015, 0.0383, at_most=0.05)))
    assert second - first == pytest.approx(third - second)
    assert two - one == pytest.approx(three - two, abs=0.2)


def test_an_axis_of_small_numbers_begins_at_zero_and_one_of_shares_ends_at_one():
    assert ticks(drawn(answer(0.015, 0.0383, at_most=0.05)))[0] == (LEFT, 0.0)
    assert ticks(drawn(answer(1.0, 0.97, side="lower", at_least=0.99)))[-1] == (RIGHT, 1.0)


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


def test_unusual_numbers_are_drawn_inside_the_picture():
    for name, found in {
        "zero": answer(0.0, 1e-9, at_most=1e-3),
        "all zero": answer(0.0, 0.0, at_most=0.0),
        "no bound": answer(0.5, None, at_most=0.4),
        "infinite": answer(0.5, math.inf, at_most=0.4),
        "one": answer(1.0, 1.0, side="lower", at_least=1.0),
        "negative": answer(-5.0, -4.0, at_most=-3.0, per="hour", unit="per hour"),
        "large": answer(1e9, 2e12, at_most=1e10, per="hour", unit="per hour"),
        "tiny": answer(1e-300, 1e-299, at_most=1e-300),
    }.items():
        text = bound_picture(found, "picture")
        assert "nan" not in text, name
        assert "inf" not in text, name
        root = ElementTree.fromstring(text)
        assert LEFT <= place(root, "dot") <= RIGHT, name
        assert LEFT <= place(root, "limit") <= RIGHT, name
