"""How the separation of labels shrinks as data arrive (section 8.1 of RAM)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.drawing import BLUE, RED, new_axes, open_frame
from surefoot.profile.blockwise import distance
from surefoot.profile.closest import Labelled, Pair, closest_between, closest_within
from surefoot.profile.rows import as_labels, compact_rows
from surefoot.profile.separation import Separation, checked_norm, in_units, telling_features, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_SIZE, GROWTH = 10, 1.25


class RunningSeparation:
    """The separation of all rows seen so far; rows come in batches of any size.

    New rows are compared with the old ones, never old with old. The old ones lie in blocks whose sizes grow by
    powers of two (Bentley and Saxe, 1980), so that each row is put into few trees.
    """

    def __init__(self, *, p: float = np.inf) -> None:
        self.p = checked_norm(p, where="RunningSeparation")
        self.rows = 0
        self.value: Separation | None = None
        """The separation so far; None before a second label."""
        self._blocks: list[Labelled] = []
        self._codes: dict[Any, int] = {}
        self._features: NDArray[np.int64] | None = None
        self._unit = 1.0

    def __repr__(self) -> str:
        found = "no two labels yet" if self.value is None else f"separation {self.value:g}"
        return f"RunningSeparation({self.rows:,} rows, {found}, p={self.p:g})"

    def update(self, X: ArrayLike, y: ArrayLike) -> Separation | None:
        """Take in more rows; the separation of all, or None while there is one label only."""
        new = self._numbered(X, y)
        best = Pair() if self.value is None else Pair(self.value / self._unit, *self.value.pair)
        start = best.distance
        for old in self._blocks:
            best = closest_between(new, old, self.p, best)
        best = closest_within(new, self.p, best)
        self._keep(new)
        if best.distance < start:
            self.value = self._measured(best)
        return self.value

    def _numbered(self, X: ArrayLike, y: ArrayLike) -> Labelled:
        where = "RunningSeparation.update"
        columns = None if self._features is None else self._features.size
        rows, labels = compact_rows(X, where=where, name="X", columns=columns), as_labels(y, where=where)
        validate.same_length(where, X=rows, y=labels)
        if self._features is None:
            self._unit = unit_of(rows)
            self._features = telling_features(in_units(rows, self._unit))
        kinds, at = np.unique(labels, return_inverse=True)
        codes = np.array([self._codes.setdefault(kind, len(self._codes)) for kind in kinds.tolist()])
        numbers = np.arange(self.rows, self.rows + len(rows))
        self.rows += len(rows)
        return Labelled(in_units(rows, self._unit)[:, self._features], codes[at].astype(np.int64), numbers)

    def _keep(self, new: Labelled) -> None:
        while self._blocks and len(self._blocks[-1]) <= len(new):
            new = self._blocks.pop().joined(new)
        self._blocks.append(new)

    def _measured(self, best: Pair) -> Separation:
        i, j = sorted((best.first, best.second))
        kinds = list(self._codes)
        (one, first), (other, second) = self._row(i), self._row(j)
        return Separation(self._unit * distance(one, other, self.p), (i, j), (kinds[first], kinds[second]), self.p)

    def _row(self, number: int) -> tuple[NDArray[Any], int]:
        block = next(b for b in self._blocks if b.numbers[0] <= number <= b.numbers[-1])
        at = number - int(block.numbers[0])
        return block.rows[at], int(block.codes[at])


@dataclass(frozen=True)
class SeparationGrowth:
    """Separation of the first rows, for growing numbers of rows; None where they have one label."""

    sizes: tuple[int, ...]
    separations: tuple[Separation | None, ...]

    def table(self) -> Table:
        """Rows, their separation, and the pair that has it."""
        return Table(("rows", "separation", "first", "second"), tuple(map(_line, self.sizes, self.separations)))

    def plot(self, *, side: float | None = None, ax: Axes | None = None) -> Axes:
        """Separation against the number of rows, with the side of a cell that must stay below it."""
        axes = ax or new_axes(4.8, 3.4)
        shown = [(n, float(s)) for n, s in zip(self.sizes, self.separations, strict=True) if s is not None]
        axes.step(
            *np.array(shown).T.reshape(2, -1), where="post", color=BLUE, lw=1.8, marker="o", ms=3, label="separation"
        )
        if side is not None:
            axes.axhline(side, color=RED, lw=1.2, ls="--", label=f"side {side:g}")
            axes.legend(frameon=False, fontsize=8)
        axes.set(xlabel="rows", ylabel="smallest distance between labels", xscale="log")
        if all(value > 0 for _, value in shown):
            axes.set_yscale("log")
        return open_frame(axes)


def separation_growth(
    X: ArrayLike,
    y: ArrayLike,
    sizes: Iterable[int] | None = None,
    *,
    p: float = np.inf,
    seed: int | None = None,
) -> SeparationGrowth:
    """The separation of the first rows, for each of the sizes, in one pass.

    Rows count in their own order, or shuffled where a ``seed`` is given. Sizes grow by a quarter where none are stated.
    """
    where = "separation_growth"
    rows, labels = compact_rows(X, where=where, name="X"), as_labels(y, where=where)
    validate.same_length(where, X=rows, y=labels)
    steps = _sizes(sizes, len(rows), where)
    order = np.arange(len(rows))
    if seed is not None:
        np.random.default_rng(validate.seed(seed, where=where)).shuffle(order)
    running = RunningSeparation(p=p)
    found: list[Separation | None] = []
    for start, stop in zip((0, *steps[:-1]), steps, strict=True):
        now = running.update(rows[order[start:stop]], labels[order[start:stop]])
        found.append(None if now is None else _renumbered(now, order))
    return SeparationGrowth(steps, tuple(found))


def _sizes(sizes: Iterable[int] | None, rows: int, where: str) -> tuple[int, ...]:
    if sizes is None:
        count = max(1, int(np.log(max(rows / FIRST_SIZE, 1)) / np.log(GROWTH)))
        return tuple(np.unique(np.geomspace(min(FIRST_SIZE, rows), rows, count + 1).round().astype(int)).tolist())
    chosen = sorted({validate.count(size, where=where, name="size", at_least=1) for size in sizes})
    if not chosen or chosen[-1] > rows:
        raise InvalidInput(
            "sizes must lie between 1 and the number of rows", where=where, found=f"{chosen[-1:]} of {rows}"
        )
    return tuple(chosen)


def _renumbered(found: Separation, order: NDArray[np.int64]) -> Separation:
    (i, first), (j, second) = sorted(zip((int(order[k]) for k in found.pair), found.labels, strict=True))
    return Separation(float(found), (i, j), (first, second), found.p)


def _line(size: int, found: Separation | None) -> tuple[Any, ...]:
    return (size, None, None, None) if found is None else (size, float(found), *found.pair)
