"""What to improve, as people and as programs read it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefoot.cli.console import listed, say, table, tell
from surefoot.cli.numbers import figure

if TYPE_CHECKING:
    from surefoot.core import Table
    from surefoot.hazards.labels import LabelPlan
    from surefoot.project import Answer, Result

TABLES = ("requirements", "improvements", "candidates", "test plan")
"""What the evidence of a fault tree says about targets that are not met."""
LEFT_OUT = {
    "improvements": ("top event if perfect", "times better alone"),
    "test plan": ("component", "today", "bound today", "tests with 1 failure", "tests with 2 failures"),
}
"""Columns that a terminal has no room for; report and JSON have them."""


def show(result: Result, plan: LabelPlan | None, *, sheet: Path | None) -> None:
    """Targets that are not met with what would help, earlier iterations, and the labels."""
    unmet = list(_unmet(result))
    for answer in unmet:
        _show_answer(answer, result)
    if not unmet:
        say(f"{_nothing(result)}\n")
    if len(result.iterations) > 1:
        from surefoot.project.iterations.comparison import history_table

        _show_table("iterations", _with_days(history_table(result.iterations)))
    if plan is not None:
        _show_plan(plan, sheet)


def as_text(result: Result, plan: LabelPlan | None) -> str:
    """The same as JSON."""
    from surefoot.project.iterations.comparison import history_table

    said: dict[str, Any] = {
        "met": result.met,
        "targets": {answer.name: _about(answer, result) for answer in _unmet(result)},
        "iterations": history_table(result.iterations).to_dict() if result.iterations else None,
        "labels": None if plan is None else _labels(plan),
    }
    return json.dumps(said, indent=2, ensure_ascii=False)


def _unmet(result: Result) -> Iterator[Answer]:
    return (answer for answer in result.answers if not answer.met)


def _nothing(result: Result) -> str:
    if not result.answers:
        return "No targets are stated, so that nothing needs to be improved."
    return "Every target is met: nothing needs to be improved."


def _tables(answer: Answer, result: Result) -> dict[str, Table]:
    found = result.evidence[answer.reference.partition(".")[0]].tables
    return {name: found[name] for name in TABLES if name in found}


def _show_answer(answer: Answer, result: Result) -> None:
    tell(f"{answer.name}: {answer.verdict.text}", style="bold")
    listed(answer.needed)
    say()
    for name, content in _tables(answer, result).items():
        _show_table(name, _without(content, LEFT_OUT.get(name, ())))


def _without(content: Table, columns: Collection[str]) -> Table:
    kept = [place for place, name in enumerate(content.columns) if name not in columns]
    rows = tuple(tuple(row[place] for place in kept) for row in content.rows)
    return replace(content, columns=tuple(content.columns[place] for place in kept), rows=rows)


def _with_days(history: Table) -> Table:
    rows = tuple((number, str(date).partition("T")[0], *others) for number, date, *others in history.rows)
    return replace(history, rows=rows)


def _show_table(name: str, content: Table) -> None:
    numbers = [
        column
        for place, column in enumerate(content.columns)
        if any(isinstance(row[place], int | float) for row in content.rows)
    ]
    say(name, style="bold")
    table(content.columns, [[_cell(value) for value in row] for row in content.rows], right=numbers)
    say()


def _cell(value: object) -> str:
    if value is None or isinstance(value, float):
        return figure(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _show_plan(plan: LabelPlan, sheet: Path | None) -> None:
    _show_table("labels", plan.table())
    _show_table(f"upper bounds (one-sided, each at {100 * plan.level:.10g}%)", plan.outlook())
    listed(plan.notes)
    if sheet is None and plan.rows:
        say("\n--csv FILE writes the inputs to label.")


def _about(answer: Answer, result: Result) -> dict[str, Any]:
    tables = {name: content.to_dict() for name, content in _tables(answer, result).items()}
    return {"verdict": answer.verdict.text, "needed": list(answer.needed), "tables": tables}


def _labels(plan: LabelPlan) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "level": plan.level,
        "strata": plan.table().to_dict(),
        "outlook": plan.outlook().to_dict(),
        "rows": [asdict(row) for row in plan.rows],
        "notes": list(plan.notes),
    }
