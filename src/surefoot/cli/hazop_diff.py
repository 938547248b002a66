"""What differs between two worksheets with their chains: in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surefoot.cli.console import say, table, tell
from surefoot.cli.numbers import figure

if TYPE_CHECKING:
    from surefoot.core import Diagnostic, Table
    from surefoot.hazards import Study
    from surefoot.hazards.scenarios import Difference

VERSION = 1
MOST_SHOWN = 100
DASH = "A dash: the event is not there, or no probability of it alone would do."


@dataclass(frozen=True)
class Changes:
    """Changed rows, top events that came or went, and what changed in the trees of the others."""

    rows: Table
    moved: Mapping[str, str]
    trees: Mapping[str, Difference]
    warnings: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, before: Study, after: Study, *, top: str | None, target: float | None) -> Changes:
        """Compare a top event, or all."""
        from surefoot.hazards.scenarios.changes import compare_tops, row_changes

        names = dict.fromkeys((*before.scenarios.tops, *after.scenarios.tops)) if top is None else {top: None}
        sides = {name: (_leads_to(before, name), _leads_to(after, name)) for name in names}
        if top is not None and not any(sides[top]):
            after.scenarios.fault_tree(top)
        both = [name for name, there in sides.items() if all(there)]
        moved = {name: "added" if there[1] else "removed" for name, there in sides.items() if not all(there)}
        trees = compare_tops(before, after, both, target=target)
        return cls(row_changes(before, after), moved, trees, tuple(_warnings(after)))

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (self.rows.rows or self.moved) and all(tree.empty for tree in self.trees.values())

    def as_json(self) -> str:
        """One object with stable keys."""
        told = {name: {"change": change, "tree": [], "requirements": []} for name, change in self.moved.items()}
        told |= {name: _tree_data(tree) for name, tree in self.trees.items()}
        data = {
            "version": VERSION,
            "different": not self.empty,
            "rows": _records(self.rows),
            "top_events": told,
            "warnings": [each.to_dict() for each in self.warnings],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)

    def show(self) -> None:
        """Rows, then top events."""
        if self.empty:
            say("Nothing differs.")
        if self.rows.rows:
            say("Rows", style="bold")
            _show_table(self.rows)
        for name, change in self.moved.items():
            say(f"\nTop event {name!r}: {change}", style="bold")
        for name, tree in self.trees.items():
            _show_tree(name, tree)


def _leads_to(study: Study, event: str) -> bool:
    return event in study.scenarios.links or event in study.scenarios.gates


def _warnings(study: Study) -> list[Diagnostic]:
    """Where stated chains and the new rows do not know each other."""
    return [] if study.stated is None else list(study.trace.findings(study.scenarios, study.hazop))


def _tree_data(tree: Difference) -> dict[str, Any]:
    change = "changed" if tree.tree.rows else "same"
    return {"change": change, "tree": _records(tree.tree), "requirements": _records(tree.requirements)}


def _records(content: Table) -> list[dict[str, Any]]:
    keys = [name.replace(" ", "_") for name in content.columns]
    return [dict(zip(keys, row, strict=True)) for row in content.rows]


def _show_tree(name: str, tree: Difference) -> None:
    if tree.tree.rows or tree.requirements.rows:
        say(f"\nTop event {name!r}{'' if tree.tree.rows else ': its tree is the same'}", style="bold")
    if tree.tree.rows:
        _show_table(tree.tree)
    if tree.requirements.rows:
        say()
        columns = tree.requirements.columns
        rows = [(event, *map(_at_most, values)) for event, *values in tree.requirements.rows]
        table(columns, rows, right=columns[1:])
        tell(DASH, style="dim") if any("-" in row[1:] for row in rows) else None


def _at_most(value: float | None) -> str:
    return figure(value, rounding="ROUND_FLOOR")


def _show_table(content: Table) -> None:
    table(content.columns, [list(map(str, row)) for row in content.rows[:MOST_SHOWN]])
    if len(content.rows) > MOST_SHOWN:
        say(f"and {len(content.rows) - MOST_SHOWN:,} more; --json lists all", style="dim")
