import math

import numpy as np
import pytest
from scipy.stats import binom, norm, ttest_1samp
from tests.refusals import refusal

import surefoot as sf

LOSSES = np.random.default_rng(3).beta(2, 5, 200)
METHODS = ["hoeffding", "bentkus", "empirical_bernstein", "normal_approximation", "betting"]


def test_hoeffding_inverts_its_inequality():
    upper = sf.bounds.hoeffding(LOSSES, level=0.99).upper(0.99)
    assert math.exp(-2 * LOSSES.size * (upper - LOSSES.mean()) ** 2) == pytest.approx(0.01)


def test_empirical_bernstein_is_the_formula_of_maurer_and_pontil_theorem_4():
    n, delta = LOSSES.size, 0.05
    pairs = LOSSES[:, None] - LOSSES[None, :]
    variance = (pairs**2).sum() / 2 / (n * (n - 1))
    slack = math.sqrt(2 * variance * math.log(2 / delta) / n) + 7 * math.log(2 / delta) / (3 * (n - 1))
    found = sf.bounds.empirical_bernstein(LOSSES, level=0.95)
    assert found.upper(0.95) == pytest.approx(LOSSES.mean() + slack)
    assert found.lower(0.95) == pytest.approx(LOSSES.mean() - slack)


def test_normal_approximation_uses_the_standard_error_of_scipy():
    found = sf.bounds.normal_approximation(LOSSES, level=0.95)
    error = ttest_1samp(LOSSES, 0).statistic
    assert found.upper(0.95) == pytest.approx(LOSSES.mean() * (1 + norm.ppf(0.95) / error))
    assert [c.code for c in found.caveats] == ["approximate-coverage"]
    assert {b.kind for b in found.bounds} == {"heuristic"}


def test_bentkus_inverts_the_least_of_the_expected_shortfalls_of_a_binomial():
    for total in (0.0, 0.25, 1.0, 1.7, 6.0):
        n, losses = 40, np.full(40, total / 40)
        limit = sf.bounds.bentkus(losses, level=0.95).upper(0.95)
        counts = binom(n, limit).pmf(np.arange(n + 1))
        above = range(math.floor(total) + 1, n + 1)
        chances = [sum((a - k) * counts[k] for k in range(a)) / (a - total) for a in above]
        assert min(chances) == pytest.approx(0.05, rel=1e-9), total


def test_bentkus_without_a_loss_is_clopper_pearson_and_costs_little_over_it_with_some():
    exact = [sf.bounds.clopper_pearson(k, 200, level=0.95).upper(0.95) for k in range(9)]
    found = [sf.bounds.bentkus(np.arange(200) < k, level=0.95).upper(0.95) for k in range(9)]
    ratios = np.array(found) / exact
    assert ratios[0] == pytest.approx(1, abs=1e-9)
    assert (ratios[1:] > 1).all()
    assert ratios.max() < 1.08


@pytest.mark.parametrize("largest", [1.0, 0.6, 0.1])
def test_bentkus_keeps_its_level_for_coins_of_any_size_by_all_outcomes(largest):
    n, counts = 25, np.arange(26)
    limits = np.array([sf.bounds.bentkus(largest * (np.arange(n) < k), level=0.9).upper(0.9) for k in counts])
    just_above = limits[limits < largest] * (1 + 1e-9)
    means = np.concatenate([just_above, largest * np.linspace(0.01, 0.99, 99)])
    coverage = [binom.pmf(counts[limits >= mean], n, mean / largest).sum() for mean in means]
    assert min(coverage) >= 0.9
    assert min(coverage) < 0.96 or largest < 1


def test_bentkus_is_tighter_than_betting_where_losses_are_few_and_rare_and_wider_where_they_are_alike():
    rare, alike = np.r_[0.25, np.zeros(99)], np.random.default_rng(0).beta(5, 95, 1000)
    for losses, factor in ((rare, 0.85), (alike, 1.2)):
        own, bets = (bound(losses, level=0.95).upper(0.95) for bound in (sf.bounds.bentkus, sf.bounds.betting))
        assert (own / bets < factor) == (factor < 1)


