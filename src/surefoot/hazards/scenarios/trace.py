"""Which rows an event comes from, and which events and top events a row leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.evidence import Table
from surefoot.documents import did_you_mean
from surefoot.faulttree.gate_problems import listed
from surefoot.hazards.scenarios.links import below

if TYPE_CHECKING:
    from surefoot.hazards.scenarios.model import Scenario, Scenarios
    from surefoot.hazards.worksheet import Hazop

ROWS = "rows"
NOT_CREDIBLE = "not credible"
MOST_SUGGESTIONS = 50
Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Trace:
    """The way from rows over events to top events, and back.

    An event that stands in no chain, because a gate develops another one further, comes from the rows of that one.
    """

    rows: Names
    """Rows of each event."""
    chains: Names
    """Chains of each event."""
    tops: Names
    """Top events that each event leads to."""
    basic: tuple[str, ...]
    """The events without causes."""

    def events_of(self, row: str) -> tuple[str, ...]:
        """The events that come from a row."""
        return self._events.get(row, ())

    def tops_of(self, row: str) -> tuple[str, ...]:
        """The top events that a row leads to."""
        return tuple(dict.fromkeys(top for event in self.events_of(row) for top in self.tops.get(event, ())))

    def events_table(self, top: str | None = None) -> Table:
        """Every basic event, or those of one top event, with its rows, chains and top events."""
        chosen = (event for event in self.basic if top is None or top in self.tops.get(event, ()))
        rows = ((event, *(joined(names.get(event, ())) for names in self._names)) for event in chosen)
        return Table(("basic event", "rows", "chains", "top events"), tuple(rows))

    def rows_table(self, hazop: Hazop, top: str | None = None) -> Table:
        """Every row that somebody worked on, or those of one top event, with the events and top events it leads to."""
        found = (
            (row.id, " / ".join(row.deviation), joined(self.events_of(row.id)), joined(self.tops_of(row.id)))
            for row in hazop.rows
            if not row.blank and (top is None or top in self.tops_of(row.id))
        )
        return Table(("row", "deviation", "events", "top events"), tuple(found))

    def findings(self, scenarios: Scenarios, hazop: Hazop) -> Iterator[Diagnostic]:
        """Rows that do not exist (errors); chains and events without a row, rows that lead nowhere (warnings)."""
        unknown = count()
        for scenario in scenarios.chains:
            yield from _row_problems(scenario, hazop, unknown)
        lost = [event for event in self.basic if not self.rows.get(event)]
        if lost:
            text = f"no row leads to {'the basic event' if len(lost) == 1 else 'basic events'} {listed(lost)}."
            yield Diagnostic("scenario-trace", text, hint="Name the rows that their chains come from.")
        used = {row for scenario in scenarios.chains for row in scenario.rows}
        for row in hazop.rows:
            if row.consequences and row.status != NOT_CREDIBLE and row.id not in used:
                text = f"row {row.id!r} has consequences, and no chain comes from it."
                hint = "Add a chain, or call the row not credible and say why."
                yield Diagnostic("scenario-trace", text, where=row.place, hint=hint)

    @cached_property
    def _events(self) -> Names:
        found: dict[str, list[str]] = {}
        for event, rows in self.rows.items():
            for row in rows:
                found.setdefault(row, []).append(event)
        return _frozen(found)

    @property
    def _names(self) -> tuple[Names, Names, Names]:
        return self.rows, self.chains, self.tops


def trace(scenarios: Scenarios) -> Trace:
    """Follow every chain, and every gate that develops an event of one."""
    inputs = scenarios.inputs
    rows: dict[str, dict[str, None]] = {}
    chains: dict[str, dict[str, None]] = {}
    for scenario in scenarios.chains:
        for event in scenario.events:
            rows.setdefault(event, {}).update(dict.fromkeys(scenario.rows))
            chains.setdefault(event, {})[scenario.id] = None
    for event, names in _developed(inputs, list(chains)).items():
        for name in names:
            rows.setdefault(name, {}).update(rows[event])
            chains.setdefault(name, {}).update(chains[event])
    tops: dict[str, list[str]] = {}
    for top in scenarios.tops:
        for event in below(top, inputs):
            tops.setdefault(event, []).append(top)
    basic = tuple(event for event in tops if event not in inputs)
    return Trace(_frozen(rows), _frozen(chains), _frozen(tops), basic)


def joined(names: Iterable[str]) -> str:
    """Names in one cell."""
    return "; ".join(names)


def _developed(inputs: Mapping[str, list[str]], known: list[str]) -> dict[str, list[str]]:
    """What stated gates bring in below each event of a chain, down to other events of chains."""
    chained = set(known)
    inner = {name: [each for each in names if each not in chained] for name, names in inputs.items()}
    return {event: [name for name in below(event, inner) if name != event] for event in known if inner.get(event)}


def _row_problems(scenario: Scenario, hazop: Hazop, unknown: Iterator[int]) -> Iterator[Diagnostic]:
    if not scenario.rows:
        text = f"the scenario {scenario.id!r} names no row of the worksheet."
        yield Diagnostic("scenario-trace", text, where=scenario.place, hint="Name the rows that it comes from.")
    for id in scenario.rows:
        row = hazop.row.get(id)
        if row is None:
            text = f"the scenario {scenario.id!r} names the row {id!r}, which the worksheet does not have."
            hint = did_you_mean(id, hazop.row) if next(unknown) < MOST_SUGGESTIONS else "Correct the name."
            yield Diagnostic("scenario-trace", text, "error", scenario.place, hint)
        elif row.status == NOT_CREDIBLE:
            text = f"the scenario {scenario.id!r} comes from row {id!r}, which is called not credible."
            yield Diagnostic("scenario-trace", text, where=scenario.place, hint="Change one of them.")


def _frozen(names: Mapping[str, Iterable[str]]) -> Names:
    return FrozenMap({key: tuple(found) for key, found in names.items()})
