"""Which inputs to label next: how many labels each stratum of each component gets, and which rows.

Inside a component the numbers rest on what the model says of its inputs and on how many labels there are, never on
outcomes. Otherwise a stratum that was lucky so far would get fewer labels, its luck would stay in the estimate, and the
failure probability would come out too low (by 5 to 40% in our measurements: docs/labels.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.failure_probability import upper_limit
from surefoot.hazards.labels.strata import Tally, write_sheet

MOST_STEPS = 2000
DEFENSIVE = 0.1
"""Share of the expected risk that is spread evenly: the model may be sure and wrong (Hesterberg 1995)."""
FEWEST_FAILURES = 5.0
"""Expected among all labels at least: with fewer, no way to spend labels differs much from another."""
LARGEST_RATE = 0.9
Marks = NDArray[np.uint64]
TopEvent = Callable[[Mapping[str, float]], float]


def plan_labels(
    asked: Sequence[LabelRequest], *, labels: int, level: float = 0.95, seed: int = 0, top: TopEvent | None = None
) -> LabelPlan:
    """Spend a number of labels where they tighten the top event most.

    Inside a failure probability labels go to the stratum whose next label lowers the expected upper limit most; among
    several, to where the limit times ``weight`` falls most.

    Parameters
    ----------
    asked
        The failure probabilities that labels would tighten.
    labels
        How many there are to spend.
    level
        Of the limits.
    seed
        Of the rows that are drawn.
    top
        Gives the top event from bounds by name.

    Returns
    -------
    LabelPlan
        Rows to label, how they share among strata, and what they promise.

    References
    ----------
    Neyman (1934), JRSS 97(4), which it comes close to where failures are many; Dong et al. (2023), RAM, Figure 4.

    Examples
    --------
    >>> import numpy as np
    >>> stratum = np.repeat([0, 1], [20, 80])
    >>> tally = Tally(("doubtful", "sure"), np.array([0.2, 0.8]), np.zeros(2), np.zeros(2), np.zeros(2), seen=100)
    >>> request = LabelRequest("counted.failure probability", "grader", "operation", "ab12", tally,
    ...                        failing=np.array([0.3, 0.02]), counting=np.ones(2), stratum=stratum,
    ...                        free=np.ones(100, bool), answers=np.zeros(100, int), scores=np.ones(100),
    ...                        classes=("owl",))
    >>> plan = plan_labels([request], labels=10)
    >>> [row[-1] for row in plan.table().rows]
    [3, 7]

    """
    labels = validate.count(labels, where="plan_labels", name="labels", at_least=1)
    level = validate.level(level, where="plan_labels")
    paths = [_path(each, labels, level) for each in asked]
    values = [_values(each, route, level) for each, route in zip(asked, paths, strict=True)]
    numbers = shared(values, labels)
    seeds = np.random.SeedSequence(validate.seed(seed, where="plan_labels")).spawn(len(asked))
    parts = []
    for each, route, number, stream in zip(asked, paths, numbers, seeds, strict=True):
        added = np.bincount(route[:number], minlength=len(each.tally.names))
        chosen = drawn(each.stratum, each.free, added.tolist(), stream)
        parts.append(Part(each, added, chosen, Outlook.of(each.tally, added, _after(each), each.bound, level)))
    return LabelPlan(tuple(parts), level, None if top is None else _top(parts, top), tuple(_in_vain(parts)))


@dataclass(frozen=True, eq=False)
class LabelRequest:
    """A failure probability that labels would tighten: what is known of it, and the operational rows to choose from.

    Parameters
    ----------
    name
        What the result is called, such as ``counted.failure probability``.
    component, data, digest
        Whose inputs they are, and in which data.
    tally
        The labels so far.
    failing, counting
        Share of each stratum's rows that count and fail, and that count, as the model itself forecasts it.
    stratum, free
        The stratum of each operational row, and whether it has no label yet.
    answers, scores
        The number of the class that is the answer to each operational row, and its score.
    classes
        Their names.
    identifiers
        How people call each operational row.
    marks
        A fingerprint of each row's input.
    weight
        By how much the top event rises with the failure probability.
    bound
        The upper bound that an assessment found.

    See Also
    --------
    plan_labels

    """

    name: str
    """What the result is called, such as ``counted.failure probability``."""
    component: str
    data: str
    digest: str
    tally: Tally
    failing: FloatArray
    """Share of each stratum's rows that count and fail, as the model itself forecasts it."""
    counting: FloatArray
    """Share of each stratum's rows that count, as the model forecasts it."""
    stratum: NDArray[np.intp]
    """The stratum of each operational row."""
    free: NDArray[np.bool_]
    """Which operational rows have no label yet."""
    answers: NDArray[np.intp]
    scores: NDArray[np.floating]
    """The number of the class that is the answer to each operational row, and its score."""
    classes: tuple[str, ...]
    identifiers: NDArray[Any] | None = None
    """How people call each operational row."""
    marks: Marks | None = None
    weight: float = 1.0
    """By how much the top event rises with the failure probability."""
    bound: float | None = None
    """The upper bound that an assessment found."""

    @property
    def title(self) -> str:
        """The step that gives the result, as tables call it."""
        return self.name.partition(".")[0]

    @property
    def room(self) -> NDArray[np.int64]:
        """Rows of each stratum that could be labelled."""
        return np.bincount(self.stratum[self.free], minlength=len(self.tally.names))


