"""The bound of the top event if one lever were perfect, ten times better, or known; and what alone would be enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from surefoot.bounds.whatif import most
from surefoot.faulttree.counted import CountedInputs
from surefoot.faulttree.quantities import Operation, Quantity
from surefoot.faulttree.uncertainty import bound_of_counts, counted_inputs
from surefoot.hazards.improvement.ground import Ground, mean_of
from surefoot.hazards.improvement.levers import Lever
from surefoot.hazards.improvement.lines import Line, lines
from surefoot.hazards.improvement.moves import Move

BETTER = 0.1
"""Ten times better: a tenth of today's distance from the good end."""


@dataclass(frozen=True)
class Gain:
    """Upper bounds of the top event, and what of one lever suffices.

    ``good`` is the best probability, 0 or 1. ``perfect``, ``better`` and ``known`` have the lever there, ten times
    closer to it, and at its mean without any uncertainty. ``needed`` is the worst known probability that meets the
    limit, ``share`` the part of today's distance from the good end that does; None where not even perfection does, or
    the direction is not clear.
    """

    lever: Lever
    good: float
    own_bound: float
    perfect: float
    better: float
    known: float
    needed: float | None
    share: float | None


def gains(ground: Ground, found: Sequence[Lever], limit: float) -> list[Gain]:
    """One for each lever, all on the same joint values of the inputs; of counts, with the tree assessed anew."""
    counted = counted_inputs(ground.tree)
    if counted is not None:
        return [_assessed_anew(ground, counted, lever, limit) for lever in found]
    by_line = [lever for lever in found if lever.linear]
    along = dict(zip(by_line, _along_lines(ground, by_line, limit), strict=True))
    return [along[lever] if lever in along else _moved(Move(ground, lever), limit) for lever in found]


def _assessed_anew(ground: Ground, counted: CountedInputs, lever: Lever, limit: float) -> Gain:
    """What-ifs of a tree whose counts speak together, where no input has a bound of its own to move."""
    tree, alpha = ground.tree, 1 - ground.level
    today = {event: tree.expanded.events[event] for event in lever.events}
    known = {event: p for event in lever.events if (p := _mean(ground, event)) is not None}

    def bound(changes: Mapping[str, Quantity | float]) -> float:
        return bound_of_counts(tree.with_events(changes), alpha)

    def at(value: float) -> float:
        return bound(dict.fromkeys(lever.events, value))

    def scaled(share: float) -> float:
        return bound({event: Operation("mul", (share, quantity)) for event, quantity in today.items() if quantity})

    perfect = at(0.0)
    needed = most(lambda p: at(p) <= limit, 0.0, 1.0) if perfect <= limit else None
    share = most(lambda part: scaled(part) <= limit, 0.0, 1.0) if perfect <= limit else None
    own = [count.limit(alpha, "upper") for name, count in counted.counts.items() if name in lever.inputs]
    return Gain(
        lever, 0.0, own[0] if own else known[lever.events[0]], perfect, scaled(BETTER), bound(known), needed, share
    )


def _mean(ground: Ground, event: str) -> float | None:
    means = {name: np.full(1, mean_of(estimate)) for name, estimate in ground.inputs.items()}
    row = ground.tree.compiled.events.index(event)
    return float(ground.rows(means, slice(0, 1))[row, 0])


def _along_lines(ground: Ground, found: Sequence[Lever], limit: float) -> Iterator[Gain]:
    means = {name: np.full(1, mean_of(estimate)) for name, estimate in ground.inputs.items()}
    known = ground.rows(means, slice(0, 1))[:, 0]
    settled = None if ground.sampled else _settled(ground, found)
    for lever, line in zip(found, lines(ground, found), strict=True):
        then = line if settled is None else next(settled)
        yield _on_line(ground, lever, line, then, float(known[lever.rows[0]]), limit)


def _settled(ground: Ground, found: Sequence[Lever]) -> Iterator[Line]:
    """Lines for events that are known: their inputs no longer share the miss probability."""
    fewer = [ground.counted(lever.inputs) for lever in found]
    by_count = {
        count: iter(
            lines(ground, [lever for lever, own in zip(found, fewer, strict=True) if own == count], fewer=count)
        )
        for count in set(fewer)
    }
    return (next(by_count[count]) for count in fewer)


def _on_line(ground: Ground, lever: Lever, open_: Line, settled: Line, known: float, limit: float) -> Gain:
    good, level = open_.good, ground.level
    needed = settled.farthest(limit, level) if lever.direction else -1.0
    share = open_.farthest(limit, level, unit=open_.distance) if lever.direction else -1.0
    return Gain(
        lever,
        good,
        own_bound=abs(good - ground.bound(open_.distance)),
        perfect=ground.bound(settled.without),
        better=ground.bound(open_.at(BETTER * open_.distance)),
        known=ground.bound(settled.at(abs(known - good))),
        needed=abs(good - min(needed, 1.0)) if needed >= 0 else None,
        share=share if share >= 0 and needed >= 0 else None,
    )


def _moved(move: Move, limit: float) -> Gain:
    distance, share = move.farthest(limit)
    return Gain(
        move.lever,
        move.good,
        own_bound=move.own_bound,
        perfect=move.perfect,
        better=move.scaled(BETTER),
        known=move.known,
        needed=None if distance is None else abs(move.good - distance),
        share=share,
    )
