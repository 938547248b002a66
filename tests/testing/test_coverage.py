import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom
from tests.refusals import refused

import surefoot as sf
from surefoot.testing import (
    BernoulliLosses,
    BetaLosses,
    Coverage,
    CoverageError,
    GroupedLosses,
    ShiftedLosses,
    StratifiedCounts,
    TwoPointLosses,
    check_bound,
)

SHIFT = ShiftedLosses((0.5, 0.3, 0.2), (0.8, 0.15, 0.05), (0.002, 0.02, 0.1))


def optimistic(failures, trials, *, level):
    """A bound that claims a guarantee it does not have."""
    found = sf.bounds.jeffreys(failures, trials, level=level)
    limits = (sf.Bound(found.upper(level), "upper", 1 - level, "confidence"),)
    return sf.Estimate("failure probability", found.value, bounds=limits)


def optimistic_mean(losses, *, level):
    mean = float(np.mean(losses))
    return sf.Estimate("mean", mean, bounds=(sf.Bound(mean + 0.05, "upper", 1 - level, "confidence"),))


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_clopper_pearson_never_falls_below_its_level(level):
    report = check_bound(sf.bounds.clopper_pearson, level=level)
    assert report.guaranteed
    assert report.worst.coverage == pytest.approx(level, abs=1e-9)


def test_worst_coverage_is_the_smallest_over_a_fine_grid():
    n, level = 30, 0.95
    worst = check_bound(sf.bounds.jeffreys, level=level, sizes=[n], truths=(0, 0.5)).rows[0]
    limits = np.array([sf.bounds.jeffreys(k, n, level=level).upper(level) for k in range(n + 1)])
    grid = np.linspace(0, 0.5, 5001)
    coverage = [binom.pmf(np.arange(n + 1), n, p)[limits >= p].sum() for p in grid]
    assert worst.coverage <= min(coverage) + 1e-12
    assert worst.coverage == pytest.approx(min(coverage), abs=1e-3)
    assert worst.truth == pytest.approx(grid[np.argmin(coverage)], abs=1e-4)


def test_jeffreys_and_wilson_are_reported_as_approximate_with_their_worst():
    jeffreys, wilson = (check_bound(m, level=0.95) for m in (sf.bounds.jeffreys, sf.bounds.wilson))
    for report in (jeffreys, wilson):
        assert not report.guaranteed
        assert report.worst.coverage < 0.85
        assert f"worst coverage {report.worst.coverage:.4f}" in str(report)
        assert "approximate" in str(report)


def test_wilson_just_beyond_its_zero_failure_limit_by_hand():
    n, z = 1000, 1.6448536269514722
    limit = z**2 / (n + z**2)
    row = check_bound(sf.bounds.wilson, level=0.95, sizes=[n], truths=(0, 0.5)).rows[0]
    assert row.coverage == pytest.approx(1 - (1 - limit) ** n)


def test_a_false_guarantee_on_counts_is_refused():
    with pytest.raises(CoverageError, match="falls below its level"):
        check_bound(optimistic, level=0.95)
    with pytest.raises(AssertionError):
        check_bound(optimistic, level=0.95, sizes=[20])


def test_a_false_guarantee_on_losses_is_refused():
    with pytest.raises(CoverageError):
        check_bound(optimistic_mean, level=0.95, generators=[BernoulliLosses(0.3)], sizes=[50])


@pytest.mark.parametrize("method", [sf.bounds.hoeffding, sf.bounds.bentkus, sf.bounds.empirical_bernstein])
def test_closed_forms_keep_their_level(method):
    assert check_bound(method, level=0.9, repetitions=150).guaranteed


@pytest.mark.parametrize("anytime", [False, True])
def test_betting_keeps_its_level(anytime):
    report = check_bound(partial(sf.bounds.betting, anytime=anytime), level=0.9, repetitions=100)
    assert report.guaranteed
    assert report.worst.coverage > 0.85


def test_normal_approximation_is_told_to_fail_on_rare_failures():
    report = check_bound(sf.bounds.normal_approximation, level=0.95, repetitions=300)
    assert report.worst.coverage < 0.2
    assert not report.guaranteed


@pytest.mark.parametrize("method", ["betting", "hoeffding", "empirical_bernstein"])
def test_weighted_bounds_keep_their_level(method):
    bound = partial(sf.bounds.weighted, max_weight=SHIFT.max_weight, method=method)
    assert check_bound(bound, level=0.9, generators=[SHIFT], sizes=[40, 300], repetitions=120).guaranteed


def test_grouped_bounds_keep_their_level_where_large_groups_fail_more():
    cases = [GroupedLosses(0.3, 10, 0.1, 2, 0.01), GroupedLosses(0.5, 5, 0.5, 1, 0.2)]
    bound = partial(sf.bounds.grouped, max_group_size=10)
    assert check_bound(bound, level=0.9, generators=cases, sizes=[20, 200], repetitions=120).guaranteed


