"""How many sets pass a cut-off, and how much probability the others hold, without visiting all of either."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from surefoot.faulttree.cutsets.bounds import Bounds, view
from surefoot.faulttree.cutsets.found import Namer
from surefoot.faulttree.logic.diagram import FALSE, TRUE


@dataclass
class Pile:
    """Sets that were counted together: how many, and the probabilities of groups of them."""

    count: int = 0
    sums: array[float] = field(default_factory=lambda: array("d"))

    def add(self, count: int, total: float) -> None:
        """Another group."""
        self.count += count
        self.sums.append(total)

    @property
    def sum(self) -> float:
        """The sum of the probabilities of the sets."""
        return math.fsum(self.sums)


@dataclass(frozen=True)
class Split:
    """The two sides of a cut-off."""

    kept: Pile = field(default_factory=Pile)
    omitted: Pile = field(default_factory=Pile)


@dataclass(frozen=True, slots=True)
class _After:
    """What follows when the family at hand is through, and the values of all of that together."""

    node: int = TRUE
    largest: float = 1.0
    smallest: float = 1.0
    shortest: int = 0
    longest: int = 0
    total: float = 1.0
    count: int = 1
    rest: _After | None = None

    def then(self, bounds: Bounds, family: int) -> _After:
        """The same with a family before it."""
        return _After(
            family,
            bounds.largest[family] * self.largest,
            bounds.smallest[family] * self.smallest,
            bounds.shortest[family] + self.shortest,
            bounds.longest[family] + self.longest,
            bounds.total[family] * self.total,
            bounds.count[family] * self.count,
            self,
        )


class _Branch(NamedTuple):
    """A node that was reached, what was multiplied and chosen on the way, and what follows after its family."""

    node: int
    q: float
    size: int
    after: _After
    chosen: Any


def split_by_cutoff(bounds: Bounds, namer: Namer, *, order: int, cutoff: float) -> Split:
    """Follow the diagram only where the sets below a node lie on both sides; the rest is taken whole.

    No sum is a difference, so that even a tiny omitted sum keeps its digits.
    """
    search, found, root = _Search(bounds, namer, order, cutoff), Split(), bounds.chain.root
    stack = [_Branch(root, 1.0, 0, _After(), None)] if root != FALSE else []
    while stack:
        branch = stack.pop()
        kept = search.kept(branch)
        if kept is None:
            stack.extend(search.ahead(branch))
        else:
            (found.kept if kept else found.omitted).add(*search.count_and_sum(branch))
    return found


class _Search:
    def __init__(self, bounds: Bounds, namer: Namer, order: int, cutoff: float) -> None:
        chain = bounds.chain
        self.bounds, self.namer, self.order, self.cutoff = bounds, namer, order, cutoff
        self.column, self.low, self.high, self.p = (
            view(chain.column),
            view(chain.low),
            view(chain.high),
            bounds.p.tolist(),
        )
        self.up, self.down = 1 + bounds.slack, 1 - bounds.slack

    def kept(self, branch: _Branch) -> bool | None:
        """Whether the sets below are kept; None where some may be and some not."""
        node, q, size, after, chosen = branch
        bounds = self.bounds
        if q * bounds.largest[node] * after.largest * self.up < self.cutoff:
            return False
        if size + bounds.shortest[node] + after.shortest > self.order:
            return False
        if size + bounds.longest[node] + after.longest > self.order:
            return None
        if q * bounds.smallest[node] * after.smallest * self.down >= self.cutoff:
            return True
        if node == TRUE and after.rest is None:
            return self.namer.found(chosen).probable(self.cutoff)
        return None

    def count_and_sum(self, branch: _Branch) -> tuple[int, float]:
        """Of all sets below."""
        node, q, _, after, _ = branch
        return self.bounds.count[node] * after.count, q * self.bounds.total[node] * after.total

    def ahead(self, branch: _Branch) -> Iterator[_Branch]:
        """The one or two branches that go on from here."""
        node, q, size, after, chosen = branch
        if node == TRUE and after.rest is not None:
            yield _Branch(after.node, q, size, after.rest, chosen)
            return
        if self.low[node] != FALSE:
            yield _Branch(self.low[node], q, size, after, chosen)
        asked = self.column[node]
        family = self.bounds.chain.entry[asked]
        if family:
            yield _Branch(self.high[node], q, size, after.then(self.bounds, family), chosen)
        else:
            yield _Branch(self.high[node], q * self.p[asked], size + 1, after, (asked, chosen))
