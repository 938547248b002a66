"""Sets of one size after the other, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefoot.faulttree.cutsets.bounds import MACHINE_SIZES, Bounds, sums, view
from surefoot.faulttree.cutsets.found import Found, Namer
from surefoot.faulttree.logic.diagram import TRUE

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
