"""Question 0 of SYS: what corruption costs, ours beside Table 4."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import published
from numpy.typing import NDArray

from surefoot.core import Table
from surefoot.systems import Condition, Findings
from surefoot.systems.tables.degradation import Drop, Performance


def beside(found: Findings) -> Table:
    """RMSE and, in brackets, drop of our networks and system, and of the paper's."""
    ours = found.performance()
    system, *modules = ours
    rows = [
        (*_where(c), *(_cell(ours[name][c].value, ours[name][c].drop) for name in (*modules, system)), *_theirs(c))
        for c in found.whole.conditions
    ]
    return Table(
        ("corruption", "severity", *modules, system, *(f"SYS {place}" for place in published.PLACES)), tuple(rows)
    )


def with_intervals(performance: Performance) -> Table:
    """The system alone, with its intervals and the drop that the paper prints for its own."""
    heads = ("corruption", "severity", "RMSE", "95%", "drop", "95% of the drop", "SYS drop")
    return Table(heads, tuple((*_where(each.condition), *_full(each)) for each in performance.drops))


@dataclass(frozen=True)
class Agreement:
    """How alike the drops of two systems are, over conditions that both have."""

    kendall: float
    conditions: int
    ours: Mapping[int, float]
    """Mean drop at each severity."""
    theirs: Mapping[int, float]

    def __str__(self) -> str:
        means = [
            f"severity {severity}: {ours:+.0%} (SYS {self.theirs[severity]:+.0%})"
            for severity, ours in self.ours.items()
        ]
        tau = f"Kendall's tau of the {self.conditions} drops of the system, ours and those of SYS: {self.kendall:.2f}."
        return f"{tau} Mean drop at {', '.join(means)}."


def agreement(performance: Performance) -> Agreement:
    """Whether conditions that are hard for the paper's system are hard for ours."""
    from scipy import stats

    drops = [(each.condition, each.drop) for each in performance.drops if each.drop is not None]
    ours = np.array([drop for _, drop in drops])
    theirs = np.array([published.printed(condition, "system")[1] for condition, _ in drops])
    severities = np.array([condition.severity for condition, _ in drops])
    means = [{int(s): float(each[severities == s].mean()) for s in np.unique(severities)} for each in (ours, theirs)]
    return Agreement(float(stats.kendalltau(ours, theirs).statistic), len(drops), *means)


def by_block(found: Findings, blocks: NDArray[np.int64]) -> Table:
    """Which share of all squared error on clean frames lies in each block, for the system and each network."""
    squares = {name: each.errors() ** 2 for name, each in found.measured.items()}
    rows = [
        (int(block), *(float(square[blocks == block].sum() / square.sum()) for square in squares.values()))
        for block in np.unique(blocks)
    ]
    return Table(("block", *squares), tuple(rows))


def _where(condition: Condition) -> tuple[str, str]:
    return (condition.corruption.replace("_", " "), str(condition.severity)) if condition.corruption else ("clean", "-")


def _theirs(condition: Condition) -> tuple[str, ...]:
    if condition.clean:
        return tuple(_cell(value, None) for value in published.CLEAN)
    return tuple(_cell(*published.printed(condition, place)) for place in published.PLACES)


def _cell(value: float | None, drop: float | None) -> str:
    return f"{value:.3f}" if drop is None else f"{value:.3f} ({_percent(drop)})"


def _full(drop: Drop) -> tuple[str, ...]:
    theirs = "-" if drop.condition.clean else _percent(published.printed(drop.condition, "system")[1])
    ends = [None, None] if drop.drop_interval is None or drop.condition.clean else list(drop.drop_interval)
    low, high = drop.interval or (None, None)
    return f"{drop.value:.3f}", _range(low, high, "{:.3f}"), _percent(drop.drop), _range(*ends, "{:+.0%}"), theirs


def _range(low: float | None, high: float | None, form: str) -> str:
    return "-" if low is None or high is None else f"{form.format(low)} to {form.format(high)}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:+.0%}"
