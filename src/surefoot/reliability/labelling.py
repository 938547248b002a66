"""Which label a cell has: from the labelled points inside, from an oracle, or from a vote (RAM, step 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.objects import class_names
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.grid import Grid
from surefoot.reliability.local import VOTE

EMPTY, NORMAL, CROSS_BOUNDARY, ASKED = 0, 1, 2, 3
SOURCES = ("voted", "labelled", "cross-boundary", "oracle")
"""Where the label of a cell comes from, by its number."""
Oracle = Callable[[FloatArray], Any]
BATCH = 1 << 16


@dataclass(frozen=True, eq=False)
class CellLabels:
    """For each cell: where its label comes from, the label (``VOTE`` for a vote), the number of labelled points."""

    source: NDArray[np.uint8]
    labels: NDArray[np.int64]
    points: NDArray[np.int64]

    @property
    def counts(self) -> dict[str, int]:
        """Number of cells of each source."""
        return dict(zip(SOURCES, np.bincount(self.source, minlength=len(SOURCES)).tolist(), strict=True))


def label_cells(grid: Grid, points: FloatArray, labels: NDArray[np.int64]) -> CellLabels:
    """Normal cells hold points of one label, cross-boundary cells of several, empty cells none."""
    cells = grid.cell_of(points)
    counts = np.bincount(cells, minlength=len(grid))
    found = np.full(len(grid), VOTE, dtype=np.int64)
    found[cells] = labels
    source = np.where(counts > 0, NORMAL, EMPTY).astype(np.uint8)
    # Whatever label came last: another one in the same cell shows that the cell has several.
    source[cells[labels != found[cells]]] = CROSS_BOUNDARY
    found[source == CROSS_BOUNDARY] = VOTE
    return CellLabels(source, found, counts)


def ask(oracle: Oracle, grid: Grid, cells: CellLabels, classes: tuple[str, ...]) -> CellLabels:
    """Let an oracle label the centres of empty cells; where it answers None, the vote stays."""
    source, labels = cells.source.copy(), cells.labels.copy()
    empty = np.flatnonzero(source == EMPTY)
    numbers = {name: number for number, name in enumerate(classes)}
    for start in range(0, empty.size, BATCH):
        chosen = empty[start : start + BATCH]
        lower, upper = grid.corners(chosen)
        answers = np.asarray([_answer(value, numbers) for value in _answers(oracle, (lower + upper) / 2)])
        labels[chosen] = answers
        source[chosen[answers != VOTE]] = ASKED
    return replace(cells, source=source, labels=labels)


def _answers(oracle: Oracle, centres: FloatArray) -> list[Any]:
    given = oracle(centres)
    if isinstance(given, str | bytes | Mapping) or not _is_iterable(given):
        raise _wrong_answers(f"{type(given).__name__} {given!r}")
    answers = list(given)
    if len(answers) != len(centres):
        raise _wrong_answers(f"{len(answers):,} answers for {len(centres):,} centres")
    return answers


def _is_iterable(given: Any) -> bool:
    try:
        iter(given)
    except TypeError:
        return False
    return True


def _wrong_answers(found: str) -> InvalidInput:
    return InvalidInput(
        "the oracle must answer one label, or None, for each centre",
        where="oracle",
        found=found,
        remedy="It is given the centres of many cells at once, one a row; return a list as long as that.",
    )


def _answer(value: Any, numbers: dict[str, int]) -> int:
    if value is None:
        return VOTE
    (name,) = class_names([value])
    if name not in numbers:
        raise InvalidInput("the oracle answered a label that is no class", where="oracle", found=repr(value))
    return numbers[name]
