"""The bound of the top event if one lever were perfect, ten times better, or known; and what alone would be enough.

For each joint value of everything else the top event is a line in the probability of one event, so that one evaluation
with its gradient answers for most levers; levers of several events, or whose inputs others share, are evaluated anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.bounds.planning import most
from surefoot.core.validate import FloatArray
from surefoot.faulttree import quantities
from surefoot.faulttree.counted import CountedInputs
from surefoot.faulttree.quantities import Measured, Operation, Parameter, Quantity
from surefoot.faulttree.uncertainty import bound_of_counts, counted_inputs
from surefoot.hazards.improvement.evaluator import BoundInputs, mean_of, needed_rank

BETTER = 0.1
"""Ten times better: a tenth of today's distance from the good end."""
MOST_HELD = 10_000_000
"""Numbers of one kind that are held at once, 80 MB of them."""
CANCELLED = 1e-6
"""Below this share of the top event, a difference of two probabilities has lost too many digits."""


def gains(bound_inputs: BoundInputs, found: Sequence[Lever], limit: float) -> list[Gain]:
    """One for each lever, all on the same joint values of the inputs; of counts, with the tree assessed anew."""
    counted = counted_inputs(bound_inputs.tree)
    if counted is not None:
        return [_assessed_anew(bound_inputs, counted, lever, limit) for lever in found]
    by_line = [lever for lever in found if lever.linear]
    along = dict(zip(by_line, _along_lines(bound_inputs, by_line, limit), strict=True))
    return [along[lever] if lever in along else _moved(Move(bound_inputs, lever), limit) for lever in found]


@dataclass(frozen=True)
class Lever:
    """Events that are one thing: one event, or all that rest on one measured estimate or one parameter.

    ``inputs`` are what is uncertain about them, ``own_inputs`` those that nothing else uses.
    """

    events: tuple[str, ...]
    rows: tuple[int, ...]
    inputs: frozenset[str]
    own_inputs: frozenset[str]
    direction: int

    @property
    def linear(self) -> bool:
        """Whether it is one event with inputs of its own: the top event is a straight line in its probability."""
        return len(self.rows) == 1 and self.inputs == self.own_inputs


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


def _assessed_anew(bound_inputs: BoundInputs, counted: CountedInputs, lever: Lever, limit: float) -> Gain:
    """What-ifs of a tree whose counts speak together, where no input has a bound of its own to move."""
    tree, alpha = bound_inputs.tree, 1 - bound_inputs.level
    today = {event: tree.expanded.events[event] for event in lever.events}
    known = {event: p for event in lever.events if (p := _mean(bound_inputs, event)) is not None}

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


def _mean(bound_inputs: BoundInputs, event: str) -> float | None:
    means = {name: np.full(1, mean_of(estimate)) for name, estimate in bound_inputs.inputs.items()}
    row = bound_inputs.tree.compiled.events.index(event)
    return float(bound_inputs.rows(means, slice(0, 1))[row, 0])


def _along_lines(bound_inputs: BoundInputs, found: Sequence[Lever], limit: float) -> Iterator[Gain]:
    means = {name: np.full(1, mean_of(estimate)) for name, estimate in bound_inputs.inputs.items()}
    known = bound_inputs.rows(means, slice(0, 1))[:, 0]
    settled = None if bound_inputs.sampled else _settled(bound_inputs, found)
    for lever, line in zip(found, lines(bound_inputs, found), strict=True):
        then = line if settled is None else next(settled)
        yield _on_line(bound_inputs, lever, line, then, float(known[lever.rows[0]]), limit)


def _settled(bound_inputs: BoundInputs, found: Sequence[Lever]) -> Iterator[Line]:
    """Lines for events that are known: their inputs no longer share the miss probability."""
    fewer = [bound_inputs.counted(lever.inputs) for lever in found]
    by_count = {
        count: iter(
            lines(bound_inputs, [lever for lever, own in zip(found, fewer, strict=True) if own == count], fewer=count)
        )
        for count in set(fewer)
    }
    return (next(by_count[count]) for count in fewer)


