"""How much two events matter together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.bound import Kind
from surefoot.core.errors import InvalidInput
from surefoot.core.evidence import Table
from surefoot.core.summary import table_html
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree.importance.scenarios import Scenarios, scenarios
from surefoot.faulttree.model import FaultTree

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

Pair = tuple[str, str]
HEAD = ("first", "second", "joint importance", "low", "high")


@dataclass(frozen=True)
class JointImportance:
    """Joint importance of pairs of events, the strongest first; positive where one makes the other matter more."""

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
    around, compiled = scenarios(tree, level=level, draws=draws, seed=seed), tree.compiled
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


def _strongest(compiled: Compiled, around: Scenarios, count: int) -> list[Pair]:
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
