"""A world with known truth: labels by plan give a lower bound than labels at random, and the bound holds."""

import numpy as np
import pytest
from scipy import special

from surefoot.hazards import labels
from surefoot.hazards.labels.failure_probability import upper_limit
from surefoot.hazards.labels.label_plan import Expected, path

LEVEL, REDRAWS, SEEN = 0.95, 1000, 20_000
BEFORE, LABELS = 600, 400
RANKS = (np.arange(4096) + 0.5) / 4096


class World:
    """Inputs by how doubtful they are, with a failure probability for each; the model's forecast may be wrong."""

    def __init__(self, risk, forecast):
        rule = labels.RiskStrata.of(forecast)
        stratum = rule.assign(forecast)
        sizes = np.bincount(stratum)
        self.shares, self.names = sizes / sizes.sum(), rule.names
        self.risks, self.forecasts = (np.bincount(stratum, each) / sizes for each in (risk, forecast))
        self.truth = float(self.shares @ self.risks)

    def plan(self):
        trials = BEFORE * self.shares
        expected = Expected.before_outcomes(self.shares, self.forecasts, np.ones(trials.size), BEFORE + LABELS)
        return np.bincount(path(expected, trials, np.full(trials.size, 10_000), LABELS, LEVEL), minlength=trials.size)

    def bounds(self, rng):
        """After planned labels, and after as many labels at random with the exact bound."""
        added = self.plan()
        trials = np.maximum(rng.multinomial(BEFORE, self.shares, size=REDRAWS), 1) + added
        failures = rng.binomial(trials, self.risks)
        shares = rng.multinomial(SEEN, self.shares, size=REDRAWS) / SEEN
        planned = [self._bound(*each) for each in zip(shares, trials, failures, strict=True)]
        failed = rng.binomial(BEFORE + LABELS, self.truth, size=REDRAWS)
        return np.array(planned), special.betaincinv(failed + 1, BEFORE + LABELS - failed, LEVEL)

    def _bound(self, shares, trials, failures):
        trials, failures = trials.astype(float), failures.astype(float)
        return upper_limit(labels.Tally(self.names, shares, trials, trials, failures, SEEN), LEVEL, points=2**10)


SHARP = 0.55 * np.exp(-RANKS / 0.06)
WORLDS = {
    "the model knows its risk": (World(SHARP, SHARP), 0.82),
    "the model is ten times too sure": (World(SHARP, SHARP / 10), 0.85),
    "a share of failures that nobody foresees": (World(0.3 * np.exp(-RANKS / 0.05) + 0.002, SHARP), 0.98),
}
"""Each with the most that may be left of the distance between truth and bound."""


@pytest.mark.parametrize("name", WORLDS)
def test_planned_labels_beat_as_many_random_ones_and_the_bound_holds(name):
    world, most = WORLDS[name]
    planned, at_random = world.bounds(np.random.default_rng(3))
    left = (planned.mean() - world.truth) / (at_random.mean() - world.truth)
    assert left < most
    assert (planned >= world.truth).mean() >= LEVEL - 0.014  # two standard errors


def test_where_the_forecast_is_useless_the_bound_still_holds():
    world = World(SHARP[::-1], SHARP)
    planned, _ = world.bounds(np.random.default_rng(4))
    assert (planned >= world.truth).mean() >= LEVEL - 0.014
