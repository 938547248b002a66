"""Inputs that fail, found in the cells that contribute most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.cells import Cells
from surefoot.reliability.within import Within

TRIES = 512


def failing_inputs(
    cells: Cells,
    chosen: NDArray[np.int64],
    decide: Callable[[FloatArray], NDArray[np.int64]],
    undesired: NDArray[np.bool_],
    within: Within,
    *,
    seed: int,
) -> dict[int, tuple[float, ...]]:
    """For each chosen cell the first of ``TRIES`` points inside whose answer is a failure by the cell's label."""
    if not chosen.size:
        return {}
    points = within.draw(*cells.grid.corners(chosen), TRIES, np.random.default_rng(seed))
    answers = decide(points.reshape(-1, points.shape[-1])).reshape(len(chosen), TRIES)
    failed = undesired[cells.label[chosen][:, None], answers]
    first = failed.argmax(axis=1)
    return {int(cell): tuple(points[row, first[row]].tolist()) for row, cell in enumerate(chosen) if failed[row].any()}
