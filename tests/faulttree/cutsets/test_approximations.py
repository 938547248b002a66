"""The rare-event sum and the min-cut upper bound agree with their definitions."""

import math

import numpy as np
import pytest
from tests.faulttree.cutsets.families import choices, compiled_sets, expanded, random_families

from surefoot.faulttree import cutsets


def by_definition(sets, p):
    found = [math.prod(p[event] for event in item) for item in sets]
    return math.fsum(found), -math.expm1(math.fsum(math.log1p(-value) if value < 1 else -math.inf for value in found))


@pytest.mark.parametrize("largest", [1e-4, 0.1, 0.6, 0.95, 1.0])
def test_both_agree_with_their_definitions(largest):
    for seed in range(6):
        events, families = random_families(seed)
        p = np.random.default_rng(seed).uniform(0, largest, len(events))
        p[0] = largest
        found = cutsets.approximations(compiled_sets(events, families), p)
        rare, upper = by_definition(expanded(events, families), dict(zip(events, p.tolist(), strict=True)))
        assert found.rare_event == pytest.approx(rare, rel=1e-12), seed
        assert found.min_cut_upper_bound == pytest.approx(upper, rel=1e-12), seed


def test_draws_give_the_same_one_by_one():
    events, families = random_families(2)
    rng = np.random.default_rng(2)
    p = rng.uniform(0, 1, (len(events), 8)) * np.logspace(-3, 0, 8)
    compiled = compiled_sets(events, families)
    together, single = cutsets.approximations(compiled, p), [cutsets.approximations(compiled, column) for column in p.T]
    assert together.rare_event == pytest.approx([one.rare_event for one in single], rel=1e-12)
    assert together.min_cut_upper_bound == pytest.approx([one.min_cut_upper_bound for one in single], rel=1e-12)


def test_ten_to_the_forty_sets_have_both():
    compiled = choices(40, 10)
    found = cutsets.approximations(compiled, np.full(400, 0.01))
    assert found.rare_event == pytest.approx(0.1**40, rel=1e-12)
    assert found.min_cut_upper_bound == pytest.approx(0.1**40, rel=1e-12)
    assert cutsets.approximations(compiled, np.full(400, 0.5)).min_cut_upper_bound == 1.0


def test_constants_have_both():
    for family, value in (([], 0.0), ([()], 1.0)):
        found = cutsets.approximations(compiled_sets("a", [family]), [0.5])
        assert (found.rare_event, found.min_cut_upper_bound) == (value, value), value


def test_a_certain_set_makes_the_upper_bound_one():
    found = cutsets.approximations(compiled_sets("ab", [[(0,), (1,)]]), [1.0, 0.25])
    assert (found.rare_event, found.min_cut_upper_bound) == (1.25, 1.0)
