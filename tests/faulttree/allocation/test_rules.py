import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.allocation.stand_in import coherent_functions, parallel, problem, series

from surefoot.faulttree.allocation.rules import by_importance, equal, proportional

RULES = [equal, proportional, by_importance]


@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("target", [0.3, 1e-4, 1e-12])
def test_equal_in_parallel_is_the_root_of_the_target(count, target):
    asked = problem(parallel, [0.99] * count, target)
    assert equal(asked) == pytest.approx(np.full(count, target ** (1 / count)), rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("target", [0.3, 1e-4, 1e-12])
def test_equal_in_series_shares_the_survival(count, target):
    asked = problem(series, [0.99] * count, target)
    assert equal(asked) == pytest.approx(np.full(count, -np.expm1(np.log1p(-target) / count)), rel=1e-9)


def test_equal_leaves_events_that_are_better_already():
    requirements = equal(problem(series, [0.001, 0.2, 0.3], 0.01))
    assert requirements[0] == 0.001
    assert requirements[1] == requirements[2] == pytest.approx(1 - np.sqrt(0.99 / 0.999))


def test_proportional_scales_by_one_factor():
    requirements = proportional(problem(series, [0.01, 0.02, 0.04], 0.007))
    assert requirements / [0.01, 0.02, 0.04] == pytest.approx(np.full(3, requirements[0] / 0.01), rel=1e-12)


def test_proportional_matches_the_arinc_example_of_mil_hdbk_338b():
    rates = np.array([0.003, 0.001, 0.004])
    requirements = proportional(problem(series, 1 - np.exp(-20 * rates), 1 - 0.90))
    assert np.round(1 - requirements, 2).tolist() == [0.96, 0.99, 0.95]


def test_importance_makes_every_event_add_the_same():
    asked = problem(lambda a, b, c: a or (b and c), [0.1, 0.2, 0.3], 1e-3)
    birnbaum = np.array([1 - 0.2 * 0.3, 0.9 * 0.3, 0.9 * 0.2])
    added = birnbaum * by_importance(asked)
    assert added == pytest.approx(np.full(3, added[0]), rel=1e-12)


def test_importance_improves_in_proportion_to_criticality():
    asked = problem(lambda a, b, c: (a and b) or (b and c) or (a and c), [0.1, 0.2, 0.3], 1e-3)
    criticality = asked.slope(asked.today) * asked.today / asked.top(asked.today)
    factors = asked.today / by_importance(asked)
    assert factors / criticality == pytest.approx(np.full(3, factors[0] / criticality[0]), rel=1e-12)


def test_importance_asks_events_without_importance_only_where_it_must():
    certain_first = problem(series, [1.0, 0.5], 0.6)
    assert by_importance(certain_first) == pytest.approx([0.2, 0.5])
    beyond = by_importance(problem(series, [1.0, 0.5], 0.3))
    assert beyond == pytest.approx([0.0, 0.3])
    assert by_importance(problem(series, [1.0, 1.0], 0.19)) == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("rule", RULES)
def test_a_target_that_is_met_leaves_everything_as_it_is(rule):
    assert rule(problem(series, [0.01, 0.02], 0.5)).tolist() == [0.01, 0.02]


@pytest.mark.parametrize("rule", RULES)
def test_room_is_given_away_where_looser_is_allowed(rule):
    asked = problem(series, [0.01, 0.02], 0.5, high=[1.0, 1.0])
    assert float(asked.top(rule(asked))) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_a_target_of_zero_needs_perfect_events(rule):
    assert rule(problem(series, [0.01, 0.02], 0.0)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_target_is_met_exactly_and_no_limit_is_passed(rule, data):
    count = data.draw(st.integers(1, 4))
    function = data.draw(coherent_functions(count))
    today = data.draw(st.lists(st.floats(1e-6, 1.0), min_size=count, max_size=count))
    low = [value * data.draw(st.sampled_from([0.0, 0.0, 0.01, 0.5, 1.0])) for value in today]
    asked = problem(function, today, data.draw(st.floats(1e-9, 1.0)), low=low)
    assume(float(asked.top(asked.low)) <= asked.target)
    requirements = rule(asked)
    assert (requirements >= asked.low).all()
    assert (requirements <= asked.high).all()
    reached, best = float(asked.top(requirements)), float(asked.top(asked.high))
    assert reached <= asked.target * (1 + 1e-12)
    assert reached == pytest.approx(min(asked.target, best), rel=1e-9)