@dataclass(frozen=True, eq=False)
class Line:
    """``without + slope * distance``: the distance is that of the event from its good end, 0 or 1."""

    good: float
    without: FloatArray
    slope: FloatArray
    distance: FloatArray

    def at(self, distance: float | FloatArray) -> FloatArray:
        """The top event with the event so far from its good end."""
        return self.without + self.slope * distance

    def farthest(self, limit: float, level: float, *, unit: float | FloatArray = 1.0) -> float:
        """How many units the event may be from its good end for the quantile of the top event to keep to the limit.

        A joint value keeps to it up to a distance of its own, so that the answer is a quantile of these distances.
        It is below 0 where not even the good end does.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(self.without <= limit, (limit - self.without) / (self.slope * unit), -np.inf)
        own = np.where(np.isnan(own), np.inf, own)
        rank = len(own) - needed_rank(len(own), level)
        return float(np.partition(own, rank)[rank])


def lines(bound_inputs: BoundInputs, found: Sequence[Lever], *, fewer: int = 0) -> Iterator[Line]:
    """One for each lever, which must be a single event; in passes of bounded memory."""
    drawn = bound_inputs.drawn(fewer=fewer)
    most = max(1, MOST_HELD // bound_inputs.size)
    for start in range(0, len(found), most):
        part = found[start : start + most]
        top, p, slope = _held(bound_inputs, drawn, [lever.rows[0] for lever in part])
        for lever, own, steep in zip(part, p, slope, strict=True):
            yield _line(bound_inputs, drawn, lever, top, own, steep)


def _held(
    bound_inputs: BoundInputs, drawn: dict[str, FloatArray], rows: list[int]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    top, p, slope = (
        np.empty(bound_inputs.size),
        np.empty((len(rows), bound_inputs.size)),
        np.empty((len(rows), bound_inputs.size)),
    )
    for block in bound_inputs.blocks():
        whole = bound_inputs.rows(drawn, block)
        top[block], p[:, block] = bound_inputs.tree.compiled.probability(whole), whole[rows]
        slope[:, block] = bound_inputs.tree.compiled.gradient(whole)[rows]
    return top, p, slope


def _line(
    bound_inputs: BoundInputs,
    drawn: dict[str, FloatArray],
    lever: Lever,
    top: FloatArray,
    p: FloatArray,
    slope: FloatArray,
) -> Line:
    falling = Line(1.0, top + slope * (1 - p), -slope, 1 - p)
    rising = Line(0.0, top - slope * p, slope, p)
    if lever.direction:
        line = rising if lever.direction > 0 else falling
    else:
        line = min(rising, falling, key=lambda each: bound_inputs.bound(each.without))
    return _with_digits(bound_inputs, drawn, lever.rows[0], line, top)


def _with_digits(
    bound_inputs: BoundInputs, drawn: dict[str, FloatArray], row: int, line: Line, top: FloatArray
) -> Line:
    """Evaluates anew what is left without the event, where the difference has cancelled."""
    if (line.without >= CANCELLED * top).all():
        return line

    def at_its_end(p: FloatArray) -> None:
        p[row] = line.good

    return Line(line.good, bound_inputs.tops(drawn, at_its_end), line.slope, line.distance)


def _on_line(bound_inputs: BoundInputs, lever: Lever, open_: Line, settled: Line, known: float, limit: float) -> Gain:
    good, level = open_.good, bound_inputs.level
    needed = settled.farthest(limit, level) if lever.direction else -1.0
    share = open_.farthest(limit, level, unit=open_.distance) if lever.direction else -1.0
    return Gain(
        lever,
        good,
        own_bound=abs(good - bound_inputs.bound(open_.distance)),
        perfect=bound_inputs.bound(settled.without),
        better=bound_inputs.bound(open_.at(BETTER * open_.distance)),
        known=bound_inputs.bound(settled.at(abs(known - good))),
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


@dataclass(frozen=True, eq=False)
class Move:
    """A lever and the tree that it moves."""

    bound_inputs: BoundInputs
    lever: Lever

    @cached_property
    def good(self) -> float:
        """The end that makes the top event rarer."""
        if self.lever.direction:
            return 0.0 if self.lever.direction > 0 else 1.0
        return min((0.0, 1.0), key=lambda end: self._replaced(end))

    @property
    def own_bound(self) -> float:
        """The probability of its first event on the bad side."""
        drawn, row = self.bound_inputs.drawn(), self.lever.rows[0]
        p = np.concatenate([self.bound_inputs.rows(drawn, block)[row] for block in self.bound_inputs.blocks()])
        return abs(self.good - self.bound_inputs.bound(abs(p - self.good)))

    @property
    def perfect(self) -> float:
        """The bound with the lever at its good end."""
        return self._replaced(self.good)

    @cached_property
    def known(self) -> float:
        """The bound with what is uncertain about the lever at its mean, wherever it is used."""
        return self.bound_inputs.bound(self.bound_inputs.tops(self.bound_inputs.drawn(known=self.lever.inputs)))

    def scaled(self, share: float) -> float:
        """The bound with the lever at a share of today's distance from its good end."""
        rows, good = list(self.lever.rows), self.good

        def closer(p: FloatArray) -> None:
            p[rows] = good + share * (p[rows] - good)

        return self.bound_inputs.bound(self.bound_inputs.tops(self.bound_inputs.drawn(), closer))

    def farthest(self, limit: float) -> tuple[float | None, float | None]:
        """The largest distance, and the largest share of today's, that keeps to a limit; to four digits, safe side."""
        if not self.lever.direction or self.perfect > limit:
            return None, None
        side = 1 - 2 * self.good
        known = most(lambda distance: self._replaced(self.good + side * distance) <= limit, 0.0, 1.0)
        share = most(lambda part: self.scaled(part) <= limit, 0.0, 1.0)
        return known, share

    def _replaced(self, value: float) -> float:
        rows = list(self.lever.rows)

        def at_value(p: FloatArray) -> None:
            p[rows] = value

        return self.bound_inputs.bound(self.bound_inputs.tops(self._without_inputs, at_value))

    @cached_property
    def _without_inputs(self) -> dict[str, FloatArray]:
        """Inputs that only this lever has count no longer once it is known."""
        return self.bound_inputs.drawn(fewer=self.bound_inputs.counted(self.lever.own_inputs))


