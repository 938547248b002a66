"""Tables as text: Markdown for reading, CSV for counting on."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from surefoot.core import Table
from surefoot.systems.rejection.alternatives import AVERAGE, ORACLE, SWITCHED, TRUSTED
from surefoot.systems.tables.inference import Tested

SHOWN = (AVERAGE, TRUSTED, SWITCHED, ORACLE)


def markdown(table: Table) -> str:
    """A table of words."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join(f"| {' | '.join('-' if cell is None else str(cell) for cell in line)} |" for line in lines)


def write(table: Table, path: Path) -> None:
    """All digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.columns, *table.rows])


def rejections(table: Table) -> Table:
    """What the strategies leave of the RMSE: a row for each, a column for each rate."""
    rows = _named(table)
    rates = list(dict.fromkeys(row["rate"] for row in rows))
    found = {(row["strategy"], row["rate"]): row for row in rows}
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    words = [(name, *(_improved(found[name, rate]) for rate in rates)) for name in strategies]
    return Table(("strategy", *(f"{rate:.0%} rejected" for rate in rates)), tuple(words))


def combinations(table: Table) -> Table:
    """Ways to make one answer of three: a row for each condition, with the improvement on the average."""
    found = {(row["condition"], row["way"]): row for row in _named(table)}
    rows = []
    for condition in dict.fromkeys(condition for condition, _ in found):
        average, *others = (found[condition, way] for way in SHOWN)
        cells = [f"{row['metric']:.3f} ({_gain(row)})" for row in others]
        rows.append((condition, f"{average['metric']:.3f}", *cells))
    return Table(("condition", *SHOWN), tuple(rows))


def effects(tested: Tested) -> Table:
    """How many conditions show each relation: for all, as the paper judges, and over units after Holm."""
    rows = []
    for label in dict.fromkeys(map(tested.label, tested.cells)):
        cells = [cell for cell in tested.cells if tested.label(cell) == label and cell.value is not None]
        values = sorted(cell.value for cell in cells if cell.value is not None)
        counts = (
            sum(map(bool, flags)) for flags in ([c.significant for c in cells], [c.significant_all for c in cells])
        )
        middle = (
            [f"{value:.2f}" for value in (values[0], values[len(values) // 2], values[-1])] if values else ["-"] * 3
        )
        rows.append((label, *middle, *counts, len(cells)))
    heads = (tested.statistic, "lowest", "middle", "highest", "p < 1e-4", "over blocks, for all", "conditions")
    return Table(heads, tuple(rows))


def _named(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _improved(row: dict[str, Any]) -> str:
    return f"{row['with']:.3f}, {row['improvement']:+.0%} ({row['low']:+.0%} to {row['high']:+.0%})"


def _gain(row: dict[str, Any]) -> str:
    return f"{row['improvement']:+.0%}, {row['improvement low']:+.0%} to {row['improvement high']:+.0%}"
