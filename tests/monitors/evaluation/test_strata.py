"""Designed evaluations: so many threats and so many usual rows."""

import numpy as np
import pytest
from scipy import stats

from surefoot import bounds
from surefoot.core import InvalidInput
from surefoot.monitors import Stakes, evaluate, returns

threats = returns.threats

USUAL_AND_THREATS = np.repeat([0, 1], 500)


def alarms(missed, spurious):
    said = np.arange(1000) >= 500 + missed
    said[:spurious] = True
    return said


def statuses(estimate):
    return {a.id: a.status for a in estimate.assumptions}


def test_no_limit_exceeds_what_is_possible():
    returns = threats(USUAL_AND_THREATS).under(alarms(1, 20))
    plain, found = evaluate(returns), evaluate(returns, strata=USUAL_AND_THREATS)
    assert plain.safety_gain.interval(0.95)[1] > 0.51
    assert found.safety_gain.value == plain.safety_gain.value == 0.499
    assert found.safety_gain.interval(0.95)[1] <= 0.5
    assert found.hazard_alone.interval(0.95) == (0.5, 0.5)
    assert found.sum_holds


def test_limits_are_those_of_the_stratum_that_varies():
    returns = threats(USUAL_AND_THREATS).under(alarms(30, 20))
    found = evaluate(returns, strata=USUAL_AND_THREATS)
    gain, cost = (np.multiply(bounds.clopper_pearson(k, 500, level=0.975).interval(0.95), 0.5) for k in (470, 20))
    assert found.safety_gain.interval(0.95) == pytest.approx(tuple(gain))
    assert found.availability_cost.interval(0.95) == pytest.approx(tuple(cost))
    residual = found.residual_hazard.interval(0.95)
    assert residual == pytest.approx((0.5 - gain[1], 0.5 - gain[0]))
    assert {b.kind for b in found.safety_gain.bounds} == {"confidence"}
    assert {"independent-within-strata", "known-shares", "returns-by-stratum"} <= statuses(found.safety_gain).keys()


@pytest.mark.parametrize("detected", [0.5, 0.9, 0.99])
def test_the_exact_coverage_keeps_the_level_and_is_not_far_above(detected):
    ways = stats.binom(200, detected)
    strata, held = np.repeat([0, 1], 200), []
    for k in range(201):
        said = np.concatenate([np.zeros(200), np.arange(200) < k]).astype(bool)
        low, high = evaluate(threats(strata).under(said), strata=strata, draws=200).safety_gain.interval(0.95)
        held.append(low <= 0.5 * detected <= high)
    assert 0.95 <= ways.pmf(np.arange(201))[held].sum() <= 0.985


def test_a_stratum_without_a_false_alarm_gains_nothing_by_one():
    found = evaluate(threats(USUAL_AND_THREATS).under(alarms(0, 0)), strata=USUAL_AND_THREATS)
    assert found.safety_gain.interval(0.95)[1] == 0.5
    assert found.residual_hazard.interval(0.95)[0] == 0
    assert 0 < found.availability_cost.interval(0.95)[1] < 0.005


def test_weights_give_strata_their_share_of_operation():
    weights = np.where(USUAL_AND_THREATS == 1, 1.0, 99.0)
    found = evaluate(threats(USUAL_AND_THREATS, weights=weights).under(alarms(30, 20)), strata=USUAL_AND_THREATS)
    assert found.safety_gain.value == pytest.approx(0.0094)
    exact = bounds.clopper_pearson(470, 500, level=0.975).interval(0.95)
    assert found.safety_gain.interval(0.95) == pytest.approx(tuple(0.01 * limit for limit in exact))


def test_kinds_of_threats_are_pooled_and_keep_the_level():
    kinds, rates = np.repeat([0, 1, 2, 3], [100, 40, 40, 20]), np.array([0.05, 0.5, 0.9, 0.99])
    rng, truth, held, narrower = np.random.default_rng(0), (0.5 * 40 + 0.9 * 40 + 0.99 * 20) / 200, [], []
    for _ in range(150):
        returns = threats(kinds > 0).under(rng.random(200) < rates[kinds])
        low, high = evaluate(returns, strata=kinds, draws=200).safety_gain.interval(0.95)
        plain = evaluate(returns, draws=200).safety_gain.interval(0.95)
        held.append(low <= truth <= high)
        narrower.append(high - low < plain[1] - plain[0])
    assert np.mean(held) >= 0.93
    assert all(narrower)


def test_returns_that_differ_within_strata_have_no_design_to_rest_on():
    rng = np.random.default_rng(0)
    failed, strata = rng.random(400) < 0.2, np.repeat(["day", "night"], 200)
    stakes = threats(failed)
    found = evaluate(stakes.under(rng.random(400) < 0.5), strata=strata)
    assert "returns-by-stratum" not in statuses(found.safety_gain)
    assert found.safety_gain.interval(0.95)[1] > found.safety_gain.value


def test_graded_returns_are_resampled_within_strata():
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], 150)
    quiet = np.where(strata == 1, 0.1, 0.8) + 0.1 * rng.random(300)
    stakes = Stakes(quiet, np.minimum(quiet + 0.1, 1), np.ones(300), np.ones(300), rng.random(300))
    returns = stakes.under(rng.random(300) < 0.5)
    plain, found = (evaluate(returns, **o).hazard_alone for o in ({}, {"strata": strata}))
    widths = [high - low for low, high in (plain.interval(0.95), found.interval(0.95))]
    assert found.details["interval"] == "bootstrap"
    assert found.value == pytest.approx(plain.value)
    within = np.sqrt(np.mean([quiet[strata == s].var(ddof=1) for s in (0, 1)]) / 300)
    assert widths[1] == pytest.approx(2 * 1.96 * within, rel=0.15)
    assert widths[1] < widths[0] / 3


@pytest.mark.parametrize(
    ("strata", "options"),
    [(np.zeros(3), {}), (np.zeros((1000, 2)), {}), (USUAL_AND_THREATS, {"method": "betting"})],
)
def test_bad_strata_are_refused(strata, options):
    with pytest.raises(InvalidInput):
        evaluate(threats(USUAL_AND_THREATS).under(alarms(1, 1)), strata=strata, **options)


def test_units_lie_in_one_stratum():
    stakes = threats(USUAL_AND_THREATS, units=np.arange(1000) % 500, unit="film")
    with pytest.raises(InvalidInput, match="film must lie in one stratum"):
        evaluate(stakes.under(alarms(1, 1)), strata=USUAL_AND_THREATS)
