"""From draws to limits of operation, against simulation with known truth."""

import math

import numpy as np
import pytest
from tests.reliability.balls.known_truth import drawn_from, world

from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.designs import ByRisk, ByWeight, Stratified, WithReplacement
from surefoot.reliability.balls.drawn import Census
from surefoot.reliability.balls.operation import operation_bound, tabulated
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.balls.statements import Statements

BALLS, BUDGET = 300, 60
RATE = 0.3 / 2.3
"""Mean of the risks of the world with common ones."""


def fresh_frames(design, repeats, *, trials=0):
    """Each time a new frame from operation; with ``trials`` the risks are shares of so many that fail."""
    for seed in range(repeats):
        risk, guess, weights = world("common", equal=True, seed=seed, balls=BALLS)
        if trials:
            risk = np.random.default_rng([seed, 4]).binomial(trials, risk) / trials
        yield drawn_from(design, risk, guess, weights, BUDGET, seed)


@pytest.mark.parametrize("design", [ByRisk(), Stratified(), Adaptive()], ids=repr)
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_limits_of_operation_cover_over_frames_and_draws(design, side):
    repeats, level = 60, 0.8
    limits = [
        operation_bound(drawn.capital(side, level), BALLS, level).limit_at(level)
        for drawn in fresh_frames(design, repeats)
    ]
    missed = np.mean(np.array(limits) < RATE if side == "upper" else np.array(limits) > RATE)
    assert missed <= 0.2 + 3 * math.sqrt(0.16 / repeats)
    assert np.mean(limits) < 3 * RATE


def test_limits_of_operation_cover_when_risks_inside_are_rough():
    limits = [
        operation_bound(drawn.capital("upper", 0.8), BALLS, 0.8).limit_at(0.8)
        for drawn in fresh_frames(Adaptive(), 60, trials=3)
    ]
    assert np.mean(np.array(limits) < RATE) <= 0.2 + 3 * math.sqrt(0.16 / 60)


def test_limits_of_operation_are_wider_than_those_of_the_frame_and_widen_with_the_level():
    drawn = next(fresh_frames(Adaptive(), 1))
    family = operation_bound(drawn.capital("upper", 0.95), BALLS, 0.95)
    assert family.limit_at(0.95) > drawn.frame_bound("upper", 0.95).limit_at(0.95)
    assert family.limit_at(0.9) < family.limit_at(0.95) < family.limit_at(0.999) <= 1
    larger = operation_bound(drawn.capital("upper", 0.95), 100 * BALLS, 0.95)
    assert larger.limit_at(0.95) < family.limit_at(0.95)


def test_the_product_of_two_capitals_is_tighter_than_sharing_the_miss_probability():
    drawn = next(fresh_frames(Adaptive(), 1))
    frame = drawn.frame_bound("upper", 0.975).limit_at(0.975)
    means = np.linspace(frame, 1, 100_001)[1:-1]
    divergence = frame * np.log(frame / means) + (1 - frame) * np.log((1 - frame) / (1 - means))
    shared = means[divergence <= math.log(2 / 0.05) / BALLS].max()
    assert operation_bound(drawn.capital("upper", 0.95), BALLS, 0.95).limit_at(0.95) < shared


@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
def test_the_variance_of_operation_is_that_of_fresh_frames(equal):
    means, stated = [], []
    for seed in range(400):
        risk, guess, weights = world("common", equal=equal, seed=seed, balls=BALLS)
        drawn = drawn_from(ByRisk(), risk, guess, weights, BUDGET, seed)
        means.append(drawn.mean()[0])
        stated.append(VarianceParts.of(drawn, np.zeros(BUDGET), None).of_operation)
    assert np.mean(stated) == pytest.approx(np.var(means), rel=0.2)


def test_the_frame_variance_of_a_census_is_the_linearised_one():
    risk, _, weights = world("common", equal=False, seed=1, balls=BALLS)
    census = Census(weights, np.arange(BALLS), risk, np.ones(BALLS))
    linearised = BALLS / (BALLS - 1) * (weights**2 * (risk - weights @ risk) ** 2).sum()
    assert census.mean() == (pytest.approx(weights @ risk), 0.0)
    assert census.frame_variance() == pytest.approx(linearised)


