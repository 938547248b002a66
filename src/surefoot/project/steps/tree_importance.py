"""Importance of events and of gates as tables that fit a page."""

from __future__ import annotations

from surefoot.core import Table
from surefoot.documents import percent
from surefoot.faulttree.importance import Importance, Measure

MEASURES: dict[Measure, str] = {"fussell_vesely": "Fussell-Vesely", "birnbaum": "Birnbaum", "raw": "RAW", "rrw": "RRW"}


def importance_tables(importance: Importance | None) -> dict[str, Table]:
    """Criticality with its interval, and the other usual measures; what matters most first."""
    if importance is None:
        return {}
    events, gates = importance.only("event").sorted(), importance.only("gate").sorted()
    found = {"importance": _table("event", events)}
    return found | ({"importance of gates": _table("gate", gates)} if len(gates) else {})


def _table(kind: str, found: Importance) -> Table:
    measures = [measure for measure in MEASURES if any(value is not None for value in found.values[measure])]
    columns: list[tuple[str, tuple[str | float | None, ...]]] = [(kind, found.names)]
    columns.append(("criticality", found.values["criticality"]))
    if found.spread:
        level = "(certain)" if found.kind == "certain" else f"(two-sided at {percent(found.level)})"
        columns.append((f"lower end {level}", found.low["criticality"]))
        columns.append((f"upper end {level}", found.high["criticality"]))
    columns += [(MEASURES[measure], found.values[measure]) for measure in measures]
    return Table(tuple(name for name, _ in columns), tuple(zip(*(values for _, values in columns), strict=True)))
