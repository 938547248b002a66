"""Sets by falling probability, best first."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.cutsets.bounds import Bounds, view
from surefoot.faulttree.cutsets.found import Found, Namer
from surefoot.faulttree.logic.diagram import FALSE, TRUE

MOST_TIES = 20_000
MOST_WAITING = 2_000_000


def by_probability(bounds: Bounds, namer: Namer, *, order: int, cutoff: float) -> Iterator[Found]:
    """All sets of up to ``order`` labels and at least the probability ``cutoff``, most probable first.

    Sets of one probability come by name; where more than ``MOST_TIES`` of them are known at a time, the first by
    name of those that are known comes first.
    """
    search = _Search(bounds, namer, order, cutoff)
    ready: list[Found] = []
    while search.waiting or ready:
        if ready and (ready[0].probability > search.best or (len(ready) >= MOST_TIES and search.ties(ready[0]))):
            yield heappop(ready)
        elif (found := search.step()) is not None:
            heappush(ready, found)


class _Branch(NamedTuple):
    """A node that was reached: what was multiplied and chosen on the way, and what follows after its family.

    ``after`` is a node, the largest probability and the smallest size of all that follows, and what follows then.
    The first two entries put the most probable branch first, and the latest of equal ones, so that ties take little
    memory.
    """

    bound: float
    serial: int
    node: int
    q: float
    size: int
    after: Any
    chosen: Any


class _Search:
    """Best-first search; the largest probability below a node, times what was multiplied so far, is never too small."""

    def __init__(self, bounds: Bounds, namer: Namer, order: int, cutoff: float) -> None:
        chain = bounds.chain
        self.bounds, self.namer, self.order, self.cutoff = bounds, namer, order, cutoff
        self.column, self.low, self.high, self.entry = (
            view(chain.column),
            view(chain.low),
            view(chain.high),
            chain.entry,
        )
        self.p, self.edge, self.serial = bounds.p.tolist(), 1 + bounds.slack, count(0, -1)
        self.waiting = self._reached(chain.root, 1.0, 0, None, None) if chain.root != FALSE else []

    @property
    def best(self) -> float:
        """No set that is still to be found is more probable."""
        return -self.waiting[0].bound if self.waiting else -1.0

    def ties(self, found: Found) -> bool:
        """Whether what is still to be found is no more probable, up to rounding."""
        return found.probability >= self.best * (1 - 3 * self.bounds.slack)

    def step(self) -> Found | None:
        """Follow the best branch to its end, and leave the others waiting."""
        branch = heappop(self.waiting)
        while branch.node != TRUE or branch.after is not None:
            ahead = self._ahead(branch)
            if not ahead:
                return None
            branch, *others = sorted(ahead)
            for other in others:
                self._wait(other)
        found = self.namer.found(branch.chosen)
        return found if found.probable(self.cutoff) else None

    def _wait(self, branch: _Branch) -> None:
        if len(self.waiting) >= MOST_WAITING:
            raise _too_many(MOST_WAITING)
        heappush(self.waiting, branch)

    def _ahead(self, branch: _Branch) -> list[_Branch]:
        """The one or two branches that go on from here and may lead to a set that is asked for."""
        _, _, node, q, size, after, chosen = branch
        if node == TRUE:
            return self._reached(after[0], q, size, after[3], chosen)
        without = self._reached(self.low[node], q, size, after, chosen) if self.low[node] != FALSE else []
        asked, below = self.column[node], self.high[node]
        family = self.entry[asked]
        if not family:
            return without + self._reached(below, q * self.p[asked], size + 1, after, (asked, chosen))
        most, fewest = (after[1], after[2]) if after is not None else (1.0, 0)
        most, fewest = most * self.bounds.largest[family], fewest + self.bounds.shortest[family]
        return without + self._reached(below, q, size, (family, most, fewest, after), chosen)

    def _reached(self, node: int, q: float, size: int, after: Any, chosen: Any) -> list[_Branch]:
        bound, fewest = q * self.bounds.largest[node] * self.edge, self.bounds.shortest[node]
        if after is not None:
            bound, fewest = bound * after[1], fewest + after[2]
        if bound < self.cutoff or size + fewest > self.order:
            return []
        return [_Branch(-bound, next(self.serial), node, q, size, after, chosen)]


def _too_many(waiting: int) -> DiagnosticsError:
    """The error of a search that would take too much memory."""
    return DiagnosticsError.of(
        "tree-beyond-budget",
        f"the search for the most probable sets holds {waiting:,} unfinished branches.",
        where="cut_sets",
        hint="Raise the cutoff, lower the limit, or enumerate by order, which takes no such memory.",
    )
