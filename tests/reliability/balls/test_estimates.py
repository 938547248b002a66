"""From draws to limits of operation, against simulation with known truth."""

import math

import numpy as np
import pytest
from tests.reliability.balls.known_truth import drawn_from, world

from surefoot import bounds
from surefoot.core import Assumption, Target
from surefoot.reliability import Adaptive, AtRandom, ByRisk, ByWeight, Census, Stratified, WithReplacement
from surefoot.reliability.balls.draws import VarianceParts
from surefoot.reliability.balls.limits import log_capital_of_rows, operation_bound, tabulated
from surefoot.reliability.balls.statements import Statements

UNIFORM = Assumption("uniform-inside", "Inputs are uniform inside each ball.", beyond_tests=True)
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


def of_operation(drawn, level, *, side="upper", sizes=None):
    sizes = drawn.relative_weights if sizes is None else sizes
    return operation_bound(drawn.capitals(level), sizes, side=side, level=level, kind="confidence")


@pytest.mark.parametrize("design", [ByRisk(), Stratified(), Adaptive()], ids=repr)
@pytest.mark.parametrize("side", ["upper", "lower"])
def test_limits_of_operation_cover_over_frames_and_draws(design, side):
    repeats, level = 60, 0.8
    limits = [of_operation(drawn, level, side=side).limit_at(level) for drawn in fresh_frames(design, repeats)]
    missed = np.mean(np.array(limits) < RATE if side == "upper" else np.array(limits) > RATE)
    assert missed <= 0.2 + 3 * math.sqrt(0.16 / repeats)
    assert np.mean(limits) < 3 * RATE


def test_limits_of_operation_cover_when_risks_inside_are_rough():
    limits = [of_operation(drawn, 0.8).limit_at(0.8) for drawn in fresh_frames(Adaptive(), 60, trials=3)]
    assert np.mean(np.array(limits) < RATE) <= 0.2 + 3 * math.sqrt(0.16 / 60)


def test_limits_of_operation_are_wider_than_those_of_the_frame_and_widen_with_the_level():
    drawn = next(fresh_frames(Adaptive(), 1))
    family = of_operation(drawn, 0.95)
    assert family.limit_at(0.95) > drawn.frame_bound("upper", 0.95).limit_at(0.95)
    assert family.limit_at(0.9) < family.limit_at(0.95) < family.limit_at(0.999) <= 1
    larger = of_operation(drawn, 0.95, sizes=np.ones(100 * BALLS))
    assert larger.limit_at(0.95) < family.limit_at(0.95)


def test_the_product_of_two_capitals_is_tighter_than_sharing_the_miss_probability():
    drawn = next(fresh_frames(Adaptive(), 1))
    frame = drawn.frame_bound("upper", 0.975).limit_at(0.975)
    means = np.linspace(frame, 1, 100_001)[1:-1]
    divergence = frame * np.log(frame / means) + (1 - frame) * np.log((1 - frame) / (1 - means))
    shared = means[divergence <= math.log(2 / 0.05) / BALLS].max()
    assert of_operation(drawn, 0.95).limit_at(0.95) < shared


def test_more_draws_do_not_widen_the_limit_of_operation():
    risk, guess, weights = world("all or nothing", equal=True, seed=1, balls=BALLS)
    few, many = (
        np.mean(
            [of_operation(drawn_from(Adaptive(), risk, guess, weights, b, s), 0.95).limit_at(0.95) for s in range(5)]
        )
        for b in (100, 290)
    )
    assert many < few


