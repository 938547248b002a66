"""The table of cells, and the grid that they are in."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.adapters.python_models import class_names
from surefoot.core import InvalidInput, Side, Table, validate
from surefoot.core.distributions import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import KINDS, VOTE, LocalRisk

MOST_SHOWN = 20
COLUMNS = ("source", "label", "points", "how", "trials", "mass", "risk", "contribution")


@dataclass(frozen=True, eq=False)
class Cells:
    """All cells of an assessment, one entry a cell in every column; cells are numbered in C order.

    See Also
    --------
    assess_cells

    """

    grid: Grid
    classes: tuple[str, ...]
    source: NDArray[np.uint8]
    """Where the label comes from, as a number into ``SOURCES``."""
    label: NDArray[np.int64]
    points: NDArray[np.int64]
    """Labelled points inside."""
    how: NDArray[np.uint8]
    """How the risk was found, as a number into ``KINDS``."""
    trials: NDArray[np.int64]
    shares: FloatArray
    """Share of each answer inside."""
    mass: FloatArray
    """Probability that the next input falls inside; sums to 1."""
    risk: FloatArray
    """Probability of a failure inside; 1 in cross-boundary cells."""

    @classmethod
    def of(
        cls,
        grid: Grid,
        classes: tuple[str, ...],
        labelled: CellLabels,
        local: LocalRisk,
        mass: FloatArray,
        undesired: NDArray[np.bool_],
    ) -> Cells:
        """Put together what labelling, estimator and profile found."""
        risk = local.risk(undesired)
        risk[labelled.source == CROSS_BOUNDARY] = 1.0
        return cls(
            grid,
            classes,
            labelled.source,
            local.labels,
            labelled.points,
            local.how,
            local.trials,
            local.shares,
            mass,
            risk,
        )

    def __len__(self) -> int:
        return len(self.grid)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name."""
        return np.asarray(getattr(self, validate.choice(column, COLUMNS, where="cells", name="column")))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def contribution(self) -> FloatArray:
        """What each cell adds to the failure probability."""
        return self.mass * self.risk

    @property
    def failures(self) -> FloatArray:
        """Failures among the sampled points of each cell."""
        return np.rint(np.where(self.source == CROSS_BOUNDARY, 0, self.risk) * self.trials)

    def evidence_kinds(self) -> Table:
        """Mass and risk by kind of evidence: what is known of the label, and how the risk was found."""
        total = max(float(self.contribution.sum()), np.finfo(float).tiny)
        rows = []
        for name, chosen in self._kinds():
            mass, part = float(self.mass[chosen].sum()), float(self.contribution[chosen].sum())
            rows.append((name, int(chosen.sum()), mass, part, part / total))
        return Table(("evidence", "cells", "share of operation", "failure probability", "share of it"), tuple(rows))

    def _kinds(self) -> list[tuple[str, NDArray[np.bool_]]]:
        cross = self.source == CROSS_BOUNDARY
        kinds = [(f"{SOURCES[CROSS_BOUNDARY]} cells, set to 1", cross)]
        for source in (1, ASKED, EMPTY):
            for how, word in enumerate(KINDS):
                chosen = (self.source == source) & (self.how == how)
                kinds.append((f"{SOURCES[source]} cells, {word}", chosen))
        return [(name, chosen) for name, chosen in kinds if chosen.any()]

    def share_resting_on(self, source: int) -> float:
        """Share of the failure probability in cells whose label has this source."""
        total = float(self.contribution.sum())
        return float(self.contribution[self.source == source].sum()) / total if total else 0.0

    @property
    def voted_mass(self) -> float:
        """Share of operation in cells labelled by vote."""
        return float(self.mass[self.source == EMPTY].sum())

    def sampled(self) -> NDArray[np.bool_]:
        """Cells whose risk was sampled."""
        return (self.trials > 0) & (self.source != CROSS_BOUNDARY)

    def sampling_variance(self, weights: FloatArray) -> float:
        """Variance that sampling inside cells gives to the weighted sum of their risks."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        return sampling_variance(weights[chosen], self.failures[chosen], self.trials[chosen])

    def sampling_reach(self, level: float) -> float:
        """How far sampling inside cells may have left their sum below the truth."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        parts = self.mass[chosen], self.failures[chosen], self.trials[chosen]
        return sampling_bound(*parts, level=level) - float((parts[0] * parts[1] / parts[2]).sum())

    def risk_limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit of the risk inside each cell; exact for each, not for all of them at once."""
        lower, upper = box_limits(self.failures, self.trials, level=level)
        chosen = self.sampled()
        return np.where(chosen, lower, self.risk), np.where(chosen, upper, self.risk)

    def leading(self, most: int = MOST_SHOWN) -> NDArray[np.int64]:
        """Numbers of the cells that add most to the failure probability, the largest first."""
        part = self.contribution
        count = min(most, int((part > 0).sum()))
        chosen = np.argpartition(-part, max(count - 1, 0))[:count] if count else np.empty(0, np.int64)
        return chosen[np.lexsort((chosen, -part[chosen]))]

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells that add most to the failure probability, with their place."""
        return self.table(self.leading(most))

    def table(self, chosen: NDArray[np.int64] | None = None) -> Table:
        """The chosen cells as a table for people; all of them where nothing is said."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        lower, upper = self.grid.corners(chosen)
        part = self.contribution
        rows = [
            (
                int(cell),
                *(f"{low:.6g} to {high:.6g}" for low, high in zip(lower[row], upper[row], strict=True)),
                SOURCES[self.source[cell]],
                "several" if self.source[cell] == CROSS_BOUNDARY else self.classes[self.label[cell]],
                "set to 1" if self.source[cell] == CROSS_BOUNDARY else KINDS[self.how[cell]],
                float(self.mass[cell]),
                float(self.risk[cell]),
                float(part[cell]),
            )
            for row, cell in enumerate(chosen)
        ]
        axes = tuple(f"feature {axis}" for axis in range(self.grid.dimensions))
        names = ("cell", *axes, "label from", "label", "risk", "mass", "risk inside", "contribution")
        return Table(names, tuple(rows))

    def by_pair(self) -> Table:
        """Probability of each wrong answer for each true label; cross-boundary cells are left out."""
        known = self.source != CROSS_BOUNDARY
        rows = []
        for truth, name in enumerate(self.classes):
            chosen = known & (self.label == truth)
            sums = self.mass[chosen] @ self.shares[chosen]
            rows += [(name, self.classes[a], float(p)) for a, p in enumerate(sums) if a != truth]
        return Table(("true label", "answer", "probability"), tuple(rows))


# How far a weighted sum of sampled risks may lie from the truth.
#
# Box i has weight w_i, risk p_i and k_i failures among n_i points; one failure moves the estimate sum(w_i k_i / n_i) by
# its step u_i = w_i / n_i. Numbers of points may depend on earlier points, not on those that are counted. Boxes without
# points are left out: their risk is known.

WHERE = "sampling error"


def sampling_bound(
    weights: ArrayLike, failures: ArrayLike, trials: ArrayLike, *, level: float, side: Side = "upper"
) -> float:
    """One-sided confidence limit of sum(w_i p_i).

    The gamma limits of Fay and Feuer (1997), Statistics in Medicine 16(7), for weighted sums of rare events, with the
    variance of binomial instead of Poisson counts. Without any failure the upper limit is max(u) ln(1 / alpha), which
    is a guarantee: sum(w_i p_i) <= max(u) sum(n_i p_i), and the probability of no failure, prod((1 - p_i)^n_i), is at
    most exp(-sum(n_i p_i)). With failures no proof is known, and simulations, theirs and ours, find it conservative.

    Where most points of a box fail, its successes are the rare events; limits of both kinds of box are joined as
    limits of a difference (Zou and Donner 2008, Statistics in Medicine 27(10)).
    """
    level = validate.level(level, where=WHERE)
    counted = _SampledBoxes.checked(weights, failures, trials)
    mostly = (2 * counted.failures > counted.trials) & (counted.trials > 1)
    rare, common = counted.chosen(~mostly), counted.chosen(mostly).of_successes()
    total = float(counted.weights.sum())
    near, far = (rare, common) if side == "upper" else (common, rare)
    reach = math.hypot(near.upper(level) - near.sum, far.sum - far.lower(level))
    estimate = counted.sum
    return min(estimate + reach, total) if side == "upper" else max(estimate - reach, 0.0)


def sampling_variance(weights: ArrayLike, failures: ArrayLike, trials: ArrayLike) -> float:
    """Variance of the estimate of sum(w_i p_i) from its sampling, above 0 while any box was sampled.

    The unbiased stratified estimate, and the square of the largest step, as if one more failure could have been found
    in the box where it counts most (Fay and Feuer 1997).
    """
    counted = _SampledBoxes.checked(weights, failures, trials)
    return counted.variance + counted.largest_step**2


def box_limits(failures: ArrayLike, trials: ArrayLike, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limit of the risk of each box, each at the level.

    Clopper and Pearson (1934), Biometrika 26(4). A box without points may have any risk.
    """
    level = validate.level(level, where=WHERE)
    k, n = _counts(failures, trials)
    lower = np.where(k > 0, beta_quantile(np.maximum(k, 1), n - k + 1, 1 - level), 0.0)
    upper = np.where(k < n, beta_quantile(k + 1, np.maximum(n - k, 1), level), 1.0)
    return lower, upper


