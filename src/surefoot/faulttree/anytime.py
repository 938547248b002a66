"""Evidence against probabilities from counts that may have been looked at and stopped at any time.

Q(x), a mixture of the likelihoods of the counts over probabilities that were fixed beforehand, divided by the
likelihood L(p) of the true ones, is a martingale that starts at 1. It exceeds 1 / alpha at any time with probability at
most alpha (Ville 1939), so that the truth stays inside {p: L(p) >= alpha Q(x)} whenever testing stops, for each count
by itself (Vovk and Wang 2021, Annals of Statistics 49(3), on e-values and how they merge).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from surefoot.core.count_budget import Count
from surefoot.core.validate import FloatArray

RATES = np.geomspace(1e-12, 1e3, 301)
CENTRE, SPREAD = 1e-3, 2.0
"""Probabilities and rates of the mixture, and where its weights peak: the same for all data."""
NEVER, TOGETHER, APART = np.log([0.5, 0.25, 0.25])
BISECTIONS = 80


def evidence_budget(counts: Sequence[Count], alpha: float) -> float:
    """By how much the logarithm of the likelihood may lie below its largest value."""
    best = sum(float(_log_likelihood(count, _observed(count))) for count in counts)
    return best - (np.log(alpha) + _log_mixture(counts))


def largest_within(count: Count, budgets: FloatArray) -> FloatArray:
    """The largest quantity whose likelihood lies below the best one by at most each budget."""
    peak = _observed(count)
    best = float(_log_likelihood(count, peak))
    most = count.events + 10 * (budgets.max() + np.sqrt(budgets.max() * (count.events + 1)) + 1)
    top = most / count.exposure if count.poisson else 1.0
    low, high = np.full(budgets.shape, peak), np.full(budgets.shape, float(top))
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        inside = best - _log_likelihood(count, middle) <= budgets
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return count.after_steps(high)


def _log_mixture(counts: Sequence[Count]) -> float:
    """No event ever, one probability for all, or for each either no event or a probability of its own."""
    cauchy = 1 / (1 + (np.log(RATES / CENTRE) / SPREAD) ** 2)
    weights = np.log(cauchy / cauchy.sum())
    common = sum(_log_likelihood(count, _within(count, RATES)) for count in counts)
    each = [special.logsumexp(weights + _log_likelihood(c, _within(c, RATES))) for c in counts]
    apart = sum(np.logaddexp(np.log(0.5) + own, np.log(0.5) + _silent(c)) for own, c in zip(each, counts, strict=True))
    parts = [
        NEVER + sum(_silent(count) for count in counts),
        TOGETHER + special.logsumexp(weights + common),
        APART + apart,
    ]
    return float(special.logsumexp(parts))


def _silent(count: Count) -> float:
    """Logarithm of the likelihood of a probability of 0."""
    return 0.0 if count.events == 0 else -np.inf


def _within(count: Count, rates: FloatArray) -> FloatArray:
    return rates if count.poisson else np.minimum(rates, 1 - 1e-9)


def _observed(count: Count) -> float:
    return count.events / count.exposure


def _log_likelihood(count: Count, rate: float | FloatArray) -> FloatArray:
    """Of the very sequence that was seen."""
    k, n = count.events, count.exposure
    if count.poisson:
        return special.xlogy(k, rate) - np.asarray(rate) * n
    return special.xlogy(k, rate) + special.xlog1py(n - k, -np.asarray(rate))
