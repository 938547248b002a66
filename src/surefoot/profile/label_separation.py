"""How far apart rows of different labels are, and whether cells and balls are smaller than that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Check, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, RED, new_axes, open_frame
from surefoot.profile.input_arrays import as_labels, compact_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHERE = "separation"
RANKED_ROWS = 2000


@validate.arguments
def separation(X: ArrayLike, y: ArrayLike, *, p: float = np.inf) -> Separation:
    """The smallest distance in Lp between rows with different labels.

    It is found by k-d trees (Bentley, 1975) where features are few. Beyond, all pairs are compared in blocks: in L2 by
    matrix products, in other norms with the features of largest variance first, which rule most pairs out.
    Memory stays bounded by a few copies of the data; whole numbers of one or two bytes keep their type.

    Parameters
    ----------
    X, y
        Rows and their labels.
    p
        Of the norm, at least 1.

    Returns
    -------
    Separation
        A number that knows the two rows.

    Raises
    ------
    Undefined
        Where all rows have one label.

    References
    ----------
    RAM, Remark 3: 2r.

    Examples
    --------
    >>> import surefoot as sf
    >>> found = sf.profile.separation([[0.0, 0.0], [0.25, 1.0], [0.5, 0.0]], ["a", "a", "b"])
    >>> found, found.pair, found.labels
    (0.5, (0, 2), ('a', 'b'))

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


class Separation(float):
    """The smallest distance between rows of different labels: a number that knows where it comes from.

    See Also
    --------
    separation : Gives one, with an example.

    """

    pair: tuple[int, int]
    """The two rows, by their numbers."""
    labels: tuple[Any, Any]
    """Their labels."""
    p: float
    """The norm."""

    def __new__(cls, value: float, pair: tuple[int, int], labels: tuple[Any, Any], p: float) -> Self:
        """A distance with its two rows, their labels and the norm."""
        self = super().__new__(cls, validate.number(value, where="Separation", name="value", finite=False))
        self.pair, self.labels, self.p = pair, labels, p
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.pair, self.labels, self.p


@validate.arguments
def side_check(side: ArrayLike, separation: float) -> Check:
    """Whether cells are small enough to hold one label: their largest side is below the separation in L-infinity.

    Parameters
    ----------
    side
        Sides of the cells.
    separation
        What ``separation`` found.

    Returns
    -------
    Check
        Supported or contradicted.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.profile.side_check(0.1, 0.25).status
    'supported'

    """
    sides = validate.numbers(side, where="side_check", name="side")
    return _size_check(float(sides.max()), separation, 1.0, what="side", where="side_check")


def radius_check(radius: float, separation: float) -> Check:
    """Whether balls are small enough to hold one label: their radius is below half the separation in their norm.

    Parameters
    ----------
    radius
        Of the balls.
    separation
        What ``separation`` found.

    Returns
    -------
    Check
        Supported or contradicted.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.profile.radius_check(0.2, 0.25).status
    'contradicted'

    """
    return _size_check(radius, separation, 0.5, what="radius", where="radius_check")


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


def checked_norm(p: float, *, where: str) -> float:
    """The p of an Lp norm."""
    if isinstance(p, bool) or not isinstance(p, int | float) or not p >= 1:
        raise InvalidInput(
            "p must be a number of at least 1", where=where, found=repr(p), remedy="Use numpy.inf, 2 or 1."
        )
    return float(validate.number(p, where=where, name="p", finite=False))


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


# How the separation shrinks as data arrive (section 8.1 of RAM).

FIRST_SIZE, GROWTH = 10, 1.25


class RunningSeparation:
    """The separation of all rows seen so far; rows come in batches of any size.

    New rows are compared with the old ones, never old with old. The old ones lie in blocks whose sizes grow by
    powers of two (Bentley and Saxe, 1980), so that each row is put into few trees.

    Parameters
    ----------
    p
        Of the norm, at least 1.

    Examples
    --------
    >>> import surefoot as sf
    >>> running = sf.profile.RunningSeparation()
    >>> running.update([[0.0], [1.0]], ["a", "b"]), running.update([[0.75]], ["a"])
    (1.0, 0.25)

    """

    @validate.arguments
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
        """Take in more rows; the separation of all, or None while there is one label only.

        Parameters
        ----------
        X, y
            Rows and their labels.

        Returns
        -------
        Separation or None
            Of all rows so far; None while there is one label only.

        """
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