def marks(inputs: NDArray[Any], kind: np.dtype[Any]) -> Marks:
    """A fingerprint of each input: equal inputs have the same one; numbers are compared as ``kind``."""
    numeric = kind.kind in "biufc"
    found = (blake2b(_content(row, kind if numeric else None), digest_size=8).digest() for row in inputs)
    return np.frombuffer(b"".join(found), dtype=np.uint64)


def _content(row: Any, kind: np.dtype[Any] | None) -> bytes:
    if kind is None:
        return repr(row.tolist() if isinstance(row, np.ndarray) else row).encode()
    # Adding 0 makes -0.0, which equals 0.0, the same bytes.
    return (np.asarray(row, dtype=kind) + kind.type(0)).tobytes()


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """Rows to label, how they share among strata, and what they promise.

    Parameters
    ----------
    parts
        One for each failure probability.
    level
        Of the limits.
    top
        The top event with all bounds as they are, and as they are expected to be.
    notes
        What is not expected to get better.

    See Also
    --------
    plan_labels

    """

    parts: tuple[Part, ...]
    level: float
    top: tuple[float, float] | None = None
    """The top event with all bounds as they are, and as they are expected to be."""
    notes: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> tuple[PlannedRow, ...]:
        """All rows to label."""
        return tuple(row for part in self.parts for row in part.rows)

    def table(self) -> Table:
        """Strata with their labels so far and to add."""
        head = ("step", "stratum", "share of operation", "labelled so far", "failures", "labels to add")
        return Table(head, tuple(line for part in self.parts for line in _strata(part)))

    def outlook(self) -> Table:
        """What the labels promise for each step, and for the top event."""
        head = ("step", "labels to add", "bound today", "expected then", "with as many labels at random")
        rows: list[tuple[Any, ...]] = [(p.asked.title, int(p.added.sum()), *p.outlook.figures) for p in self.parts]
        if self.top is not None:
            rows.append(
                ("top event, these at their bounds", sum(int(p.added.sum()) for p in self.parts), *self.top, None)
            )
        return Table(head, tuple(rows))

    def write(self, path: str | Path) -> None:
        """Write the sheet to fill in, as CSV."""
        write_sheet(self.rows, path)


@dataclass(frozen=True, eq=False)
class Part:
    """The labels of one failure probability."""

    asked: LabelRequest
    added: NDArray[np.int64]
    chosen: NDArray[np.intp]
    outlook: Outlook

    @cached_property
    def rows(self) -> tuple[PlannedRow, ...]:
        """The rows to label, in the order of the data."""
        return tuple(self._row(row) for row in self.chosen.tolist())

    def _row(self, row: int) -> PlannedRow:
        asked, stratum = self.asked, int(self.asked.stratum[row])
        return PlannedRow(
            asked.component,
            asked.data,
            asked.digest,
            row,
            asked.classes[asked.answers[row]],
            float(asked.scores[row]),
            asked.tally.names[stratum],
            float(asked.tally.shares[stratum]),
            "" if asked.identifiers is None else str(asked.identifiers[row]),
            self._first_of.get(row),
        )

    @cached_property
    def _first_of(self) -> dict[int, int]:
        """For rows that repeat an input: the first row that is chosen with it."""
        if self.asked.marks is None:
            return {}
        _, first, which = np.unique(self.asked.marks[self.chosen], return_index=True, return_inverse=True)
        firsts = self.chosen[first[which]]
        return {int(row): int(same) for row, same in zip(self.chosen, firsts, strict=True) if row != same}


