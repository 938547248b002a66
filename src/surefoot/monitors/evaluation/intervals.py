"""Intervals of a mean of returns: exact where a row has two values, by resampling units or by betting otherwise.

A mean that few units move has limits that allow for what has not been seen (``Deviation``). In a designed evaluation
rows are drawn by stratum, so many threats and so many usual rows, whose shares are no chance (``Strata``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot import bounds
from surefoot.bounds.assumption_tests import silent
from surefoot.bounds.operational_risk import KNOWN_SHARES, WITHIN_STRATA
from surefoot.bounds.statement import INDEPENDENT, Counts, approximate, plain_array
from surefoot.core import (
    Assumption,
    BoundFamily,
    Check,
    Diagnostic,
    InvalidInput,
    Kind,
    Scaled,
    Shifted,
    Side,
    TabulatedBound,
    bound_after,
    certain,
    validate,
)
from surefoot.core.distributions import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.documents import counted
from surefoot.monitors.evaluation.bootstrap import HIGHEST, Resampled, drawn_limits, levels_up_to
from surefoot.monitors.returns.stakes import Basis, Range, Returns

WHERE = "evaluate"
Method = Literal["auto", "bootstrap", "betting"]
METHODS: tuple[Method, ...] = ("auto", "bootstrap", "betting")
Unseen = tuple[FloatArray, FloatArray]
"""What a figure of each row would be without an alarm, and is at most or at least with one."""
FEW = 10
"""Resampling says little about a mean that fewer units than this move."""
FEW_UNITS = 5
"""The same for units of several rows or of unequal weight, whose limits without resampling are much wider."""
MANY_EQUAL = 20
"""Units of unequal weight that are worth fewer equal ones than this are resampled badly."""
EQUAL = 1e-9
CLOSE = 1e-12
"""Two values that differ by less, relative to the largest return there can be, are one value with rounding."""
LEVELS = levels_up_to(HIGHEST, count=120)
GUARANTEED = "Use method='betting' where the level must hold."
TWO_VALUED = Assumption("two-valued-returns", "A row's figure is always one of the two values that were seen.")
STRATIFIED = (WITHIN_STRATA, KNOWN_SHARES)
BY_STRATUM = Assumption(
    "returns-by-stratum", "What an alarm is worth, and what none is worth, is the same for all rows of a stratum."
)


@dataclass(frozen=True)
class Limits:
    """Bounds of a mean, by which method, and what they rest on."""

    bounds: tuple[BoundFamily, ...]
    method: str
    assumptions: tuple[Assumption, ...]
    caveats: tuple[Diagnostic, ...] = ()


def limits(
    measured: RowFigure, resampled: Resampled, figure: int, *, method: Method, level: float, seed: int
) -> Limits:
    """Limits of the mean of one figure."""
    if method == "betting":
        return _by_betting(measured, level, seed)
    found = _from_counts(measured) if method == "auto" else None
    return found or _by_resampling(measured, resampled, figure)


def _from_counts(measured: RowFigure) -> Limits | None:
    """Limits that need no resampling; None where many units move the mean."""
    independent = measured.basis.independent
    pair = _two_values(measured) if independent else None
    if pair is not None:
        return _exact(measured, *pair)
    if independent and measured.distinct.size == 2:
        low, high = measured.distinct.tolist()
        families = beside_two_values(measured.values, low, high, measured.range)
        return Limits(families, "deviation", (INDEPENDENT,))
    deviation = measured.deviation
    few = deviation.movers < FEW if independent else deviation.few_move
    return _by_deviation(measured, deviation) if few else None


def _two_values(measured: RowFigure) -> tuple[float, float] | None:
    """The two values a row can have; None where there are more, or where others may not have been seen yet."""
    distinct, (low, high) = measured.distinct, measured.range
    if measured.basis.two_valued and np.isin(distinct, (0.0, high)).all():
        return 0.0, high
    ends = np.abs(distinct[:, None] - np.array([low, 0.0, high])).min(axis=1) <= measured.close
    return (float(distinct[0]), float(distinct[1])) if distinct.size == 2 and ends.all() else None


def _exact(measured: RowFigure, low: float, high: float) -> Limits:
    """Clopper and Pearson (1934), on how often the higher of the two values occurs."""
    middle = (low + high) / 2
    counts = Counts(int((measured.values > middle).sum()), measured.values.size)
    steps = (Scaled(high - low), Shifted(low))
    plain = (low, high) == (0.0, 1.0)
    families = counts.exact_bounds()
    assumed = (INDEPENDENT,) if measured.basis.two_valued else (INDEPENDENT, TWO_VALUED)
    return Limits(tuple(f if plain else bound_after(f, steps) for f in families), "exact", assumed)


def _by_deviation(measured: RowFigure, deviation: Deviation) -> Limits:
    """Nearly all units have one value: the others lie anywhere in the range, as often as Clopper and Pearson allow."""
    assumed = measured.basis.assumed
    if deviation.equal:
        return Limits(deviation.bounds(), "deviation", (assumed,))
    text = f"No {measured.basis.unit} is taken to weigh more than the heaviest one seen."
    return Limits(deviation.bounds(), "deviation", (assumed,), (Diagnostic("approximate-coverage", text),))


def _by_resampling(measured: RowFigure, resampled: Resampled | ResampledStrata, figure: int) -> Limits:
    families = (resampled.limits(figure, "upper"), resampled.limits(figure, "lower"))
    units = measured.basis.unit_count
    moving = measured.deviation.movers
    caveats = [approximate("Resampling", GUARANTEED)]
    if min(moving, units) < FEW * measured.basis.overlap:
        noun = measured.basis.unit
        text = f"Only {counted(min(moving, units), noun)} of {units:,} move this figure, so its limits are rough."
        caveats.append(Diagnostic("few-effective-rows", text, hint=GUARANTEED))
    if effective_count(measured.sizes) < MANY_EQUAL * measured.basis.overlap:
        text = f"A few of {counted(units, measured.basis.unit)} weigh as much as all others, so limits are rough."
        caveats.append(Diagnostic("few-effective-rows", text, hint=GUARANTEED))
    return Limits(families, "bootstrap", (measured.basis.assumed,), tuple(caveats))


def _by_betting(measured: RowFigure, level: float, seed: int) -> Limits:
    low, high = measured.range
    losses = np.clip((measured.values - low) / (high - low), 0.0, 1.0)
    basis = measured.basis
    if basis.weights is not None and (basis.unit_count < basis.rows or basis.touching):
        remedy = "Leave units= or weights= out, or use method='auto', which resamples units with their weights."
        raise InvalidInput("betting with weights knows no units", where=WHERE, remedy=remedy)
    if basis.weights is not None:
        found = bounds.weighted(losses, basis.weights, level=level, seed=seed)
    elif basis.units is not None:
        found = bounds.grouped(losses, basis.units, level=level, seed=seed, touching=basis.touching)
    else:
        found = bounds.betting(losses, level=level, seed=seed)
    steps = (Scaled(high - low), Shifted(low))
    families = tuple(bound_after(family, steps) for family in found.bounds)
    return Limits(families, "betting", found.assumptions, found.caveats)


@dataclass(frozen=True, eq=False)
class RowFigure:
    """One figure of each row, the units rows belong to, their weights, and where figures can lie."""

    values: FloatArray
    basis: Basis
    range: Range

    @cached_property
    def mean(self) -> float:
        """The weighted mean over rows; what is the same in every row is not rounded."""
        if (self.values == self.values[0]).all():
            return float(self.values[0])
        return float(np.average(self.values, weights=self.basis.weights))

    @cached_property
    def distinct(self) -> FloatArray:
        """The values that occur."""
        found = np.unique(self.values)
        return found[np.concatenate([[True], np.diff(found) > self.close])]

    @property
    def close(self) -> float:
        """How far equal values can lie apart by rounding."""
        ends = (*self.range, *self.basis.safety_range, *self.basis.mission_range)
        return CLOSE * max(map(abs, ends))

    @cached_property
    def sums(self) -> FloatArray:
        """Weighted sum of each unit's rows."""
        return self.basis.unit_sums(self.values)

    @cached_property
    def sizes(self) -> FloatArray:
        """Weight of each unit's rows."""
        return self.basis.unit_sums(np.ones(self.basis.rows))

    @cached_property
    def deviation(self) -> Deviation:
        """How few units move the mean."""
        return Deviation.of(self.sums, self.sizes, self.range, self.basis.overlap)


