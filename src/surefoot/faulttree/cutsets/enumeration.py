"""Sets one after the other, by size or by probability, and what a selection of them leaves out."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.cutsets.set_families import MACHINE_SIZES, Bounds, Found, Namer, sums, sums_by_order, view
from surefoot.faulttree.logic.decision_diagram import FALSE, TRUE

MOST_SORTED = 20_000


def by_order(bounds: Bounds, namer: Namer, *, order: int, cutoff: float | None) -> Iterator[Found]:
    """All sets of up to ``order`` labels, small ones first.

    Sets of one size come by falling probability and then by name where there are at most ``MOST_SORTED`` of them;
    beyond that they come in the order of the diagram.
    """
    for first, last in ((0, min(order, MACHINE_SIZES)), (MACHINE_SIZES + 1, order)):
        sizes = bounds.sizes(last) if first <= last else ()
        for size in range(first, last + 1):
            if sizes[bounds.chain.root] >> size & 1:
                yield from _sorted_where_few(_of_size(bounds, namer, sizes, size, cutoff))


def _sorted_where_few(sets: Iterator[Found]) -> Iterator[Found]:
    first = [found for _, found in zip(range(MOST_SORTED), sets, strict=False)]
    beyond = next(sets, None)
    if beyond is None:
        yield from sorted(first)
        return
    yield from first
    yield beyond
    yield from sets


def _of_size(bounds: Bounds, namer: Namer, sizes: Any, size: int, cutoff: float | None) -> Iterator[Found]:
    """Depth first; without a cut-off each step leads to a set, because no branch without the size is entered.

    ``after`` is what follows when the family at hand is through: a node, the sizes and the largest probability of
    all that follows, and what follows then.
    """
    chain, edge = bounds.chain, 1 + bounds.slack
    column, low, high, entry = view(chain.column), view(chain.low), view(chain.high), chain.entry
    p, largest, least = _probabilities(bounds, cutoff)
    stack: list[Any] = [(chain.root, size, 1.0, None, None)]
    while stack:
        node, missing, q, after, chosen = stack.pop()
        if node == TRUE:
            if after is not None:
                stack.append((after[0], missing, q, after[3], chosen))
            elif (found := namer.found(chosen)).probable(cutoff):
                yield found
            continue
        rest, most = (after[1], after[2]) if after is not None else (1, 1.0)
        below, asked = low[node], column[node]
        if sums(rest, sizes[below]) >> missing & 1 and q * largest[below] * most * edge >= least:
            stack.append((below, missing, q, after, chosen))
        below, family = high[node], entry[asked]
        if family:
            rest, most = sums(rest, sizes[family]), largest[family] * most
            after = (family, rest, most, after)
        else:
            missing, q, chosen = missing - 1, q * p[asked], (asked, chosen)
        if missing >= 0 and sums(rest, sizes[below]) >> missing & 1 and q * largest[below] * most * edge >= least:
            stack.append((below, missing, q, after, chosen))


def _probabilities(bounds: Bounds, cutoff: float | None) -> tuple[Any, Any, float]:
    """Of the labels and of the best set below each node, and the least that is asked for; all 1 without a cut-off."""
    if cutoff is None:
        return [1.0] * len(bounds.p), [1.0] * len(bounds.chain.column), 0.0
    return bounds.p.tolist(), bounds.largest, cutoff


# Sets by falling probability, best first.

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


# What a selection of sets keeps and what it leaves out.


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


# How many sets pass a cut-off, and how much probability the others hold, without visiting all of either.


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


class _SplitBranch(NamedTuple):
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
    search, found, root = _SplitSearch(bounds, namer, order, cutoff), Split(), bounds.chain.root
    stack = [_SplitBranch(root, 1.0, 0, _After(), None)] if root != FALSE else []
    while stack:
        branch = stack.pop()
        kept = search.kept(branch)
        if kept is None:
            stack.extend(search.ahead(branch))
        else:
            (found.kept if kept else found.omitted).add(*search.count_and_sum(branch))
    return found


class _SplitSearch:
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

    def kept(self, branch: _SplitBranch) -> bool | None:
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

    def count_and_sum(self, branch: _SplitBranch) -> tuple[int, float]:
        """Of all sets below."""
        node, q, _, after, _ = branch
        return self.bounds.count[node] * after.count, q * self.bounds.total[node] * after.total

    def ahead(self, branch: _SplitBranch) -> Iterator[_SplitBranch]:
        """The one or two branches that go on from here."""
        node, q, size, after, chosen = branch
        if node == TRUE and after.rest is not None:
            yield _SplitBranch(after.node, q, size, after.rest, chosen)
            return
        if self.low[node] != FALSE:
            yield _SplitBranch(self.low[node], q, size, after, chosen)
        asked = self.column[node]
        family = self.bounds.chain.entry[asked]
        if family:
            yield _SplitBranch(self.high[node], q, size, after.then(self.bounds, family), chosen)
        else:
            yield _SplitBranch(self.high[node], q * self.p[asked], size + 1, after, (asked, chosen))