@dataclass(frozen=True)
class Outlook:
    """Upper bounds: today's, the one expected after the labels, and the exact one after as many labels at random."""

    today: float
    then: float
    at_random: float

    @classmethod
    def of(
        cls, tally: Tally, added: NDArray[np.int64], expected: Expected, bound: float | None, level: float
    ) -> Outlook:
        """``bound`` is today's where an assessment found one."""
        then = upper_limit(tally.with_labels(added.astype(float), expected.failing, expected.counting), level)
        trials = float(tally.trials.sum() + added.sum()) * expected.counted
        failures = trials * expected.risk
        at_random = float(special.betaincinv(failures + 1, max(trials - failures, 1e-9), level))
        return cls(upper_limit(tally, level) if bound is None else bound, then, at_random)

    @property
    def figures(self) -> tuple[float, float, float]:
        """As a line of a table shows them."""
        return self.today, self.then, self.at_random


@dataclass(frozen=True, eq=False)
class Expected:
    """Shares of operation, and how probably a label in each stratum counts and fails, and how probably it counts."""

    shares: FloatArray
    failing: FloatArray
    counting: FloatArray

    @classmethod
    def before_outcomes(cls, shares: FloatArray, failing: FloatArray, counting: FloatArray, labels: float) -> Expected:
        """From the model's own forecasts for strata of these shares, when there will be so many labels in all."""
        mean = max(float(shares @ failing), 1e-12)
        level = max(mean, FEWEST_FAILURES / max(labels, FEWEST_FAILURES))
        mixed = ((1 - DEFENSIVE) * failing / mean + DEFENSIVE) * level
        rates = np.minimum(mixed, LARGEST_RATE)
        return cls(shares, rates, np.maximum(counting, rates))

    @property
    def counted(self) -> float:
        """Share of operation that counts."""
        return float(self.shares @ self.counting)

    @property
    def risk(self) -> float:
        """The expected failure probability."""
        return float(self.shares @ self.failing) / self.counted

    def variances(self) -> FloatArray:
        """Variance that one label of each stratum brings into the failure probability (ratio estimator)."""
        risk, passing = self.risk, self.counting - self.failing
        squares = (1 - risk) ** 2 * self.failing + risk**2 * passing
        return np.asarray(squares - ((1 - risk) * self.failing - risk * passing) ** 2)

    def limits(self, trials: FloatArray, level: float) -> FloatArray:
        """About the upper limit with so many labels in the strata (last axis): mean, half counts, deviation."""
        sizes = self.shares / np.maximum(trials, 0.5)
        half = (sizes.sum(axis=-1) + sizes.max(axis=-1)) / 2
        spread = (sizes**2 * (np.maximum(trials, 0.5) * self.variances() + 0.5)).sum(axis=-1)
        return np.asarray(self.risk + (half + special.ndtri(level) * np.sqrt(spread)) / self.counted)


@dataclass(frozen=True)
class PlannedRow:
    """One operational row to label.

    Parameters
    ----------
    component, data, digest, row
        Whose input it is, in which data and where.
    answer, score
        What the model answers, and how sure it is.
    stratum, share
        What it was drawn from, and that stratum's share of operation.
    identifier
        How people call it.
    same_as
        A row above that is the same input, and so has the same label.

    See Also
    --------
    plan_labels

    """

    component: str
    data: str
    digest: str
    row: int
    answer: str
    score: float
    stratum: str
    share: float
    identifier: str = ""
    same_as: int | None = None
    """A row above that is the same input, and so has the same label."""


def _strata(part: Part) -> list[tuple[Any, ...]]:
    tally = part.asked.tally
    counts = zip(tally.names, tally.shares, tally.trials, tally.failures, part.added, strict=True)
    return [(part.asked.title, name, float(w), int(n), int(k), int(add)) for name, w, n, k, add in counts]


