"""What a selection of sets keeps and what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from surefoot.faulttree.cutsets.bounds import Bounds
from surefoot.faulttree.cutsets.found import Found, Namer
from surefoot.faulttree.cutsets.split import split_by_cutoff
from surefoot.faulttree.cutsets.truncated import sums_by_order


class Balance(NamedTuple):
    """Counts are exact; ``omitted_sum`` is an upper bound, rounded outward."""

    kept_count: int
    omitted_count: int
    kept_sum: float
    omitted_sum: float


def balance_of_list(bounds: Bounds, kept: Iterable[Found]) -> Balance:
    """The listed sets are kept, all others left out."""
    probabilities, root = [found.probability for found in kept], bounds.chain.root
    kept_sum, omitted = math.fsum(probabilities), bounds.count[root] - len(probabilities)
    left = bounds.upper(bounds.total[root], terms=bounds.count[root]) - bounds.lower(kept_sum)
    return Balance(len(probabilities), omitted, kept_sum, float(np.nextafter(left, np.inf)) if omitted else 0.0)


def balance_of_cutoff(bounds: Bounds, namer: Namer, *, order: int, cutoff: float) -> Balance:
    """Sets that are small and probable enough are kept."""
    split = split_by_cutoff(bounds, namer, order=order, cutoff=cutoff)
    omitted = split.omitted.count
    left = bounds.upper(split.omitted.sum, terms=omitted) if omitted else 0.0
    return Balance(split.kept.count, omitted, split.kept.sum, left)


def balance_of_order(bounds: Bounds, *, order: int, kept: int) -> Balance:
    """The ``kept`` sets of at most ``order`` labels are kept."""
    omitted = bounds.count[bounds.chain.root] - kept
    if not omitted:
        return Balance(kept, 0, bounds.total[bounds.chain.root], 0.0)
    sums = sums_by_order(bounds.chain, bounds.p, order)
    return Balance(kept, omitted, math.fsum(sums[:-1]), bounds.upper(float(sums[-1]), terms=omitted, width=order + 2))