def test_the_error_of_risks_inside_is_carried_once():
    risk, guess, weights = world("common", equal=False, seed=1, balls=BALLS)
    truth, trials, scores = float(weights @ risk), 4, []
    for seed in range(400):
        rng = np.random.default_rng([seed, 9])
        rough = rng.binomial(trials, risk) / trials
        drawn = drawn_from(ByRisk(), rough, guess, weights, BUDGET, seed)
        inside = (risk * (1 - risk) / trials)[drawn.chosen]
        scores.append((drawn.mean()[0] - truth, VarianceParts.of(drawn, inside, None).of_frame))
    errors, stated = np.array(scores).T
    assert stated.mean() == pytest.approx(errors.var(), rel=0.2)


def test_uncertain_weights_add_the_variance_that_they_give_the_mean():
    risk, _, weights = world("common", equal=False, seed=1, balls=BALLS)
    census = Census(weights, np.arange(BALLS), risk, np.ones(BALLS))
    draws = weights * np.random.default_rng(0).lognormal(0, 0.5, (4000, BALLS))
    spread = np.expm1(0.25) * (weights**2 * (risk - weights @ risk) ** 2).sum()
    assert census.weights_variance(draws) == pytest.approx(spread, rel=0.1)


def test_shares_of_the_variance_sum_to_one_and_see_rough_risks():
    drawn = next(fresh_frames(ByWeight(), 1))
    smooth, rough = (VarianceParts.of(drawn, np.full(BUDGET, v), None) for v in (0.0, 0.02))
    assert sum(share for *_, share in rough.table().rows) == pytest.approx(1)
    assert smooth.not_sampling == 0 < 0.1 < rough.not_sampling


def stated(drawn, **options):
    parts = VarianceParts.of(drawn, np.zeros(drawn.risk.size), None)
    given = {"centres": (0, drawn.balls), "tests": None, "assumptions": (), "caveats": (), "level": 0.95} | options
    return Statements(drawn=drawn, variance=np.zeros(drawn.risk.size), parts=parts, params={}, seed=0, **given)


@pytest.mark.parametrize("design", [WithReplacement(), ByWeight(), None], ids=repr)
def test_equal_weights_and_chance_alone_give_betting_limits_of_operation_that_cover(design):
    limits = []
    for seed in range(150):
        risk, guess, weights = world("common", equal=True, seed=seed, balls=BUDGET if design is None else BALLS)
        census = Census(weights, np.arange(risk.size), risk, np.ones(risk.size))
        drawn = census if design is None else drawn_from(design, risk, guess, weights, BUDGET, seed)
        limits.append(stated(drawn, level=0.9).families("upper")["operation, distribution-free"].limit_at(0.9))
    assert np.mean(np.array(limits) < RATE) <= 0.1 + 3 * math.sqrt(0.09 / 150)


def test_unequal_weights_have_a_limit_that_is_marked_as_heuristic():
    drawn = drawn_from(Adaptive(), *world("common", equal=False, seed=1), BUDGET, seed=0)
    pmi = stated(drawn).pmi()
    assert {family.kind for family in pmi.bounds} == {"heuristic"}
    assert "approximate-coverage" in {caveat.code for caveat in pmi.caveats}


def test_the_signed_limit_is_the_wider_of_balls_and_tests():
    drawn = next(fresh_frames(Adaptive(), 1))
    alone, worse, better = (stated(drawn, tests=tests).pmi() for tests in (None, (50, 100), (0, 10**6)))
    assert worse.upper(0.95) > 0.5
    assert better.upper(0.95) == pytest.approx(alone.upper(0.95))
    assert better.lower(0.95) == 0


def test_tests_that_fail_more_often_contradict_the_balls():
    drawn = next(fresh_frames(Adaptive(), 1))
    for options in ({"tests": (90, 100)}, {"centres": (250, BALLS)}):
        caveats = stated(drawn, **options).by_balls().caveats
        assert "contradicted-by-tests" in {caveat.code for caveat in caveats}
    assert "contradicted-by-tests" not in {c.code for c in stated(drawn).by_balls().caveats}


def test_a_tabulated_family_never_narrows_with_the_level():
    family = tabulated(lambda level: 0.5 + 0.1 * math.sin(40 * level), level=0.95, side="upper", kind="heuristic")
    assert all(np.diff(family.limits) >= 0)
