"""Sums over the sets of each size up to a limit, and over all larger ones together."""

from __future__ import annotations

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.cutsets.chain import Chain
from surefoot.faulttree.cutsets.counting import orders

EXACT = 2.0**53


def sums_by_order(chain: Chain, p: FloatArray, order: int) -> FloatArray:
    """The sum of the probabilities of the sets of 0, 1, ..., ``order`` labels, and last that of all larger ones."""
    width = order + 2
    weights = np.zeros((len(chain.labels), width))
    weights[:, 1] = p

    def times(weight: FloatArray, values: FloatArray) -> FloatArray:
        product = np.zeros_like(values)
        for size in np.flatnonzero(weight):
            whole = width - 1 - size
            product[:, size:-1] += weight[size] * values[:, :whole]
            product[:, -1] += weight[size] * values[:, whole:].sum(axis=1)
        return product

    return chain.fold(weights, plus=np.add, times=times, none=0.0, unit=np.eye(width)[0])[chain.root]


def count_up_to(chain: Chain, order: int) -> int:
    """The number of sets of at most ``order`` labels, exactly: by floats where these still count in ones."""
    with np.errstate(over="ignore", invalid="ignore"):
        rough = sums_by_order(chain, np.ones(len(chain.labels)), order)[:-1].sum()
    if rough < EXACT:
        return int(rough)
    return sum(number for size, number in orders(chain).items() if size <= order)
