import numpy as np
import pytest
from scipy.optimize import brentq
from tests.monitors.thresholds.worlds import BINARY, EPISODES, errors_of, stakes_of
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Sweep, by_utility

WEIGHT = 5.0


def test_with_many_rows_the_threshold_is_where_an_alarm_is_worth_its_cost():
    stakes, scores = BINARY.draw(np.random.default_rng(0), 200_000)
    found = by_utility(stakes, scores, safety_weight=WEIGHT)
    worth_it = brentq(lambda score: WEIGHT * errors_of(score) - 1, -5, 5)
    assert found.threshold == pytest.approx(worth_it, abs=0.1)
    assert found.bounded.details["optimism"] == pytest.approx(0, abs=0.002)


def test_the_choice_is_the_best_of_all_thresholds():
    stakes, scores = EPISODES.draw(np.random.default_rng(1), 60)
    found = by_utility(stakes, scores, safety_weight=WEIGHT)
    sweep = Sweep.of(stakes, scores, np.concatenate([[-np.inf], np.unique(scores)]))
    utilities = (WEIGHT * sweep.gains - sweep.costs).mean(axis=0)
    assert found.bounded.details["in_sample"] == pytest.approx(utilities.max())
    assert WEIGHT * found.safety_gain - found.availability_cost == pytest.approx(utilities.max())


def test_cross_fitting_takes_away_what_the_sample_flatters():
    """Scores that say nothing, and alarms that are worth nothing on average: the true utility is 0 everywhere."""
    rng = np.random.default_rng(2)
    seen, honest = [], []
    for _ in range(100):
        stakes = stakes_of(1.0 * (rng.random(60) < 1 / WEIGHT), np.zeros(60))
        found = by_utility(stakes, rng.normal(size=60), safety_weight=WEIGHT)
        seen.append(found.bounded.details["in_sample"])
        honest.append(found.bounded.value)
    assert np.mean(seen) > 0.1
    assert abs(np.mean(honest)) < 4 * np.std(honest) / np.sqrt(100)


def test_the_limits_lie_around_the_cross_fitted_utility():
    stakes, scores = BINARY.draw(np.random.default_rng(3), 500)
    found = by_utility(stakes, scores, safety_weight=WEIGHT)
    low, high = found.bounded.interval(0.9)
    assert low < found.bounded.value < high
    assert found.bounded.details["optimism"] == found.bounded.details["in_sample"] - found.bounded.value


def test_equal_utility_means_the_fewest_alarms():
    stakes = stakes_of(np.zeros(30), np.zeros(30), lost=0.0)
    assert by_utility(stakes, np.arange(30.0)).threshold == np.inf


def test_what_means_nothing_is_refused():
    for options in [
        {"safety_weight": -1},
        {"safety_weight": 0, "mission_weight": 0},
        {"folds": 1},
        {"safety_weight": np.inf},
    ]:
        stakes, scores = BINARY.draw(np.random.default_rng(4), 20)
        with refused(options, InvalidInput):
            by_utility(stakes, scores, **options)


def test_one_unit_is_too_few():
    with pytest.raises(InvalidInput, match="at least two units"):
        by_utility(stakes_of(np.ones(1), np.zeros(1)), [0.0])
