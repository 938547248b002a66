"""The way from a node to the top, for many nodes at once."""

from __future__ import annotations

from functools import cached_property

from surefoot.case.case import Case

LONGEST = 100


class Chains:
    """Ways by the first parent each time; of longer ones than ``LONGEST`` the middle is left out."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def of(self, identity: str) -> tuple[tuple[str, ...], int]:
        """Ids from a node up to a top, and how many before the last are left out."""
        found = {identity: None}
        while parents := self._case.parents.get(next(reversed(found)), ()):
            if parents[0] in found or len(found) == LONGEST:
                break
            found[parents[0]] = None
        last = next(reversed(found))
        top, steps = self._tops.get(last, (last, 0))
        return (*found, *((top,) if steps else ())), max(steps - 1, 0)

    @cached_property
    def _tops(self) -> dict[str, tuple[str, int]]:
        """For each node the top above it, and how many steps away it is; nodes on circles have none."""
        found: dict[str, tuple[str, int]] = {}
        for identity in reversed(self._case.upward):
            parents = self._case.parents[identity]
            if not parents:
                found[identity] = (identity, 0)
            elif parents[0] in found:
                top, steps = found[parents[0]]
                found[identity] = (top, steps + 1)
        return found
