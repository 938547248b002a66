"""Designed evaluations: rows drawn by stratum, so many threats and so many usual rows, whose shares are no chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot import bounds
from surefoot.bounds.checks import silent
from surefoot.bounds.counts import Counts
from surefoot.bounds.plain import plain_array
from surefoot.bounds.stratified import KNOWN_SHARES, WITHIN_STRATA
from surefoot.core import (
    Assumption,
    BoundFamily,
    Check,
    InvalidInput,
    Scaled,
    Shifted,
    TabulatedBound,
    bound_after,
    certain,
    validate,
)
from surefoot.core.bound import Side
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.bootstrap import Resampled, drawn_limits
from surefoot.monitors.evaluation.measured import Measured
from surefoot.monitors.returns.basis import Basis
from surefoot.monitors.returns.stakes import Returns

WHERE = "evaluate"
Unseen = tuple[FloatArray, FloatArray]
"""What a figure of each row would be without an alarm, and is at most or at least with one."""
CLOSE = 1e-12
STRATIFIED = (WITHIN_STRATA, KNOWN_SHARES)
BY_STRATUM = Assumption(
    "returns-by-stratum", "What an alarm is worth, and what none is worth, is the same for all rows of a stratum."
)


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
    def of(cls, measured: Measured, strata: Strata, worth: FloatArray | None, alarms: NDArray[np.bool_] | None) -> Self:
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
        parts = (Resampled(sums[c], sizes[c], draws, s) for c, s in zip(chosen, seeds, strict=True))
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
        return drawn_limits(self.means[:, figure], value, np.concatenate(influence), side)


def check_method(method: str) -> None:
    """Bets learn from row to row, which they may not where strata differ."""
    if validate.choice(method, ("auto", "bootstrap", "betting"), where=WHERE, name="method") == "betting":
        raise InvalidInput("betting knows no strata", where=WHERE, remedy="Use method='auto' with strata.")
