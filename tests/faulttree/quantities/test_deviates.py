"""Deviates against scipy.stats, with constants and with parameters of the tree for arguments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.faulttree.quantities.strategies import refuses

from surefoot.core import Beta
from surefoot.faulttree import (
    BetaDeviate,
    Counts,
    Distributed,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    NormalDeviate,
    Operation,
    Parameter,
    UniformDeviate,
)

LEVELS = np.array([0.001, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999])
SIGMA = np.log(3) / stats.norm.ppf(0.95)
BINS = stats.rv_histogram((np.array([1.0, 0.0, 3.0]), np.array([0.0, 0.1, 0.2, 0.5])), density=False)
CASES = [
    (LogNormal, (1e-3, 3.0, 0.95), stats.lognorm(SIGMA, scale=1e-3 * np.exp(-(SIGMA**2) / 2))),
    (LogNormalMuSigma, (-7.0, 0.8), stats.lognorm(0.8, scale=np.exp(-7.0))),
    (NormalDeviate, (0.3, 0.02), stats.norm(0.3, 0.02)),
    (UniformDeviate, (0.1, 0.4), stats.uniform(0.1, 0.3)),
    (BetaDeviate, (2.5, 60.0), stats.beta(2.5, 60.0)),
    (GammaDeviate, (2.5, 0.01), stats.gamma(2.5, scale=0.01)),
]
IDS = [kind.__name__ for kind, _, _ in CASES]


@pytest.mark.parametrize(("kind", "arguments", "truth"), CASES, ids=IDS)
def test_mean_and_quantiles_are_those_of_scipy_with_constants_and_with_parameters(kind, arguments, truth):
    estimate = kind(*arguments).leaves("e")["e"]
    assert estimate.value == pytest.approx(truth.mean(), rel=1e-12)
    assert estimate.dist.variance == pytest.approx(truth.var(), rel=1e-10)
    assert estimate.dist.ppf(LEVELS) == pytest.approx(truth.ppf(LEVELS), rel=1e-9)
    assert estimate.upper(0.95) == pytest.approx(truth.ppf(0.95), rel=1e-9)
    names = [f"p{i}" for i in range(len(arguments))]
    quantity, known = kind(*map(Parameter, names)), dict(zip(names, arguments, strict=True))
    assert quantity.leaves("e")["e"].dist.ppf(LEVELS) == pytest.approx(LEVELS)
    assert quantity.evaluate({"e": LEVELS}, "e", known) == pytest.approx(truth.ppf(LEVELS), rel=1e-9)
    assert quantity.evaluate({}, "e", known) == pytest.approx(truth.mean(), rel=1e-12)


@pytest.mark.parametrize("named", [False, True], ids=["constants", "parameters"])
def test_a_histogram_is_that_of_scipy(named):
    edges, weights = (0.0, 0.1, 0.2, 0.5), (1.0, 0.0, 3.0)
    known = {f"{i}": v for i, v in enumerate(edges + weights)}
    arguments = [Parameter(name) for name in known] if named else [*edges, *weights]
    quantity = Histogram(tuple(arguments[:4]), tuple(arguments[4:]))
    drawn = LEVELS if named else quantity.leaves("e")["e"].dist.ppf(LEVELS)
    assert quantity.evaluate({"e": drawn}, "e", known) == pytest.approx(BINS.ppf(LEVELS), rel=1e-12)
    assert quantity.evaluate({}, "e", known) == pytest.approx(BINS.mean(), rel=1e-12)


def test_the_error_factor_is_the_95_percent_quantile_over_the_median():
    dist = LogNormal(1e-3, 5).leaves("e")["e"].dist
    assert dist.ppf(0.95) / dist.ppf(0.5) == pytest.approx(5)


def test_a_median_gives_the_distribution_with_that_median():
    dist = LogNormal.from_median(1e-3, 5).leaves("e")["e"].dist
    assert dist.ppf([0.5, 0.95]) == pytest.approx([1e-3, 5e-3])


def test_uncertain_arguments_are_inputs_of_their_own():
    quantity = NormalDeviate(UniformDeviate(0.2, 0.4), 0.01)
    assert list(quantity.leaves("e")) == ["e", "e/2"]
    drawn = {"e": np.array([0.5, 0.975]), "e/2": np.array([0.2, 0.3])}
    assert quantity.evaluate(drawn, "e", {}) == pytest.approx([0.2, stats.norm(0.3, 0.01).ppf(0.975)])


@pytest.mark.parametrize(("failures", "trials", "prior"), [(0, 100, (0.5, 0.5)), (3, 10, (1, 1)), (7, 7, (2, 50))])
def test_counts_give_the_beta_posterior(failures, trials, prior):
    estimate = Counts(failures, trials, prior).leaves("e")["e"]
    truth = stats.beta(failures + prior[0], trials - failures + prior[1])
    assert estimate.value == pytest.approx(truth.mean())
    low, high = truth.ppf([0.05, 0.95])
    ends = (0.0 if not failures and prior == (0.5, 0.5) else low, high)
    assert estimate.interval(0.9) == pytest.approx(ends, rel=1e-9)
    assert (estimate.details["failures"], estimate.details["trials"]) == (failures, trials)


def test_any_distribution_can_stand_for_a_quantity():
    quantity = Distributed(Beta(1, 99))
    assert quantity.evaluate({}, "e", {}) == pytest.approx(0.01)
    assert quantity.leaves("e")["e"].dist == Beta(1, 99)


def test_what_cannot_be_is_refused():
    wrong = [
        lambda: LogNormal(0.0, 3),
        lambda: LogNormal(1e-3, 1.0),
        lambda: LogNormal(1e-3, 3, 0.5),
        lambda: LogNormal(1e-3, 3, 1.0),
        lambda: LogNormal(float("nan"), 3),
        lambda: LogNormalMuSigma(1.0, 0.0),
        lambda: NormalDeviate(0.1, -1.0),
        lambda: UniformDeviate(0.2, 0.2),
        lambda: BetaDeviate(0.0, 1.0),
        lambda: GammaDeviate(1.0, 0.0),
        lambda: Histogram((0.0, 0.2, 0.1), (1.0, 1.0)),
        lambda: Histogram((0.0, 0.1, 0.2), (0.0, 0.0)),
        lambda: Histogram((0.0, 0.1, 0.2), (1.0, -0.5)),
        lambda: Histogram((0.0, 0.1), (1.0, 1.0)),
        lambda: Counts(3, 2),
        lambda: Counts(1, 2, (0.0, 1.0)),
        lambda: Distributed(0.1),
        lambda: Operation("add"),
        lambda: Operation("ite", (1, 2)),
        lambda: Operation("switch", (1, 2)),
        lambda: Operation("plus", (1, 2)),
    ]
    assert [place for place, make in enumerate(wrong) if not refuses(make)] == []
