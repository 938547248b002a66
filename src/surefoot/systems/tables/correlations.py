"""Whether modules, and their scores and the error, go together (research questions 1 to 3; Tables 16, 17, 22 to 25)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
from scipy import special

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.tables.association import kendall_influence, spearman_influence, standard_error
from surefoot.systems.tables.measured import Family, Measured
from surefoot.systems.tables.overlaps import module_pairs
from surefoot.systems.tables.pairs import Pairs, difference
from surefoot.systems.tables.shifts import FAMILIES
from surefoot.systems.tables.tested import Cell, Tested, corrected, holm_note, undefined_notes, unit_notes

FEW = 8
"""Up to so many items, all orders are tried for Spearman's rho."""
INTERVALS = "Intervals: Fisher's transformation with the standard error from each unit's influence."
ROUNDING = 1e-9
"""A standard error below this is none."""
BY_UNITS = "p by units is t of Fisher's transformation over its standard error between units, never below 2 / units!."
Influence = Callable[[FloatArray, FloatArray], tuple[float, FloatArray]]
Test = Callable[[FloatArray, FloatArray], float]
Column = tuple[tuple[str, ...], Condition, FloatArray, FloatArray]


def rank_correlations(measured: Measured, family: Family, *, significance: float = 1e-4, level: float = 0.95) -> Tested:
    """Spearman's rho between scores of two modules in every condition (paper SYS, Tables 16 and 17)."""

    def columns() -> Iterator[Column]:
        for condition in measured.conditions:
            for one, other in module_pairs(measured, family):
                of = (one.module, other.module, one.name)
                yield of, condition, measured.score(one, condition), measured.score(other, condition)

    heads = ("module", "other module", "score")
    return _tested(measured, family, "rho", heads, columns, significance, level)


def score_changes(measured: Measured, family: Family, *, significance: float = 1e-4, level: float = 0.95) -> Tested:
    """Kendall's tau-b between what a corruption changes in two modules' scores (paper SYS, Tables 22 and 23)."""

    def columns() -> Iterator[Column]:
        for one, other in module_pairs(measured, family):
            before = measured.score(one), measured.score(other)
            for condition in measured.corrupted:
                change = difference(measured.score(one, condition), before[0])
                other_change = difference(measured.score(other, condition), before[1])
                yield (one.module, other.module, one.name), condition, change, other_change

    heads = ("module", "other module", "score")
    return _tested(measured, family, "tau", heads, columns, significance, level)


def error_changes(measured: Measured, family: Family, *, significance: float = 1e-4, level: float = 0.95) -> Tested:
    """Kendall's tau-b of what changes in a module's score with what changes in the error (SYS, Tables 24 and 25)."""

    def columns() -> Iterator[Column]:
        clean = measured.errors()
        for condition in measured.corrupted:
            worse = difference(measured.errors(condition), clean)
            for score in measured.of_family(family):
                change = difference(measured.score(score, condition), measured.score(score))
                yield (score.module, score.name), condition, change, worse

    return _tested(measured, family, "tau", ("module", "score"), columns, significance, level)


def spearman_p(first: FloatArray, second: FloatArray) -> float:
    """P-value of Spearman's rho: by scipy, or by all orders of a few items, of which scipy's p says nothing."""
    from scipy import stats

    x, y = stats.rankdata(first), stats.rankdata(second)
    if first.size > FEW:
        return float(stats.spearmanr(x, y).pvalue)
    products = np.array(list(permutations(y - y.mean()))) @ (x - x.mean())
    seen = abs((y - y.mean()) @ (x - x.mean()))
    return float(np.mean(np.abs(products) >= seen - 1e-9))


def kendall_p(first: FloatArray, second: FloatArray) -> float:
    """P-value of Kendall's tau-b, by scipy."""
    from scipy import stats

    return float(stats.kendalltau(first, second).pvalue)


STATISTICS: dict[str, tuple[Influence, Test, str]] = {
    "rho": (spearman_influence, spearman_p, "rho: Spearman's rank correlation; p two-sided."),
    "tau": (kendall_influence, kendall_p, "tau: Kendall's tau-b of changes against clean; p two-sided."),
}


def _tested(
    measured: Measured,
    family: Family,
    statistic: str,
    heads: tuple[str, ...],
    columns: Callable[[], Iterator[Column]],
    significance: float,
    level: float,
) -> Tested:
    validate.choice(family, FAMILIES, where=statistic, name="family")
    level = validate.level(level, where=statistic)
    significance = validate.fraction(significance, where=statistic, name="significance")
    influence, test, words = STATISTICS[statistic]
    cells = [
        _cell(of, condition, Pairs.of(first, second, measured.units), influence, test, level)
        for of, condition, first, second in columns()
    ]
    notes = (words, INTERVALS, holm_note(cells, significance), *unit_notes(measured, BY_UNITS))
    notes += undefined_notes(cells)
    return Tested(statistic, heads, 0.0, corrected(cells, significance), significance, notes)


def _cell(
    of: tuple[str, ...], condition: Condition, pairs: Pairs, influence: Influence, test: Test, level: float
) -> Cell:
    if pairs.undefined:
        return Cell(of, condition, None, pairs.count, pairs.left_out, why=pairs.undefined)
    value, added = influence(pairs.first, pairs.second)
    error, units = standard_error(added, pairs.units), pairs.unit_count
    return Cell(
        of=of,
        condition=condition,
        value=value,
        items=pairs.count,
        left_out=pairs.left_out,
        interval=fisher_interval(value, error, units, level),
        p=test(pairs.first, pairs.second),
        p_by_units=None if pairs.units is None else p_between_units(value, error, units),
    )


def fisher_interval(value: float, error: float, units: int, level: float) -> tuple[float, float] | None:
    """Interval on the scale of atanh (Fisher 1921, Metron 1); None where nothing varies between units."""
    if units < 3 or error < ROUNDING or abs(value) >= 1:
        return None
    reach = special.stdtrit(units - 2, (1 + level) / 2) * error / (1 - value**2)
    return math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)


def p_between_units(value: float, error: float, units: int) -> float:
    """Two-sided p-value of no association, on the scale of atanh as the interval is, with units - 2 degrees of freedom.

    On the plain scale a standard error shrinks with the strength of the association, and p with it, far too much in the
    tail. Units can be put in so many orders only, and p is not below 2 of them.
    """
    least = min(1.0, 2 * math.exp(-math.lgamma(units + 1)))
    if units < 3 or abs(value) < ROUNDING:
        return 1.0
    if error < ROUNDING or abs(value) >= 1:
        return least
    away = math.atanh(abs(value)) * (1 - value**2) / error
    return float(max(least, 2 * special.stdtr(units - 2, -away)))
