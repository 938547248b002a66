"""Periodic tests: means against quadrature, the chain against the matrix exponential, and extreme arguments."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm
from tests.faulttree.quantities.strategies import refuses

from surefoot.core import InvalidInput
from surefoot.faulttree import GLM, Exponential, LogNormal, Parameter, PeriodicTest, Weibull

COMPLETE = (0.01, 0.05, 0.2, 10.0, 4.0, 0.02, 1.5, 0.0, 0.9, 0.05)
FORMS = {
    "restored": (0.01, 10.0, 4.0),
    "repaired": (0.01, 0.2, 10.0, 4.0),
    "complete": COMPLETE,
    "available in test": (*COMPLETE[:7], 1.0, *COMPLETE[8:]),
    "equal rates": (0.2, 0.2, 10.0, 4.0),
}


def value(quantity, **known):
    return quantity.evaluate({}, "e", known)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_average_is_the_integral_over_the_mission(form):
    breaks = [0.0, 4.0, 5.5, 14.0, 15.5, 24.0, 25.5, 34.0, 35.5, 44.0]
    for time in (3.0, 5.0, 14.0, 27.0):
        edges = [*(b for b in breaks if b < time), time]
        whole = sum(quad(lambda t: value(PeriodicTest.of(*form, t)), a, b, epsabs=0)[0] for a, b in pairwise(edges))
        assert value(PeriodicTest.of(*form, time, average=True)) == pytest.approx(whole / time, rel=1e-10), time


def test_a_short_average_is_half_rate_times_interval():
    average = value(PeriodicTest.of(1e-9, 720.0, 720.0, 7200.0, average=True))
    assert average == pytest.approx(1e-9 * 720 / 2 * (1 - 1e-9 * 720 / 3), rel=1e-12)


def test_repair_follows_the_matrix_exponential_after_one_test():
    rate, repair = 0.03, 0.4
    chain = np.array([[-rate, rate, 0], [0, 0, 0], [repair, 0, -repair]])
    state = np.array([1.0, 0, 0]) @ expm(chain * 7.0)
    state = np.array([state[0], 0, state[1]]) @ expm(chain * 2.5)
    assert value(PeriodicTest.of(rate, repair, 10.0, 7.0, 9.5)) == pytest.approx(1 - state[0], rel=1e-12)


def test_many_tests_cost_no_more_than_few_and_reach_the_steady_state():
    late, later = (value(PeriodicTest.of(1e-3, 0.1, 10.0, 0.0, 10.0 * n + 5.0)) for n in (10**5, 10**8))
    assert late == pytest.approx(later, rel=1e-6)


def test_arrays_give_what_numbers_give():
    rates, times = np.array([0.0, 0.01, 0.3]), np.array([2.0, 33.0, 400.0])
    names = ("rate", *(f"p{i}" for i in range(9)), "time")
    quantity = PeriodicTest.of(*map(Parameter, names))
    known = dict(zip(names[1:-1], COMPLETE[1:], strict=True))
    found = quantity.evaluate({}, "e", known | {"rate": rates, "time": times})
    single = [value(quantity, **known, rate=r, time=t) for r, t in zip(rates, times, strict=True)]
    assert found == pytest.approx(single, rel=1e-14)


def test_left_out_options_have_no_effect():
    full = PeriodicTest(0.01, 10.0, 4.0, 37.0, repair_rate=0.2, coverage=1.0)
    assert len(full.arguments) == 11
    assert value(full) == pytest.approx(value(PeriodicTest.of(0.01, 0.2, 10.0, 4.0, 37.0)), rel=1e-14)


def test_an_uncertain_rate_needs_its_own_test_rate():
    with pytest.raises(InvalidInput, match="test rate"):
        PeriodicTest(LogNormal(1e-3, 3), 10.0, 4.0, 37.0, repair_rate=0.2, duration=1.0)


def test_rounding_at_the_moment_of_a_test_stays_before_it():
    for time in (0.3, 0.7, 1.1):
        assert value(PeriodicTest.of(1.0, 0.1, 0.0, time)) == pytest.approx(-np.expm1(-0.1), rel=1e-9), time


def test_no_time_means_no_unavailability():
    for name, form in FORMS.items():
        for average in (False, True):
            assert value(PeriodicTest.of(*form, 0.0, average=average)) == 0.0, (name, average)


def test_extreme_arguments():
    cases = [
        (Exponential(0.0, 1e9), 0.0),
        (Exponential(1e9, 0.0), 0.0),
        (Exponential(1e200, 1e200), 1.0),
        (Exponential(1e-300, 1.0), 1e-300),
        (GLM(0.25, 0.0, 0.0, 100.0), 0.25),
        (GLM(0.0, 1e-300, 0.0, 1.0), 1e-300),
        (GLM(1.0, 1.0, 3.0, 1e200), 0.25),
        (Weibull(1.0, 2.0, 5.0, 5.0), 0.0),
        (Weibull(1e-200, 2.0, 0.0, 1e200), 1.0),
        (PeriodicTest.of(0.0, 0.0, 10.0, 4.0, 37.0), 0.0),
        (PeriodicTest.of(1e200, 10.0, 4.0, 37.0), 1.0),
        (PeriodicTest.of(1e200, 1e-200, 10.0, 4.0, 37.0, average=True), 1.0),
    ]
    for quantity, expected in cases:
        assert value(quantity) == pytest.approx(expected, rel=1e-12), quantity


def test_what_cannot_be_is_refused():
    wrong = [
        lambda: Exponential(-1.0, 1.0),
        lambda: Exponential(1.0, -1.0),
        lambda: Exponential(float("nan"), 1.0),
        lambda: Exponential(float("inf"), 1.0),
        lambda: GLM(1.5, 1.0, 1.0, 1.0),
        lambda: GLM(0.5, 1.0, -1.0, 1.0),
        lambda: Weibull(0.0, 1.0, 0.0, 1.0),
        lambda: Weibull(1.0, 0.0, 0.0, 1.0),
        lambda: PeriodicTest.of(1.0, 0.0, 0.0, 1.0),
        lambda: PeriodicTest.of(1.0, 1e-9, 0.0, 1e9),
        lambda: PeriodicTest.of(1.0, 1.0, 1.0),
        lambda: PeriodicTest.of(*COMPLETE[:6], 11.0, *COMPLETE[7:], 20.0),
        lambda: PeriodicTest.of(*COMPLETE[:8], 1.1, 0.0, 20.0),
        lambda: PeriodicTest(1.0, 1.0, 1.0, 1.0, coverage=0.5),
    ]
    assert [place for place, make in enumerate(wrong) if not refuses(make)] == []
