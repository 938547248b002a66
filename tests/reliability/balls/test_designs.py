"""Designs that draw balls, against published values, brute force and simulation with known truth."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused
from tests.reliability.balls.known_truth import drawn_from, world

from surefoot import bounds
from surefoot.core import InvalidInput
from surefoot.reliability import Adaptive, ByRisk, ByWeight, Design, Draws, GroupDraws, Stratified, WithReplacement
from surefoot.reliability.rare_events.margins import risk_of_margins

DESIGNS = [
    WithReplacement(),
    ByWeight(),
    ByRisk(),
    Stratified(),
    Stratified(allocation="proportional"),
    Adaptive(),
    Adaptive(rounds=2, defence=0.5, aim="value"),
]
UNBIASED = [design for design in DESIGNS if not isinstance(design, WithReplacement)]
BUDGET, REPEATS = 60, 300
by_design = pytest.mark.parametrize("design", DESIGNS, ids=repr)
by_weights = pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])


@cache
def repeated(design, kind, *, equal, repeats=REPEATS):
    risk, guess, weights = world(kind, equal=equal, seed=5)
    found = [drawn_from(design, risk, guess, weights, BUDGET, seed) for seed in range(repeats)]
    return found, float(weights @ risk), float(risk.mean())


def test_variances_match_the_hand_case_of_errata_8():
    for form, variance in [("published", 0.0096333), ("effective", 0.0123857), ("linearised", 0.01316)]:
        weights, risk = np.array([1.0, 2, 3, 4]), np.array([0.1, 0.2, 0, 0.4])
        drawn = Draws(weights / 10, np.arange(4), risk, np.ones(4), np.full(4, 1.6), form)
        assert drawn.mean() == pytest.approx((0.21, variance), abs=5e-8), form


def test_every_design_keeps_to_the_protocol_and_to_its_budget():
    for design in DESIGNS:
        assert isinstance(design, Design), design
        assert repr(design).startswith(type(design).__name__)
        drawn = drawn_from(design, *world("common", equal=False, seed=1), BUDGET, seed=2)
        assert drawn.chosen.size == drawn.risk.size == drawn.expansion.size == BUDGET, design


@pytest.mark.parametrize("design", UNBIASED, ids=repr)
def test_means_are_unbiased_and_their_variance_is_the_stated_one(design):
    for kind, equal in (("common", True), ("common", False), ("rare", False)):
        found, truth, _ = repeated(design, kind, equal=equal)
        means, variances = np.array([drawn.mean() for drawn in found]).T
        assert abs(means.mean() - truth) < 4 * means.std() / math.sqrt(REPEATS), (kind, equal)
        assert variances.mean() == pytest.approx(means.var(), rel=0.35), (kind, equal)


@by_weights
def test_the_ratio_of_eqn_14_has_the_linearised_variance_and_not_the_printed_one(equal):
    found, truth, _ = repeated(WithReplacement(), "common", equal=equal)
    means, variances = np.array([drawn.mean() for drawn in found]).T
    printed = np.mean([Draws(**{**vars(drawn), "form": "published"}).mean()[1] for drawn in found])
    assert means.mean() == pytest.approx(truth, rel=0.02)
    assert variances.mean() == pytest.approx(means.var(), rel=0.2)
    assert printed < (1.2 if equal else 0.85) * means.var()


@by_design
def test_flat_means_settle_at_the_unweighted_mean(design):
    for equal in (True, False):
        found, _, flat = repeated(design, "common", equal=equal)
        assert np.mean([drawn.flat_mean()[0] for drawn in found]) == pytest.approx(flat, rel=0.08), equal


@by_design
def test_distribution_free_limits_of_the_frame_cover(design):
    for kind, equal in (("common", True), ("common", False), ("rare", False), ("all or nothing", True)):
        found, truth, _ = repeated(design, kind, equal=equal)
        for side in ("upper", "lower"):
            odds = np.array([truth / (1 - truth) if side == "upper" else (1 - truth) / truth])
            refuted = [drawn.capital(side, 0.9)(odds)[0] >= math.log(10) for drawn in found]
            assert np.mean(refuted) < 0.1 + 3 * math.sqrt(0.1 * 0.9 / REPEATS), (kind, equal, side)


def test_adaptive_draws_are_several_times_more_precise_where_risk_is_rare():
    designs = ByWeight(), Adaptive(aim="value")
    plain, adaptive = (repeated(design, "rare", equal=True)[0] for design in designs)
    spread = [np.std([drawn.mean()[0] for drawn in found]) for found in (plain, adaptive)]
    assert spread[1] < spread[0] / 3


def test_adaptive_draws_that_aim_at_the_limit_give_one_no_wider_than_draws_by_weight():
    designs = ByWeight(), Adaptive()
    found = [repeated(design, "all or nothing", equal=True)[0][:40] for design in designs]
    limits = [np.mean([drawn.frame_bound("upper", 0.95).limit_at(0.95) for drawn in part]) for part in found]
    assert limits[1] < limits[0]


def test_adaptive_draws_do_not_trust_a_guess_that_is_upside_down():
    risk, _, weights = world("all or nothing", equal=True, seed=5)
    means = [drawn_from(Adaptive(), risk, 1e-6 + (1 - risk) / 2, weights, BUDGET, s).mean()[0] for s in range(300)]
    assert np.mean(means) == pytest.approx(weights @ risk, abs=4 * np.std(means) / math.sqrt(300))


def test_no_draw_by_risk_counts_for_more_than_one_over_the_defence():
    risk, guess, weights = world("rare", equal=False, seed=3)
    for design in (ByRisk(0.3), Adaptive(defence=0.3)):
        drawn = drawn_from(design, np.ones_like(risk), guess, weights, BUDGET, seed=1)
        assert (drawn.values <= drawn.most * (1 + 1e-12)).all()
        assert (drawn.most <= 1 / 0.3 + 1e-12).all()


def test_a_stratified_mean_and_variance_match_all_samples_of_a_small_frame():
    risk, weights = np.array([0.1, 0.4, 0.2, 0.9, 0.5]), np.array([0.1, 0.3, 0.2, 0.25, 0.15])
    groups = (np.array([0, 1, 2]), np.array([3, 4]))
    found = []
    for first in combinations(groups[0], 2):
        chosen = np.array([*first, *groups[1]])
        expansion = np.array([1.5, 1.5, 1, 1])
        group, sizes, heaviest = np.array([0, 0, 1, 1]), np.array([3, 2]), np.array([0.3, 0.25])
        found.append(GroupDraws(weights, chosen, risk[chosen], expansion, group, sizes, heaviest).mean())
    means, variances = np.array(found).T
    assert means.mean() == pytest.approx(weights @ risk)
    assert variances.mean() == pytest.approx(means.var())


def test_bets_on_draws_by_weight_are_those_of_bounds_betting():
    drawn = drawn_from(ByWeight(), *world("common", equal=True, seed=8), BUDGET, seed=0)
    expected = bounds.betting(drawn.risk, level=0.95, order="given")
    for side, limit in (("upper", expected.upper(0.95)), ("lower", expected.lower(0.95))):
        assert drawn.frame_bound(side, 0.95).limit_at(0.95) == pytest.approx(limit, rel=0.02)


def test_bets_on_groups_refute_what_their_capital_says():
    """Capital of constant bets, written out: a claim m is refuted where the mean of their products reaches 1/alpha."""
    failures, trials, sizes = [1, 4], [30, 20], np.array([900, 100])
    group = np.repeat([0, 1], trials)
    risk = np.concatenate([np.arange(t) < f for f, t in zip(failures, trials, strict=True)]).astype(float)
    expansion = (sizes / trials)[group]
    weights = np.full(1000, 1e-3)
    drawn = GroupDraws(weights, np.arange(50), risk, expansion, group, sizes, np.full(2, 1e-3))
    share = expansion / expansion.max()
    smallest = math.sqrt(8 * math.log(20) / (share**2).sum())
    ranks = np.arange(1 + math.ceil(math.log2(0.98 / smallest)))
    parts = 1 / (ranks + 1)
    odds = (limit := drawn.frame_bound("upper", 0.95).limit_at(0.95)) / (1 - limit)
    stakes = 0.98 * 0.5**ranks
    capital = [np.prod(1 + stake * share * np.where(risk > 0, -1, odds)) for stake in stakes]
    assert np.dot(parts / parts.sum(), capital) == pytest.approx(20, rel=1e-5)


@settings(deadline=None)
@given(st.integers(1, 500), st.integers(1, 14), st.integers(0, 10**6), st.floats(0.2, 1))
def test_groups_halve_toward_the_highest_scores_and_the_budget_is_spent_on_each_ball_once(count, most, seed, share):
    rng = np.random.default_rng(seed)
    weights, guess = rng.dirichlet(np.full(count, 0.3)), rng.random(count)
    budget = max(4 * most, int(share * count))
    drawn = drawn_from(Stratified(strata=most), guess, guess, weights, min(budget, count), seed)
    assert np.unique(drawn.chosen).size == drawn.chosen.size == min(budget, count)
    assert drawn.sizes.size <= most
    assert drawn.sizes.min() >= min(count, 4)
    counts = np.bincount(drawn.group, minlength=drawn.sizes.size)
    assert (counts <= drawn.sizes).all()
    assert (counts >= np.minimum(drawn.sizes, 2)).all()
    scores = (weights * guess)[drawn.chosen]
    for group in range(1, drawn.sizes.size):
        assert scores[drawn.group == group].min() >= scores[drawn.group == group - 1].max(), group


def test_guessed_risk_is_a_normal_tail_at_least_the_share_that_fails():
    from scipy.stats import norm

    inside = np.array([[-3.0, -2, -4], [-1, 1, -1], [-5, -5, -5], [-np.inf] * 3, [-9, -8, -9.5]])
    found = risk_of_margins(inside, np.array([-3, -1, -5, -np.inf, 2]))
    assert found[0] == pytest.approx(norm.cdf(-3))
    assert found[1] == pytest.approx(max(1 / 3, norm.cdf(inside[1].mean() / inside[1].std(ddof=1))))
    assert found[2:].tolist() == [1e-12, 1e-12, 0.5]


def test_wrong_parameters_of_designs_are_refused():
    for wrong in [
        lambda: WithReplacement(variance="printed"),
        lambda: ByRisk(defence=0),
        lambda: Stratified(strata=0),
        lambda: Stratified(allocation="best"),
        lambda: Adaptive(rounds=0),
        lambda: Adaptive(defence=1.0),
        lambda: Adaptive(aim="both"),
    ]:
        with refused(wrong, InvalidInput):
            wrong()


def test_draws_without_any_weight_are_refused():
    risk, guess, weights = world("common", equal=True, seed=1)
    weights = np.where(np.arange(weights.size) == 7, 1.0, 0.0)
    with pytest.raises(InvalidInput, match="weight 0"):
        drawn_from(WithReplacement(), risk, guess, weights, 5, seed=0)
    assert drawn_from(ByWeight(), risk, guess, weights, 5, seed=0).mean()[0] == pytest.approx(risk[7])
