"""Limits of a failure probability by melding the confidence distributions of its strata.

Fay, Proschan and Brittain (2015), Biometrics 71(1): limits of a function of several parameters from independent draws
of a confidence distribution of each. With the exact distribution of every stratum the limit would pay for the number of
strata; that of Jeffreys' prior is exact to second order once several strata blur the steps of the counts, and the exact
one of the stratum whose labels stand for most keeps the limit above the truth where a single stratum decides. A lower
limit has less room (with Jeffreys' prior one at 95% held with 92% in two equal strata of 40 labels and a risk of 0.02),
so that it takes the exact one of every stratum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.grid import POINTS, Share, Sum
from surefoot.hazards.labels.tally import Tally

ODDS = 128
RATIO_POINTS = 2**14


def upper_limit(tally: Tally, level: float, *, points: int = POINTS) -> float:
    """The limit at one level."""
    return float(upper_limits(tally, np.array([1 - level]), points=points)[0])


def lower_limits(tally: Tally, misses: FloatArray, *, points: int = POINTS) -> FloatArray:
    """Lower limits that are missed with these probabilities: what is left by the most that can have passed."""
    return 1 - upper_limits(tally.turned(), misses, points=points, all_exact=True)


def upper_limits(tally: Tally, misses: FloatArray, *, points: int = POINTS, all_exact: bool = False) -> FloatArray:
    """Limits that are missed with these probabilities; ``all_exact`` takes the exact distribution of every stratum."""
    failing = list(_shares(tally, tally.failures, more=1.0, all_exact=all_exact))
    if not tally.conditional:
        whole = Sum.of(failing, up=True, deviation=_deviation(tally), points=points)
        return np.clip(whole.quantiles(misses), 0, 1)
    coarse = min(points, RATIO_POINTS)
    above = Sum.of(failing, up=True, deviation=_deviation(tally), points=coarse)
    passing = list(_shares(tally, tally.counted - tally.failures, more=0.0, all_exact=all_exact))
    below = Sum.of(passing, up=False, points=coarse)
    return _ratios(above, below, misses)


def _shares(tally: Tally, hits: FloatArray, *, more: float, all_exact: bool) -> Iterator[Share]:
    """Upper (``more`` 1) or lower (0) confidence distributions; where nothing is labelled, the worst that can be."""
    sizes = np.where(tally.trials > 0, tally.shares / np.maximum(tally.trials, 1e-300), 0)
    exact = int(sizes.argmax())
    for place, (weight, n, k) in enumerate(zip(tally.shares, tally.trials, hits, strict=True)):
        shift = more if all_exact or place == exact else 0.5
        yield Share(weight, k + shift, n - k + 1 - shift) if n > 0 else Share(weight, more, 1 - more)


def _deviation(tally: Tally) -> float:
    """Standard error that the shares bring in, being those of a sample of operation."""
    if tally.seen is None:
        return 0.0
    odds = tally.risk / (1 - tally.risk) if tally.conditional and tally.risk < 1 else 0.0
    passing = (tally.counted - tally.failures) / np.maximum(tally.trials, 1)
    values = (tally.failures + 0.5) / (tally.trials + 1) - odds * passing
    mean = float(tally.shares @ values)
    return math.sqrt(max(float(tally.shares @ (values - mean) ** 2), 0.0) / tally.seen)


def _ratios(above: Sum, below: Sum, misses: FloatArray) -> FloatArray:
    """Limits of above / (above + below), by the confidence that above is at most so many times below."""
    low, high = below.quantiles(np.array([1 - 1e-9, 0.5]))
    most = above.quantiles(np.array([0.9, 1e-11]))
    if high <= 0:
        return np.ones(misses.size)
    odds = np.geomspace(max(most[0] / high / 4, 1e-15), 4 * most[1] / max(low, 1e-6 * high), ODDS)
    surely = np.array([below.masses @ above.below(below.points * each) for each in odds])
    # On the scale of the normal distribution the curve is nearly straight.
    reached = special.ndtri(np.clip(surely, 1e-16, 1 - 1e-15))
    exact = np.exp(np.interp(-special.ndtri(misses), reached, np.log(odds)))
    return np.where(1 - misses > surely[-1], 1.0, exact / (1 + exact))