@dataclass(frozen=True, eq=False)
class _SampledBoxes:
    """Boxes of one kind, all with points."""

    weights: FloatArray
    failures: FloatArray
    trials: FloatArray

    @classmethod
    def checked(cls, weights: ArrayLike, failures: ArrayLike, trials: ArrayLike) -> _SampledBoxes:
        w = validate.vector(weights, where=WHERE, name="weights", at_least=0)
        k, n = _counts(failures, trials)
        validate.same_length(WHERE, weights=w, failures=k, trials=n)
        if (w < 0).any():
            raise InvalidInput("weights must be at least 0", where=WHERE, found=f"{w.min():g}")
        return cls(w, k, n).chosen(n > 0)

    def chosen(self, boxes: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _SampledBoxes:
        return _SampledBoxes(self.weights[boxes], self.failures[boxes], self.trials[boxes])

    def of_successes(self) -> _SampledBoxes:
        return _SampledBoxes(self.weights, self.trials - self.failures, self.trials)

    @property
    def steps(self) -> FloatArray:
        return self.weights / self.trials

    @property
    def largest_step(self) -> float:
        return float(self.steps.max(initial=0.0))

    @property
    def sum(self) -> float:
        return float(self.steps @ self.failures)

    @property
    def variance(self) -> float:
        """Unbiased, but for single points, which say nothing about theirs: those count as Poisson events."""
        k, n = self.failures, self.trials
        return float(self.steps**2 @ np.where(n > 1, k * (n - k) / np.maximum(n - 1, 1), k))

    def upper(self, level: float) -> float:
        step = self.largest_step
        return _gamma_quantile(self.sum + step, self.variance + step**2, level)

    def lower(self, level: float) -> float:
        return _gamma_quantile(self.sum, float(self.steps**2 @ self.failures), 1 - level)


def _gamma_quantile(mean: float, variance: float, probability: float) -> float:
    if variance == 0 or mean == 0:
        return mean
    return float(special.gammaincinv(mean**2 / variance, probability)) * variance / mean


def _counts(failures: ArrayLike, trials: ArrayLike) -> tuple[FloatArray, FloatArray]:
    k = validate.vector(failures, where=WHERE, name="failures", at_least=0)
    n = validate.vector(trials, where=WHERE, name="trials", at_least=0)
    validate.same_length(WHERE, failures=k, trials=n)
    wrong = np.flatnonzero((k < 0) | (k > n))
    if wrong.size:
        i = wrong[0]
        raise InvalidInput(
            "failures must lie between 0 and the number of trials",
            where=WHERE,
            found=f"{k[i]:g} of {n[i]:g} in box {i} ({wrong.size} such in all)",
        )
    return k, n


WHERE_ON_GRID = "cells"
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
                    where=WHERE_ON_GRID,
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
                where=WHERE_ON_GRID,
                found=f"row {outside[0]}: {points[outside[0]].tolist()}; domain {self.lower.tolist()} to "
                f"{self.upper.tolist()}",
                remedy="Widen the domain, or leave out what operation cannot bring.",
            )


