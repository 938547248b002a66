"""Streams of operational rows: a profile of one that forgets, the demands of a video, an alarm when it changes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray
from surefoot.drawing import BLUE, RED, new_axes, open_frame
from surefoot.profile.input_arrays import as_labels, as_rows
from surefoot.profile.kde.estimator import KDE
from surefoot.profile.weighting import effective_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


FEWEST_ROWS = 40
NEIGHBOURS = 5
MOST_AXES = 4
MOST_BINS = 1000
AT_ONCE = 128
MOST_SHOWN = 1024


class ChangeAlarm:
    """Watches a stream for a change of its distribution, with a false-alarm rate that holds over the whole stream.

    Half of the reference rows define scores: the distance to the nearest of them, and the principal axes. The other
    half are the first rows to rank. Each row of the stream is ranked among all rows before it, by conformal p-values,
    which are independent and uniform while rows are exchangeable; a gambler bets against that. Rows that depend on each
    other in time count as a change, too. Scores are counted in bins, so memory does not grow.

    Parameters
    ----------
    reference
        Rows from before, at least 40.
    alpha
        The chance that the alarm ever goes off without a change is at most this, by Ville's inequality and a union over
        the scores.
    seed
        Decides how reference rows are split and ties are broken.

    References
    ----------
    Vovk, Gammerman and Shafer (2022), "Algorithmic learning in a random world", part III.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> alarm = sf.profile.ChangeAlarm(rng.normal(size=(200, 2)))
    >>> alarm.update(rng.normal(size=(100, 2))).alarmed, alarm.update(rng.normal(3.0, size=(100, 2))).alarmed
    (False, True)

    """

    def __init__(self, reference: ArrayLike, *, alpha: float = 0.01, seed: int = 0) -> None:
        where = "ChangeAlarm"
        self.alpha = validate.fraction(alpha, where=where, name="alpha")
        self._rng = np.random.default_rng(validate.seed(seed, where=where))
        rows = as_rows(reference, where=where, name="reference", at_least=FEWEST_ROWS)
        shuffled = rows[self._rng.permutation(len(rows))]
        half = len(rows) // 2
        self._scores = _Scores(shuffled[:half])
        self._ranks = [_Ranks(column) for column in self._scores.own.T]
        for ranks, column in zip(self._ranks, self._scores(shuffled[half:]).T, strict=True):
            ranks.count(column)
        self._capital = [Capital() for _ in self._ranks]
        self._history: list[tuple[int, float]] = [(0, 0.0)]
        self._stride = 1
        self.state = AlarmState(1.0, alarmed=False, row=None, since=None, rows=0)

    def __repr__(self) -> str:
        state = f"alarmed at row {self.state.row:,}" if self.state.alarmed else "calm"
        return f"ChangeAlarm({state} after {self.state.rows:,} rows, alpha={self.alpha:g})"

    def update(self, batch: ArrayLike) -> AlarmState:
        """Take in rows, the oldest first.

        Parameters
        ----------
        batch
            Rows of the stream.

        Returns
        -------
        AlarmState
            What is known now.

        """
        rows = as_rows(batch, where="ChangeAlarm.update", name="batch", columns=self._scores.features)
        for start in range(0, len(rows), AT_ONCE):
            self._step(rows[start : start + AT_ONCE])
        return self.state

    def snapshot(self) -> dict[str, Any]:
        """What it learnt from the stream, as plain data; reference, level and seed are not part of it."""
        return {
            "state": asdict(self.state),
            "random": self._rng.bit_generator.state,
            "counts": [ranks.counts.tolist() for ranks in self._ranks],
            "capital": [capital.snapshot() for capital in self._capital],
            "history": [list(point) for point in self._history],
            "stride": self._stride,
        }

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told; the reference, the level and the seed must be the same."""
        with reading("change alarm"):
            for ranks, counts in zip(self._ranks, snapshot["counts"], strict=True):
                ranks.counts = np.array(counts, dtype=np.int64).reshape(ranks.counts.shape)
            for capital, told in zip(self._capital, snapshot["capital"], strict=True):
                capital.resume(told)
            self._history = [(int(row), float(log)) for row, log in snapshot["history"]]
            self._stride = int(snapshot["stride"])
            self._rng.bit_generator.state = dict(snapshot["random"])
            self.state = AlarmState(**snapshot["state"])

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Evidence against rows, with the level of the alarm."""
        axes = ax or new_axes(5.2, 3.2)
        rows, logs = np.array(self._history).T
        axes.plot(rows, logs / math.log(10), color=BLUE, lw=1.6, label="evidence of a change")
        axes.axhline(-math.log10(self.alpha), color=RED, lw=1.1, ls="--", label=f"alarm at 1/{self.alpha:g}")
        if self.state.row is not None:
            axes.axvline(self.state.row, color=RED, lw=1.1, label=f"alarm at row {self.state.row:,}")
        axes.set(xlabel="row of the stream", ylabel="log10 of evidence")
        axes.legend(frameon=False, fontsize=8, loc="upper left")
        return open_frame(axes)

    def _step(self, rows: FloatArray) -> None:
        scored = self._scores(rows)
        uniform = self._rng.random(scored.shape)
        logs = np.stack(
            [
                capital.play(ranks.p_values(column, ties))
                for capital, ranks, column, ties in zip(self._capital, self._ranks, scored.T, uniform.T, strict=True)
            ],
            axis=1,
        ) - math.log(len(self._capital))
        self._settle(logs)

    def _settle(self, logs: FloatArray) -> None:
        """Take over the evidence, one row of the stream a row, one score a column."""
        best, before = logs.max(axis=1), self.state
        row, since = before.row, before.since
        over = np.flatnonzero(best >= -math.log(self.alpha))
        if row is None and over.size:
            row = before.rows + int(over[0])
            since = min(self._capital[int(logs[over[0]].argmax())].since, row)
        self._show(before.rows, best)
        value = math.exp(min(float(best[-1]), 700.0))
        self.state = AlarmState(value, row is not None, row, since, before.rows + len(logs))

    def _show(self, start: int, best: FloatArray) -> None:
        at = np.arange(start, start + best.size)
        chosen = np.flatnonzero(at % self._stride == 0)
        self._history += [(int(at[i]) + 1, float(best[i])) for i in chosen]
        while len(self._history) > MOST_SHOWN:
            self._history, self._stride = self._history[::2], 2 * self._stride


@dataclass(frozen=True)
class AlarmState:
    """What the alarm knows after a batch.

    See Also
    --------
    ChangeAlarm.update : Gives one; ``ChangeAlarm`` has an example.

    """

    value: float
    """Evidence of a change: the chance to see this much or more in an endless stream without one is 1/value at most."""
    alarmed: bool
    row: int | None
    """Row of the stream at which the alarm went off, counted from 0."""
    since: int | None
    """Row at which the change seems to have come."""
    rows: int


class _Scores:
    """What of a row is ranked, all learnt from reference rows."""

    def __init__(self, rows: FloatArray) -> None:
        from scipy.spatial import cKDTree

        self.features = rows.shape[1]
        spread = rows.std(axis=0)
        self._centre, self._spread = rows.mean(axis=0), np.where(spread > 0, spread, 1.0)
        standard = (rows - self._centre) / self._spread
        self._axes = np.linalg.svd(standard, full_matrices=False)[2][:MOST_AXES]
        self._tree: Any = cKDTree(standard)
        self.own = self._of(standard, NEIGHBOURS + 1)
        """Scores of the reference rows, each left out of its own neighbours."""

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Distance to a near neighbour, and the places along the principal axes."""
        return self._of((rows - self._centre) / self._spread, NEIGHBOURS)

    def _of(self, standard: FloatArray, neighbours: int) -> FloatArray:
        far = self._tree.query(standard, k=[neighbours])[0]
        return np.concatenate([far, standard @ self._axes.T], axis=1)


