"""Worlds whose residual hazard and availability cost are known at every threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import norm

from surefoot.monitors import Stakes

FINE = np.linspace(-8, 8, 4_001)
OTHER_SCORES = np.random.default_rng(99).normal(size=2_000)


def errors_of(scores):
    """How likely the model errs: more so where the score is high."""
    return expit(-2.5 + 1.5 * scores)


def stakes_of(quiet, alarm, lost=1.0, **basis):
    """What is at stake where the ideal is worth 1: hazard left without and with an alarm, and mission lost by one."""
    ones = np.ones(len(quiet))
    return Stakes(ones - quiet, ones - alarm, ones, ones, ones - lost, **basis)


def below(density):
    """Mass of a density on the fine grid up to a threshold."""
    mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(FINE))])
    return lambda threshold: float(np.interp(threshold, FINE, mass))


@dataclass(frozen=True)
class World:
    draw: Callable[[np.random.Generator, int], tuple[Stakes, np.ndarray]]
    hazard: Callable[[float], float]
    cost: Callable[[float], float]

    def redraws(self, times: int, size: int, seed: int) -> Iterator[tuple[Stakes, np.ndarray]]:
        rng = np.random.default_rng(seed)
        return (self.draw(rng, size) for _ in range(times))


def _binary(rng, size):
    scores = rng.normal(size=size)
    return stakes_of(1.0 * (rng.random(size) < errors_of(scores)), np.zeros(size)), scores


def _graded(rng, size):
    """Errors of all severities, and an alarm that leaves a tenth of the hazard."""
    scores = rng.normal(size=size)
    severity = (rng.random(size) < errors_of(scores)) * rng.beta(2, 2, size)
    return stakes_of(severity, severity / 10), scores


def _episodes(rng, size, lengths=(9, 3)):
    """All frames of an episode are wrong or none is, and all scores are close; bad episodes end early."""
    level = rng.normal(size=size)
    bad = rng.random(size) < errors_of(level)
    episode = np.repeat(np.arange(size), np.where(bad, lengths[1], lengths[0]))
    scores = level[episode] + rng.normal(scale=0.1, size=episode.size)
    return stakes_of(1.0 * bad[episode], np.zeros(episode.size), units=episode, unit="episode"), scores


def _landing(rng, size):
    """An alarm sends the vehicle to another zone, which may be worse."""
    scores = rng.normal(size=size)
    quiet, alarm = rng.random(size) < expit(-4 + 2.5 * scores), rng.random(size) < 0.2
    return stakes_of(1.0 * quiet, 1.0 * alarm), scores


def _tail(threshold):
    return float(ndtr(-threshold))


WRONG = errors_of(FINE) * norm.pdf(FINE)
WRONG_BELOW = below(WRONG)
UNSAFE_BELOW = below(expit(-4 + 2.5 * FINE) * norm.pdf(FINE))
COARSE = np.linspace(-6, 6, 601)
EPISODE_HAZARD = np.array([np.trapezoid(WRONG * norm.cdf((t - FINE) / 0.1), FINE) for t in COARSE])

BINARY = World(_binary, WRONG_BELOW, _tail)
GRADED = World(_graded, lambda t: 0.5 * (0.9 * WRONG_BELOW(t) + 0.1 * WRONG_BELOW(np.inf)), _tail)
EPISODES = World(_episodes, lambda t: float(np.interp(t, COARSE, EPISODE_HAZARD)), lambda t: _tail(t / np.sqrt(1.01)))
EVEN_EPISODES = World(lambda rng, size: _episodes(rng, size, (6, 6)), EPISODES.hazard, EPISODES.cost)
LANDING = World(_landing, lambda t: UNSAFE_BELOW(t) + 0.2 * _tail(t), _tail)
