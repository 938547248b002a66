"""What can be said of all sets below a node at once: the largest, smallest and total probability, the sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.faulttree.cutsets.chain import Chain
from surefoot.faulttree.cutsets.counting import node_counts

FAR = 1 << 40
MACHINE_SIZES = 30
SMALLEST = 5e-324


@dataclass(frozen=True, eq=False)
class Bounds:
    """Passes over a family whose labels have the probabilities ``p``; each is made when it is first asked for.

    Every node's value comes from positive numbers by additions and multiplications only, so that its relative
    rounding error is below ``slack`` (Higham 2002, section 3.1).
    """

    chain: Chain
    p: FloatArray

    @cached_property
    def slack(self) -> float:
        """A bound on the relative rounding error of any value here, and of products of some of them."""
        return (4 * len(self.chain.levels) + 64) * 2.0**-53

    @cached_property
    def largest(self) -> Sequence[float]:
        """The largest probability of a set below each node."""
        return view(self.chain.fold(self.p, plus=np.maximum, times=np.multiply, none=0.0, unit=1.0))

    @cached_property
    def smallest(self) -> Sequence[float]:
        """The smallest probability of a set below each node."""
        return view(self.chain.fold(self.p, plus=np.minimum, times=np.multiply, none=np.inf, unit=1.0))

    @cached_property
    def total(self) -> Sequence[float]:
        """The sum of the probabilities of all sets below each node."""
        return view(self.chain.fold(self.p, plus=np.add, times=np.multiply, none=0.0, unit=1.0))

    @cached_property
    def count(self) -> Sequence[int]:
        """The number of sets below each node."""
        return view(node_counts(self.chain))

    @cached_property
    def shortest(self) -> Sequence[int]:
        """The size of the smallest set below each node."""
        return self._sizes(np.minimum, FAR)

    @cached_property
    def longest(self) -> Sequence[int]:
        """The size of the largest set below each node."""
        return self._sizes(np.maximum, -FAR)

    def _sizes(self, choose: Any, none: int) -> Sequence[int]:
        ones = np.ones(len(self.chain.labels), np.int64)
        return view(self.chain.fold(ones, plus=choose, times=np.add, none=none, unit=0, dtype=np.int64))

    def sizes(self, most: int) -> Sequence[int]:
        """Which sizes up to ``most`` occur below each node, as bits."""
        keep = (1 << (most + 1)) - 1

        def times(weight: Any, values: NDArray[Any]) -> NDArray[Any]:
            found = values & 0
            for bit in range(int(weight).bit_length()):
                if int(weight) >> bit & 1:
                    found |= values << bit
            return found & keep

        kind: Any = np.int64 if most <= MACHINE_SIZES else object
        weights = [2 & keep] * len(self.chain.labels)
        return view(
            self.chain.fold(
                np.array(weights) if kind is np.int64 else weights,
                plus=np.bitwise_or,
                times=times,
                none=0,
                unit=1,
                dtype=kind,
            )
        )

    def upper(self, value: float, *, terms: int, width: int = 1) -> float:
        """A sum over ``terms`` sets, rounded up so far that the exact one cannot lie above it.

        ``width`` is the number of entries a node; a product that underflows may lose ``SMALLEST`` at each level.
        """
        lost = float(terms) * (len(self.chain.levels) + 1) * SMALLEST if terms < 1e300 else np.inf
        return float(np.nextafter(value * (1 + 2 * width * self.slack) + lost, np.inf))

    def lower(self, value: float) -> float:
        """A sum rounded down so far that the exact one cannot lie below it."""
        return max(0.0, float(np.nextafter(value * (1 - 2 * self.slack), -np.inf)))


@lru_cache(maxsize=65_536)
def sums(a: int, b: int) -> int:
    """The sizes that arise when sets of the sizes ``a`` join sets of the sizes ``b``, all as bits."""
    found = 0
    while a:
        bit = a & -a
        found |= b << (bit.bit_length() - 1)
        a ^= bit
    return found


def view(values: NDArray[Any]) -> Any:
    """The array as a sequence of Python numbers, without a copy where there is none to make."""
    return values.tolist() if values.dtype == object else values.data
