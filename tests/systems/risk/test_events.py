"""Modules as basic events: the tree gives what was measured, whatever the events have to do with each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import told

from surefoot import SurefootError
from surefoot.systems import CLEAN, Condition, conditional_probabilities, system_tree

FOG = Condition("fog", 3)


def masks(rng, events, items, share=0.4):
    return {f"e{i}": {c: rng.random(items) < share for c in (CLEAN, FOG)} for i in range(events)}


def share_of(events, weights, gate):
    joined = np.any if gate == "or" else np.all
    total = sum(weights.values())
    return (
        sum(weight * joined([rows[c] for rows in events.values()], axis=0).mean() for c, weight in weights.items())
        / total
    )


@pytest.mark.parametrize("gate", ["or", "and"])
@given(
    st.integers(1, 4), st.integers(2, 25), st.integers(0, 10**6), st.floats(0, 3), st.floats(0.01, 3), st.booleans(),
    st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]),
)  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_the_tree_gives_exactly_the_share_that_was_measured(gate, count, items, seed, clean, fog, grouped, share):
    rng = np.random.default_rng(seed)
    events = masks(rng, count, items, share)
    weights, units = {CLEAN: clean, FOG: fog}, rng.integers(0, 3, items) if grouped else None
    tree = system_tree(events, weights, gate=gate, units=units, draws=100)
    assert tree.probability() == pytest.approx(share_of(events, weights, gate), abs=1e-12)


def test_each_event_is_given_what_those_before_it_did():
    a, b = np.array([1, 1, 0, 0, 0, 0], bool), np.array([1, 0, 1, 0, 0, 0], bool)
    events = {"a": {CLEAN: a}, "b": {CLEAN: b}}
    either = conditional_probabilities(events, {CLEAN: 1.0}, draws=100)
    both = conditional_probabilities(events, {CLEAN: 1.0}, gate="and", draws=100)
    assert [each.value for each in either.values()] == pytest.approx([2 / 6, 1 / 4])
    assert [each.value for each in both.values()] == pytest.approx([2 / 6, 1 / 2])


@pytest.mark.parametrize(("gate", "first", "expected"), [("or", True, 1.0), ("and", False, 0.0)])
def test_events_that_can_no_longer_change_anything_are_left_out(gate, first, expected):
    events = {"a": {CLEAN: np.full(8, first)}, "b": {CLEAN: np.arange(8) < 3}}
    found = conditional_probabilities(events, {CLEAN: 1.0}, gate=gate, draws=100)
    assert list(found) == ["a"]
    assert system_tree(events, {CLEAN: 1.0}, gate=gate, draws=100).probability() == expected


def test_an_event_that_never_happened_may_still_happen():
    events = {"a": {CLEAN: np.zeros(50, bool)}, "b": {CLEAN: np.arange(50) < 5}}
    found = conditional_probabilities(events, {CLEAN: 1.0})
    assert found["a"].value == 0
    assert 0.005 < found["a"].upper(0.95) < 0.1


def test_conditions_without_weight_do_not_count():
    events = masks(np.random.default_rng(0), 2, 30)
    only = {name: {CLEAN: rows[CLEAN]} for name, rows in events.items()}
    values = [
        conditional_probabilities(some, w, draws=100)["e1"].value
        for some, w in ((events, {CLEAN: 1, FOG: 0}), (only, {CLEAN: 1}))
    ]
    assert values[0] == values[1]


def test_events_are_drawn_together_and_the_top_event_holds_the_truth():
    # Two modules fail on hard items: each with probability hard, so that one or the other fails with 2/3.
    held, rounds, caveats = 0, 40, set()
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        units = np.repeat(np.arange(50), 2)
        hard = rng.random(50)[units]
        events = {name: {CLEAN: rng.random(100) < hard, FOG: rng.random(100) < hard} for name in "ab"}
        tree = system_tree(events, {CLEAN: 0.7, FOG: 0.3}, units=units, draws=1000)
        top = tree.analyse(level=0.95, draws=1000).top
        held += top.lower(0.95) <= 2 / 3 <= top.upper(0.95)
        caveats |= {caveat.code for caveat in top.caveats}
    assert held >= 34
    assert "shared-data" not in caveats


def test_the_value_at_the_top_is_that_of_the_tree():
    events = masks(np.random.default_rng(2), 3, 40)
    tree = system_tree(events, {CLEAN: 1, FOG: 1}, top="stops", name="robot", draws=1000)
    assert tree.top == "stops"
    assert tree.analyse(draws=1000).top.value == pytest.approx(tree.probability(), abs=0.05)


A = {CLEAN: np.array([True, False]), FOG: np.array([True, False])}


def test_wrong_events_are_told():
    for events, weights, options, said in [
        ({}, {CLEAN: 1}, {}, "at least one event"),
        ({"a": A}, {}, {}, "found none"),
        ({"a": A}, {CLEAN: 0, FOG: 0}, {}, "one weight must be above 0"),
        ({"a": A}, {CLEAN: -1, FOG: 2}, {}, "at least 0; found clean: -1"),
        ({"a": A}, {CLEAN: float("nan")}, {}, "at least 0"),
        ({"a": A, "b": {CLEAN: A[CLEAN]}}, {CLEAN: 1, FOG: 1}, {}, "'b' was not seen in a condition; found fog 3"),
        ({"a": A, "b": {CLEAN: [True]}}, {CLEAN: 1}, {}, "same items"),
        ({"a": A}, {CLEAN: 1}, {"gate": "xor"}, "gate"),
        ({"a": A}, {CLEAN: 1}, {"units": np.array([0, 1, 2])}, "units"),
    ]:
        with told(events), pytest.raises(SurefootError, match=said):
            conditional_probabilities(events, weights, **options)
