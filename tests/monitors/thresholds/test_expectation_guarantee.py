from dataclasses import replace

import numpy as np
import pytest
from tests.monitors.thresholds.worlds import BINARY, EPISODES, EVEN_EPISODES, GRADED

from surefoot.monitors import by_availability, by_hazard

REDRAWS = 1_000


def true_hazards(world, size, seed, choose):
    return np.array([world.hazard(choose(*drawn).threshold) for drawn in world.redraws(REDRAWS, size, seed)])


def exceeds(values, budget):
    """How many standard errors their mean lies above the budget."""
    return (values.mean() - budget) / (values.std() / np.sqrt(values.size))


@pytest.mark.parametrize(
    ("world", "size", "budget"),
    [(BINARY, 100, 0.05), (GRADED, 60, 0.04), (EPISODES, 40, 0.06)],
    ids=["binary", "graded", "episodes"],
)
def test_the_mean_of_the_true_hazard_over_redraws_is_within_the_budget(world, size, budget):
    found = true_hazards(world, size, 1, lambda stakes, scores: by_hazard(stakes, scores, budget=budget))
    assert exceeds(found, budget) < 3
    # Tight up to 2 B / (n + 1) where losses jump one at a time (Angelopoulos et al. 2024, Theorem 2).
    assert found.mean() > budget - 2 / (size + 1) - 3 * found.std() / np.sqrt(found.size)


def test_frames_taken_for_units_break_the_guarantee():
    def by_frames(stakes, scores):
        return by_hazard(replace(stakes, units=None, unit="frame"), scores, budget=0.06)

    assert exceeds(true_hazards(EVEN_EPISODES, 20, 2, by_frames), 0.06) > 5


def test_episodes_taken_for_units_keep_it():
    found = true_hazards(EVEN_EPISODES, 20, 2, lambda stakes, scores: by_hazard(stakes, scores, budget=0.06))
    assert exceeds(found, 0.06) < 3


def test_the_mean_of_the_true_cost_over_redraws_is_within_the_budget():
    drawn = BINARY.redraws(REDRAWS, 60, 3)
    costs = [
        BINARY.cost(by_availability(stakes, scores, budget=0.2, mode="expectation").threshold)
        for stakes, scores in drawn
    ]
    assert exceeds(np.array(costs), 0.2) < 3
    assert np.mean(costs) > 0.2 - 2 / 61
