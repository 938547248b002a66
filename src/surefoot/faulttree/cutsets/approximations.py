"""The two usual approximations to the probability of the top event, without enumerating cut sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core.validate import FloatArray
from surefoot.faulttree.cutsets.bounds import Bounds
from surefoot.faulttree.cutsets.by_probability import by_probability
from surefoot.faulttree.cutsets.chain import Chain, HasParts
from surefoot.faulttree.cutsets.found import Namer

LARGE = 0.1
CERTAIN = 38.0
PRECISION = 1e-13
MOST_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Approximations:
    """Not the probability of the top event: both lie above it where the tree is coherent.

    ``rare_event`` is the sum of the probabilities of the minimal cut sets and may exceed 1; ``min_cut_upper_bound``
    is one minus the product of their complements (Esary and Proschan 1963).
    """

    rare_event: float | FloatArray
    min_cut_upper_bound: float | FloatArray


def approximations(compiled: HasParts, p: ArrayLike) -> Approximations:
    """Both approximations for probabilities of shape (events,) or (events, draws)."""
    chain, values = Chain.of_minimal_sets(compiled), np.asarray(p, dtype=np.float64)
    if values.ndim == 1:
        rare = _power_sum(chain, values, 1)
        return Approximations(float(rare), _upper_bound(chain, values))
    step = max(1, MOST_ENTRIES // max(1, chain.size))
    blocks = [values[:, start : start + step] for start in range(0, values.shape[1], step)]
    rare = np.concatenate([_power_sum(chain, block, 1) for block in blocks])
    return Approximations(rare, np.concatenate([_upper_bounds(chain, block) for block in blocks]))


def _power_sum(chain: Chain, p: FloatArray, power: int) -> Any:
    """The sum of the ``power``-th powers of the probabilities of all sets."""
    return chain.fold(p**power, plus=np.add, times=np.multiply, none=0.0, unit=1.0)[chain.root]


def _upper_bound(chain: Chain, p: FloatArray) -> float:
    """One minus the exponential of the sum of log(1 - P), a power series in the probabilities P of the sets.

    Sets with P above ``LARGE``, of which there are few or the answer is 1, are taken out of the series, so that it
    converges fast; its remainder is below ``PRECISION`` of the whole.
    """
    if _power_sum(chain, p, 1) > CERTAIN:
        return 1.0
    bounds, namer = Bounds(chain, p), Namer(chain.labels, p.tolist())
    large = np.array([found.probability for found in by_probability(bounds, namer, order=len(p), cutoff=LARGE)])
    if (large >= 1).any():
        return 1.0
    whole = -float(np.log1p(-large).sum())
    for power in count(1):
        rest = max(0.0, float(_power_sum(chain, p, power)) - float((large**power).sum()))
        whole += rest / power
        if rest * LARGE / (1 - LARGE) / (power + 1) <= PRECISION * whole:
            return -math.expm1(-whole)
    raise AssertionError


def _upper_bounds(chain: Chain, p: FloatArray) -> FloatArray:
    """As ``_upper_bound``, for many draws at once; draws with a probable set are taken one by one."""
    largest = chain.fold(p, plus=np.maximum, times=np.multiply, none=0.0, unit=1.0)[chain.root]
    found = np.empty(p.shape[1])
    slow = np.broadcast_to(largest > 2 * LARGE, found.shape)
    found[slow] = [_upper_bound(chain, row) for row in p[:, slow].T]
    found[~slow] = _series(chain, p[:, ~slow], 2 * LARGE)
    return found


def _series(chain: Chain, p: FloatArray, largest: float) -> FloatArray:
    whole = np.zeros(p.shape[1])
    for power in count(1):
        rest = _power_sum(chain, p, power)
        whole = whole + rest / power
        if (rest * largest / (1 - largest) / (power + 1) <= PRECISION * whole).all():
            return -np.expm1(-whole)
    raise AssertionError
