import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.allocation.stand_in import Asked, coherent, parallel, series

from surefoot.core import InvalidInput


def total(asked, prices, x):
    """What it costs to bring events from today's probabilities to others, by the factor of ten."""
    return float(sum(price * np.log10(t / v) for price, t, v in zip(prices, asked.today, x, strict=True) if v != t))


def cheapest_on_a_grid(asked, prices, steps):
    """The least cost with all but the last event on a grid, and the last as loose as the target lets it be."""
    limits = zip(asked.low, asked.high, strict=True)
    *others, last = [np.geomspace(max(least, most * 1e-7), most, steps) for least, most in limits]
    grid = np.array([part.ravel() for part in np.meshgrid(*others)]) if others else np.empty((0, 1))
    never, always = (asked.top(np.vstack([grid, np.full(grid.shape[1], end)])) for end in (0.0, 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        loosest = np.where(always > never, (asked.target - never) / (always - never), 1.0)
    final = np.minimum(loosest, asked.high[-1])
    fine = (never <= asked.target) & (final >= max(asked.low[-1], last[0]))
    totals = np.array(prices) @ np.log10(asked.today[:, None] / np.vstack([grid, final])[:, fine])
    return totals.min(initial=np.inf)


def test_in_series_contributions_are_in_proportion_to_cost():
    found = series([0.1, 0.2, 0.3], 1e-6).by("cost", [1.0, 2.0, 5.0])
    assert found == pytest.approx(1e-6 * np.array([1, 2, 5]) / 8, rel=1e-5)


def test_in_parallel_the_cheapest_event_does_it_alone():
    found = parallel([0.1, 0.2, 0.3], 1e-6).by("cost", [3.0, 1.0, 2.0])
    assert found == pytest.approx([0.1, 1e-6 / 0.03, 0.3], rel=1e-9)


def test_in_parallel_the_next_cheapest_helps_where_the_first_has_a_limit():
    found = parallel([0.1, 0.2, 0.3], 1e-6, low=[0, 1e-3, 0]).by("cost", [3.0, 1.0, 2.0])
    assert found == pytest.approx([0.1, 1e-3, 1e-2], rel=1e-9)


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_no_point_of_a_grid_is_cheaper(data):
    count = data.draw(st.integers(2, 3))
    cuts = data.draw(coherent(count))
    today = data.draw(st.lists(st.floats(1e-3, 0.9), min_size=count, max_size=count))
    low = [value * data.draw(st.sampled_from([0.0, 0.0, 0.1])) for value in today]
    asked = Asked(cuts, today, data.draw(st.floats(1e-4, 0.5)), low=low)
    assume(float(asked.top(asked.low)) <= asked.target < float(asked.top(asked.high)))
    prices = data.draw(st.lists(st.floats(0.2, 5.0), min_size=count, max_size=count))
    found = asked.by("cost", prices)
    assert float(asked.top(found)) == pytest.approx(asked.target, rel=1e-9)
    assert total(asked, prices, found) <= cheapest_on_a_grid(asked, prices, 4000 if count == 2 else 90) + 1e-6


@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_the_optimum_satisfies_the_conditions_of_karush_kuhn_and_tucker(data):
    cuts = data.draw(coherent(3))
    today = data.draw(st.lists(st.floats(1e-3, 0.1), min_size=3, max_size=3))
    asked = Asked(cuts, today, data.draw(st.floats(1e-7, 1e-5)))
    prices = np.array(data.draw(st.lists(st.floats(0.2, 5.0), min_size=3, max_size=3)))
    found = asked.by("cost", prices.tolist())
    assume(float(asked.top(asked.high)) > asked.target)
    share = found * asked.slope(found) / asked.target / prices
    inside = found < asked.high * (1 - 1e-9)
    price = share[inside].max()
    assert share[inside] == pytest.approx(np.full(inside.sum(), price), rel=1e-3)
    assert (share[~inside] <= price * (1 + 1e-3)).all()


@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_it_is_never_dearer_than_the_simple_rules(data):
    cuts = data.draw(coherent(4))
    today = data.draw(st.lists(st.floats(1e-4, 1.0), min_size=4, max_size=4))
    asked = Asked(cuts, today, data.draw(st.floats(1e-6, 0.9)))
    prices = data.draw(st.lists(st.floats(0.1, 9.0), min_size=4, max_size=4))
    least = min(total(asked, prices, asked.by(rule)) for rule in ("equal", "proportional", "importance"))
    assert total(asked, prices, asked.by("cost", prices)) <= least + 1e-12


def mettas(feasibility, reliability):
    """Cost of a failure probability after Mettas (2000): 99.9% is the largest reliability that can be reached."""
    return lambda p: np.exp((1 - feasibility) * (1 - p - reliability) / (0.999 - (1 - p)))


def test_cost_functions_of_mettas_2000_case_1():
    today = 1 - np.exp(-((100 / 312) ** 1.318))
    found = series([today] * 3, 0.1, low=[0.0011] * 3).by("cost", [mettas(0.5, 1 - today)] * 3)
    assert 1 - found == pytest.approx([0.9655] * 3, abs=5e-5)


@pytest.mark.parametrize(
    ("reliability", "feasibility"),
    [((0.8, 0.8, 0.8), (0.9, 0.5, 0.1)), ((0.7, 0.8, 0.9), (0.1, 0.9, 0.5))],
    ids=["apart in feasibility", "apart in both"],
)
def test_cost_functions_of_mettas_2000_agree_with_a_grid(reliability, feasibility):
    asked = series(1 - np.array(reliability), 0.1, low=[0.0011] * 3)
    costs = [mettas(f, r) for f, r in zip(feasibility, reliability, strict=True)]
    found = asked.by("cost", costs)
    grid = np.linspace(0.0011, 0.1, 250)
    first, second = (part.ravel() for part in np.meshgrid(grid, grid))
    third = 1 - 0.9 / ((1 - first) * (1 - second))
    fine = (third >= 0.0011) & (third <= asked.high[2])
    points = np.array([first, second, third])[:, fine].T
    with np.errstate(over="ignore"):
        prices = sum(costs[i](points[:, i]) for i in range(3))
    best = points[np.argmin(prices)]
    assert sum(cost(x) for cost, x in zip(costs, found, strict=True)) <= prices.min()
    assert found == pytest.approx(best, abs=2e-3)


def test_an_event_that_is_impossible_stays_so():
    assert series([0.0, 0.2], 0.01).by("cost", [1.0, 1.0]) == pytest.approx([0.0, 0.01])


def test_costs_that_do_not_fit_are_refused():
    for costs in ({"a": 1.0}, {"a": 1.0, "b": -1.0}, {"a": 1.0, "b": 2.0, "z": 1.0}):
        with pytest.raises(InvalidInput, match="cost"):
            series([0.1, 0.1], 0.01).tree.allocate(0.01, method="cost", costs=costs)