@dataclass(frozen=True, eq=False)
class Deviation:
    """Mean and size of each unit; most have one mean, and the others lie anywhere in the range."""

    means: FloatArray
    sizes: FloatArray
    range: Range
    overlap: int = 1
    """How many units at most are worth one independent one."""

    @classmethod
    def of(cls, sums: FloatArray, sizes: FloatArray, range: Range, overlap: int = 1) -> Deviation:
        """From sums over units and their sizes; units of size 0 say nothing."""
        some = sizes > 0
        return cls(sums[some] / sizes[some], sizes[some], range, overlap)

    @cached_property
    def _commonest(self) -> tuple[float, int]:
        known, counts = np.unique(self.means, return_counts=True)
        return float(known[counts.argmax()]), int(counts.max())

    @property
    def movers(self) -> int:
        """Units whose mean is not the commonest one."""
        return self.means.size - self._commonest[1]

    @property
    def few_move(self) -> bool:
        """Whether so few units move the mean, and so many do not, that resampling them would show too little."""
        return self.movers < FEW_UNITS and 2 * self.movers <= self.means.size

    @property
    def equal(self) -> bool:
        """Whether all units are of one size, so that the limits are guaranteed."""
        return self._largest <= 1 + EQUAL

    @property
    def _largest(self) -> float:
        """Size of the largest unit, in units of the mean size."""
        return float(self.sizes.max() / self.sizes.mean())

    def bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Movers are as frequent as Clopper and Pearson (1934) allow, of the largest size, and at an end of the range.

        Where sizes differ, the largest one seen stands for the largest there can be.
        """
        return self._away(self.range[1], "upper"), self._away(self.range[0], "lower")

    def _away(self, end: float, side: Side) -> BoundFamily:
        usual = self._commonest[0]
        kind: Kind = "confidence" if self.equal else "heuristic"
        if usual == end:
            return certain(end, side)
        shares = largest_share(self.movers, self.means.size, LEVELS, self.overlap)
        return _table(usual + (end - usual) * np.minimum(shares * max(self._largest, 1.0), 1.0), side, kind)


def beside_two_values(values: FloatArray, low: float, high: float, range: Range) -> tuple[BoundFamily, BoundFamily]:
    """Limits of a mean of independent rows with two values so far, where others in the range were not seen yet.

    Half the miss is for how often the higher of the two occurs, half for how often others do (Clopper and Pearson
    1934), which are at worst at an end of the range.
    """
    count, trials, each = int((values > (low + high) / 2).sum()), values.size, (1 + LEVELS) / 2
    others = largest_share(0, trials, each)
    upper, lower = largest_share(count, trials, each), smallest_share(count, trials, each)
    most = low + (high - low) * upper + (range[1] - low) * others
    least = low + (high - low) * lower + (range[0] - low) * others
    return (
        _table(np.minimum(most, range[1]), "upper", "confidence"),
        _table(np.maximum(least, range[0]), "lower", "confidence"),
    )


def _table(limits: FloatArray, side: Side, kind: Kind) -> BoundFamily:
    return TabulatedBound.widened(LEVELS, limits, side, kind)


def effective_count(sizes: FloatArray) -> int:
    """How many units of equal size say as much (Kish 1965)."""
    shares = sizes / sizes.max()
    return int(shares.sum() ** 2 / (shares**2).sum() + EQUAL)


# Designed evaluations.


def limits_in_strata(
    measured: RowFigure,
    strata: Strata,
    resampled: ResampledStrata,
    figure: int,
    *,
    unseen: Unseen,
    alarms: NDArray[np.bool_] | None,
    method: Method,
    level: float,
) -> Limits:
    """Limits of the mean of one figure over strata whose shares are fixed."""
    worth = strata.worth(measured.values, unseen, alarms)
    one_each = measured.basis.unit_count == measured.basis.rows and not measured.basis.touching
    if method == "auto" and measured.basis.two_valued and one_each:
        found = TwoValues.of(measured, strata, worth, alarms).limits(level)
        if found is not None:
            by_design = () if worth is None else (strata.assumption(),)
            return Limits(found[0], found[1], (*STRATIFIED, *by_design))
    drawn = _by_resampling(measured, resampled, figure)
    return replace(drawn, assumptions=STRATIFIED)


def check_method(method: str) -> None:
    """Bets learn from row to row, which they may not where strata differ."""
    if validate.choice(method, ("auto", "bootstrap", "betting"), where=WHERE, name="method") == "betting":
        raise InvalidInput("betting knows no strata", where=WHERE, remedy="Use method='auto' with strata.")


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each row, and what a stratum is worth of the whole."""

    numbers: NDArray[np.int64]
    basis: Basis

    @classmethod
    def of(cls, strata: ArrayLike, returns: Returns) -> Self:
        """Names of strata, one a row; a unit lies in one stratum, and rows of a stratum weigh the same."""
        names = plain_array(strata, where=WHERE, name="strata")
        if names.shape != (returns.rows,):
            found = f"shape {names.shape} for {returns.rows} rows"
            raise InvalidInput("strata must name one stratum a row", where=WHERE, found=found)
        made = cls(np.unique(names, return_inverse=True)[1].astype(np.int64), returns)
        if np.unique(np.stack([returns.unit_numbers, made.numbers]), axis=1).shape[1] > returns.unit_count:
            raise InvalidInput(f"a {returns.unit} must lie in one stratum", where=WHERE)
        if any(np.ptp(returns.row_weights[made.numbers == h]) > 0 for h in range(made.count)):
            raise InvalidInput("rows of a stratum must weigh the same", where=WHERE)
        return made

    @property
    def count(self) -> int:
        """How many strata there are."""
        return int(self.numbers.max()) + 1

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each stratum."""
        return np.bincount(self.numbers)

    @cached_property
    def shares(self) -> FloatArray:
        """What each stratum weighs, all together 1."""
        weights = np.bincount(self.numbers, self.basis.row_weights)
        return np.asarray(weights / weights.sum())

    def worth(self, figures: FloatArray, unseen: Unseen, alarms: NDArray[np.bool_] | None) -> FloatArray | None:
        """The figure of each stratum without an alarm and with one (strata x 2), as seen or else as ``unseen`` has it.

        None where rows of one stratum differ in it, so that strata were not made by what is at stake.
        """
        if alarms is None:
            return None
        columns = []
        for said in (False, True):
            seen, usual = self._same(figures, alarms == said), self._same(unseen[said], np.ones_like(alarms))
            if seen is None or usual is None:
                return None
            columns.append(np.where(np.isnan(seen), usual, seen))
        return np.column_stack(columns)

    def _same(self, figures: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray | None:
        """The figure that all chosen rows of a stratum have, not a number where it has none; None where rows differ."""
        low, high = np.full(self.count, np.inf), np.full(self.count, -np.inf)
        np.minimum.at(low, self.numbers[chosen], figures[chosen])
        np.maximum.at(high, self.numbers[chosen], figures[chosen])
        some = low <= high
        if (high[some] - low[some] > CLOSE * max(float(np.abs(figures).max()), 1.0)).any():
            return None
        return np.where(some, high, np.nan)

    def assumption(self) -> Assumption:
        """That strata were made by what is at stake, with how many rows say so."""
        least = int(self.sizes.min())
        text = f"rows of a stratum compared, at least {least:,} of each"
        return Assumption(BY_STRATUM.id, BY_STRATUM.text, Check(silent(least), text, {"smallest_stratum": least}))


@dataclass(frozen=True, eq=False)
class TwoValues:
    """A figure that has two values in each stratum, and how many rows have the second of them."""

    ends: FloatArray
    """Strata x 2."""
    counts: NDArray[np.int64]
    strata: Strata

    @classmethod
    def of(
        cls, measured: RowFigure, strata: Strata, worth: FloatArray | None, alarms: NDArray[np.bool_] | None
    ) -> Self:
        """By alarms where an alarm decides a row's figure, by the ends of the range otherwise."""
        low, high = measured.range
        ends = np.tile([low, high], (strata.count, 1)) if worth is None else worth
        moved = measured.values > (low + high) / 2 if worth is None or alarms is None else alarms
        return cls(ends, np.bincount(strata.numbers, moved, minlength=strata.count).astype(np.int64), strata)

    def limits(self, level: float) -> tuple[tuple[BoundFamily, ...], str] | None:
        """Both limits and their method; None where strata differ in more than the share of rows.

        One stratum that varies has the limits of Clopper and Pearson (1934). Of several, all rows of which stand for
        the same share, the count is less spread than a binomial one of the same mean (Hoeffding 1956), so that theirs
        hold too; otherwise ``bounds.stratified`` has them.
        """
        width = self.ends[:, 1] - self.ends[:, 0]
        fixed = float(self.strata.shares @ self.ends[:, 0])
        varies = np.flatnonzero(np.abs(width) > CLOSE)
        if not varies.size:
            return (certain(fixed, "upper"), certain(fixed, "lower")), "by design"
        if np.ptp(width[varies]) > CLOSE:
            return None
        rows, shares, counts = self.strata.sizes[varies], self.strata.shares[varies], self.counts[varies]
        step = float(width[varies[0]])
        counts, first = (counts, fixed) if step > 0 else (rows - counts, fixed + step * float(shares.sum()))
        each = shares / rows
        if np.ptp(each) <= CLOSE * each.max():
            families: tuple[BoundFamily, ...] = Counts(int(counts.sum()), int(rows.sum())).exact_bounds()
            method = "exact" if varies.size == 1 else "exact, strata pooled"
        else:
            weights = shares / shares.sum()
            told = bounds.stratified(counts.tolist(), rows.tolist(), weights.tolist(), level=(1 + level) / 2)
            families, method = told.bounds, "stratified"
        steps = (Scaled(abs(step) * float(shares.sum())), Shifted(first))
        return tuple(bound_after(family, steps) for family in families), method