class _Ranks:
    """Conformal p-values of one score among all that were counted, in bins between quantiles of other scores."""

    def __init__(self, scores: FloatArray) -> None:
        self._cuts = np.unique(np.quantile(scores, np.linspace(0, 1, min(MOST_BINS, scores.size) + 1)))
        self.counts = np.zeros(self._cuts.size + 1, dtype=np.int64)

    def count(self, scores: FloatArray) -> NDArray[np.int64]:
        """Count scores; the bin of each."""
        bins = np.searchsorted(self._cuts, scores)
        self.counts = self.counts + np.bincount(bins, minlength=self.counts.size)
        return bins

    def p_values(self, scores: FloatArray, ties: FloatArray) -> FloatArray:
        """Share of scores before each that are smaller, equal ones split at random; then they are counted."""
        before = self.counts
        bins = self.count(scores)
        earlier = np.tri(bins.size, k=-1, dtype=bool)
        smaller = (earlier & (bins[:, None] > bins)).sum(axis=1) + (np.cumsum(before) - before)[bins]
        equal = (earlier & (bins[:, None] == bins)).sum(axis=1) + before[bins] + 1
        total = before.sum() + np.arange(1, bins.size + 1)
        return np.asarray((smaller + ties * equal) / total)


# Capital of a gambler who bets that numbers stopped being uniform, at a time nobody knows.