def path(
    expected: Expected, trials: FloatArray, room: NDArray[np.int64], labels: int, level: float
) -> NDArray[np.intp]:
    """The stratum of each further label, best first; ends early where no unlabelled rows are left."""
    step = -(-labels // MOST_STEPS)
    now, left = trials.astype(float), room.copy()
    chosen: list[int] = []
    while len(chosen) < labels and left.any():
        size = min(step, labels - len(chosen))
        after = expected.limits(now + size * np.eye(now.size), level)
        stratum = int(np.where(left > 0, after, np.inf).argmin())
        size = min(size, int(left[stratum]))
        now[stratum] += size
        left[stratum] -= size
        chosen += [stratum] * size
    return np.array(chosen, dtype=np.intp)


def _path(asked: LabelRequest, labels: int, level: float) -> NDArray[np.intp]:
    tally = asked.tally
    total = float(tally.trials.sum()) + labels
    expected = Expected.before_outcomes(tally.shares, asked.failing, asked.counting, total)
    return path(expected, tally.trials, asked.room, labels, level)


def _values(asked: LabelRequest, route: NDArray[np.intp], level: float) -> FloatArray:
    """What is left of the top event after each label, as far as this failure probability goes."""
    steps = np.zeros((route.size + 1, len(asked.tally.names)))
    steps[np.arange(1, route.size + 1), route] = 1
    trials = asked.tally.trials + np.cumsum(steps, axis=0)
    return abs(asked.weight) * _after(asked).limits(trials, level)


def _after(asked: LabelRequest) -> Expected:
    """What is expected of a label now that outcomes are known; the model's forecasts weigh as much as two labels."""
    tally = asked.tally
    forecast = Expected.before_outcomes(tally.shares, asked.failing, asked.counting, float(tally.trials.sum()))
    factor = (tally.failures.sum() + 0.5) / (float(tally.trials @ forecast.failing) + 0.5)
    prior = np.minimum(factor * forecast.failing, 0.9)
    failing = (tally.failures + 2 * prior) / (tally.trials + 2)
    counting = (tally.counted + 2 * np.maximum(forecast.counting, prior)) / (tally.trials + 2)
    return Expected(tally.shares, failing, np.minimum(np.maximum(counting, failing), 1.0))


def shared(values: Sequence[FloatArray], labels: int) -> list[int]:
    """How many labels each component gets, when ``values[c][j]`` is what is left of the top event after j labels.

    The greatest convex minorant of each curve falls ever more slowly, so that taking the steepest steps first is best.
    """
    slopes = [_slopes(curve) for curve in values]
    owner = np.repeat(np.arange(len(slopes)), [each.size for each in slopes])
    steepest = np.argsort(np.concatenate(slopes), kind="stable")[:labels]
    return np.bincount(owner[steepest], minlength=len(slopes)).tolist()


def _slopes(curve: FloatArray) -> FloatArray:
    """Slopes of the greatest convex minorant, one for each step; they rise."""
    corners = [0]
    for place in range(1, curve.size):
        while len(corners) > 1 and _slope(curve, corners[-2], corners[-1]) >= _slope(curve, corners[-1], place):
            corners.pop()
        corners.append(place)
    pairs = list(pairwise(corners))
    slopes = [_slope(curve, start, end) for start, end in pairs]
    return np.repeat(np.asarray(slopes, dtype=float), [end - start for start, end in pairs])


def _slope(curve: FloatArray, start: int, end: int) -> float:
    return float(curve[end] - curve[start]) / (end - start)


def drawn(
    stratum: NDArray[np.intp], free: NDArray[np.bool_], numbers: Sequence[int], seed: np.random.SeedSequence
) -> NDArray[np.intp]:
    """Rows chosen by chance among the free ones of each stratum, all equally likely, none twice; in their order."""
    streams = seed.spawn(len(numbers))
    chosen = [
        np.random.default_rng(stream).choice(np.flatnonzero(free & (stratum == place)), size=number, replace=False)
        for place, (number, stream) in enumerate(zip(numbers, streams, strict=True))
    ]
    return np.sort(np.concatenate(chosen)).astype(np.intp)


def _top(parts: Sequence[Part], top: TopEvent) -> tuple[float, float]:
    before = {part.asked.name: part.outlook.today for part in parts}
    return top(before), top({part.asked.name: min(part.outlook.then, before[part.asked.name]) for part in parts})


def _in_vain(parts: Sequence[Part]) -> Iterator[str]:
    """What is not expected to get better, which a larger number alone would leave to the reader."""
    for part in parts:
        before, then = part.outlook.today, part.outlook.then
        if part.added.sum() and then >= before:
            yield (
                f"{part.asked.title}: these labels are not expected to lower the bound, which is {before:.4g} today "
                f"and about {then:.4g} then: they are too few, or the method of today's bound gives a lower one."
            )


def labelled_before(operation: Marks, labelled: Marks) -> NDArray[np.bool_]:
    """Operational rows that already have a label: for each labelled row, one that equals it.

    Further copies stay, because operation brings such inputs so often.
    """
    names, which, counts = np.unique(operation, return_inverse=True, return_counts=True)
    found = np.searchsorted(names, labelled)
    known = found[names[np.minimum(found, names.size - 1)] == labelled]
    used = np.minimum(np.bincount(known, minlength=names.size), counts)
    order = np.argsort(which, kind="stable")
    rank = np.empty(which.size, dtype=np.int64)
    rank[order] = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(rank < used[which])