@pytest.mark.parametrize("upper", [True, False])
def test_no_risks_of_the_rows_leave_less_capital_than_the_one_stated_for_their_mean(upper):
    rng = np.random.default_rng(0)
    sizes = rng.lognormal(0, 1, 40)
    sizes /= sizes.max()
    claims = np.array([0.01, 0.1, 0.4, 0.7, 0.95])
    for power in (0.1, 1, 10):
        for risk in (rng.random(40) ** power, (rng.random(40) < 0.3).astype(float), (sizes > 0.2).astype(float)):
            mean = np.array([sizes @ risk / sizes.sum()])
            stated = log_capital_of_rows(mean, claims, sizes, 0.95, upper)[:, 0]
            assert (stated <= [capital_of(risk, sizes, claim, upper) + 1e-9 for claim in claims]).all()


def capital_of(risk, sizes, claim, upper):
    """Logarithm of what three gamblers hold together after bets on all rows, by its definition."""
    room = (max(1 - claim, 0.5)) if upper else claim
    suited = math.sqrt(2 * math.log(20) / ((sizes**2).sum() * claim * (1 - claim)))
    bets = [min(share * suited, 0.8 / room) * (1 if upper else -1) for share in (0, 0.5, 1)]
    return math.log(np.mean([np.prod(1 + bet * sizes * (claim - risk)) for bet in bets]))


def test_rows_of_equal_size_that_fail_or_do_not_hold_exactly_the_stated_capital():
    risk = (np.arange(50) < 7).astype(float)
    stated = log_capital_of_rows(np.array([0.14]), np.array([0.3]), np.ones(50), 0.95, upper=True)
    assert stated[0, 0] == pytest.approx(capital_of(risk, np.ones(50), 0.3, upper=True))


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
    census = census_of(risk, weights)
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
    census = census_of(risk, weights)
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
    given = {"centres": (0, drawn.balls), "tests": None, "assumptions": (), "caveats": (), "level": 0.95}
    given |= {"params": {"radius": 0.1}, "seed": 0}
    given |= {"below": np.zeros(drawn.risk.size, bool), "variance": np.zeros(drawn.risk.size)} | options
    return Statements(drawn=drawn, parts=parts, **given)


def codes(estimate):
    return {caveat.code for caveat in estimate.caveats}


def census_of(risk, weights):
    return Census(weights, np.arange(risk.size), risk, np.ones(risk.size))


@pytest.mark.parametrize("design", [WithReplacement(), ByWeight(), None], ids=repr)
def test_equal_weights_and_chance_alone_give_betting_limits_of_operation_that_cover(design):
    limits = []
    for seed in range(150):
        risk, guess, weights = world("common", equal=True, seed=seed, balls=BUDGET if design is None else BALLS)
        drawn = census_of(risk, weights) if design is None else drawn_from(design, risk, guess, weights, BUDGET, seed)
        limits.append(stated(drawn, level=0.9).families("upper")["operation, distribution-free"].limit_at(0.9))
    assert np.mean(np.array(limits) < RATE) <= 0.1 + 3 * math.sqrt(0.09 / 150)


def test_unequal_weights_have_a_limit_that_is_marked_as_heuristic():
    drawn = drawn_from(Adaptive(), *world("common", equal=False, seed=1), BUDGET, seed=0)
    pmi = stated(drawn).pmi()
    assert {family.kind for family in pmi.bounds} == {"heuristic"}
    assert {"approximate-coverage", "weights-estimated"} <= codes(pmi)


RARE = 0.02 / 2 + 0.98 * 1e-4 / 2
RARE_SQUARES = 0.02 / 3 + 0.98 * 1e-8 / 3
WEIGHTED_RARE = (RARE + RARE_SQUARES) / (1 + RARE)
"""Of the world with rare risks, where a row weighs one plus its risk times chance."""


@pytest.mark.parametrize(("design", "repeats"), [(None, 150), (ByWeight(), 40), (Adaptive(), 40)], ids=repr)
def test_signed_limits_cover_with_unequal_weights_where_risk_is_rare(design, repeats):
    missed = []
    for seed in range(repeats):
        risk, guess, weights = world("rare", equal=False, seed=seed, balls=100)
        drawn = census_of(risk, weights) if design is None else drawn_from(design, risk, guess, weights, 40, seed)
        pmi = stated(drawn).pmi()
        missed.append((pmi.upper(0.95) < WEIGHTED_RARE, pmi.lower(0.95) > WEIGHTED_RARE))
    assert (np.mean(missed, axis=0) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / repeats)).all()


