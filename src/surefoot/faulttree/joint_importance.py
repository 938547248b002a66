"""How much two events matter together, and the points at which importances are computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.bound import MIN_TAIL_DRAWS, Kind
from surefoot.core.distributions import Empirical, Point
from surefoot.core.errors import InvalidInput, LevelUnavailable
from surefoot.core.estimate import Estimate, table_html
from surefoot.core.evidence import Table
from surefoot.core.propagation import joint_draws
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree import quantities
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import event_ranges, input_interval, relevant_inputs

if TYPE_CHECKING:
    from surefoot.faulttree.logic.decision_diagram import Compiled


Pair = tuple[str, str]
HEAD = ("first", "second", "joint importance", "low", "high")


@dataclass(frozen=True)
class JointImportance:
    """Joint importance of pairs of events, the strongest first; positive where one makes the other matter more.

    See Also
    --------
    FaultTree.joint_importance : Makes it, with an example.

    """

    pairs: tuple[Pair, ...]
    values: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    level: float
    kind: Kind | None

    def to_table(self) -> Table:
        """One row a pair."""
        rows = zip(self.pairs, self.values, self.low, self.high, strict=True)
        return Table(HEAD, tuple((*pair, *numbers) for pair, *numbers in rows))

    def __str__(self) -> str:
        return str(self.to_table())

    def _repr_html_(self) -> str:
        rows = [
            [s if isinstance(s, str) else "-" if s is None else significant(s) for s in row]
            for row in self.to_table().rows
        ]
        return table_html("Joint importance", HEAD, rows)


def joint_importance(
    tree: FaultTree,
    pairs: Iterable[Pair] | None = None,
    *,
    strongest: int = 10,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> JointImportance:
    """The second mixed derivative of the top event by the probabilities of two events (Hong, Lie 1993; Armstrong 1995).

    It says how the Birnbaum importance of one event changes between the other absent and present. Without ``pairs``,
    all pairs of the ``strongest`` events by criticality are looked at.
    """
    around, compiled = input_points(tree, level=level, draws=draws, seed=seed), tree.compiled
    asked = _strongest(compiled, around, strongest) if pairs is None else [_known(pair, compiled) for pair in pairs]
    values = _mixed(compiled, around.matrix(compiled.events), asked)
    order = np.argsort(-np.abs(values[:, 0]), kind="stable")
    ends = around.spread(values[order])
    unknown = (None,) * len(asked)
    return JointImportance(
        tuple(asked[i] for i in order),
        tuple(values[order, 0].tolist()),
        unknown if ends is None else tuple(ends[0].tolist()),
        unknown if ends is None else tuple(ends[1].tolist()),
        around.level,
        around.kind,
    )


def _mixed(compiled: Compiled, p: FloatArray, pairs: list[Pair]) -> FloatArray:
    row = {event: index for index, event in enumerate(compiled.events)}
    found = np.empty((len(pairs), p.shape[1]))
    for second in dict.fromkeys(b for _, b in pairs):
        slopes = []
        for state in (1.0, 0.0):
            switched = p.copy()
            switched[row[second]] = state
            slopes.append(compiled.gradient(switched))
        for index, (a, b) in enumerate(pairs):
            if b == second:
                found[index] = slopes[0][row[a]] - slopes[1][row[a]]
    return found


def _strongest(compiled: Compiled, around: InputPoints, count: int) -> list[Pair]:
    validate.count(count, where="joint importance", name="strongest", at_least=2)
    p = around.matrix(compiled.events)[:, 0]
    order = np.argsort(-np.abs(p * compiled.gradient(p)), kind="stable")[:count]
    return list(combinations([compiled.events[i] for i in order], 2))


def _known(pair: Pair, compiled: Compiled) -> Pair:
    first, second = pair
    for name in pair:
        if name not in compiled.events:
            raise InvalidInput("no event on which the top event depends", where="joint importance", found=repr(name))
    if first == second:
        raise InvalidInput("a pair needs two events", where="joint importance", found=repr(pair))
    return first, second


# Event probabilities at the best values of their inputs and around them, so that one calculation gives all.

MOST_CORNERS = 2**12


@dataclass(frozen=True, eq=False)
class InputPoints:
    """Column 0 of everything has the inputs at their values; the other columns are draws, or corners of a box.

    Draws give quantiles, which cover with probability ``level``. Corners give the whole range: each measure is, in
    the probability of each event, a quotient of two linear functions, so that it is largest and least at a corner.
    """

    probabilities: Mapping[str, float | FloatArray]
    size: int
    level: float
    kind: Kind | None
    drawn: bool = False
    note: str = ""

    def matrix(self, events: tuple[str, ...], states: Mapping[str, float] | None = None) -> FloatArray:
        """A row for each event, a column for each scenario; ``states`` come before what is known."""
        known = {**self.probabilities, **(states or {})}
        found = np.empty((len(events), self.size))
        for row, event in zip(found, events, strict=True):
            row[:] = known[event]
        return found

    def spread(self, values: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Low and high of each row, from the columns where it is defined; None where nothing is known."""
        if self.kind is None:
            return None
        if not self.drawn:
            return np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        tail = (1 - self.level) / 2
        low, high = _quantiles(values[:, 1:], [tail, 1 - tail])
        return low, high