LINEAR = (-1.9, -1.0, 1.0, 1.9)
CURVED = (-0.9, 1.8)
POWERS = (0.3, 0.6)
BETS = len(LINEAR) + len(CURVED) + 2 * len(POWERS)
SMALLEST = 1e-12


class Capital:
    """Log capital that starts at 0 and, while numbers are uniform, cannot grow on average.

    The capital is split over bets and over the rows at which the change may have come: a share of
    1/log(t - 1 + e) - 1/log(t + e) is put on row t, and is bet from then on. Shares fall slowly, so a long calm before
    the change costs little. The chance to reach 1/alpha in an endless calm is at most alpha (Ville, 1939). Mixtures
    over the time of change: Vovk, Petej, Nouretdinov et al. (2021), "Retrain or not retrain".
    """

    def __init__(self) -> None:
        self.rows = 0
        self._log = np.full(BETS, -np.inf)
        self._lowest, self._since = np.zeros(BETS), np.zeros(BETS, dtype=np.int64)
        self._sum = np.zeros(BETS)

    def play(self, p: FloatArray) -> FloatArray:
        """Log capital after each of the next numbers."""
        paid = log_bets(p)
        sums = np.cumsum(paid, axis=0)
        before = sums - paid
        rows = self.rows + np.arange(p.size, dtype=float)
        started = np.logaddexp.accumulate(np.vstack([self._log, log_share(rows)[:, None] - np.log(BETS) - before]))
        logs = sums + started[1:]
        self._remember(before)
        self._log, self._sum = logs[-1], self._sum + sums[-1]
        self.rows += p.size
        waiting = -np.log(np.log(rows + 1 + math.e))
        return np.asarray(np.logaddexp(np.logaddexp.reduce(logs, axis=1), waiting))

    @property
    def since(self) -> int:
        """The row from which the leading bet gained most."""
        return int(self._since[self._log.argmax()])

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        kept = {"log": self._log, "lowest": self._lowest, "since": self._since, "sum": self._sum}
        return {"rows": self.rows, **{name: values.tolist() for name, values in kept.items()}}

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        self.rows = int(snapshot["rows"])
        self._log, self._lowest, self._sum = (_of_bets(snapshot[name]) for name in ("log", "lowest", "sum"))
        self._since = _of_bets(snapshot["since"]).astype(np.int64)

    def _remember(self, before: FloatArray) -> None:
        at = before.argmin(axis=0)
        lowest = self._sum + before[at, np.arange(BETS)]
        lower = lowest < self._lowest
        self._since = np.where(lower, self.rows + at, self._since)
        self._lowest = np.where(lower, lowest, self._lowest)


def log_bets(p: FloatArray) -> FloatArray:
    """Logarithm of what each bet pays at each p, one bet a column; each has mean 1 over uniform p.

    Straight lines pay for values that moved up or down, parabolas for values that spread or crowd, and powers for
    values near one end.
    """
    p = np.clip(p, SMALLEST, 1 - SMALLEST)
    straight = [np.log1p(slope * (p - 0.5)) for slope in LINEAR]
    curved = [np.log1p(bend * (6 * p * p - 6 * p + 1)) for bend in CURVED]
    ends = [np.log(power) + (power - 1) * np.log(side) for power in POWERS for side in (p, 1 - p)]
    return np.stack([*straight, *curved, *ends], axis=1)


def _of_bets(values: Any) -> FloatArray:
    return np.array(values, dtype=float).reshape(BETS)


def log_share(rows: FloatArray) -> FloatArray:
    """Logarithm of 1/log(t - 1 + e) - 1/log(t + e), the share put on each row, counted from 0; all shares sum to 1."""
    start = rows + math.e
    return np.asarray(np.log(np.log1p(1 / start)) - np.log(np.log(start)) - np.log(np.log(start + 1)))
