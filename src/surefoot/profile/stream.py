"""Streams of operational rows: a profile of one that forgets (section 8.1 of RAM), and the demands of a video."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import as_labels, as_rows
from surefoot.profile.kde.estimator import KDE
from surefoot.profile.weighting import effective_rows


class StreamingProfile:
    """A kernel density of an endless stream, in bounded memory.

    At most ``most_points`` rows stay, sampled so that the weight of any region is unbiased for that of the whole
    stream, with a standard deviation of at most sqrt(share / (most_points - 1)). Pair it with a ``ChangeAlarm``, and
    start anew when that goes off.

    Parameters
    ----------
    bandwidth, kernel, boundary, domain
        As of ``KDE``.
    half_life
        The weight of a row halves every so many rows; without one nothing is forgotten.
    most_points
        Rows that are kept.
    seed
        Of which rows stay.

    References
    ----------
    RAM, section 8.1.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> stream = sf.profile.StreamingProfile(0.5, half_life=100, most_points=50)
    >>> stream.update(np.random.default_rng(0).normal(size=(1000, 1))).profile().points.shape
    (50, 1)

    """

    def __init__(
        self,
        bandwidth: Any,
        *,
        kernel: str = "gaussian",
        half_life: float | None = None,
        most_points: int = 5000,
        boundary: Any = None,
        domain: Any = None,
        seed: int = 0,
    ) -> None:
        where = "StreamingProfile"
        self.half_life = math.inf if half_life is None else validate.positive(half_life, where=where, name="half_life")
        self.most_points = validate.count(most_points, where=where, name="most_points", at_least=2)
        self._kde = KDE(bandwidth, kernel, boundary=boundary, domain=domain)
        self._reservoir = Reservoir(self.most_points, self.half_life, validate.seed(seed, where=where))
        self._features: int | None = None

    def __repr__(self) -> str:
        return f"StreamingProfile({self.rows:,} rows, half_life={self.half_life:g}, most_points={self.most_points:,})"

    @property
    def rows(self) -> int:
        """Rows seen so far."""
        return self._reservoir.seen

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted rows worth as much as those that stayed."""
        return effective_rows(self._sample()[1])

    def update(self, batch: ArrayLike) -> Self:
        """Take in rows, the oldest first."""
        rows = as_rows(batch, where="StreamingProfile.update", name="batch", columns=self._features)
        self._features = rows.shape[1]
        self._reservoir.add(rows)
        return self

    def profile(self) -> KDE:
        """The profile of what was seen, as it is now."""
        points, weights = self._sample()
        return self._kde.fit(points, weights=weights)

    def _sample(self) -> tuple[FloatArray, FloatArray]:
        if not self.rows:
            raise Undefined("no rows were seen yet", where="StreamingProfile", remedy="Call update first.")
        return self._reservoir.sample()


# A bounded sample of an endless stream in which older rows count less.


class Reservoir:
    """At most ``most`` rows of a stream whose rows lose half of their weight every ``half_life`` rows.

    Bottom-k sampling with exponential ranks (Cohen and Kaplan, 2007): each row draws E / w with E exponential, the
    rows with the smallest ranks stay, and a row's weight is divided by the probability that its rank lies below the
    first that did not stay. The weighted sum of any function over the sample is then unbiased for that over the whole
    stream. The weight of any set of rows, over that of the whole stream, has a standard deviation of at most
    sqrt(share / (most - 1)). As all weights fade alike, the order of ranks never changes.
    """

    def __init__(self, most: int, half_life: float, seed: int) -> None:
        self.most, self.decay = most, math.log(2) / half_life
        self.seen = 0
        self._rng = np.random.default_rng(seed)
        self._rows: FloatArray | None = None
        self._born = np.empty(0, dtype=np.int64)
        self._marks = np.empty(0)

    def add(self, rows: FloatArray) -> None:
        """Take in rows, the oldest first."""
        born = np.arange(self.seen, self.seen + len(rows))
        marks = np.log(self._rng.standard_exponential(len(rows)))
        self.seen += len(rows)
        self._rows = rows.copy() if self._rows is None else np.concatenate([self._rows, rows])
        self._born, self._marks = np.concatenate([self._born, born]), np.concatenate([self._marks, marks])
        if self._born.size > self.most + 1:
            self._keep(np.argpartition(self._log_ranks(), self.most)[: self.most + 1])

    def sample(self) -> tuple[FloatArray, FloatArray]:
        """The rows that stayed, the oldest first, with their weights; a row that just came has weight 1 or more."""
        assert self._rows is not None
        weights = np.exp(-self.decay * self._ages())
        if self._born.size <= self.most:
            return self._rows, weights
        ranks = self._log_ranks()
        last = int(ranks.argmax())
        stayed = np.arange(ranks.size) != last
        return self._rows[stayed], _adjusted(-self.decay * self._ages()[stayed], float(ranks[last]))

    def _ages(self) -> FloatArray:
        return (self.seen - 1 - self._born).astype(float)

    def _log_ranks(self) -> FloatArray:
        return self._marks + self.decay * self._ages()

    def _keep(self, chosen: NDArray[np.int64]) -> None:
        chosen = np.sort(chosen)
        assert self._rows is not None
        self._rows, self._born, self._marks = self._rows[chosen], self._born[chosen], self._marks[chosen]


