"""The partition of the input domain into cells of equal side, and the label of each cell (RAM, section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters.python_models import class_names
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import VOTE

WHERE = "cells"
ROUNDING = 1e-9
"""A side that divides the domain up to rounding divides it."""
MOST_ALONG = 10_000_000
"""Cells along one feature."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The partition of the input domain into cells, numbered in C order: the last dimension fastest.

    Parameters
    ----------
    edges
        Edges of the cells along each dimension.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> grid = sf.reliability.Grid.of((0, 1), 0.25, dimensions=2)
    >>> grid.shape, len(grid)
    ((4, 4), 16)
    >>> grid.cell_of(np.array([[0.1, 0.9]]))
    array([3])

    """

    edges: tuple[FloatArray, ...]

    @classmethod
    def of(cls, domain: Any, side: Any, *, dimensions: int) -> Grid:
        """Cut a domain into cells of a side; the last cells are cut off where the side does not divide it."""
        lower, upper = bounds_of(domain, dimensions)
        sides = _sides(side, dimensions)
        spans = list(zip(lower.tolist(), upper.tolist(), sides.tolist(), strict=True))
        for feature, span in enumerate(spans):
            _require_few(feature, *span)
        grid = cls(tuple(_edges(*span) for span in spans))
        grid._require_wide()
        return grid

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of cells along each dimension."""
        return tuple(len(edges) - 1 for edges in self.edges)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return len(self.edges)

    def __len__(self) -> int:
        return math.prod(self.shape)

    @cached_property
    def lower(self) -> FloatArray:
        """Lower corner of the domain."""
        return np.array([edges[0] for edges in self.edges])

    @cached_property
    def upper(self) -> FloatArray:
        """Upper corner of the domain."""
        return np.array([edges[-1] for edges in self.edges])

    @property
    def side(self) -> float:
        """The largest side of a cell."""
        return float(self.sides.max())

    @property
    def sides(self) -> FloatArray:
        """The largest side of a cell along each dimension."""
        return np.array([np.diff(edges).max() for edges in self.edges])

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen cells."""
        numbers = np.arange(*chosen.indices(len(self))) if isinstance(chosen, slice) else chosen
        places = np.unravel_index(numbers, self.shape)
        lower = np.stack([edges[place] for edges, place in zip(self.edges, places, strict=True)], axis=1)
        upper = np.stack([edges[place + 1] for edges, place in zip(self.edges, places, strict=True)], axis=1)
        return lower, upper

    def some_centres(self, most: int = 1000) -> FloatArray:
        """Centres of at most so many cells, spread evenly over their numbers."""
        chosen = np.unique(np.linspace(0, len(self) - 1, min(most, len(self))).astype(np.int64))
        lower, upper = self.corners(chosen)
        return (lower + upper) / 2

    def cell_of(self, points: FloatArray) -> NDArray[np.int64]:
        """Number of the cell of each point; an edge belongs to the cell above it, the upper end to the last."""
        places = [
            np.minimum(np.searchsorted(edges, column, side="right") - 1, len(edges) - 2)
            for edges, column in zip(self.edges, points.T, strict=True)
        ]
        return np.asarray(np.ravel_multi_index(places, self.shape))

    def _require_wide(self) -> None:
        for feature, edges in enumerate(self.edges):
            if not (np.diff(edges) > 0).all():
                raise InvalidInput(
                    f"side is so small that cells of feature {feature} have no width in double precision",
                    where=WHERE,
                    found=f"{len(edges) - 1:,} cells from {edges[0]!r} to {edges[-1]!r}",
                    remedy="Take a larger side, or shift the feature towards 0.",
                )

    def inside(self, points: FloatArray) -> NDArray[np.bool_]:
        """Whether each point lies in the domain."""
        return np.asarray(((points >= self.lower) & (points <= self.upper)).all(axis=1))

    def require_inside(self, points: FloatArray, *, name: str) -> None:
        """All points lie in the domain."""
        outside = np.flatnonzero(~self.inside(points))
        if outside.size:
            raise InvalidInput(
                f"{outside.size:,} of {len(points):,} rows of {name} lie outside the domain",
                where=WHERE,
                found=f"row {outside[0]}: {points[outside[0]].tolist()}; domain {self.lower.tolist()} to "
                f"{self.upper.tolist()}",
                remedy="Widen the domain, or leave out what operation cannot bring.",
            )


def bounds_of(domain: Any, dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner: one (low, high) for all features, one for each, or two corners."""
    pairs = validate.numbers(domain, where=WHERE, name="domain")
    if pairs.shape == (2,):
        pairs = np.tile(pairs, (dimensions, 1))
    as_corners = pairs.T if pairs.shape == (2, dimensions) else pairs
    for candidate in (pairs, as_corners):
        if candidate.shape == (dimensions, 2) and (candidate[:, 0] < candidate[:, 1]).all():
            return candidate[:, 0].copy(), candidate[:, 1].copy()
    raise InvalidInput(
        f"domain must be a pair (low, high) for each of the {dimensions} features, low below high",
        where=WHERE,
        found=repr(np.asarray(domain).tolist()),
        remedy=f"For example domain={[(0, 1)] * dimensions}.",
    )


def _sides(side: ArrayLike, dimensions: int) -> FloatArray:
    sides = validate.numbers(side, where=WHERE, name="side")
    if sides.shape not in ((), (dimensions,)) or (sides <= 0).any():
        raise InvalidInput(
            f"side must be a number above 0, or one for each of the {dimensions} features",
            where=WHERE,
            found=repr(np.asarray(side).tolist()),
        )
    return np.broadcast_to(sides, (dimensions,))


def _require_few(feature: int, low: float, high: float, side: float) -> None:
    """Counted before any cell is made: a slip in the unit of a side would fill the memory."""
    count = (high - low) / side
    if not count <= MOST_ALONG:
        raise InvalidInput(
            f"side {side:g} cuts feature {feature} into more than {MOST_ALONG:,} cells",
            where=WHERE,
            found=f"{count:.3g} cells from {low:g} to {high:g}",
            remedy=f"Take a side of at least {high / MOST_ALONG - low / MOST_ALONG:.3g}, or a narrower domain.",
        )


def _edges(low: float, high: float, side: float) -> FloatArray:
    count = max(1, math.ceil((high - low) / side * (1 - ROUNDING)))
    exact = abs(count * side - (high - low)) <= ROUNDING * (high - low) * count
    edges = np.linspace(low, high, count + 1) if exact else low + side * np.arange(count + 1)
    edges[-1] = high
    return np.asarray(edges, dtype=float)


# Which label a cell has: from the labelled points inside, from an oracle, or from a vote (RAM, step 3).

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
