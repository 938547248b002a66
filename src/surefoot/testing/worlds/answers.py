"""Where along each column a model changes its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.testing.worlds.columns import Columns, Pieces

Decide = Callable[[FloatArray], NDArray[np.int64]]
BATCH = 1 << 18
SCAN = 257
HALVINGS = 36


def decision(model: Any) -> Decide:
    """What the model answers: its ``predict`` where it has one, the model itself otherwise."""
    return getattr(model, "predict", model)


def thresholds(model: Any, dimensions: int) -> list[FloatArray] | None:
    """For each feature, 0, 1 and all places between at which a tree of scikit-learn or a forest of them splits.

    None where the model is something else. Trees look at inputs in single precision, so a split lies within 6e-8 of
    where it is said to be.
    """
    parts = [model] if hasattr(model, "tree_") else list(np.ravel(getattr(model, "estimators_", [])))
    if not parts or not all(hasattr(part, "tree_") for part in parts):
        return None
    feature = np.concatenate([part.tree_.feature for part in parts])
    place = np.concatenate([part.tree_.threshold for part in parts])
    inside = (place > 0) & (place < 1)
    return [np.unique([0.0, 1.0, *place[inside & (feature == axis)]]) for axis in range(dimensions)]


def stepwise(decide: Decide, columns: Columns, edges: FloatArray) -> Pieces:
    """Pieces of a model whose answer is constant in each panel between each two edges."""
    middles = (edges[1:] + edges[:-1]) / 2
    answers = _everywhere(decide, columns.centres, middles)[columns.panel]
    begins = np.ones(answers.shape, bool)
    begins[:, 1:] = answers[:, 1:] != answers[:, :-1]
    column, start = np.nonzero(begins)
    low = edges[start]
    return Pieces(column, low, _ends(column, low), answers[column, start])


def searched(decide: Decide, columns: Columns) -> Pieces:
    """Pieces of any model: changes between ``SCAN`` points a column, each found by halving.

    A piece between two neighbouring points that both answer otherwise is missed.
    """
    heights = np.linspace(0.0, 1.0, SCAN)
    answers = _everywhere(decide, columns.places, heights)
    column, before = np.nonzero(answers[:, 1:] != answers[:, :-1])
    low, high = heights[before], heights[before + 1]
    places, first = columns.places[column], answers[column, before]
    for _ in range(HALVINGS if len(column) else 0):
        middle = (low + high) / 2
        same = decide(np.column_stack([places, middle])) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    every = np.arange(len(answers))
    column = np.concatenate([every, column])
    start = np.concatenate([np.zeros(len(every)), high])
    answer = np.concatenate([answers[:, 0], answers[column[len(every) :], before + 1]])
    order = np.lexsort((start, column))
    return Pieces(column[order], start[order], _ends(column[order], start[order]), answer[order])


def _everywhere(decide: Decide, places: FloatArray, heights: FloatArray) -> NDArray[np.int64]:
    """Answers above all places at all heights, one row a place."""
    rows = max(1, BATCH // len(heights))
    blocks = [places[start : start + rows] for start in range(0, len(places), rows)]
    return np.concatenate([_block(decide, block, heights) for block in blocks])


def _block(decide: Decide, places: FloatArray, heights: FloatArray) -> NDArray[np.int64]:
    points = np.column_stack([np.repeat(places, len(heights), axis=0), np.tile(heights, len(places))])
    return np.asarray(decide(points)).reshape(len(places), len(heights))


def _ends(column: NDArray[np.int64], low: FloatArray) -> FloatArray:
    """A piece ends where the next one of its column begins, the last one at 1."""
    ends = np.ones(len(low))
    same = column[1:] == column[:-1]
    ends[:-1][same] = low[1:][same]
    return ends