def _adjusted(log_weights: FloatArray, log_limit: float) -> FloatArray:
    """W / (1 - exp(-w t)), which is 1 / t for the smallest w."""
    products = np.exp(np.minimum(log_weights + log_limit, 700.0))
    shares = -np.expm1(-products)
    tiny = products < 1e-12
    return np.where(tiny, math.exp(-log_limit), np.exp(log_weights) / np.where(tiny, 1.0, shares))


# From frames of a video to demands: the frame at the birth of each object (section 5.1 of RAM).

WHERE = "demands"


def demands(
    frames: ArrayLike,
    objects: ArrayLike,
    *,
    sizes: ArrayLike | None = None,
    at_least: float | None = None,
    gap: int | None = None,
) -> NDArray[np.int64]:
    """Rows of a video's annotations that are inputs: the first in which an object is large enough.

    One row is one object in one frame. Frames of one object resemble each other, so only its "birth" counts, when it is
    first large enough. An object that is never large enough gives no input.

    Parameters
    ----------
    frames, objects
        Number of the frame, and name of the object, of each row.
    sizes, at_least
        Pixels of each row, and how many it needs.
    gap
        An object that was absent for more frames than this counts anew; None: never.

    Returns
    -------
    ndarray
        Numbers of rows, in the order of their frames.

    References
    ----------
    RAM, section 5.1.

    Examples
    --------
    >>> frames, objects = [1, 2, 3, 1, 2, 9], ["a", "a", "a", "b", "b", "b"]
    >>> demands(frames, objects).tolist()
    [0, 3]
    >>> demands(frames, objects, sizes=[5, 9, 9, 9, 9, 9], at_least=8, gap=3).tolist()
    [3, 1, 5]

    """
    times, names = _whole_numbers(frames), _numbered(objects)
    validate.same_length(WHERE, frames=times, objects=names)
    large = _large_enough(sizes, at_least, len(times))
    order = np.lexsort((times, names))
    _require_once(times, names, order)
    appearance = _appearances(times[order], names[order], gap)
    kept = order[large[order]]
    first = np.unique(appearance[large[order]], return_index=True)[1]
    births = kept[first]
    return np.asarray(births[np.lexsort((births, times[births]))])


def _appearances(times: NDArray[np.int64], names: NDArray[np.int64], gap: int | None) -> NDArray[np.int64]:
    """Number of the appearance of each row, sorted by object and frame."""
    starts = np.diff(names, prepend=-1) != 0
    if gap is not None:
        absent = np.diff(times, prepend=times[:1]) - 1
        starts |= absent > validate.count(gap, where=WHERE, name="gap")
    return np.cumsum(starts)


def _whole_numbers(frames: ArrayLike) -> NDArray[np.int64]:
    times = validate.vector(frames, where=WHERE, name="frames", at_least=0)
    odd = np.flatnonzero(times != np.floor(times))
    if odd.size:
        raise InvalidInput("frames must be whole numbers", where=WHERE, found=f"{times[odd[0]]:g} in row {odd[0]}")
    return times.astype(np.int64)


def _numbered(objects: ArrayLike) -> NDArray[np.int64]:
    return np.unique(as_labels(objects, where=WHERE, name="objects"), return_inverse=True)[1].astype(np.int64)


def _large_enough(sizes: ArrayLike | None, at_least: float | None, count: int) -> NDArray[np.bool_]:
    if (sizes is None) != (at_least is None):
        raise InvalidInput(
            "sizes and at_least belong together",
            where=WHERE,
            remedy="Give the pixels of each row and how many it needs.",
        )
    if sizes is None or at_least is None:
        return np.ones(count, dtype=bool)
    pixels = validate.vector(sizes, where=WHERE, name="sizes", at_least=0)
    validate.same_length(WHERE, sizes=pixels, frames=np.empty(count))
    return np.asarray(pixels >= validate.number(at_least, where=WHERE, name="at_least"))


def _require_once(times: NDArray[np.int64], names: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    again = np.flatnonzero((np.diff(times[order]) == 0) & (np.diff(names[order]) == 0))
    if again.size:
        rows = sorted(order[again[0] : again[0] + 2].tolist())
        raise InvalidInput(
            "an object must appear once in a frame",
            where=WHERE,
            found=f"frame {times[rows[0]]} in rows {rows[0]} and {rows[1]} ({again.size} such in all)",
            remedy="Leave the copies out, or give each object a name of its own.",
        )