@dataclass(frozen=True, eq=False)
class ResampledStrata:
    """Units resampled within their strata: the mean of the strata, each with its share."""

    parts: tuple[Resampled, ...]
    shares: FloatArray

    @classmethod
    def of(cls, sums: FloatArray, sizes: FloatArray, strata: Strata, *, draws: int, seed: int) -> Self:
        """Sums (units x figures) and sizes of all units."""
        of_unit = np.zeros(strata.basis.unit_count, dtype=np.int64)
        of_unit[strata.basis.unit_numbers] = strata.numbers
        chosen = [of_unit == h for h in range(strata.count)]
        seeds = np.random.SeedSequence(seed).generate_state(strata.count).tolist()
        parts = (
            Resampled(sums[c], sizes[c], draws, s, strata.basis.overlap) for c, s in zip(chosen, seeds, strict=True)
        )
        return cls(tuple(parts), strata.shares)

    @cached_property
    def means(self) -> FloatArray:
        """Draws x figures."""
        return np.asarray(sum(share * part.means for share, part in zip(self.shares, self.parts, strict=True)))

    def limits(self, figure: int, side: Side) -> TabulatedBound:
        """Limits of one figure at many levels, up to the last that the draws resolve."""
        both = list(zip(self.shares, self.parts, strict=True))
        value = sum(float(share * part.value[figure]) for share, part in both)
        influence = [share * part.influence(figure) / part.sizes.sum() for share, part in both]
        return drawn_limits(self.means[:, figure], value, np.concatenate(influence), side, self.parts[0].overlap)