@validate.arguments
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

    Parameters
    ----------
    X, y
        Rows and their labels.
    sizes
        Numbers of rows; they grow by a quarter where none are stated.
    p
        Of the norm, at least 1.
    seed
        Shuffles the rows; without one they count in their own order.

    Returns
    -------
    SeparationGrowth
        One separation for each size.

    Examples
    --------
    >>> import surefoot as sf
    >>> growth = sf.profile.separation_growth([[0.0], [1.0], [0.75]], ["a", "b", "a"], sizes=[2, 3])
    >>> growth.separations
    (1.0, 0.25)

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


@dataclass(frozen=True)
class SeparationGrowth:
    """Separation of the first rows, for growing numbers of rows; None where they have one label.

    See Also
    --------
    separation_growth : Gives one, with an example.

    """

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


# The closest two rows with different labels: by trees where features are few, block by block otherwise.
#
# Labels are numbered. Two numbers differ in at least one bit, so the closest pair is the closest of those found
# for each bit, between the rows that have it and the rows that do not: as many pairs of sets as a label has bits.

MOST_TREE_FEATURES = 16
MOST_TREE_FEATURES_MAXIMUM_NORM = 24
"""Measured on 20,000 normal rows; blocks are faster beyond."""
QUERIES = 4096
BLOCK = 1024
SAFE_BITS = 900
"""Powers with exponents up to this neither overflow nor vanish in double precision."""
LIKE_MAXIMUM = 1e15
"""From this p on, Lp and L-infinity are the same up to rounding."""
SMALLEST_UNIT = 1e-290


@dataclass(frozen=True)
class Pair:
    """Two rows by their numbers, and their distance."""

    distance: float = np.inf
    first: int = -1
    second: int = -1


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows with the numbers of their labels, and their own numbers in the data."""

    rows: NDArray[Any]
    codes: NDArray[np.int64]
    numbers: NDArray[np.int64]
    unit: float = 1.0
    """What the rows are divided by when distances are measured."""
    _trees: dict[tuple[int, int], Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def bits(self) -> int:
        """Bits of the largest label number."""
        return int(self.codes.max()).bit_length()

    def suits_trees(self, p: float) -> bool:
        """Whether rows have few features."""
        return self.rows.shape[1] <= (MOST_TREE_FEATURES_MAXIMUM_NORM if np.isinf(p) else MOST_TREE_FEATURES)

    def chosen(self, index: Any) -> Self:
        """Some of the rows."""
        return type(self)(self.rows[index], self.codes[index], self.numbers[index], self.unit)

    def measured_in(self, unit: float) -> Self:
        """The same rows in another unit."""
        return type(self)(self.rows, self.codes, self.numbers, unit)

    def floats(self, index: Any = slice(None)) -> FloatArray:
        """Some of the rows in their unit."""
        rows = self.rows[index].astype(float)
        return rows if self.unit == 1 else rows / self.unit

    def joined(self, other: Labelled) -> Self:
        """The rows of both."""
        return type(self)(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.numbers, other.numbers]),
            self.unit,
        )

    def where_bit(self, bit: int, value: int) -> NDArray[np.int64]:
        """Places of the rows whose label number has that bit."""
        return np.flatnonzero((self.codes >> bit) & 1 == value)

    def tree(self, bit: int, value: int) -> tuple[Any, NDArray[np.int64]] | None:
        """A tree over those rows, with their numbers; None where there are none."""
        if (bit, value) not in self._trees:
            from scipy.spatial import cKDTree

            at = self.where_bit(bit, value)
            found = (cKDTree(self.floats(at)), self.numbers[at]) if at.size else None
            self._trees[bit, value] = found
        return self._trees[bit, value]


def closest_within(data: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair of the data, or ``best`` where none is closer."""
    return _in_safe_powers(_within, (data,), p, best)


def closest_between(one: Labelled, other: Labelled, p: float, best: Pair) -> Pair:
    """The closest pair with one row of each, or ``best`` where none is closer."""
    return _in_safe_powers(_between, (one, other), p, best)