def levers(bound_inputs: BoundInputs) -> list[Lever]:
    """All that the top event depends on, in the order of the diagram."""
    compiled, plain = bound_inputs.tree.compiled, bound_inputs.tree.expanded
    uncertain = {
        event: frozenset(signs) & bound_inputs.uncertain
        for event, signs in quantities.signs(plain).items()
        if event in compiled.directions
    }
    users = Counter(name for names in uncertain.values() for name in names)
    together: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(_identities(bound_inputs)):
        together.setdefault(key, []).append(row)
    return [_lever(bound_inputs, rows, uncertain, users) for rows in together.values()]


def _identities(bound_inputs: BoundInputs) -> list[tuple[str, str]]:
    """What each event of the diagram is, so that two with one identity improve together."""
    plain = bound_inputs.tree.expanded
    stand_ins = quantities.aliases(plain)
    found = []
    for event in bound_inputs.tree.compiled.events:
        quantity = plain.events[event]
        if isinstance(quantity, Parameter):
            found.append(("parameter", quantity.name))
        else:
            name = stand_ins.get(event, event) if isinstance(quantity, Measured) else event
            found.append(("event", name))
    return found


def _lever(
    bound_inputs: BoundInputs, rows: list[int], uncertain: dict[str, frozenset[str]], users: Counter[str]
) -> Lever:
    compiled = bound_inputs.tree.compiled
    events = tuple(compiled.events[row] for row in rows)
    inputs = frozenset[str]().union(*(uncertain.get(event, frozenset()) for event in events))
    signs = {compiled.directions[event] for event in events}
    own = Counter(name for event in events for name in uncertain.get(event, ()))
    own_inputs = frozenset(name for name in inputs if users[name] == own[name])
    return Lever(events, tuple(rows), inputs, own_inputs, signs.pop() if len(signs) == 1 else 0)
