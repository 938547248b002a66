"""How far apart rows of different labels are, and whether cells and balls are smaller than that."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Check, InvalidInput, Undefined, validate
from surefoot.profile.blockwise import SAFE, distance
from surefoot.profile.closest import Labelled, Pair, closest_within
from surefoot.profile.rows import as_labels, compact_rows

WHERE = "separation"
RANKED_ROWS = 2000


class Separation(float):
    """The smallest distance between rows of different labels: a number that knows where it comes from."""

    pair: tuple[int, int]
    """The two rows, by their numbers."""
    labels: tuple[Any, Any]
    """Their labels."""
    p: float
    """The norm."""

    def __new__(cls, value: float, pair: tuple[int, int], labels: tuple[Any, Any], p: float) -> Self:
        """A distance with its two rows, their labels and the norm."""
        self = super().__new__(cls, value)
        self.pair, self.labels, self.p = pair, labels, p
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.pair, self.labels, self.p


def separation(X: ArrayLike, y: ArrayLike, *, p: float = np.inf) -> Separation:
    """The smallest distance in Lp between rows with different labels: 2r of Remark 3 of RAM.

    It is found by k-d trees (Bentley, 1975) where features are few. Beyond, all pairs are compared in blocks: in L2 by
    matrix products, in other norms with the features of largest variance first, which rule most pairs out.
    Memory stays bounded by a few copies of the data; whole numbers of one or two bytes keep their type.
    """
    p = checked_norm(p, where=WHERE)
    rows, labels = compact_rows(X, where=WHERE, name="X"), as_labels(y, where=WHERE)
    validate.same_length(WHERE, X=rows, y=labels)
    kinds, codes = np.unique(labels, return_inverse=True)
    if kinds.size < 2:
        raise Undefined(
            "one label has no distance to another",
            where=WHERE,
            found=f"{len(rows):,} rows, all labelled {kinds.tolist()[0]!r}",
            remedy="Give rows of at least two labels.",
        )
    scaled = in_units(rows, unit_of(rows))
    best = closest_within(
        Labelled(scaled[:, telling_features(scaled)], codes.astype(np.int64), np.arange(len(rows))), p, Pair()
    )
    i, j = sorted((best.first, best.second))
    first, second = labels[[i, j]].tolist()
    return Separation(distance(rows[i], rows[j], p), (i, j), (first, second), p)


def side_check(side: ArrayLike, separation: float) -> Check:
    """Whether cells are small enough to hold one label: their largest side is below the separation in L-infinity."""
    sides = validate.numbers(side, where="side_check", name="side")
    return _size_check(float(sides.max()), separation, 1.0, what="side", where="side_check")


def radius_check(radius: float, separation: float) -> Check:
    """Whether balls are small enough to hold one label: their radius is below half the separation in their norm."""
    return _size_check(radius, separation, 0.5, what="radius", where="radius_check")


def checked_norm(p: float, *, where: str) -> float:
    """The p of an Lp norm."""
    if isinstance(p, bool) or not isinstance(p, int | float) or not p >= 1:
        raise InvalidInput(
            "p must be a number of at least 1", where=where, found=repr(p), remedy="Use numpy.inf, 2 or 1."
        )
    return float(p)


def telling_features(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Features by falling variance in some of the rows."""
    step = -(-len(rows) // RANKED_ROWS)
    return np.argsort(-rows[::step].astype(float).var(axis=0), kind="stable")


def unit_of(rows: NDArray[Any]) -> float:
    """A power of two by which very large or very small numbers are divided, else 1."""
    largest = max(abs(float(rows.max())), abs(float(rows.min())))
    if 1 / SAFE < largest < SAFE or largest == 0:
        return 1.0
    return float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000))


def in_units(rows: NDArray[Any], unit: float) -> NDArray[Any]:
    """Rows over the unit, not copied where it is 1."""
    return rows if unit == 1 else rows / unit


def _size_check(size: float, separation: float, share: float, *, what: str, where: str) -> Check:
    size = validate.positive(size, where=where, name=what)
    norm = getattr(separation, "p", None)
    if what == "side" and norm not in (None, np.inf):
        raise InvalidInput("cells need the separation in L-infinity", where=where, found=f"p = {norm:g}")
    gap = float(separation)
    if not gap >= 0:
        raise InvalidInput("separation must be at least 0", where=where, found=f"{gap:g}")
    allowed = share * gap
    small = size < allowed
    half = "" if share == 1 else "half "
    words = "below" if small else "not below"
    figures = {what: size, "separation": gap, "allowed": allowed}
    method = f"{what} {size:.4g} is {words} {half}the smallest distance between labels, {gap:.4g}"
    return Check("supported" if small else "contradicted", method, figures, size / allowed if allowed else np.inf)
