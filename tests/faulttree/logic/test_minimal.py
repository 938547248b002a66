"""Minimal sets of functions, coherent or not, are those of brute force, whatever is known of their directions."""

import math
import sys
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.cutsets.families import reduced
from tests.faulttree.logic import truth

from surefoot.faulttree.logic import Limit, OverLimit, constant, minimal_sets

AMPLE = Limit(0, math.inf)


def known_signs(table, column):
    """What can be said of a column: its true direction, or nothing."""
    if column not in table.relevant:
        return (1, -1, 0)
    return tuple({table.directions[column], 0} if rises_or_falls(table, column) else {0})


def rises_or_falls(table, column):
    states = np.arange(len(table.true))
    without = states[states >> column & 1 == 0]
    change = table.true[without | 1 << column].astype(int) - table.true[without]
    return (change >= 0).all() or (change <= 0).all()


def diagram_of(table):
    return reduced(table.events[::-1], table.true.reshape((2,) * len(table.events)))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_minimal_sets_are_right_for_every_combination_of_signs(values):
    table = Table((0, 1, 2), np.array(values))
    for signs in product(*(known_signs(table, column) for column in table.events)):
        found = minimal_sets(diagram_of(table), dict(enumerate(signs)), AMPLE)
        assert truth.sets_of(found) == table.minimal_cut_sets


@settings(max_examples=15, deadline=None)
@given(st.data(), st.integers(4, 6))
def test_minimal_sets_of_larger_functions(data, columns):
    size = 2**columns
    table = Table(tuple(range(columns)), np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size))))
    signs = {column: data.draw(st.sampled_from(known_signs(table, column))) for column in table.events}
    assert truth.sets_of(minimal_sets(diagram_of(table), signs, AMPLE)) == table.minimal_cut_sets


@settings(max_examples=15, deadline=None)
@given(st.sets(st.sets(st.integers(0, 6), min_size=1, max_size=4).map(frozenset), min_size=1, max_size=6))
def test_minimal_sets_of_a_rising_function(family):
    happens = truth.states(range(7))
    rows = [np.logical_and.reduce([happens[column] for column in found]) for found in family]
    table = Table(tuple(range(7)), np.logical_or.reduce(rows))
    found = minimal_sets(diagram_of(table), dict.fromkeys(range(7), 1), AMPLE)
    assert truth.sets_of(found) == {one for one in family if not any(other < one for other in family)}


@pytest.mark.parametrize("value", [False, True])
def test_minimal_sets_of_a_constant(value):
    assert truth.sets_of(minimal_sets(constant(value), {}, AMPLE)) == ({frozenset()} if value else set())


def parity(columns):
    count = sum(truth.states(range(columns)).values(), np.zeros(2**columns, dtype=int))
    return diagram_of(Table(tuple(range(columns)), count % 2 == 1))


def test_too_little_space_or_time_is_said(monkeypatch):
    diagram, signs = parity(9), dict.fromkeys(range(9), 0)
    with pytest.raises(OverLimit, match="time limit"):
        minimal_sets(diagram, signs, Limit(0, time.monotonic() - 1))
    monkeypatch.setattr(sys.modules[minimal_sets.__module__], "SPACES", (2, 4))
    with pytest.raises(OverLimit, match="too many nodes"):
        minimal_sets(diagram, signs, AMPLE)


def test_a_second_attempt_has_more_space(monkeypatch):
    monkeypatch.setattr(sys.modules[minimal_sets.__module__], "SPACES", (2, 1 << 12))
    found = minimal_sets(parity(9), dict.fromkeys(range(9), 0), AMPLE)
    assert truth.sets_of(found) == {frozenset({column}) for column in range(9)}
