"""Tables of counts, whose size depends on the number of classes and never on the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.core import Estimate, LevelUnavailable, MixedKinds, Side, Table

MOST_CLASSES = 12
MOST_LINES = 30
TIE = "tie"


@dataclass(frozen=True)
class Line:
    """Failures in a part of the rows, and their bound."""

    name: str
    failures: int
    rows: int
    estimate: Estimate


def limit(estimate: Estimate, side: Side, level: float) -> float | None:
    """The bound of a side at a level, if it is known."""
    try:
        return estimate.bound(side, level).limit
    except (LevelUnavailable, MixedKinds):
        return None


def one_sided(level: float) -> str:
    """How the bounds of a table or figure are to be read."""
    return f"one-sided, each at {100 * level:.10g}%"


def answers(tested: Tested) -> Table:
    """How often each true class got each answer; for many classes, the most frequent confusions."""
    counts, columns = _confusion(tested)
    if len(tested.classes) > MOST_CLASSES:
        return _worst_confusions(tested, counts, columns)
    present = counts.sum(axis=1) > 0
    rows = [(name, *line) for name, line in zip(tested.classes, counts.tolist(), strict=True)]
    return Table(("true class", *columns), tuple(row for row, shown in zip(rows, present, strict=True) if shown))


def failures(lines: Sequence[Line], level: float) -> Table:
    """Failures and bounds of each part."""
    bounds = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    columns = ("rows", "failures", "of", "share", *bounds)
    return Table(columns, tuple((line.name, line.failures, line.rows, *_share(line, level)) for line in lines))


def _share(line: Line, level: float) -> tuple[float | None, ...]:
    lower, upper = limit(line.estimate, "lower", level), limit(line.estimate, "upper", level)
    return line.failures / line.rows, lower, upper


def _confusion(tested: Tested) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Counts by true class and answer; a right answer that ties with another one is counted apart."""
    classes = len(tested.classes)
    answer = np.where(tested.failed & (tested.predictions == tested.labels), classes, tested.predictions)
    cells = np.bincount(tested.labels * (classes + 1) + answer, minlength=classes * (classes + 1))
    counts = cells.reshape(classes, classes + 1)
    if counts[:, -1].any():
        return counts, (*tested.classes, TIE)
    return counts[:, :-1], tested.classes


def _worst_confusions(tested: Tested, counts: NDArray[np.int64], columns: tuple[str, ...]) -> Table:
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    worst = [np.unravel_index(cell, wrong.shape) for cell in np.argsort(-wrong, axis=None, kind="stable")[:MOST_LINES]]
    rows = [(tested.classes[t], columns[a], int(wrong[t, a])) for t, a in worst if wrong[t, a]]
    return Table(("true class", "answer", "rows"), tuple(rows))
