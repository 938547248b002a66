"""Safety gain, residual hazard and availability cost, and how often their limits hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot import bounds
from surefoot.core import Estimate, InvalidInput
from surefoot.monitors import Returns, Stakes, evaluate


def safety(predictions, alarms, truths, context):
    return ~((predictions != truths) & ~alarms)


def mission(predictions, alarms, truths, context):
    return ~((predictions == truths) & alarms)


def errors(failed, **basis):
    truths = np.zeros(len(failed), dtype=int)
    return Stakes.of(safety, mission, predictions=np.asarray(failed, dtype=int), truths=truths, **basis)


def graded(rng, n, **basis):
    quiet = rng.random(n) * 0.9
    return Stakes(quiet, np.minimum(quiet + 0.5, 1), np.ones(n), np.ones(n), rng.random(n), **basis)


def test_figures_are_shares_of_the_four_outcomes():
    failed, alarms = np.array([1, 1, 1, 0, 0, 0, 0, 0]), np.array([1, 1, 0, 1, 0, 0, 0, 0])
    found = evaluate(errors(failed).under(alarms))
    assert [e.value for e in found.estimates] == [2 / 8, 1 / 8, 1 / 8, 3 / 8]
    assert found.sum_holds
    assert found.alarm_share == 3 / 8


def test_two_valued_figures_have_the_limits_of_clopper_and_pearson():
    failed, alarms = np.repeat([1, 1, 0, 0], [40, 10, 30, 920]), np.repeat([1, 0, 1, 0], [40, 10, 30, 920])
    found = evaluate(errors(failed, two_valued=True).under(alarms))
    for estimate, count in zip(found.estimates, (40, 10, 30, 50), strict=True):
        exact = stats.binomtest(count, 1000).proportion_ci(0.95, method="exact")
        assert estimate.interval(0.95) == pytest.approx((exact.low, exact.high), rel=1e-9)
        assert estimate.details["interval"] == "exact"


def test_an_alarm_that_never_fires_gains_nothing_and_the_limits_say_how_sure_that_is():
    found = evaluate(errors(np.repeat([1, 0], [5, 95]), two_valued=True).under(np.zeros(100)))
    assert (found.safety_gain.value, found.availability_cost.value) == (0, 0)
    assert found.safety_gain.upper(0.95) == pytest.approx(1 - 0.05 ** (1 / 100))
    assert "monitor-constant" in {caveat.code for caveat in found.caveats}


def test_an_alarm_that_always_fires_leaves_nothing_and_costs_every_right_answer():
    found = evaluate(errors(np.repeat([1, 0], [5, 95]), two_valued=True).under(np.ones(100)))
    assert (found.residual_hazard.value, found.availability_cost.value) == (0, 0.95)
    assert found.residual_hazard.upper(0.95) > 0


def test_a_graded_return_that_never_moved_still_has_an_upper_limit_within_its_range():
    stakes = Stakes(np.full(200, 0.7), np.ones(200), np.full(200, 0.7), np.ones(200), np.ones(200))
    gain = evaluate(stakes.under(np.zeros(200))).safety_gain
    assert gain.details["interval"] == "deviation"
    assert gain.upper(0.95) == pytest.approx(1 - 0.05 ** (1 / 200))
    assert gain.lower(0.95) == pytest.approx(-(1 - 0.05 ** (1 / 200)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 60), st.booleans(), st.booleans())
def test_gain_and_residual_hazard_sum_to_the_hazard_of_the_model_alone(seed, n, weighted, grouped):
    rng = np.random.default_rng(seed)
    basis = {"weights": rng.random(n) + 0.01 if weighted else None, "units": np.arange(n) // 2 if grouped else None}
    found = evaluate(graded(rng, n, **basis).under(rng.random(n) < 0.5), draws=200)
    assert found.sum_holds
    total = found.safety_gain.value + found.residual_hazard.value
    assert total == pytest.approx(found.hazard_alone.value, abs=1e-12)


def test_weights_stand_for_operation():
    failed, alarms = np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])
    once = errors(failed, weights=[3.0, 1.0, 2.0, 4.0])
    repeated = errors(np.repeat(failed, [3, 1, 2, 4]))
    plain = evaluate(repeated.under(np.repeat(alarms, [3, 1, 2, 4])), draws=200)
    found = evaluate(once.under(alarms), draws=200)
    assert [e.value for e in found.estimates] == pytest.approx([e.value for e in plain.estimates])


def test_frames_of_an_episode_are_no_independent_trials():
    rng = np.random.default_rng(2)
    bad = np.repeat(rng.random(200) < 0.3, 50)
    by_frame = evaluate(errors(bad, two_valued=True).under(np.zeros(bad.size)))
    by_episode = evaluate(errors(bad, units=np.repeat(np.arange(200), 50), unit="episode").under(np.zeros(bad.size)))
    width = [np.diff(e.residual_hazard.interval(0.95))[0] for e in (by_frame, by_episode)]
    assert width[1] > 5 * width[0]
    assert (by_episode.residual_hazard.unit, by_episode.residual_hazard.details["unit"]) == ("per demand", "episode")


@pytest.mark.parametrize(("method", "redraws"), [("auto", 400), ("betting", 200)])
def test_limits_of_graded_returns_hold_as_often_as_stated(method, redraws):
    """Limits that miss a fifth of the time, or a quarter for betting, are found out with probability 0.98 or more."""
    rng, misses = np.random.default_rng(11), 0
    for _ in range(redraws):
        quiet = rng.beta(5, 1, 150)
        stakes = Stakes(quiet, np.ones(150), np.ones(150), np.ones(150), np.ones(150))
        found = evaluate(stakes.under(rng.random(150) < 0.5), method=method, draws=400).residual_hazard
        misses += not found.lower(0.95) <= (1 - 5 / 6) / 2 <= found.upper(0.95)
    assert misses <= stats.binom.ppf(0.999, redraws, 0.1)


def test_limits_over_episodes_hold_as_often_as_stated_and_those_over_frames_do_not():
    rng, redraws = np.random.default_rng(12), 300
    misses = {"episode": 0, "input": 0}
    for _ in range(redraws):
        lengths = rng.integers(5, 40, 60)
        risk = np.repeat(rng.beta(0.5, 2, 60), lengths)
        failed = rng.random(risk.size) < risk
        for unit, units in (("episode", np.repeat(np.arange(60), lengths)), ("input", None)):
            found = evaluate(errors(failed, units=units, unit=unit).under(np.zeros(risk.size)), draws=400)
            misses[unit] += not found.residual_hazard.lower(0.95) <= 0.2 <= found.residual_hazard.upper(0.95)
    assert misses["episode"] <= stats.binom.ppf(0.999, redraws, 0.13)
    assert misses["input"] > 0.3 * redraws


def test_betting_refuses_weights_of_rows_that_share_units():
    """Weighted bets go row by row, so that 200 copies of each of ten rows would pass for 2000 independent ones."""
    stakes = errors(np.arange(10).repeat(200) < 1, units=np.arange(10).repeat(200)).weighted(np.linspace(1, 2, 2000))
    with pytest.raises(InvalidInput, match="units"):
        evaluate(stakes.under(np.zeros(2000)), method="betting")
    assert evaluate(stakes.under(np.zeros(2000)), draws=400).residual_hazard.value > 0


def test_betting_limits_are_those_of_the_bound_on_rescaled_returns():
    rng = np.random.default_rng(0)
    returns = graded(rng, 300).under(rng.random(300) < 0.5)
    found = evaluate(returns, method="betting").residual_hazard
    peer = bounds.betting(returns.residuals, level=0.95)
    assert found.upper(0.95) == pytest.approx(peer.upper(0.95), abs=1e-9)
    assert found.bound("upper", 0.95).kind == "confidence"


def test_a_monitored_model_safer_than_the_ideal_contradicts_an_assumption():
    returns = Returns(np.ones(20), np.zeros(20), np.full(20, 0.5), np.ones(20), np.ones(20))
    residual = evaluate(returns).residual_hazard
    assert [a.status for a in residual.assumptions if a.id == "ideal-is-best"] == ["contradicted"]


def test_figures_survive_their_way_through_json():
    rng = np.random.default_rng(0)
    for estimate in evaluate(graded(rng, 50).under(rng.random(50) < 0.5), draws=200).estimates:
        assert Estimate.from_dict(estimate.to_dict()) == estimate


def test_a_report_prints_its_figures_and_what_they_rest_on():
    text = str(evaluate(errors([1, 0, 0, 1]).under([1, 0, 0, 0])))
    assert "safety gain" in text
    assert "equals the hazard without the monitor" in text
    assert "4 independent (input)" in text


def test_bad_input_is_refused_in_words():
    for wrong, said in [
        (lambda: evaluate(errors([1]).under([1])), "at least two independent"),
        (lambda: evaluate(errors([1, 0]).under([1, 0]), method="guess"), "unknown method"),
        (lambda: evaluate(errors([1, 0]).under([1, 0]), draws=3), "draws"),
        (lambda: evaluate([1, 0]), "stakes.under"),
        (lambda: errors([1, 0]).under([1, 2]), "true or false"),
        (lambda: errors([1, 0]).under([1]), "one a row"),
        (lambda: errors([1, 0], safety_range=(0.0, 0.5)), "stated range"),
        (lambda: errors([1, 0], weights=[0.0, 0.0]), "not all 0"),
        (lambda: errors([1, 0], units=[0.5, 1.5]), "one unit a row"),
        (lambda: errors([1, 0], safety_range=(1.0, 0.0)), "smallest and its largest"),
    ]:
        with refused((wrong, said), InvalidInput, match=said):
            wrong()