def test_lower_limits_mirror_upper_limits():
    for method in METHODS:
        bound = getattr(sf.bounds, method)
        assert bound(LOSSES, level=0.9).lower(0.9) == pytest.approx(
            1 - bound(1 - LOSSES, level=0.9).upper(0.9), abs=1e-9
        ), method


@pytest.mark.parametrize("method", METHODS)
def test_limits_stay_in_the_unit_interval_and_widen(method):
    for losses in (np.zeros(5), np.ones(5), np.array([0.0, 1.0, 1.0]), LOSSES):
        found = getattr(sf.bounds, method)(losses, level=0.95)
        uppers = [found.upper(level) for level in (0.3, 0.5, 0.9, 0.95, 0.999, 1 - 1e-12)]
        assert uppers == sorted(uppers)
        assert 0 <= found.lower(0.95) <= found.upper(0.95) <= 1


@pytest.mark.parametrize("method", METHODS)
def test_bad_losses_are_refused(method):
    for losses in ([], [0.1, math.nan], [0.1, math.inf], [-0.1, 0.2], [0.2, 1.1], [[0.1], [0.2]], ["a"]):
        assert refusal(sf.InvalidInput, getattr(sf.bounds, method), losses, level=0.95), losses


@pytest.mark.parametrize("method", METHODS)
def test_bad_levels_are_refused(method):
    for level in (0, 1, -0.5, 95, math.nan):
        assert refusal(sf.InvalidInput, getattr(sf.bounds, method), LOSSES, level=level), level


def test_a_variance_needs_two_losses():
    for method in ("empirical_bernstein", "normal_approximation"):
        assert "two losses" in refusal(sf.InvalidInput, getattr(sf.bounds, method), [0.5], level=0.95), method


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("method", ["wilson", "normal_approximation"])
def test_heuristic_bounds_miss_about_as_often_as_they_say_where_failures_are_many(method, level):
    """Exact over the binomial distribution; where failures are rare the normal limit misses far more often."""
    n = 150
    ends = []
    for count in range(n + 1):
        losses = np.arange(n) < count
        found = sf.bounds.wilson(count, n, level=level) if method == "wilson" else None
        found = found or sf.bounds.normal_approximation(losses, level=level)
        bound = next(family for family in found.bounds if family.side == "upper").at(level)
        assert (bound.kind, bound.alpha) == ("heuristic", pytest.approx(1 - level))
        ends.append(bound.limit)
    missed = {p: binom.pmf(np.arange(n + 1), n, p) @ (np.array(ends) < p) for p in (0.005, 0.2, 0.4)}
    assert missed[0.2] == pytest.approx(1 - level, abs=0.035)
    assert missed[0.4] == pytest.approx(1 - level, abs=0.025)
    if method == "normal_approximation":
        assert missed[0.005] > 0.45


def test_a_heuristic_limit_from_the_data_carries_its_miss_through_a_sum():
    losses, groups = np.arange(300) % 7 == 0, np.arange(300) // 3
    kinds = {"rows": "heuristic", "groups": "confidence"}
    by = {"rows": "input", "groups": "group"}
    parts = {n: sf.bounds.grouped(losses, groups, level=0.95, per=by[n], unit="x", scope=n) for n in by}
    assert {per: part.bounds[0].kind for per, part in parts.items()} == kinds
    asked = {"quantity": "sum", "direction": dict.fromkeys(by, 1), "level": 0.95}
    found = sf.core.propagate(lambda rows, groups: (rows + groups) / 2, parts, **asked)
    bound = next(family for family in found.bounds if family.side == "upper").at(0.95)
    assert (bound.kind, bound.alpha) == ("heuristic", pytest.approx(0.05))
    assert bound.limit == pytest.approx(sum(part.upper(0.975) for part in parts.values()) / 2, rel=1e-6)
