"""Limits of weighted sums of sampled risks, against exact enumeration, published values and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.reliability.cells.table import box_limits, sampling_bound, sampling_variance

LEVELS = (0.95, 0.975)


def test_without_failures_the_upper_limit_is_the_largest_step_times_the_logarithm():
    for level in LEVELS:
        weights, trials = np.array([0.5, 0.2, 0.3]), np.array([1000, 100, 5000])
        upper = sampling_bound(weights, np.zeros(3), trials, level=level)
        assert upper == pytest.approx(-0.2 / 100 * np.log(1 - level), rel=1e-12), level
        assert sampling_bound(weights, np.zeros(3), trials, level=level, side="lower") == 0, level


def test_rare_failures_of_equal_step_give_the_exact_poisson_limits():
    for level in LEVELS:
        for failures in [1, 4, 30]:
            counts, trials = [failures, 0, 0], np.full(3, 10**9)
            scale = 1e-9
            upper, lower = (sampling_bound(np.ones(3), counts, trials, level=level, side=s) for s in ("upper", "lower"))
            assert upper == pytest.approx(scale * stats.chi2.ppf(level, 2 * failures + 2) / 2, rel=1e-6), (
                level,
                failures,
            )
            assert lower == pytest.approx(scale * stats.chi2.ppf(1 - level, 2 * failures) / 2, rel=1e-6), (
                level,
                failures,
            )


# Down's syndrome by mother's age and birth order (Fleiss 1981, p. 249), standardised to all births; limits of
# Fay and Feuer as epitools 0.5 prints them, three digits each.
STANDARD = np.array([63986.6, 186263.6, 157302.2, 97647.0, 47572.6, 12262.6])
BIRTHS = {
    "1": ([107, 141, 60, 40, 39, 25], [230061, 329449, 114920, 39487, 14208, 3052], 0.000804, 0.00106),
    "2": ([25, 150, 110, 84, 82, 39], [72202, 326701, 208667, 83228, 28466, 5375], 0.000824, 0.00101),
    "3": ([3, 71, 114, 103, 108, 75], [15050, 175702, 207081, 117300, 45026, 8660], 0.000772, 0.000942),
    "4": ([1, 26, 64, 89, 137, 96], [2293, 68800, 132424, 98301, 46075, 9834], 0.000800, 0.00115),
    "5+": ([0, 8, 63, 112, 262, 295], [327, 30666, 123419, 149919, 104088, 34392], 0.000677, 0.00188),
}


def test_published_limits_of_a_directly_standardised_rate():
    for order in BIRTHS:
        failures, trials, lower, upper = BIRTHS[order]
        weights = STANDARD / STANDARD.sum()
        found = {s: sampling_bound(weights, failures, trials, level=0.975, side=s) for s in ("lower", "upper")}
        assert found["lower"] == pytest.approx(lower, abs=0.51e-6), order
        assert found["upper"] == pytest.approx(upper, abs=0.51e-6 if upper < 0.001 else 0.51e-5), order


def test_one_box_is_covered_at_every_risk():
    for level in LEVELS:
        for trials in [2, 3, 8, 20, 100]:
            counts = np.arange(trials + 1)
            upper, lower = (
                np.array([sampling_bound([1.0], [k], [trials], level=level, side=s) for k in counts])
                for s in ("upper", "lower")
            )
            risks = np.concatenate([np.linspace(0.001, 0.999, 999), np.geomspace(1e-6, 0.1, 60)])
            chances = stats.binom.pmf(counts[:, None], trials, risks)
            assert (chances * (upper[:, None] >= risks)).sum(axis=0).min() >= level - 1e-9, (level, trials)
            assert (chances * (lower[:, None] <= risks)).sum(axis=0).min() >= level - 1e-9, (level, trials)


def simulated(rng, kind):
    boxes = {"few": 4, "many": 300}.get(kind, 40)
    weights, trials = rng.dirichlet(np.full(boxes, 0.5)), rng.integers(8, 200, boxes)
    rare = rng.random(boxes) ** 6 * 0.1
    return weights, trials, np.where(rng.random(boxes) < 0.3, 1 - rare, rare) if kind == "often wrong" else rare


@pytest.mark.parametrize("kind", ["few", "some", "many", "often wrong"])
def test_coverage_with_unequal_weights_and_small_risks(kind):
    rng = np.random.default_rng(11)
    repetitions = 1200
    weights, trials, risks = simulated(rng, kind)
    truth = weights @ risks
    draws = rng.binomial(trials, risks, (repetitions, len(risks)))
    for level in LEVELS:
        enough = level - 2 * np.sqrt(level * (1 - level) / repetitions)
        assert np.mean([sampling_bound(weights, k, trials, level=level) >= truth for k in draws]) >= enough
        low = [sampling_bound(weights, k, trials, level=level, side="lower") <= truth for k in draws]
        assert np.mean(low) >= enough


def test_boxes_that_always_fail_do_not_widen_the_limits():
    weights, failures, trials = np.array([0.1, 0.1]), np.array([5, 0]), np.array([1000, 0])
    without = sampling_bound(weights, failures, trials, level=0.95)
    wrong = sampling_bound([0.1, 0.1], [5, 10], [1000, 10], level=0.95)
    assert wrong == pytest.approx(without + 0.1, rel=1e-9)


COUNTS = st.lists(
    st.tuples(st.floats(0.01, 1), st.integers(2, 60), st.floats(0, 1)).map(
        lambda box: (box[0], round(box[1] * box[2]), box[1])
    ),
    min_size=1,
    max_size=6,
).filter(lambda boxes: all(2 * k != n for _, k, n in boxes))


@given(COUNTS, st.sampled_from(LEVELS))
def test_limits_enclose_the_estimate_and_mirror_those_of_successes(boxes, level):
    weights, failures, trials = (np.array(column, float) for column in zip(*boxes, strict=True))
    lower, upper = (sampling_bound(weights, failures, trials, level=level, side=s) for s in ("lower", "upper"))
    estimate, total = weights @ (failures / trials), weights.sum()
    assert -1e-12 <= lower <= estimate + 1e-12
    assert estimate - 1e-12 <= upper <= total + 1e-12
    assert lower == pytest.approx(total - sampling_bound(weights, trials - failures, trials, level=level), abs=1e-9)
    assert sampling_variance(weights, failures, trials) > 0


def test_the_variance_is_that_of_the_estimate_and_the_square_of_the_largest_step():
    rng = np.random.default_rng(3)
    weights, trials, risks = np.array([0.6, 0.3, 0.1]), np.array([20, 10, 40]), np.array([0.3, 0.05, 0.5])
    draws = rng.binomial(trials, risks, (4000, 3))
    mean = np.mean([sampling_variance(weights, k, trials) for k in draws])
    true = weights**2 @ (risks * (1 - risks) / trials)
    assert mean == pytest.approx(true + 0.03**2, rel=0.02)


def test_limits_of_boxes_are_those_of_scipys_exact_test():
    for level in LEVELS:
        cases = [(0, 10), (3, 10), (10, 10), (1, 100_000)]
        failures, trials = zip(*cases, strict=True)
        lower, upper = box_limits(failures, trials, level=level)
        for i, (k, n) in enumerate(cases):
            exact = stats.binomtest(k, n).proportion_ci(2 * level - 1, method="exact")
            assert (lower[i], upper[i]) == pytest.approx((exact.low, exact.high), rel=1e-9), level


def test_a_box_without_points_may_have_any_risk():
    lower, upper = box_limits([0], [0], level=0.95)
    assert (lower[0], upper[0]) == (0, 1)
    assert sampling_bound([0.5], [0], [0], level=0.95) == 0


def test_counts_that_cannot_be_are_refused():
    for weights, failures, trials, message in [
        ([1.0], [3], [2], "failures must lie between"),
        ([1.0], [-1], [2], "failures must lie between"),
        ([-1.0], [0], [2], "weights"),
        ([np.nan], [0], [2], "weights must be finite"),
        ([1.0, 2.0], [0], [2], "same length"),
    ]:
        with refused(message, InvalidInput, match=message):
            sampling_bound(weights, failures, trials, level=0.95)
