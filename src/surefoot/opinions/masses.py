"""``MassFunction``: what fusion sees of an opinion of any kind.

Values of a domain are numbered 0, 1, ...; a set of values is a bit mask. Belief lies on masks below
the full one, uncertainty on the full mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from surefoot.core.validate import FloatArray


@dataclass(frozen=True)
class MassFunction:
    """Belief on subsets of a domain of ``values`` values, uncertainty, and base rates of single values.

    ``base_rate`` of a binomial opinion holds the first value only; the other follows from it.
    """

    values: int
    belief: Mapping[int, FloatArray]
    uncertainty: FloatArray
    base_rate: tuple[FloatArray, ...]

    @property
    def everything(self) -> int:
        """The mask of the whole domain."""
        return (1 << self.values) - 1

    def all_masses(self) -> dict[int, FloatArray]:
        """Belief, and uncertainty as the mass of the whole domain."""
        return {**self.belief, self.everything: self.uncertainty}


def mask_of(members: Iterable[int]) -> int:
    """Bit mask of a set of value numbers."""
    return sum(1 << member for member in set(members))


def members_of(mask: int) -> frozenset[int]:
    """The value numbers of a mask."""
    return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)


def base_rate_of(mask: int, base_rate: tuple[FloatArray, ...]) -> FloatArray:
    """Base rate of a set of values (Jøsang 2016, section 2.6)."""
    return reduce(np.add, [base_rate[index] for index in sorted(members_of(mask))])
