"""Which single event could bring the top event to its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core.canonical import FrozenMap
from surefoot.core.evidence import Table
from surefoot.core.target import Target
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.faulttree.allocation.target import as_target, limit_of
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.sweeps import line_crossing
from surefoot.faulttree.uncertainty import event_matrix

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

AT_ONCE = 200


@dataclass(frozen=True)
class BreakEven:
    """For each event alone: the top event if it were perfect, and the value at which the target is just met.

    Perfect is impossible or, where the top event falls with an event, certain. ``needed`` has the events that suffice;
    all else stays at its value.
    """

    top: str
    target: float
    value: float
    today: Mapping[str, float]
    perfect: Mapping[str, float]
    needed: Mapping[str, float]

    def __post_init__(self) -> None:
        for name in ("today", "perfect", "needed"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))

    @property
    def met(self) -> bool:
        """Whether the target is met as things stand."""
        return self.value <= self.target

    def table(self) -> Table:
        """One row an event, the most helpful first."""
        rows = tuple((name, self.today[name], top, self.needed.get(name)) for name, top in self.perfect.items())
        return Table(("event", "today", "top event if perfect", "target met at"), rows)

    def __str__(self) -> str:
        stands = "met" if self.met else "not met"
        return f"{self.top}: {significant(self.value)}, target {significant(self.target)} {stands}\n{self.table()}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def break_even(tree: FaultTree, target: float | Target) -> BreakEven:
    """Which single event, made perfect, would meet the target, and how good it would have to be."""
    limit, compiled = limit_of(as_target(target, where="break_even")), tree.compiled
    p = event_matrix(tree, {}, 1)[:, 0]
    ends = zip(_each_at(compiled, p, 0.0), _each_at(compiled, p, 1.0), strict=True)
    lines = sorted(zip(compiled.events, ends, strict=True), key=lambda line: (min(line[1]), line[0]))
    crossings = {name: line_crossing(never, always, limit) for name, (never, always) in lines}
    return BreakEven(
        tree.top,
        limit,
        float(compiled.probability(p)),
        today=dict(zip(compiled.events, p.tolist(), strict=True)),
        perfect={name: min(pair) for name, pair in lines},
        needed={name: found[0] for name, found in crossings.items() if found},
    )


def _each_at(compiled: Compiled, p: FloatArray, value: float) -> list[float]:
    """The top event with each event in turn at a value, the others at theirs."""
    found: list[float] = []
    for start in range(0, len(p), AT_ONCE):
        rows = np.arange(start, min(start + AT_ONCE, len(p)))
        columns = np.repeat(p[:, None], len(rows), axis=1)
        columns[rows, np.arange(len(rows))] = value
        found += np.asarray(compiled.probability(columns)).tolist()
    return found