# Exact limits of shares by Clopper and Pearson (1934), of many shares or at many levels at once.


def largest_share(counts: ArrayLike, trials: int, level: ArrayLike, overlap: int = 1) -> FloatArray:
    """Upper limit of a share at a one-sided level; 1 where all trials count.

    Of trials that are worth half as many independent ones, what these do not refute (Hoeffding 1963, section 5d).
    """
    seen = np.asarray(counts, dtype=np.float64)
    if overlap > 1:
        return _unrefuted_share(seen, trials, overlap, np.asarray(level))
    return np.where(seen < trials, beta_quantile(seen + 1, np.maximum(trials - seen, 1), level), 1.0)


def smallest_share(counts: ArrayLike, trials: int, level: ArrayLike) -> FloatArray:
    """Lower limit of a share at a one-sided level; 0 where no trial counts."""
    seen = np.asarray(counts, dtype=np.float64)
    return np.where(seen > 0, beta_quantile(np.maximum(seen, 1), trials - seen + 1, 1 - np.asarray(level)), 0.0)


def _unrefuted_share(counts: FloatArray, trials: int, overlap: int, level: FloatArray) -> FloatArray:
    """The share at which Chernoff's bound for the mean over ``trials / overlap`` trials falls to the miss, bisected."""
    worth = trials // overlap
    mean, miss = np.broadcast_arrays(np.minimum(counts / max(overlap * worth, 1), 1.0), -np.log1p(-level))
    low, high = mean.astype(np.float64), np.ones(mean.shape)
    for _ in range(60):
        middle = (low + high) / 2
        stands = worth * (special.rel_entr(mean, middle) + special.rel_entr(1 - mean, 1 - middle)) < miss
        low, high = np.where(stands, middle, low), np.where(stands, high, middle)
    return high
