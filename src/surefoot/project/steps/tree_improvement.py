"""Which events to improve first, what candidate improvements would give, and how many tests to plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surefoot.core import Artefact, InvalidInput, Table, Target
from surefoot.core.averaging import on_average
from surefoot.faulttree import FaultTree
from surefoot.faulttree.figures import as_artefact
from surefoot.faulttree.result import TreeResult
from surefoot.hazards.improvement import Candidate, Improvements, candidates, candidates_from_plain, improvements
from surefoot.hazards.improvement.applied import in_tree
from surefoot.hazards.improvement.planning import plan_tests

SHOWN = (
    "event",
    "today",
    "needed alone",
    "times better alone",
    "top event if ten times better",
    "top event if perfect",
    "top event if known",
    "cost",
    "cost per gain",
)
"""What of the ranking people read; the rest follows from it."""


@dataclass(frozen=True)
class ToDo:
    """Tables and figures of what to do next."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    artefacts: Mapping[str, Artefact] = field(default_factory=dict)


@dataclass(frozen=True)
class Wishes:
    """What the project file says about improvements, and how they are to be computed."""

    candidates: Sequence[Candidate]
    costs: Mapping[str, float]
    draws: int
    mix: bool

    @classmethod
    def read(
        cls, candidates: Mapping[str, Any] | None, costs: Mapping[str, float] | None, *, draws: int, mix: bool
    ) -> Wishes:
        """From the parameters of a step."""
        return cls(candidates_from_plain(candidates or {}), costs or {}, draws, mix)

    def about(self, tree: FaultTree) -> Wishes:
        """Without what bears on other trees that share the list."""
        known = tree.expanded
        costs = {name: cost for name, cost in self.costs.items() if name in known.events}
        return replace(self, candidates=in_tree(known, self.candidates), costs=costs)


def ranked(result: TreeResult, wishes: Wishes) -> Improvements | None:
    """What each event could do for a target that is not met; None where there is nothing to do, or nothing known."""
    target = result.target
    if target is None or target.at_most is None or not result.exact or result.verdict or on_average(result.top):
        return None
    found = improvements(result.tree, target, costs=wishes.costs, draws=wishes.draws, seed=result.seed, mix=wishes.mix)
    return found if found.rows else None


def to_do(result: TreeResult, found: Improvements | None, wishes: Wishes) -> ToDo:
    """The tests to plan for a target of the top event; where it is not met, also what to improve, and how."""
    target = result.target
    if target is None or target.at_most is None or not result.exact:
        return ToDo()
    planned = dict(_tests(result, target))
    if found is None:
        return ToDo(planned)
    compared = _compared(result, target, wishes) if wishes.candidates else ToDo()
    tables = {"improvements": _only(found.table(), SHOWN), **compared.tables, **planned}
    return ToDo(tables, {"improvements": as_artefact(found.plot()), **compared.artefacts})


def _tests(result: TreeResult, target: Target) -> Iterator[tuple[str, Table]]:
    """Nothing where no test of an event could show the target."""
    try:
        yield "test plan", plan_tests(result.tree, target).table()
    except InvalidInput:
        return


def _compared(result: TreeResult, target: Target, wishes: Wishes) -> ToDo:
    found = candidates(result.tree, target, wishes.candidates, draws=wishes.draws, seed=result.seed, mix=wishes.mix)
    pictures = {"candidates": as_artefact(found.plot())} if found.priced and found.options else {}
    return ToDo({"candidates": found.table()}, pictures)


def _only(table: Table, columns: tuple[str, ...]) -> Table:
    kept = [place for place, column in enumerate(table.columns) if column in columns]
    return Table(
        tuple(table.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )
