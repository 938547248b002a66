import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.monitors.thresholds.worlds import BINARY, EPISODES, GRADED, LANDING, stakes_of

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Sweep, by_availability, by_hazard


def always_wrong(size):
    return stakes_of(np.ones(size), np.zeros(size))


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(1, 19))
def test_with_a_loss_in_every_row_alarms_are_those_of_split_conformal_prediction(values, twentieths):
    scores, n, budget = np.array(values, dtype=float), len(values), twentieths / 20
    rank = math.ceil((20 - twentieths) * (n + 1) / 20)
    if rank > n:
        with pytest.raises(Undefined):
            by_hazard(always_wrong(n), scores, budget=budget)
        return
    # The quantile of -score with rank ceil((1 - budget)(n + 1)) (Vovk et al. 2005): alarm at or above it.
    quantile = np.sort(-scores)[rank - 1]
    threshold = by_hazard(always_wrong(n), scores, budget=budget).threshold
    np.testing.assert_array_equal(scores > threshold, -scores <= quantile)


@pytest.mark.parametrize("world", [BINARY, GRADED, EPISODES], ids=["binary", "graded", "episodes"])
def test_the_choice_is_the_last_that_brute_force_finds(world):
    stakes, scores = world.draw(np.random.default_rng(3), 40)
    found = by_hazard(stakes, scores, budget=0.08)
    sweep = Sweep.of(stakes, scores, np.concatenate([[-np.inf], np.unique(scores)]))
    corrected = (sweep.residuals.sum(axis=0) + 1) / (sweep.units + 1)
    last = sweep.thresholds[np.flatnonzero(corrected <= 0.08)[-1]]
    np.testing.assert_array_equal(scores > found.threshold, scores > last)
    assert found.bounded.details["corrected"] == pytest.approx(corrected[sweep.thresholds == last][0])
    assert (found.unit, found.units) == (stakes.unit, 40)


def test_a_budget_that_is_met_exactly_is_met():
    errors = np.zeros(99)
    errors[:10] = 1
    found = by_hazard(stakes_of(errors, np.zeros(99)), np.arange(99.0), budget=0.05)
    assert (found.threshold, found.residual_hazard) == (3.5, 4 / 99)


def test_tied_scores_are_never_split():
    scores = np.repeat([1.0, 2.0, 3.0], 20)
    found = by_hazard(always_wrong(60), scores, budget=0.5)
    assert (found.threshold, found.residual_hazard) == (1.5, pytest.approx(1 / 3))


def test_thresholds_between_neighbouring_floats_keep_them_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    found = by_hazard(always_wrong(20), np.repeat([low, high], 10), budget=0.6)
    assert low <= found.threshold < high


def test_huge_scores_have_a_threshold_between_them():
    found = by_hazard(always_wrong(20), np.repeat([-1.7e308, 1.7e308], 10), budget=0.6)
    assert found.threshold == 0


def test_alarms_that_can_hurt_are_refused_and_the_other_mode_named():
    stakes, scores = LANDING.draw(np.random.default_rng(0), 300)
    with pytest.raises(InvalidInput, match=r"must not fall when the threshold rises.*mode='probability'"):
        by_hazard(stakes, scores, budget=0.1)


def test_rows_of_one_unit_may_make_up_for_each_other_only_at_one_score():
    quiet, alarm = np.tile([1.0, 0.0], 20), np.tile([0.0, 0.5], 20)
    units = np.repeat(np.arange(20), 2)
    stakes = stakes_of(quiet, alarm, units=units, unit="episode")
    tied = np.repeat(np.arange(20.0), 2)
    assert by_hazard(stakes, tied, budget=0.4).assumptions[1].status == "supported"
    with pytest.raises(InvalidInput, match="must not fall"):
        by_hazard(stakes, np.arange(40.0), budget=0.4)


def test_alarms_that_help_the_mission_are_refused_for_a_budget_of_cost():
    stakes = stakes_of(np.zeros(50), np.zeros(50), lost=np.where(np.arange(50) % 2, 1.0, 0.0))
    helping = type(stakes)(*[getattr(stakes, n) for n in ("safety_quiet", "safety_alarm", "safety_ideal")],
                           stakes.mission_alarm, stakes.mission_quiet)  # fmt: skip
    with pytest.raises(InvalidInput, match="can help the mission"):
        by_availability(helping, np.arange(50.0), budget=0.1, mode="expectation")


def test_a_budget_out_of_reach_says_what_is_within_reach():
    with pytest.raises(Undefined, match=r"0\.05 or more is reachable\. This budget needs about 49 inputs"):
        by_hazard(always_wrong(19), np.arange(19.0), budget=0.02)
    assert by_hazard(always_wrong(19), np.arange(19.0), budget=0.05).threshold == -np.inf
    assert by_hazard(always_wrong(49), np.arange(49.0), budget=0.02).alarm_share == 1


def test_the_budget_said_to_be_within_reach_is_so():
    with pytest.raises(Undefined) as told:
        by_hazard(always_wrong(1_000), np.arange(1_000.0), budget=0.0005)
    reachable = float(re.search(r"a budget of (\S+) or more", str(told.value))[1])
    assert by_hazard(always_wrong(1_000), np.arange(1_000.0), budget=reachable).alarm_share == 1


def test_no_number_of_units_makes_up_for_alarms_that_leave_too_much():
    stakes = stakes_of(np.ones(50), np.full(50, 0.3))
    with pytest.raises(Undefined, match="no number of them is enough"):
        by_hazard(stakes, np.arange(50.0), budget=0.2)


def test_one_unit_allows_budgets_of_one_half():
    assert by_hazard(always_wrong(1), [0.3], budget=0.5).threshold == -np.inf
    with pytest.raises(Undefined, match="with 1 input"):
        by_hazard(always_wrong(1), [0.3], budget=0.4)


def test_rarer_alarms_come_with_a_larger_budget():
    stakes, scores = GRADED.draw(np.random.default_rng(4), 200)
    found = [by_hazard(stakes, scores, budget=budget).threshold for budget in (0.02, 0.03, 0.05, 0.5)]
    assert found == sorted(found)
    assert found[-1] == np.inf