def bounds_of(domain: Any, dimensions: int) -> tuple[FloatArray, FloatArray]:
    """Lower and upper corner: one (low, high) for all features, one for each, or two corners."""
    pairs = validate.numbers(domain, where=WHERE_ON_GRID, name="domain")
    if pairs.shape == (2,):
        pairs = np.tile(pairs, (dimensions, 1))
    as_corners = pairs.T if pairs.shape == (2, dimensions) else pairs
    for candidate in (pairs, as_corners):
        if candidate.shape == (dimensions, 2) and (candidate[:, 0] < candidate[:, 1]).all():
            return candidate[:, 0].copy(), candidate[:, 1].copy()
    raise InvalidInput(
        f"domain must be a pair (low, high) for each of the {dimensions} features, low below high",
        where=WHERE_ON_GRID,
        found=repr(np.asarray(domain).tolist()),
        remedy=f"For example domain={[(0, 1)] * dimensions}.",
    )


def _sides(side: ArrayLike, dimensions: int) -> FloatArray:
    sides = validate.numbers(side, where=WHERE_ON_GRID, name="side")
    if sides.shape not in ((), (dimensions,)) or (sides <= 0).any():
        raise InvalidInput(
            f"side must be a number above 0, or one for each of the {dimensions} features",
            where=WHERE_ON_GRID,
            found=repr(np.asarray(side).tolist()),
        )
    return np.broadcast_to(sides, (dimensions,))


def _require_few(feature: int, low: float, high: float, side: float) -> None:
    """Counted before any cell is made: a slip in the unit of a side would fill the memory."""
    count = (high - low) / side
    if not count <= MOST_ALONG:
        raise InvalidInput(
            f"side {side:g} cuts feature {feature} into more than {MOST_ALONG:,} cells",
            where=WHERE_ON_GRID,
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
