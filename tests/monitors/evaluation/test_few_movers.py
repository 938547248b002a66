"""Limits where few units move a figure, or where what can occur was not seen: a limit of 0 is not earned by silence."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from surefoot.core import InvalidInput
from surefoot.monitors import Outcomes, Stakes, by_availability, curve, detection, evaluate, returns

severity, threats = returns.severity, returns.threats

EPISODES = np.repeat(np.arange(40), 5)
USUAL = (0.9, 0.95, 0.975, 0.999)


def quiet(stakes):
    return evaluate(stakes.under(np.zeros(stakes.rows)))


def test_episodes_without_any_hazard_allow_as_many_as_counted_episodes_do():
    found = quiet(threats(np.zeros(200), units=EPISODES, unit="episode")).residual_hazard
    expected = stats.binomtest(0, 40).proportion_ci(0.95, method="exact").high
    assert found.interval(0.95) == pytest.approx((0, expected), rel=1e-6)
    assert found.details["interval"] == "deviation"


def test_rows_with_weights_and_no_hazard_have_an_upper_limit_above_zero():
    weights = np.random.default_rng(0).lognormal(size=200)
    found = quiet(threats(np.zeros(200), weights=weights)).residual_hazard
    heaviest = weights.max() / weights.mean()
    assert found.upper(0.975) == pytest.approx(heaviest * (1 - 0.025 ** (1 / 200)), rel=1e-6)
    assert found.bounds[0].kind == "heuristic"


@pytest.mark.parametrize(("blocks", "share"), [(8, 0.3), (60, 0.03), (60, 0.3)])
def test_bursts_across_the_edges_of_blocks_are_covered(blocks, share):
    """Blocks whose neighbours are taken for independent ones miss 20% and more where many fail."""
    missed, units = np.zeros(2), np.arange(10 * blocks) // 10
    for seed in range(60):
        cells = np.repeat(np.random.default_rng(seed).random(blocks + 1) < share, 10)
        stakes = threats(cells[5 : 5 + 10 * blocks], units=units)
        for way in (0, 1):
            report = evaluate(replace(stakes, touching=bool(way)).under(np.zeros(stakes.rows)), draws=400)
            missed[way] += report.residual_hazard.upper(0.9) < share
    assert missed[1] <= stats.binom.isf(0.001, 60, 0.1)
    assert missed[0] > missed[1] or share < 0.1


def test_a_threshold_is_chosen_on_every_second_block():
    scores = np.random.default_rng(0).random(400)
    stakes = replace(threats(scores > 0.9, units=np.arange(400) // 10), touching=True)
    with pytest.raises(InvalidInput, match="alternate"):
        by_availability(stakes, scores, budget=0.2)
    apart, rows = stakes.alternate()
    assert (apart.unit_count, rows.sum()) == (20, 200)
    assert by_availability(apart, scores[rows], budget=0.2).threshold > 0.7


def test_rare_hazards_in_episodes_are_covered():
    """Resampling alone misses 40% here: most samples show no hazard at all, or in one episode."""
    missed = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        failed = rng.random(300) < np.repeat(rng.beta(0.05, 4.95, size=30), 10)
        report = evaluate(threats(failed, units=np.repeat(np.arange(30), 10)).under(np.zeros(300)), draws=400)
        missed += report.residual_hazard.upper(0.95) < 0.01
    assert missed / 150 < 0.1


def test_a_severity_that_was_not_seen_can_still_occur():
    """One of three severities was seen, so the figure looks two-valued, and is not."""
    predictions = np.r_[np.ones(40, dtype=int), np.zeros(110, dtype=int)]
    matrix = [[0, 0.02, 1], [0, 0, 0], [0, 0, 0]]
    found = quiet(severity(predictions, np.zeros(150, dtype=int), matrix)).residual_hazard
    assert found.details["interval"] == "deviation"
    assert found.upper(0.975) > 1 - 0.025 ** (1 / 150)
    assert curve(severity(predictions, np.zeros(150, dtype=int), matrix), np.arange(150.0)).method == "bootstrap"


def test_limits_beside_two_values_hold_where_a_third_is_rare():
    missed = 0
    for seed in range(300):
        draw = np.random.default_rng(seed).random(100)
        hazard = np.where(draw < 0.01, 1.0, np.where(draw < 0.21, 0.02, 0.0))
        ones = np.ones(100)
        low, high = quiet(Stakes(1 - hazard, ones, ones, ones, ones)).residual_hazard.interval(0.9)
        missed += not low <= 0.01 + 0.2 * 0.02 <= high
    assert missed / 300 < 0.1


def test_a_mean_is_not_lost_in_a_wide_range():
    quiet_returns = np.full(100, 1e9 - 0.5)
    best, ones = np.full(100, 1e9), np.ones(100)
    stakes = Stakes(quiet_returns, best, best, ones, ones, safety_range=(0, 1e9))
    report = evaluate(stakes.under(np.arange(100) < 50))
    assert report.safety_gain.value == pytest.approx(0.25)
    assert report.residual_hazard.interval(0.95)[0] <= 0.25


def test_units_that_weigh_nothing_are_not_drawn():
    weights = np.repeat([1.0, 0.0], 10)
    failed = np.tile([True, False], 10)
    report = evaluate(threats(failed, weights=weights).under(np.zeros(20)), method="bootstrap")
    alone = evaluate(threats(failed[:10], weights=weights[:10]).under(np.zeros(10)), method="bootstrap")
    assert report.residual_hazard.interval(0.95) == alone.residual_hazard.interval(0.95)


def test_few_moving_units_are_counted_by_what_they_have_not_by_their_distance_from_the_mean():
    failed = np.zeros(200)
    failed[::40] = 1
    found = evaluate(threats(failed, units=EPISODES).under(np.zeros(200)), method="bootstrap").residual_hazard
    assert "few-effective-rows" in [caveat.code for caveat in found.caveats]


def test_a_mean_that_rests_on_a_few_heavy_rows_says_so():
    weights = np.r_[np.full(5, 1000.0), np.ones(95)]
    failed = np.arange(100) % 2 == 0
    found = quiet(threats(failed, weights=weights)).residual_hazard
    assert "weigh as much as all others" in " ".join(caveat.text for caveat in found.caveats)


def test_a_detector_without_a_miss_in_a_few_units_is_not_certain():
    failed = np.repeat([1.0, 0.0], [20, 40])
    scores = failed + np.random.default_rng(0).random(60) / 2
    found = detection(threats(failed, units=np.repeat(np.arange(12), 5)), scores, threshold=0.9)
    assert found.recall.interval(0.95) == pytest.approx(stats.binomtest(4, 4).proportion_ci(0.95), rel=1e-6)
    assert found.fpr95.interval(0.95) == (0, 1)
    assert found.average_precision.interval(0.95) == (0, 1)


def test_a_perfect_separation_of_weighted_rows_is_exactly_one():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        failed = np.repeat([1.0, 0.0], [20, 40])
        found = detection(threats(failed, weights=rng.random(60) + 0.1), failed + rng.random(60) / 2).auroc
        assert (found.value, found.details["interval"]) == (1.0, "disjoint pairs"), seed
        assert 0.5 < found.interval(0.95)[0] < 0.9, seed


def test_bands_of_episodes_without_alarms_are_not_zero():
    rng = np.random.default_rng(3)
    failed = rng.random(200) < 0.3
    found = curve(threats(failed, units=EPISODES, unit="episode"), rng.random(200))
    gain, left = found.bands.safety_gain, found.bands.residual_hazard
    expected = stats.binomtest(0, 40).proportion_ci(0.95, method="exact").high
    assert (gain.low[-1], gain.high[-1]) == pytest.approx((0, expected))
    assert (left.low[0], left.high[0]) == pytest.approx((0, expected))


def test_a_tree_never_gets_an_undetected_failure_that_is_surely_zero():
    outcomes = Outcomes.of(threats(np.zeros(200), units=EPISODES), np.zeros(200))
    posterior = stats.beta(0.5, 40.5)
    found = outcomes.undetected_failure
    assert found.value == 0
    assert found.upper(0.975) == pytest.approx(posterior.ppf(0.975), rel=0.12)


def test_resampled_outcomes_of_single_rows_are_near_jeffreys():
    rng = np.random.default_rng(1)
    failed, alarms = rng.random(400) < 0.2, rng.random(400) < 0.3
    drawn = Outcomes.of(failed, alarms, weights=np.ones(400)).undetected_failure
    exact = Outcomes.of(failed, alarms).undetected_failure
    assert drawn.interval(0.95) == pytest.approx(exact.interval(0.95), rel=0.06)


def test_limits_of_equal_units_of_which_few_move_are_clopper_pearson():
    stakes = threats(np.repeat(np.arange(50) < 3, 4), units=np.repeat(np.arange(50), 4))
    found = quiet(stakes).residual_hazard
    for level in (0.5, 0.9, 0.95, 0.975, 0.999, 1 - 1e-6):
        expected = stats.binomtest(3, 50, alternative="less").proportion_ci(level).high
        assert found.upper(level) == pytest.approx(expected, rel=1e-6 if level in USUAL else 1e-2), level
    assert found.details["interval"] == "deviation"
