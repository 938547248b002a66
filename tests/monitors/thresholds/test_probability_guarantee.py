from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.monitors.thresholds.worlds import BINARY, EPISODES, EVEN_EPISODES, GRADED, LANDING, OTHER_SCORES

from surefoot.core import Undefined
from surefoot.monitors import Stakes, by_availability, by_hazard, grid_of

REDRAWS = 1_000
DELTA = 0.1
GRID = grid_of(OTHER_SCORES, 50)
COARSE = grid_of(OTHER_SCORES, 20)


def violations(drawn, truth, budget, choose):
    """How many choices exceed the budget in truth, and how many there are; without a choice nothing is violated."""
    found = []
    for stakes, scores in drawn:
        try:
            found.append(truth(choose(stakes, scores).threshold) > budget)
        except Undefined:
            continue
    return sum(found), len(found)


def too_many(count, redraws=REDRAWS):
    return binomtest(count, redraws, DELTA, alternative="greater").pvalue < 1e-3


def by_probability(budget, **options):
    options = {"mode": "probability", "delta": DELTA, "thresholds": GRID, **options}
    return lambda stakes, scores: by_hazard(stakes, scores, budget=budget, **options)


@pytest.mark.parametrize(
    ("world", "size", "budget", "least"),
    [(BINARY, 200, 0.05, 40), (GRADED, 200, 0.05, 0), (EPISODES, 60, 0.1, 0)],
    ids=["binary", "graded", "episodes"],
)
def test_the_true_hazard_exceeds_the_budget_at_most_as_often_as_stated(world, size, budget, least):
    wrong, chosen = violations(world.redraws(REDRAWS, size, 4), world.hazard, budget, by_probability(budget))
    assert not too_many(wrong)
    # The exact test uses most of what it may miss.
    assert wrong >= least
    assert chosen > 990


@pytest.mark.parametrize("options", [{"starts": 5}, {"search": "holm"}], ids=str)
def test_alarms_that_can_hurt_are_kept_within_the_budget_too(options):
    budget = 0.095
    choose = by_probability(budget, thresholds=COARSE, **options)
    wrong, chosen = violations(LANDING.redraws(REDRAWS, 250, 6), LANDING.hazard, budget, choose)
    assert not too_many(wrong)
    assert chosen > 300


def test_a_choice_in_the_sample_breaks_what_a_guarantee_keeps():
    def in_sample(stakes, scores):
        return by_hazard(stakes, scores, budget=0.095, mode="sample", thresholds=COARSE)

    wrong, _ = violations(LANDING.redraws(200, 250, 6), LANDING.hazard, 0.095, in_sample)
    assert too_many(wrong, 200)


def test_frames_taken_for_units_break_the_guarantee():
    def by_frames(stakes, scores):
        return by_probability(0.1)(replace(stakes, units=None, unit="frame"), scores)

    wrong, _ = violations(EVEN_EPISODES.redraws(300, 60, 7), EVEN_EPISODES.hazard, 0.1, by_frames)
    assert too_many(wrong, 300)


def test_the_true_cost_exceeds_the_budget_at_most_as_often_as_stated():
    def choose(stakes, scores):
        return by_availability(stakes, scores, budget=0.3, mode="probability", delta=DELTA, thresholds=GRID)

    wrong, chosen = violations(BINARY.redraws(REDRAWS, 100, 8), BINARY.cost, 0.3, choose)
    assert not too_many(wrong)
    assert (wrong > 20, chosen) == (True, REDRAWS)


def test_a_risk_above_the_budget_is_seldom_certified_and_the_guarantee_says_what_refusals_count_as():
    """Every choice violates here, so the promise is only true with refusals counted as kept."""
    chosen = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        safety, ones = 1 - (rng.random(200) < 0.101).astype(float), np.ones(200)
        stakes = Stakes(safety, safety, ones, ones, ones)
        with suppress(Undefined):
            grid = np.linspace(0, 1, 20)
            options = {"budget": 0.1, "mode": "probability", "delta": 0.1, "thresholds": grid}
            chosen.append(by_hazard(stakes, rng.random(200), **options))
    assert 0 < len(chosen) <= 0.1 * 200 + 3 * np.sqrt(0.1 * 0.9 * 200)
    assert "allows no threshold counts as one that keeps it" in chosen[0].guarantee