def _in_safe_powers(search: Callable[..., Pair], sets: tuple[Labelled, ...], p: float, best: Pair) -> Pair:
    """Search; once more, with the answer as unit, where its power p overflows or vanishes.

    The smallest distance lies between that in L-infinity and ``features ** (1 / p)`` times as much.
    """
    norm = p if p < LIKE_MAXIMUM else np.inf
    found = search(*sets, norm, best)
    if np.isinf(norm) or _is_safe(found.distance, norm):
        return found
    nearest = search(*sets, np.inf, Pair())
    if nearest.distance == 0 or np.isinf(nearest.distance):
        return nearest if nearest.distance < best.distance else best
    unit = max(nearest.distance * sets[0].rows.shape[1] ** (1 / norm), SMALLEST_UNIT)
    start = Pair(min(best.distance / unit, 2.0), best.first, best.second)
    again = search(*(data.measured_in(unit) for data in sets), norm, start)
    return best if again is start else Pair(again.distance * unit, again.first, again.second)


def _is_safe(distance: float, p: float) -> bool:
    return distance > 0 and abs(p * np.log2(distance)) < SAFE_BITS


def _within(data: Labelled, p: float, best: Pair) -> Pair:
    if data.suits_trees(p):
        for bit in range(data.bits):
            best = _asked(data, data, bit, 1, p, best)
        return best
    data = data.chosen(np.argsort(data.codes, kind="stable"))
    blocks = list(_blocks(data))
    return _over_blocks(((one, other) for i, one in enumerate(blocks) for other in blocks[i:]), p, best)


def _between(one: Labelled, other: Labelled, p: float, best: Pair) -> Pair:
    if one.suits_trees(p):
        for bit in range(max(one.bits, other.bits)):
            for value in (0, 1):
                best = _asked(one, other, bit, value, p, best)
        return best
    return _over_blocks(((a, b) for a in _blocks(one) for b in _blocks(other)), p, best)


def _asked(one: Labelled, other: Labelled, bit: int, value: int, p: float, best: Pair) -> Pair:
    """Rows of ``one`` with that value of the bit ask the rows of ``other`` that have not."""
    tree, asking = other.tree(bit, 1 - value), one.where_bit(bit, value)
    for start in range(0, asking.size if tree else 0, QUERIES):
        if best.distance == 0:
            return best
        part = asking[start : start + QUERIES]
        best = _nearest(one.floats(part), one.numbers[part], tree, p, best)
    return best


def _nearest(rows: NDArray[Any], numbers: NDArray[np.int64], tree: Any, p: float, best: Pair) -> Pair:
    distances, nearest = tree[0].query(rows, p=p, distance_upper_bound=best.distance)
    at = int(distances.argmin())
    if not distances[at] < best.distance:
        return best
    return Pair(float(distances[at]), int(numbers[at]), int(tree[1][nearest[at]]))


def _blocks(data: Labelled) -> Iterator[Labelled]:
    return (data.chosen(slice(start, start + BLOCK)) for start in range(0, len(data), BLOCK))


def _over_blocks(pairs: Iterator[tuple[Labelled, Labelled]], p: float, best: Pair) -> Pair:
    for one, other in pairs:
        if best.distance == 0:
            return best
        found = closest_in_block(one.floats(), other.floats(), _apart(one.codes, other.codes), p, best.distance)
        if found:
            best = Pair(found[0], int(one.numbers[found[1]]), int(other.numbers[found[2]]))
    return best