def _quantiles(values: FloatArray, levels: list[float]) -> FloatArray:
    found = np.quantile(values, levels, axis=1, method="inverted_cdf")
    some = np.isnan(values).any(axis=1) & ~np.isnan(values).all(axis=1)
    if some.any():
        found[:, some] = np.nanquantile(values[some], levels, axis=1, method="inverted_cdf")
    return found


def input_points(tree: FaultTree, *, level: float, draws: int, seed: int) -> InputPoints:
    """Joint draws where every uncertain input has a distribution, else corners of the box of their bounds."""
    level = validate.level(level, where="importance")
    inputs = {n: e for n, e in relevant_inputs(tree).items() if not isinstance(e.dist, Point)}
    if not inputs:
        return InputPoints(_at(tree), 1, level, "certain")
    if all(e.dist is not None for e in inputs.values()):
        return _drawn(tree, level, validate.count(draws, where="importance", name="draws", at_least=1), seed)
    try:
        return _corners(tree, inputs, level)
    except LevelUnavailable as error:
        return _without(tree, level, f"No intervals: {error}")


def _drawn(tree: FaultTree, level: float, draws: int, seed: int) -> InputPoints:
    every = {
        n: e for n, e in quantities.inputs(tree.expanded, events=_with_quantity(tree)).items() if e.dist is not None
    }
    seed, drawn_before = _stream(every.values()) or (seed, draws)
    drawn = joint_draws(every, draws=drawn_before, seed=seed, where="importance")
    columns = {name: np.concatenate([[every[name].value], values[:draws]]) for name, values in drawn.items()}
    size = min(draws, drawn_before)
    _require_tails(size, level)
    return InputPoints(_at(tree, columns), size + 1, level, _kind(every), drawn=True)


def _stream(inputs: Iterable[Estimate]) -> tuple[int, int] | None:
    """Seed and draws of earlier propagations, where the inputs come from one: their draws belong together."""
    streams = {e.dist.stream for e in inputs if isinstance(e.dist, Empirical) and e.dist.stream}
    if len(streams) != 1:
        return None
    seed, draws = streams.pop().split("/")
    return int(seed), int(draws)


def _require_tails(draws: int, level: float) -> None:
    if draws * (1 - level) / 2 < MIN_TAIL_DRAWS * (1 - 1e-9):
        raise LevelUnavailable(
            f"{draws} draws do not resolve an interval at level {level:g}",
            where="importance",
            remedy=f"Use at least {math.ceil(2 * MIN_TAIL_DRAWS / (1 - level) - 1e-6)} draws.",
        )


def _corners(tree: FaultTree, inputs: Mapping[str, Estimate], level: float) -> InputPoints:
    share = 1 - (1 - level) / len(inputs)
    ranges = event_ranges(tree, {name: input_interval(e, share) for name, e in inputs.items()})
    open_ = {event: ends for event, ends in ranges.items() if ends[0] < ends[1]}
    if 2 ** len(open_) > MOST_CORNERS:
        text = f"No intervals: {len(open_)} events are uncertain, and some have bounds but no distribution."
        return _without(tree, level, f"{text} Give them distributions (counts, for example).")
    middle = _at(tree)
    corners = np.array(list(product(*open_.values()))).T
    columns = {event: np.concatenate([[middle[event]], row]) for event, row in zip(open_, corners, strict=True)}
    return InputPoints({**middle, **columns}, 1 + 2 ** len(open_), level, _kind(inputs))


def _at(tree: FaultTree, drawn: Mapping[str, FloatArray] | None = None) -> dict[str, float | FloatArray]:
    return quantities.probabilities(tree.expanded, drawn, events=_with_quantity(tree))


def _with_quantity(tree: FaultTree) -> list[str]:
    """All events with a quantity: a gate may depend on events on which the top event does not."""
    return [name for name, quantity in tree.expanded.events.items() if quantity is not None]


def _without(tree: FaultTree, level: float, note: str) -> InputPoints:
    return InputPoints(_at(tree), 1, level, None, note=note)


def _kind(inputs: Mapping[str, Estimate]) -> Kind:
    """The kind that all bounds share; several kinds together prove nothing. What was drawn is never certain."""
    kinds = {family.kind for e in inputs.values() for family in e.bounds} - {"certain"}
    if not kinds:
        return "credible" if all(e.dist is not None for e in inputs.values()) else "certain"
    return kinds.pop() if len(kinds) == 1 and "expectation" not in kinds else "heuristic"
