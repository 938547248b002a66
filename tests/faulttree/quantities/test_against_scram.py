"""Every expression of Open-PSA against SCRAM, which evaluates deviates at their means."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot.faulttree import (
    GLM,
    BetaDeviate,
    Exponential,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    MissionTime,
    NormalDeviate,
    Operation,
    PeriodicTest,
    UniformDeviate,
    Weibull,
)

RNG = np.random.default_rng(20)


def _tested_part(index):
    """Arguments of a complete periodic test; every third one ends during a test."""
    rate, test_rate, repair = RNG.uniform([0.001, 0.001, 0.01], [0.1, 0.3, 0.5])
    interval, first = RNG.uniform([5.0, 1.0], [20.0, 30.0])
    duration = RNG.uniform(0.5, 0.6 * interval)
    within = RNG.uniform(0, duration) if index % 3 == 0 else RNG.uniform(duration, interval)
    time = first + RNG.integers(0, 5) * interval + within
    chances = RNG.uniform([0.0, 0.3, 0.0], [0.3, 1.0, 0.3])
    available = float(RNG.integers(2))
    found = (rate, test_rate, repair, interval, first, chances[0], duration, available, chances[1], chances[2], time)
    return tuple(map(float, found))


COMPLETE = [_tested_part(index) for index in range(18)]
WITH_REPAIR = [(a[0], a[2], a[3], a[4], a[10]) for a in COMPLETE] + [
    (1e-5, 1e-2, 720.0, 100.0, 8760.0),
    (0.02, 0.02, 10.0, 5.0, 48.0),
    (1e-3, 0.1, 100.0, 500.0, 400.0),
]
SHORT = [(a[0], a[3], a[4], a[10]) for a in COMPLETE] + [
    (1e-4, 1000.0, 500.0, 2500.0),
    (1e-4, 1000.0, 500.0, 500.0),
    (1e-4, 1000.0, 500.0, 0.25),
    (1e-6, 8760.0, 0.0, 8760.0),
]
OTHERS = [
    (Exponential(1e-5, 1000.0), ("exponential", 1e-5, 1000.0)),
    (Exponential(1e-12, 3.0), ("exponential", 1e-12, 3.0)),
    (Exponential(2.0, 800.0), ("exponential", 2.0, 800.0)),
    (Exponential(1e-6, MissionTime()), ("exponential", 1e-6, ("system-mission-time",))),
    (GLM(0.01, 1e-5, 1e-2, 100.0), ("GLM", 0.01, 1e-5, 1e-2, 100.0)),
    (GLM(0.5, 0.3, 0.2, 4.0), ("GLM", 0.5, 0.3, 0.2, 4.0)),
    (Weibull(1e4, 2.5, 500.0, 4000.0), ("Weibull", 1e4, 2.5, 500.0, 4000.0)),
    (Weibull(10.0, 0.5, 0.0, 4.0), ("Weibull", 10.0, 0.5, 0.0, 4.0)),
    (Weibull(1e4, 2.0, 500.0, 400.0), ("Weibull", 1e4, 2.0, 500.0, 400.0)),
    (LogNormal(2e-3, 3, 0.95), ("lognormal-deviate", 2e-3, 3.0, 0.95)),
    (LogNormalMuSigma(-3.0, 0.4), ("lognormal-deviate", -3.0, 0.4)),
    (NormalDeviate(0.2, 0.01), ("normal-deviate", 0.2, 0.01)),
    (UniformDeviate(0.2, 0.3), ("uniform-deviate", 0.2, 0.3)),
    (BetaDeviate(2.0, 5.0), ("beta-deviate", 2.0, 5.0)),
    (GammaDeviate(2.0, 0.01), ("gamma-deviate", 2.0, 0.01)),
    (Histogram((0.0, 0.1, 0.5), (1.0, 3.0)), ("histogram", 0.0, ("bin", 0.1, 1.0), ("bin", 0.5, 3.0))),
    (Operation("switch", (0.0, 0.2, 1.0, 0.3, 0.4)), ("switch", ("case", 0.0, 0.2), ("case", 1.0, 0.3), 0.4)),
    (Operation("switch", (0.0, 0.2, 0.0, 0.3, 0.4)), ("switch", ("case", 0.0, 0.2), ("case", 0.0, 0.3), 0.4)),
    (Operation("add", (1.5, Operation("mod", (-7.5, 2.0)))), ("add", 1.5, ("mod", -7.5, 2.0))),
    (Operation("div", (Operation("pi"), 10.0)), ("div", ("pi",), 10.0)),
]
OPERANDS = {
    "neg": [(-0.3,)],
    "abs": [(-0.3,)],
    "acos": [(0.9,)],
    "asin": [(0.4,)],
    "atan": [(0.4,)],
    "cos": [(1.2,)],
    "cosh": [(0.0,)],
    "exp": [(-2.0,)],
    "log": [(1.5,)],
    "log10": [(2.5,)],
    "sin": [(0.4,)],
    "sinh": [(0.4,)],
    "tan": [(0.4,)],
    "tanh": [(0.4,)],
    "sqrt": [(0.4,)],
    "ceil": [(0.2,)],
    "floor": [(1.7,)],
    "not": [(0.0,), (1.0,)],
    "mod": [(7.5, 2.2), (4.0, -3.0), (0.9, 2.0)],
    "pow": [(0.4, 1.5)],
    "eq": [(1.0, 1.0), (1.0, 2.0)],
    "df": [(1.0, 1.0), (1.0, 2.0)],
    "lt": [(1.0, 1.0), (1.0, 2.0)],
    "gt": [(2.0, 1.0), (1.0, 1.0)],
    "leq": [(1.0, 1.0), (3.0, 2.0)],
    "geq": [(1.0, 1.0), (1.0, 2.0)],
    "add": [(0.1, 0.2, 0.3)],
    "sub": [(0.9, 0.2, 0.3)],
    "mul": [(0.9, 0.2, 0.3)],
    "div": [(0.9, 2.0, 3.0)],
    "min": [(0.9, 0.2, 0.3)],
    "max": [(0.1, 0.2, 0.3)],
    "mean": [(0.1, 0.2, 0.6)],
    "and": [(1.0, 1.0, 0.0), (1.0, 1.0)],
    "or": [(0.0, 0.0, 1.0), (0.0, 0.0)],
    "ite": [(1.0, 0.2, 0.3), (0.0, 0.2, 0.3)],
}


def value(quantity):
    return float(quantity.evaluate({}, "event", {}))


@pytest.mark.parametrize("cases", [SHORT, WITH_REPAIR, COMPLETE], ids=["4", "5", "11"])
def test_periodic_tests_of_each_form_agree(scram, cases):
    expected = scram([("periodic-test", *case) for case in cases])
    assert [value(PeriodicTest.of(*case)) for case in cases] == pytest.approx(expected, rel=1e-9)


def test_rates_and_means_of_deviates_agree(scram):
    expected = scram([expression for _, expression in OTHERS])
    assert [value(quantity) for quantity, _ in OTHERS] == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_every_operation_agrees(scram):
    cases = [(name, operands) for name, examples in OPERANDS.items() for operands in examples]
    expected = scram([(name, *operands) for name, operands in cases])
    assert [value(Operation(name, operands)) for name, operands in cases] == pytest.approx(expected, rel=1e-9)


def test_nested_deviates_agree(scram):
    quantity = Exponential(LogNormal(UniformDeviate(1e-5, 3e-5), 3.0, 0.95), Operation("mul", (2.0, MissionTime())))
    rate = ("lognormal-deviate", ("uniform-deviate", 1e-5, 3e-5), 3.0, 0.95)
    expected = scram([("exponential", rate, ("mul", 2.0, ("system-mission-time",)))])
    assert [value(quantity)] == pytest.approx(expected, rel=1e-9)
