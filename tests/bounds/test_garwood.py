"""Rates of counted events: against SciPy's chi-square form, by simulation of coverage, and in fault trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surefoot import FaultTree
from surefoot.bounds import garwood
from surefoot.core import CountedRate, Estimate, InvalidInput, Target
from surefoot.core.exact_inversion import count_of
from surefoot.faulttree import Formula, Measured


@given(st.integers(0, 10_000), st.floats(0.1, 1e9), st.floats(0.01, 0.9999))
def test_limits_are_those_of_the_chi_square_form(events, exposure, level):
    """Ulm (1990), American Journal of Epidemiology 131(2): half of a chi-square quantile over the exposure."""
    found = garwood(events, exposure, level=0.95)
    assert found.upper(level) == pytest.approx(stats.chi2.ppf(level, 2 * events + 2) / 2 / exposure, rel=1e-9)
    lower = stats.chi2.ppf(1 - level, 2 * events) / 2 / exposure if events else 0.0
    assert found.lower(level) == pytest.approx(lower, rel=1e-9, abs=0)
    assert found.value == events / exposure


def test_they_are_the_rates_that_a_poisson_test_just_does_not_reject():
    found = garwood(4, 250.0, level=0.95)
    assert stats.poisson.cdf(4, 250 * found.upper(0.975)) == pytest.approx(0.025)
    assert stats.poisson.sf(3, 250 * found.lower(0.975)) == pytest.approx(0.025)


def test_they_miss_no_more_often_than_stated():
    """Simulated counts at known rates; without any event the upper limit is ln(20) over the exposure."""
    rng = np.random.default_rng(7)
    for rate in (0.002, 0.02, 0.3):
        counts, times = np.unique(rng.poisson(rate * 100, 20_000), return_counts=True)
        limits = [garwood(int(k), 100, level=0.9) for k in counts]
        above = sum(n for found, n in zip(limits, times, strict=True) if found.upper(0.9) < rate) / 20_000
        below = sum(n for found, n in zip(limits, times, strict=True) if found.lower(0.9) > rate) / 20_000
        assert above <= 0.1 + 3 * np.sqrt(0.09 / 20_000)
        assert below <= 0.1 + 3 * np.sqrt(0.09 / 20_000)
    assert garwood(0, 100, level=0.95).upper(0.95) == pytest.approx(np.log(20) / 100)


def test_the_count_behind_it_is_known_to_trees_and_it_comes_back_from_plain_data():
    found = garwood(3, 1000.0, level=0.95)
    count = count_of(found)
    assert (count.events, count.exposure, count.poisson) == (3, pytest.approx(1000.0), True)
    assert count.limit(0.05, "upper") == pytest.approx(CountedRate(3, 1000.0).ppf(0.95))
    assert Estimate.from_dict(found.to_dict()) == found
    tree = FaultTree("top", {"top": Formula("pass", ("e",))}, {"e": Measured(found)})
    assert tree.analyse(unit="per hour").top.upper(0.95) == pytest.approx(found.upper(0.95))


def test_a_target_per_hour_is_met_by_it():
    target = Target(at_most=1e-4, per="hour")
    assert garwood(0, 29_958, level=0.95).meets(target).status == "met"
    assert garwood(0, 29_957, level=0.95).meets(target).status == "not shown"


@pytest.mark.parametrize(("events", "exposure"), [(-1, 10), (1.5, 10), (1, 0), (1, float("inf"))])
def test_what_cannot_be_counted_is_refused(events, exposure):
    with pytest.raises(InvalidInput):
        garwood(events, exposure, level=0.95)