def test_the_signed_limit_of_unequal_weights_is_the_wider_of_normal_and_bets():
    for drawn in (
        drawn_from(ByWeight(), *world("common", equal=False, seed=1), BUDGET, seed=0),
        census_of(*world("common", equal=False, seed=1)[::2]),
    ):
        for side, wider in (("upper", max), ("lower", min)):
            *parts, signed = (f.limit_at(0.95) for f in stated(drawn).families(side).values())
            assert signed == wider(parts)
            assert len(parts) == 2
        frame = drawn.frame_bound("upper", 0.95)
        assert frame is None or stated(drawn).pmi().upper(0.95) >= frame.limit_at(0.95)


def test_bets_on_all_rows_are_those_of_bounds_weighted():
    risk, _, weights = world("common", equal=False, seed=1)
    expected = bounds.weighted(risk, weights, level=0.95, seed=0)
    found = stated(census_of(risk, weights)).families("upper")["operation, bets on weighted rows"]
    assert found.limit_at(0.99) == expected.upper(0.99)


def test_weights_on_a_few_rows_are_told():
    risk, _, weights = world("common", equal=True, seed=1)
    few = np.where(np.arange(risk.size) < 20, 1.0, 1e-3)
    assert "few-effective-rows" in codes(stated(census_of(risk, few / few.sum())).pmi())
    slightly = np.linspace(1, 2, risk.size)
    assert "few-effective-rows" not in codes(stated(census_of(risk, slightly / slightly.sum())).pmi())
    assert not {"few-effective-rows", "weights-estimated"} & codes(stated(census_of(risk, weights)).pmi())


@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
@pytest.mark.parametrize("design", [None, ByWeight(), Stratified(), Adaptive()], ids=repr)
def test_balls_below_the_floor_count_as_0_in_lower_limits_alone(design, equal):
    risk, guess, weights = world("common", equal=equal, seed=2, balls=BALLS)
    risk = np.full_like(risk, 0.01)
    drawn = census_of(risk, weights) if design is None else drawn_from(design, risk, guess, weights, BUDGET, 0)
    found = stated(drawn, below=np.ones(drawn.risk.size, bool))
    for estimate, plain in ((found.pmi(), stated(drawn).pmi()), (found.by_balls(), stated(drawn).by_balls())):
        assert estimate.lower(0.95) == 0
        assert estimate.value == plain.value > 0
        assert estimate.upper(0.95) == plain.upper(0.95)
        assert "value-at-floor" in codes(estimate)
        assert "value-at-floor" not in codes(plain)
    assert found.acu().lower(0.95) == 0
    assert "value-at-floor" in codes(found.acu())


def test_a_few_balls_below_the_floor_are_not_worth_a_caveat():
    risk, _, weights = world("common", equal=True, seed=2, balls=BALLS)
    below = np.arange(BALLS) == int(np.argmin(risk))
    assert "value-at-floor" not in codes(stated(census_of(risk, weights), below=below).pmi())


def test_counts_without_a_failure_leave_room_for_one():
    risk, _, weights = world("common", equal=False, seed=2, balls=BALLS)
    none = census_of(np.zeros_like(risk), weights)
    assert VarianceParts.of(none, np.full(BALLS, 1e-6), None).of_operation == pytest.approx(1e-6 * (weights**2).sum())


def test_the_signed_limit_is_the_wider_of_balls_and_tests():
    drawn = next(fresh_frames(Adaptive(), 1))
    alone, worse, better = (stated(drawn, tests=tests).pmi() for tests in (None, (50, 100), (0, 10**6)))
    assert worse.upper(0.95) > 0.5
    assert better.upper(0.95) == pytest.approx(alone.upper(0.95))
    assert better.lower(0.95) == 0


