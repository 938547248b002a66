"""Sets of results that several branches rest on, kept as the bits of whole numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from surefoot.case.confidence.program import Program

MOST_RECENT = 4


class SharedSets:
    """The members of sets, where the uses of each meet, and the conjunctions of sets that were needed so far."""

    def __init__(self, program: Program, units: int) -> None:
        self._program = program
        self._members: list[int] = []
        self._products: dict[int, int] = {}
        self._recent: deque[int] = deque(maxlen=MOST_RECENT)
        self._reached = 0
        self.closing = [0] * units
        """For each unit the members whose uses meet there."""
        self.closed = 0
        """The members whose uses have met."""

    def reach(self, unit: int) -> None:
        """The program comes to a unit."""
        self._reached = unit
        self.closed |= self.closing[unit]

    def add(self, place: int, meeting: int) -> int:
        """The set of one new member: a result whose uses meet at a unit, or nowhere in the case."""
        bit = 1 << len(self._members)
        self._members.append(place)
        self._products[bit] = place
        if meeting < len(self.closing):
            self.closing[meeting] |= bit
            if meeting <= self._reached:
                self.closed |= bit
        return bit

    def product(self, mask: int) -> int:
        """The conjunction of a set, made from the largest set within it that was just used."""
        if mask not in self._products:
            within = [each for each in self._recent if each & mask == each]
            known = max(within, key=int.bit_count, default=0)
            rest = [self._members[each] for each in bits(mask & ~known)]
            self._products[mask] = self._program.conjunction([*([self._products[known]] if known else ()), *rest])
        self._recent.append(mask)
        return self._products[mask]


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set.

    >>> list(bits(0b1101))
    [0, 2, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
