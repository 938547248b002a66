"""Bounds for losses that come in groups: patients, tracks, episodes, duplicates.

Inputs of one group resemble each other, so they are no independent trials; groups are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.betting import two_sided
from surefoot.bounds.capital import PluginCapital
from surefoot.bounds.checks import practically_constant
from surefoot.bounds.counts import Counts
from surefoot.bounds.plain import plain_array
from surefoot.bounds.statement import EXPECTED_LOSS, FIXED_SIZE, ORDER_FIRST, REPRESENTATIVE, About, bound, state
from surefoot.core import (
    Assumption,
    BoundFamily,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    Undefined,
    array_digest,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

FEW_GROUPS = 20
PER = ("input", "group")

INDEPENDENT_GROUPS = Assumption("independent-groups", "Groups are independent of each other and drawn alike.")


@bound
def grouped(
    losses: ArrayLike,
    groups: ArrayLike,
    *,
    level: float,
    max_group_size: int | None = None,
    per: str = "input",
    seed: int = 0,
    quantity: str = EXPECTED_LOSS,
    unit: str | None = None,
    scope: str = "",
) -> Estimate:
    """Bounds from losses in [0, 1] that are dependent within groups and independent between them.

    ``per="input"``: the mean loss of an input, that is the mean sum of a group over its mean size, by
    betting on that ratio. ``max_group_size`` is the largest group that can occur and makes the
    bound guaranteed; without it the largest group seen takes its place and the bound is marked
    heuristic. ``per="group"``: the mean over groups of their worst loss, for losses of 0 and 1 the
    probability that a group contains a failure; guaranteed, by Clopper-Pearson or betting on groups.

    ``groups`` are labels, all numbers or all text. Bets are placed on groups shuffled with ``seed``.
    """
    where = "grouped"
    by_input = validate.choice(per, PER, where=where, name="per") == "input"
    values = validate.unit_vector(losses, where=where, name="losses")
    table = _GroupTable.of(values, groups, where=where)
    level, seed = validate.level(level, where=where), validate.seed(seed, where=where)
    params = {"level": level, "max_group_size": max_group_size, "per": per}
    bounds = table.bounds_per_input(level, max_group_size, seed) if by_input else table.bounds_per_group(level, seed)
    shuffled = by_input or not table.counts_failures
    return state(
        About(quantity, unit or (PER_DEMAND if by_input else "per group"), scope),
        float(table.sums.sum() / table.sizes.sum()) if by_input else float(table.worst.mean()),
        bounds,
        assumptions=(INDEPENDENT_GROUPS, FIXED_SIZE, REPRESENTATIVE, *([ORDER_FIRST] if shuffled else [])),
        caveats=table.caveats(by_input and max_group_size is None),
        details={
            **params,
            "trials": values.size,
            "groups": table.sizes.size,
            "largest_group": int(table.sizes.max()),
            "standard_error": table.error_per_input if by_input else table.error_per_group,
        },
        provenance=Provenance(
            f"bounds.{where}",
            params,
            data={"losses": array_digest(values), "groups": array_digest(table.labels)},
            seed=seed if shuffled else None,
        ),
    )


@dataclass(frozen=True)
class GroupEffect:
    """How much dependence within groups costs.

    ``icc`` is the intraclass correlation, ``design_effect`` the factor by which it inflates the
    variance of the mean, ``effective_size`` the number of independent inputs worth as much.
    """

    icc: float
    design_effect: float
    effective_size: float
    inputs: int
    groups: int


def effective_sample_size(losses: ArrayLike, groups: ArrayLike) -> GroupEffect:
    """Intraclass correlation, design effect and effective sample size of grouped losses.

    Analysis-of-variance estimator of the correlation (Donner 1986, International Statistical
    Review 54(1)) and Kish's design effect 1 + (m - 1) icc, with m = sum of n_g^2 over n for groups of
    unequal size. A negative correlation is kept in ``icc`` and counts as 0 in the effect.
    """
    where = "effective_sample_size"
    values = validate.vector(losses, where=where, name="losses")
    table = _GroupTable.of(values, groups, where=where)
    n, count = values.size, table.sizes.size
    if not 1 < count < n or practically_constant(values):
        raise Undefined(
            "needs several groups, a group of at least two, and losses that differ",
            where=where,
            found=f"{count} groups of {n} losses, from {values.min():g} to {values.max():g}",
            remedy="Count groups as trials: grouped(..., per='group').",
        )
    icc = table.intraclass_correlation(values)
    design_effect = 1 + (float((table.sizes**2).sum()) / n - 1) * max(icc, 0.0)
    return GroupEffect(icc, design_effect, n / design_effect, n, count)


def duplicate_groups(rows: ArrayLike) -> NDArray[np.int64]:
    """A group number for each row, the same for identical rows, in order of first appearance."""
    array = plain_array(rows, where="duplicate_groups", name="rows")
    if np.issubdtype(array.dtype, np.inexact):
        array = validate.numbers(array, where="duplicate_groups", name="rows") + 0.0
    numbers: dict[bytes, int] = {}
    return np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in array], dtype=np.int64)


def one_of_each_group(groups: ArrayLike, *, seed: int = 0) -> NDArray[np.intp]:
    """Numbers of rows, one drawn at random from each group, in the order of the rows.

    Whatever rows of one group have in common, these are independent where groups are, and alike where groups are.
    """
    where = "one_of_each_group"
    labels = _labels(groups, where=where)
    order = np.random.default_rng(validate.seed(seed, where=where)).permutation(labels.size)
    _, first = np.unique(labels[order], return_index=True)
    return np.sort(order[first])


def _labels(groups: ArrayLike, *, where: str) -> NDArray[np.generic]:
    labels = plain_array(groups, where=where, name="groups")
    if labels.ndim != 1:
        raise InvalidInput("groups must be one-dimensional", where=where, found=f"shape {labels.shape}")
    if np.issubdtype(labels.dtype, np.inexact):
        validate.numbers(labels, where=where, name="groups")
    return labels


@dataclass(frozen=True)
class _GroupTable:
    labels: NDArray[np.generic]
    index: NDArray[np.int64]
    sizes: FloatArray
    sums: FloatArray
    worst: FloatArray

    @classmethod
    def of(cls, losses: FloatArray, groups: ArrayLike, *, where: str) -> _GroupTable:
        labels = _labels(groups, where=where)
        validate.same_length(where, losses=losses, groups=labels)
        _, index = np.unique(labels, return_inverse=True)
        sizes, sums = np.bincount(index).astype(float), np.bincount(index, losses).astype(float)
        worst = np.zeros(sizes.size)
        np.maximum.at(worst, index, losses)
        return cls(labels, index, sizes, sums, worst)

    @property
    def counts_failures(self) -> bool:
        """Whether each group has failed or not, with nothing between."""
        return bool(np.isin(self.worst, (0, 1)).all())

    @property
    def error_per_input(self) -> float:
        """Standard error of the sum of losses over the number of inputs, by linearisation (Cochran 1977, ch. 6)."""
        residuals = self.sums - self.sums.sum() / self.sizes.sum() * self.sizes
        return float(residuals.std() / self.sizes.mean() / math.sqrt(self.sizes.size))

    @property
    def error_per_group(self) -> float:
        """Standard error of the mean over groups of their worst loss."""
        return float(self.worst.std() / math.sqrt(self.worst.size))

    def bounds_per_input(self, level: float, max_size: int | None, seed: int) -> tuple[BoundFamily, ...]:
        seen = int(self.sizes.max())
        largest = seen if max_size is None else validate.count(max_size, where="grouped", name="max_group_size")
        if largest < seen:
            raise InvalidInput(
                "a group exceeds the stated largest size",
                where="grouped",
                found=f"{seen} > {largest}",
                remedy="State the largest group possible in operation, at least the largest seen.",
            )
        kind: Kind = "heuristic" if max_size is None else "confidence"
        return self._betting(self.sums / largest, self.sizes / largest, level, kind, seed)

    def bounds_per_group(self, level: float, seed: int) -> tuple[BoundFamily, ...]:
        if self.counts_failures:
            return Counts(int(self.worst.sum()), self.worst.size).exact_bounds()
        return self._betting(self.worst, np.ones(self.worst.size), level, "confidence", seed)

    def _betting(
        self, sums: FloatArray, sizes: FloatArray, level: float, kind: Kind, seed: int
    ) -> tuple[BoundFamily, ...]:
        order = np.random.default_rng(seed).permutation(sums.size)
        # A sum of losses of 1 may exceed the size by a rounding error.
        capital = PluginCapital.tuned(np.minimum(sums, sizes)[order], sizes[order], level=level)
        return two_sided(capital, level=level, kind=kind)

    def intraclass_correlation(self, losses: FloatArray) -> float:
        n, count = losses.size, self.sizes.size
        means = self.sums / self.sizes
        between = float(self.sizes @ (means - losses.mean()) ** 2) / (count - 1)
        within = float(((losses - means[self.index]) ** 2).sum()) / (n - count)
        typical = (n - float((self.sizes**2).sum()) / n) / (count - 1)
        return (between - within) / (between + (typical - 1) * within)

    def caveats(self, size_from_data: bool) -> Iterable[Diagnostic]:
        if size_from_data:
            yield Diagnostic(
                "weights-estimated",
                f"The largest possible group size was taken from the data ({int(self.sizes.max())}).",
                hint="State max_group_size to have a guarantee.",
            )
        if self.sizes.size < FEW_GROUPS:
            yield Diagnostic(
                "few-groups", f"There are {self.sizes.size} independent groups.", hint="Collect more groups."
            )