AGAINST = "contradicted-by-tests"


def test_tests_that_fail_more_often_contradict_the_balls_and_their_even_spread():
    drawn = next(fresh_frames(Adaptive(), 1))
    for options in ({"tests": (90, 100)}, {"centres": (250, BALLS)}):
        found = stated(drawn, assumptions=(UNIFORM,), **options)
        assert AGAINST in codes(found.by_balls())
        assert [a.status for a in found.by_balls().assumptions] == ["contradicted"]
    signed = stated(drawn, assumptions=(UNIFORM,), centres=(250, BALLS)).pmi()
    assert AGAINST in codes(signed)
    assert signed.meets(Target(at_most=0.99)).status == "not shown"


def test_tests_that_fail_less_often_contradict_the_balls_and_not_their_spread():
    drawn = census_of(np.full(BALLS, 0.3), np.full(BALLS, 1 / BALLS))
    found = stated(drawn, assumptions=(UNIFORM,), centres=(3, BALLS))
    for estimate in (found.pmi(), found.by_balls()):
        assert AGAINST in codes(estimate)
        assert next(a for a in estimate.assumptions if a.id == UNIFORM.id).status == "unchecked"
    assert found.pmi().meets(Target(at_most=0.9)).status == "met"
    refused = found.pmi().meets(Target(at_most=0.1))
    assert refused.status == "not shown"
    assert UNIFORM.id in refused.text


def test_tests_that_agree_contradict_nothing():
    drawn = next(fresh_frames(Adaptive(), 1))
    found = stated(drawn, assumptions=(UNIFORM,), centres=(round(RATE * BALLS), BALLS))
    for estimate in (found.pmi(), found.by_balls()):
        assert AGAINST not in codes(estimate)
        assert next(a for a in estimate.assumptions if a.id == UNIFORM.id).status == "unchecked"


def test_every_number_says_what_the_radius_is():
    found = stated(next(fresh_frames(Adaptive(), 1)), params={"radius": 0.1})
    assert {estimate.scope for estimate in (found.pmi(), found.by_balls(), found.acu())} == {"r = 0.1"}
    assert found.pmi().quantity == "failure probability within radius r of operational inputs"


@pytest.mark.parametrize(("rows", "ordered"), [(BUDGET, False), (600, True)])
def test_limits_of_few_rows_need_no_order_and_those_of_many_do(rows, ordered):
    risk, _, weights = world("common", equal=True, seed=1, balls=rows)
    found = stated(census_of(risk, weights), seed=0)
    again = stated(census_of(risk, weights), seed=1)
    assert ("order-before-outcomes" in {a.id for a in found.pmi().assumptions}) == ordered
    assert (found.pmi().upper(0.95) != again.pmi().upper(0.95)) == ordered


def test_balls_at_random_are_a_sample_of_operation_and_none_comes_twice():
    risk, guess, weights = world("common", equal=True, seed=3, balls=BALLS)
    drawn = drawn_from(AtRandom(), risk, guess, weights, BUDGET, 3)
    assert drawn.first.size == drawn.risk.size == BUDGET
    signed = stated(drawn).pmi()
    assert signed.value == pytest.approx(drawn.risk.mean())
    assert signed.upper(0.95) == bounds.bentkus(drawn.risk, level=0.95).upper(0.95)
    parts = VarianceParts.of(drawn, np.zeros(BUDGET), None)
    assert parts.of_operation == pytest.approx(drawn.risk.var(ddof=1) / BUDGET, rel=0.01)


def test_a_tabulated_family_never_narrows_with_the_level():
    family = tabulated(lambda level: 0.5 + 0.1 * math.sin(40 * level), level=0.95, side="upper", kind="heuristic")
    assert all(np.diff(family.limits) >= 0)