def test_forgetting_groups_breaks_the_level_which_is_why_they_exist():
    case = GroupedLosses(1.0, 20, 0.1, 1, 0.0)

    def forgetful(losses, groups, *, level):
        return sf.bounds.betting(losses, level=level)

    with pytest.raises(CoverageError):
        check_bound(forgetful, level=0.9, generators=[case], sizes=[30], repetitions=200)


def test_stratified_bounds_keep_their_level():
    cases = [
        StratifiedCounts((0.7, 0.2, 0.1), (0.7, 0.2, 0.1), (0.001, 0.01, 0.05)),
        StratifiedCounts((0.5, 0.5), (0.9, 0.1), (0.3, 0.1)),
    ]
    assert check_bound(sf.bounds.stratified, level=0.9, generators=cases, sizes=[60], repetitions=80).guaranteed


def test_same_seed_same_report():
    arguments = {"level": 0.9, "generators": [BetaLosses(2, 3)], "sizes": [30], "repetitions": 50}
    one, two = (check_bound(sf.bounds.normal_approximation, **arguments, seed=4) for _ in range(2))
    assert one == two
    assert one != check_bound(sf.bounds.normal_approximation, **arguments, seed=5)
    assert one.table().columns[0] == "case"


def test_rule_of_rejection_is_an_exact_binomial_tail():
    row = Coverage("case", 10, "upper", 0.1, 1 - 80 / 1000, 1000)
    assert row.evidence_against(0.95) == pytest.approx(binom.sf(79, 1000, 0.05), rel=1e-9)
    assert Coverage("case", 10, "upper", 0.1, 1.0, 1000).evidence_against(0.95) == 1
    assert Coverage("case", 10, "upper", 0.1, 0.94, 0).evidence_against(0.95) == 0


def test_name_shows_the_options_of_a_partial_method():
    report = check_bound(partial(sf.bounds.hoeffding), level=0.9, sizes=[5], repetitions=5)
    assert report.method == "hoeffding"
    report = check_bound(partial(sf.bounds.betting, order="given"), level=0.9, sizes=[5], repetitions=5)
    assert report.method == "betting(order='given')"


def test_bad_settings_are_refused():
    for change in [
        {"level": 1},
        {"level": math.nan},
        {"repetitions": 0},
        {"sizes": [0]},
        {"sizes": []},
        {"sizes": 0},
        {"sizes": 5},
        {"generators": []},
        {"generators": BernoulliLosses(0.1)},
        {"generators": [0.1]},
        {"seed": -1},
        {"seed": None},
    ]:
        with refused(change, sf.InvalidInput):
            check_bound(sf.bounds.hoeffding, **({"level": 0.9, "sizes": [5], "repetitions": 2} | change))


def test_bad_truths_are_refused():
    for truths in [(0.5, 0.1), (0, 1.5), (0,), 0.5, (0, math.nan), None]:
        with refused(truths, sf.InvalidInput, match="truths"):
            check_bound(sf.bounds.clopper_pearson, level=0.9, sizes=[5], truths=truths)


@pytest.mark.parametrize("found", [None, 0.5, sf.Estimate("mean", 0.5)])
def test_a_method_without_a_bound_is_refused_rather_than_passed(found):
    def losses_only(losses, *, level):
        return found

    def counts(failures, trials, *, level):
        return found

    for method in (losses_only, counts):
        with pytest.raises(sf.InvalidInput, match="must return an Estimate with bounds"):
            check_bound(method, level=0.9, sizes=[5], repetitions=2)


def test_a_method_that_is_no_function_is_refused():
    with pytest.raises(sf.InvalidInput, match="must be a function; found 'hoeffding'"):
        check_bound("hoeffding", level=0.9)


def test_a_generator_that_samples_no_tuple_is_refused():
    class Bare:
        truth = 0.5

        def sample(self, rng, n):
            return rng.random(n)

    with pytest.raises(sf.InvalidInput, match="must sample a tuple of arguments; found ndarray"):
        check_bound(sf.bounds.hoeffding, level=0.9, generators=[Bare()], sizes=[5], repetitions=2)


@pytest.mark.parametrize(("limit", "holds"), [(1.0, True), (0.9, False)])
def test_what_is_called_certain_must_always_hold(limit, holds):
    def certain(failures, trials, *, level):
        return sf.Estimate("share", failures / trials, bounds=(sf.Bound(limit, "upper", 0.0, "certain"),))

    if holds:
        assert check_bound(certain, level=0.5, sizes=[5]).worst.coverage == pytest.approx(1)
    else:
        with pytest.raises(CoverageError):
            check_bound(certain, level=0.5, sizes=[5])


def test_a_method_of_two_kinds_is_refused():
    def fickle(losses, *, level):
        kind = "confidence" if losses[0] else "heuristic"
        return sf.Estimate("mean", 0.5, bounds=(sf.Bound(1.0, "upper", 1 - level, kind),))

    with pytest.raises(sf.InvalidInput, match="one kind"):
        check_bound(fickle, level=0.9, generators=[TwoPointLosses(0, 1, 0.5)], sizes=[3], repetitions=20)
