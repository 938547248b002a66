"""The bound from labels by stratum: against draws, against exact bounds, and against known truth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from surefoot import hazards
from surefoot.hazards.labels.failure_probability import lower_limits, upper_limit

SHARES = np.array([0.0625, 0.1875, 0.75])
NAMES = ("a", "b", "c")


def tally(trials, failures, counted=None, *, shares=SHARES, seen=None):
    trials, failures = np.asarray(trials, float), np.asarray(failures, float)
    counted = trials if counted is None else np.asarray(counted, float)
    return hazards.labels.Tally(NAMES[: len(trials)], np.asarray(shares, float), trials, counted, failures, seen)


def draws(trials, hits, more):
    """Draws of the confidence distributions, the exact one in the last stratum."""
    more = np.array([0.5, 0.5, more])
    hits, trials = np.asarray(hits), np.asarray(trials)
    return np.random.default_rng(0).beta(hits + more, trials - hits + 1 - more, size=(400_000, 3)) @ SHARES


@pytest.mark.parametrize("level", [0.6, 0.95, 0.999])
def test_the_limit_is_the_quantile_of_independent_draws(level):
    trials, failures = [100, 200, 700], [20, 3, 1]
    expected = np.quantile(draws(trials, failures, 1.0), level)
    assert upper_limit(tally(trials, failures), level) == pytest.approx(expected, rel=3e-3)


def test_the_limit_of_one_class_is_the_quantile_of_a_ratio():
    trials, counted, failures = np.array([100, 200, 700]), np.array([60, 80, 100]), np.array([20, 3, 1])
    above, below = draws(trials, failures, 1.0), draws(trials, counted - failures, 1e-9)[::-1]
    expected = np.quantile(above / (above + below), 0.95)
    assert upper_limit(tally(trials, failures, counted), 0.95) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_one_stratum_gives_the_bounds_of_clopper_and_pearson(level):
    found = hazards.labels.stratified_risk(tally([200], [3], shares=[1.0]), level=level)
    interval = stats.binomtest(3, 200).proportion_ci(1 - 2 * (1 - level)) if level > 0.5 else None
    assert found.upper(level) == pytest.approx(interval.high if interval else stats.beta.ppf(0.5, 4, 197))
    assert upper_limit(tally([200], [3], shares=[1.0]), level) == pytest.approx(found.upper(level), rel=1e-3)


def test_shares_that_were_sampled_widen_the_limit_by_their_standard_error():
    trials, failures = [2000, 2000, 2000], [1000, 200, 20]
    known = upper_limit(tally(trials, failures), 0.95)
    rates = np.array([0.5, 0.1, 0.01])
    mean = SHARES @ rates
    variance = (SHARES @ (rates - mean) ** 2) / 3000
    labels = (SHARES**2 * rates * (1 - rates) / 2000).sum()
    expected = mean + 1.645 * np.sqrt(variance + labels)
    sampled = upper_limit(tally(trials, failures, seen=3000), 0.95)
    assert sampled == pytest.approx(expected, rel=0.03)
    assert sampled > known


def test_a_stratum_without_labels_counts_as_failing():
    found = hazards.labels.stratified_risk(tally([100, 0, 700], [0, 0, 0]), level=0.95)
    assert found.value == pytest.approx(SHARES[1])
    assert found.upper(0.95) > SHARES[1]
    assert found.lower(0.95) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("shares", [[1.0], SHARES], ids=["one stratum", "three"])
def test_what_nobody_could_label_fails_for_the_upper_limit_and_passes_for_the_lower_one(shares):
    trials, worst, best = ([each] * len(shares) for each in (100, 30, 2))
    counts, unknown = np.array(worst, float), np.array(worst, float) - best
    found = hazards.labels.stratified_risk(replace(tally(trials, counts, shares=shares), unknown=unknown), level=0.95)
    failing, passing = (
        hazards.labels.stratified_risk(tally(trials, each, shares=shares), level=0.95) for each in (worst, best)
    )
    assert found.upper(0.95) == failing.upper(0.95)
    assert found.lower(0.95) == passing.lower(0.95)


def test_limits_widen_with_the_level_and_hold_the_value():
    found = hazards.labels.stratified_risk(tally([100, 200, 700], [20, 3, 1], seen=5000), level=0.95)
    uppers = [found.upper(level) for level in (0.6, 0.9, 0.95, 0.99, 0.9999)]
    assert uppers == sorted(uppers)
    assert found.lower(0.95) < found.value < found.upper(0.95)


def coverage(trials, rates, *, side="upper", shares=SHARES, level=0.95, redraws=1500):
    """How often the limit holds; equal counts are computed once."""
    trials, rates = np.asarray(trials), np.asarray(rates)
    failures = np.random.default_rng(5).binomial(trials, rates, size=(redraws, trials.size))
    distinct, often = np.unique(failures, axis=0, return_counts=True)
    tallies = [tally(trials, each, shares=shares) for each in distinct]
    truth = shares @ rates
    if side == "upper":
        held = [upper_limit(each, level, points=2**10) >= truth for each in tallies]
    else:
        held = [lower_limits(each, np.array([1 - level]), points=2**10)[0] <= truth for each in tallies]
    return float(np.average(held, weights=often))


@pytest.mark.parametrize("risk", [0.01, 0.02, 0.0365, 0.05])
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.1, 0.9]], ids=str)
def test_the_lower_limit_holds_at_its_level_for_every_outcome_of_two_strata(risk, shares):
    chances = stats.binom.pmf(np.arange(12), 40, risk)
    missed = 0.0
    for pair in np.ndindex(12, 12):
        limit = lower_limits(tally([40, 40], pair, shares=shares), np.array([0.05]), points=2**10)[0]
        missed += chances[pair[0]] * chances[pair[1]] * (limit > risk)
    assert missed <= 0.05


def test_the_limit_of_one_class_holds_at_its_level():
    trials, failing, counting = np.array([200, 200, 300]), np.array([0.1, 0.02, 0.003]), np.array([0.6, 0.3, 0.1])
    truth = SHARES @ failing / (SHARES @ counting)
    rng, held = np.random.default_rng(6), []
    for _ in range(300):
        cells = [rng.multinomial(n, [f, c - f, 1 - c]) for n, f, c in zip(trials, failing, counting, strict=True)]
        failed, passed, _ = np.array(cells).T
        held.append(upper_limit(tally(trials, failed, failed + passed), 0.95, points=2**8) >= truth)
    assert np.mean(held) >= 0.95 - 0.038  # three standard errors


HOSTILE = [
    ([60, 60, 60], [0.0, 0.0, 3.2 / 60]),
    ([60, 60, 60], [0.0, 3.2 / 60, 0.0]),
    ([60, 60, 60], [3.2 / 60, 0.0, 0.0]),
    ([150, 150, 300], [0.0, 0.0, 0.04]),
    ([25, 75, 300], [0.06, 0.02, 0.005]),
    ([25, 75, 300], [0.01, 0.01, 0.01]),
]


@pytest.mark.parametrize(("trials", "rates"), HOSTILE)
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_the_limit_holds_at_its_level_wherever_the_risk_sits(trials, rates, side):
    # Three standard errors of 1,500 redraws are 0.017.
    assert coverage(trials, rates, side=side) >= 0.95 - 0.017
