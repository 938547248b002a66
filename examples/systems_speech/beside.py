"""Our tables beside those of the paper."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import published

from surefoot.core import Table
from surefoot.systems import Condition
from surefoot.systems.tables.degradation import Drop, Performance
from surefoot.systems.tables.inference import Cell, Tested

FIRST_TWO = ("recurrent", "transformer")
SMALLEST = 0.01
"""The rate whose figures the paper prints in full."""


def rates(ours: Mapping[str, Performance]) -> Table:
    """Table 7: word error rate and drop of every configuration, and of the paper's first two."""
    conditions = [drop.condition for drop in next(iter(ours.values())).drops]
    heads = [f"{name} {what}" for name in ours for what in ("WER", "drop")]
    theirs = [f"SYS {name} {what}" for name in published.CONFIGURATIONS[:2] for what in ("WER", "drop")]
    rows = [(*_where(c), *_ours(ours, c), *_theirs(c)) for c in conditions]
    return Table(("corruption", "severity", *heads, *theirs), tuple(rows))


def agreement(ours: Mapping[str, Performance]) -> str:
    """How alike conditions are in hardness, for our configurations and the paper's."""
    from scipy import stats

    parts = []
    for place, name in enumerate(FIRST_TWO):
        drops = [each for each in ours[name].drops if each.drop is not None]
        theirs = [published.drop(each.condition.corruption, each.condition.severity, place) for each in drops]
        tau = stats.kendalltau([each.drop for each in drops], theirs).statistic
        parts.append(f"{name} {tau:.2f}")
    return f"Kendall's tau of the drops of 15 conditions, ours and those of SYS: {', '.join(parts)}."


def effects(tested: Tested) -> Table:
    """How often each relation shows: lowest, middle and highest, as the paper judges, and over groups after Holm."""
    rows = []
    for label in dict.fromkeys(map(tested.label, tested.cells)):
        cells = [cell for cell in tested.cells if tested.label(cell) == label and cell.value is not None]
        values = sorted(cell.value for cell in cells if cell.value is not None)
        if not values:
            continue
        alone, together = sum(bool(c.significant) for c in cells), sum(bool(c.significant_all) for c in cells)
        middle = values[len(values) // 2]
        rows.append((label, f"{values[0]:.2f}", f"{middle:.2f}", f"{values[-1]:.2f}", alone, together, len(cells)))
    heads = (tested.statistic, "lowest", "middle", "highest", "p < 1e-4", "over groups, for all", "cells")
    return Table(heads, tuple(rows))


def taus(tested: Tested, configuration: str) -> Table:
    """Table 24: Kendall's tau of the change of VRO with that of the error, for both modules, beside the paper's."""
    place = 2 * FIRST_TWO.index(configuration)
    cells = {(cell.condition, cell.of[0]): cell for cell in tested.cells if cell.of[1] == "VRO"}
    modules = ("encoder", configuration)
    rows = []
    for condition in dict.fromkeys(condition for condition, _ in cells):
        level = _level(condition)
        theirs = published.ERROR_CHANGES[condition.corruption][level - 1][place : place + 2]
        rows.append((*_where(condition), *(_tau(cells[condition, name]) for name in modules), *theirs))
    return Table(("corruption", "severity", *modules, "SYS module 1", "SYS module 2"), tuple(rows))


def first_and_fifth(table: Table, configuration: str) -> Table:
    """Table 26: percent that rejecting 1% by S1 and by S5 improves, beside the paper's."""
    place = FIRST_TWO.index(configuration)
    found = {
        (row["corruption"], row["severity"], row["strategy"]): row for row in _named(table) if row["rate"] == SMALLEST
    }
    rows = []
    for corruption, levels in published.IMPROVEMENT_S1.items():
        for level, s1 in enumerate(levels, start=1):
            at = (corruption, published.LEVELS[level])
            if (*at, "S1") in found:
                theirs = (s1[place], published.IMPROVEMENT_S5[corruption][level - 1][place])
                rows.append((*at, *(_percent(found[(*at, name)]) for name in ("S1", "S5")), *theirs))
    return Table(("corruption", "severity", "S1", "S5", "SYS S1", "SYS S5"), tuple(rows))


def improvements(table: Table, rate: float) -> Table:
    """Tables 26 and 27: percent by which each strategy improves the word error rate at one rate."""
    chosen = [row for row in _named(table) if row["rate"] == rate]
    strategies = list(dict.fromkeys(row["strategy"] for row in chosen))
    found = {(row["corruption"], row["severity"], row["strategy"]): row for row in chosen}
    where = list(dict.fromkeys((row["corruption"], row["severity"]) for row in chosen))
    words = [(*at, *(_percent(found[(*at, name)]) for name in strategies)) for at in where]
    return Table(("corruption", "severity", *strategies), tuple(words))


def markdown(table: Table) -> str:
    """A table of words."""
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    return "\n".join(f"| {' | '.join('-' if cell is None else str(cell) for cell in line)} |" for line in lines)


def write(table: Table, path: Path) -> None:
    """All digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([table.columns, *table.rows])


def _where(condition: Condition) -> tuple[str, Any]:
    return ("clean", "-") if condition.clean else (condition.corruption, condition.severity)


def _ours(ours: Mapping[str, Performance], condition: Condition) -> Sequence[str]:
    return [text for each in ours.values() for text in _texts(each[condition])]


def _texts(drop: Drop) -> tuple[str, str]:
    value = "-" if drop.value is None else f"{drop.value:.3f}"
    return value, "-" if drop.drop is None else f"{drop.drop:+.0%}"


def _theirs(condition: Condition) -> Sequence[str]:
    cells = []
    for place in range(2):
        rate = published.word_error_rate(condition.corruption, condition.severity, place)
        change = "-" if condition.clean else f"{published.drop(condition.corruption, condition.severity, place):+.0%}"
        cells += [f"{rate:.3f}", change]
    return cells


def _named(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _level(condition: Condition) -> int:
    return next(level for level, severity in published.LEVELS.items() if severity == condition.severity)


def _tau(cell: Cell) -> str:
    return "-" if cell.value is None else f"{cell.value:.2f}{'' if cell.significant_all else '*'}"


def _percent(row: Mapping[str, Any]) -> str:
    if row["improvement"] is None:
        return "-"
    return f"{100 * row['improvement']:.1f}"