def _apart(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Which labels differ, None where all do."""
    if one.max() < other.min() or other.max() < one.min():
        return None
    return one[:, None] != other


# The closest rows of two blocks with many features, in any Lp.

FIRST_FEATURES = 16
DENSE = 0.1
GATHERED = 2**21
MANY = 2**16
SAFE = 1e15
"""Sums of squares of numbers up to this fit single precision."""
Found = tuple[float, int, int] | None


def closest_in_block(
    one: FloatArray, other: FloatArray, apart: NDArray[np.bool_] | None, p: float, limit: float
) -> Found:
    """The smallest distance below ``limit`` between rows that are ``apart``, with their places."""
    if apart is not None and not apart.any():
        return None
    if p == 2 and max(np.abs(one).max(), np.abs(other).max()) <= SAFE:
        return _by_product(one, other, apart, limit)
    with np.errstate(over="ignore"):  # a power that overflows is that of no closest pair
        return _by_stages(one, other, apart, p, limit)


def _by_product(a: FloatArray, b: FloatArray, apart: NDArray[np.bool_] | None, limit: float) -> Found:
    """Euclidean distances by one matrix product; pairs that rounding leaves in doubt are computed again."""
    centre = a.mean(axis=0)
    a, b = a - centre, b - centre
    near = _near(a.astype(np.float32), b.astype(np.float32), apart, limit)
    if near.size > MANY:
        near = _near(a, b, apart, limit)
    return _best(near, np.sqrt(_gathered(a, b, near, 2.0)), len(b), limit) if near.size else None


def _near(a: NDArray[Any], b: NDArray[Any], apart: NDArray[np.bool_] | None, limit: float) -> NDArray[np.int64]:
    """Pairs that may be the closest, and closer than the limit, as far as rounding lets one tell."""
    norms_a, norms_b = np.einsum("ij,ij->i", a, a), np.einsum("ij,ij->i", b, b)
    squares = a @ (-2 * b.T)
    squares += norms_a[:, None]
    squares += norms_b
    if apart is not None:
        squares[~apart] = np.inf
    doubt = 4 * a.shape[1] * float(np.finfo(a.dtype).eps) * float(norms_a.max() + norms_b.max())
    return np.flatnonzero(squares.ravel() <= min(float(squares.min()) + doubt, limit**2) + doubt)


def _by_stages(a: FloatArray, b: FloatArray, apart: NDArray[np.bool_] | None, p: float, limit: float) -> Found:
    """Few features first; a pair whose first features are too far apart is not looked at again."""
    ceiling = _power(limit, p)
    first, *others = _stages(a.shape[1])
    total = _all_powers(a[:, first], b[:, first], p).ravel()
    alive = np.flatnonzero(total < ceiling if apart is None else (total < ceiling) & apart.ravel())
    for part in others:
        if alive.size > DENSE * total.size:
            _add(total, slice(None), _all_powers(a[:, part], b[:, part], p).ravel(), p)
        else:
            _add(total, alive, _gathered(a[:, part], b[:, part], alive, p), p)
        alive = alive[total[alive] < ceiling]
    return _best(alive, _root(total[alive], p), len(b), limit) if alive.size else None


def _stages(features: int) -> Iterator[slice]:
    start, width = 0, FIRST_FEATURES
    while start < features:
        yield slice(start, start + width)
        start, width = start + width, 2 * width


def _add(total: FloatArray, at: Any, powers: FloatArray, p: float) -> None:
    total[at] = np.maximum(total[at], powers) if np.isinf(p) else total[at] + powers


def _all_powers(a: FloatArray, b: FloatArray, p: float) -> FloatArray:
    from scipy.spatial.distance import cdist

    if np.isinf(p):
        return np.asarray(cdist(a, b, "chebyshev"))
    return np.asarray(cdist(a, b, "cityblock") if p == 1 else cdist(a, b, "minkowski", p=p) ** p)


def _gathered(a: FloatArray, b: FloatArray, pairs: NDArray[np.int64], p: float) -> FloatArray:
    """Powers of distances of chosen pairs, a bounded number of them at a time."""
    powers = np.empty(pairs.size)
    step = max(1, GATHERED // a.shape[1])
    for start in range(0, pairs.size, step):
        i, j = np.divmod(pairs[start : start + step], len(b))
        gaps = np.abs(a[i] - b[j])
        powers[start : start + step] = gaps.max(axis=1) if np.isinf(p) else (gaps**p).sum(axis=1)
    return powers


def _best(pairs: NDArray[np.int64], distances: FloatArray, width: int, limit: float) -> Found:
    at = int(distances.argmin())
    if not distances[at] < limit:
        return None
    i, j = divmod(int(pairs[at]), width)
    return float(distances[at]), i, j


def _power(value: float, p: float) -> float:
    return value if np.isinf(p) else float(np.float64(value) ** p)


def _root(values: FloatArray, p: float) -> FloatArray:
    return values if np.isinf(p) else values ** (1 / p)


def distance(one: NDArray[Any], other: NDArray[Any], p: float) -> float:
    """Distance of two rows without overflow."""
    gaps = np.abs(one.astype(float) - other.astype(float))
    largest = float(gaps.max())
    if largest == 0 or np.isinf(p):
        return largest
    return largest * float(((gaps / largest) ** p).sum() ** (1 / p))
