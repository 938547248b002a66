from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.allocation.stand_in import Asked, coherent, parallel, series

RULES = ("equal", "proportional", "importance")


def test_equal_is_the_root_of_the_target_in_parallel_and_shares_the_survival_in_series():
    for count, target in product((1, 2, 9), (0.3, 1e-4, 1e-12)):
        together = np.full(count, target ** (1 / count))
        assert parallel([0.99] * count, target).by("equal") == pytest.approx(together, rel=1e-12), (count, target)
        apart = np.full(count, -np.expm1(np.log1p(-target) / count))
        assert series([0.99] * count, target).by("equal") == pytest.approx(apart, rel=1e-9), (count, target)


def test_equal_leaves_events_that_are_better_already():
    requirements = series([0.001, 0.2, 0.3], 0.01).by("equal")
    assert requirements[0] == 0.001
    assert requirements[1] == requirements[2] == pytest.approx(1 - np.sqrt(0.99 / 0.999))


def test_proportional_scales_by_one_factor():
    requirements = series([0.01, 0.02, 0.04], 0.007).by("proportional")
    assert requirements / [0.01, 0.02, 0.04] == pytest.approx(np.full(3, requirements[0] / 0.01), rel=1e-12)


def test_proportional_matches_the_arinc_example_of_mil_hdbk_338b():
    rates = np.array([0.003, 0.001, 0.004])
    requirements = series(1 - np.exp(-20 * rates), 1 - 0.90).by("proportional")
    assert np.round(1 - requirements, 2).tolist() == [0.96, 0.99, 0.95]


def test_importance_makes_every_event_add_the_same():
    asked = Asked([{0}, {1, 2}], [0.1, 0.2, 0.3], 1e-3)
    birnbaum = np.array([1 - 0.2 * 0.3, 0.9 * 0.3, 0.9 * 0.2])
    added = birnbaum * asked.by("importance")
    assert added == pytest.approx(np.full(3, added[0]), rel=1e-12)


def test_importance_improves_in_proportion_to_criticality():
    asked = Asked([{0, 1}, {1, 2}, {0, 2}], [0.1, 0.2, 0.3], 1e-3)
    criticality = asked.slope(asked.today) * asked.today / asked.top(asked.today)
    factors = asked.today / asked.by("importance")
    assert factors / criticality == pytest.approx(np.full(3, factors[0] / criticality[0]), rel=1e-12)


def test_importance_asks_events_without_importance_only_where_it_must():
    certain_first = series([1.0, 0.5], 0.6)
    assert certain_first.by("importance") == pytest.approx([0.2, 0.5])
    beyond = series([1.0, 0.5], 0.3).by("importance")
    assert beyond == pytest.approx([0.0, 0.3])
    assert series([1.0, 1.0], 0.19).by("importance") == pytest.approx([0.1, 0.1])


def test_targets_that_are_met_that_leave_room_and_of_zero():
    for rule in RULES:
        assert series([0.01, 0.02], 0.5).by(rule).tolist() == [0.01, 0.02], rule
        loose = series([0.01, 0.02], 0.5, relax=True)
        assert float(loose.top(loose.by(rule))) == pytest.approx(0.5, rel=1e-12), rule
        assert series([0.01, 0.02], 0.0).by(rule).tolist() == [0.0, 0.0], rule


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_the_target_is_met_exactly_and_no_limit_is_passed(rule, data):
    count = data.draw(st.integers(1, 4))
    cuts = data.draw(coherent(count))
    today = data.draw(st.lists(st.floats(1e-6, 1.0), min_size=count, max_size=count))
    low = [value * data.draw(st.sampled_from([0.0, 0.0, 0.01, 0.5, 1.0])) for value in today]
    asked = Asked(cuts, today, data.draw(st.floats(1e-9, 1.0)), low=low)
    assume(float(asked.top(asked.low)) <= asked.target)
    requirements = asked.by(rule)
    assert (requirements >= asked.low).all()
    assert (requirements <= asked.high).all()
    reached, best = float(asked.top(requirements)), float(asked.top(asked.high))
    assert reached <= asked.target * (1 + 1e-12)
    assert reached == pytest.approx(min(asked.target, best), rel=1e-9)
