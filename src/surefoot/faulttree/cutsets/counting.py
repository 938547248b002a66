"""How many sets a family holds, exactly, without enumerating them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.faulttree.cutsets.chain import Chain, HasParts

SAFE = 2.0**62


def count(compiled: HasParts) -> int:
    """The number of minimal cut sets, of any size, in one pass over the diagrams (Rauzy 1993)."""
    chain = Chain.of_minimal_sets(compiled)
    return int(node_counts(chain)[chain.root])


def count_by_order(compiled: HasParts) -> dict[int, int]:
    """The number of minimal cut sets of each order that occurs, smallest order first."""
    return orders(Chain.of_minimal_sets(compiled))


def node_counts(chain: Chain) -> NDArray[Any]:
    """The number of sets below each node: machine integers where they are wide enough, Python's otherwise."""
    ones = np.ones(len(chain.labels))
    with np.errstate(over="ignore"):
        rough = chain.fold(ones, plus=np.add, times=np.multiply, none=0.0, unit=1.0)
    kind: Any = np.int64 if rough.max() < SAFE else object
    weights = [1] * len(chain.labels) if kind is object else ones.astype(kind)
    return chain.fold(weights, plus=np.add, times=np.multiply, none=0, unit=1, dtype=kind)


def orders(chain: Chain) -> dict[int, int]:
    """The number of sets of each size.

    The generating polynomial of the sizes is evaluated once, at a power of two beyond every coefficient, so that its
    coefficients are the digits of the value (Kronecker 1882).
    """
    width = int(node_counts(chain)[chain.root]).bit_length() + 1
    weights = [1 << width] * len(chain.labels)
    value = int(chain.fold(weights, plus=np.add, times=np.multiply, none=0, unit=1, dtype=object)[chain.root])
    found, order, mask = {}, 0, (1 << width) - 1
    while value:
        if value & mask:
            found[order] = value & mask
        value, order = value >> width, order + 1
    return found
