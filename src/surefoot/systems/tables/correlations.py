"""Whether modules, and their scores and the error, go together (RQ1 to RQ3 of paper SYS).

Tables 12 to 17 and 22 to 25, Eqn. (11). Kendall's tau-b and Spearman's rho are functions of means over pairs and
triples of items, so that they are to first order sums of what each item adds; a sum over independent units has a known
standard error (Newson 2002, Stata Journal 2(1), for tau; Hampel 1974, JASA 69(346), for influence). All in O(n log n).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.systems.data import Condition
from surefoot.systems.tables.degradation import FAMILIES
from surefoot.systems.tables.inference import (
    Cell,
    Family,
    Measurements,
    Pairs,
    Score,
    Tested,
    corrected,
    difference,
    holm_note,
    undefined_notes,
    unit_notes,
)

IntArray = NDArray[np.int64]
FEW = 8
"""Up to so many items, all orders are tried for Spearman's rho."""
INTERVALS = "Intervals: Fisher's transformation with the standard error from each unit's influence."
ROUNDING = 1e-9
"""A standard error below this is none."""
BY_UNITS = "p by units is t of Fisher's transformation over its standard error between units, never below 2 / units!."
Influence = Callable[[FloatArray, FloatArray], tuple[float, FloatArray]]
Test = Callable[[FloatArray, FloatArray], float]
Column = tuple[tuple[str, ...], Condition, FloatArray, FloatArray]
WHERE = "overlaps"
HEADS = ("module", "other module", "score", "top")
NOTES = (
    "Overlap: share of the top items of one module that are among those of the other (SYS Eqn. (11)). The top is that "
    "share of the items, rounded down; items tied at its edge count in part, so that their order has no say.",
    "Chance low and high: where 95% of overlaps lie when modules have nothing in common. p: hypergeometric, two-sided.",
)
OVERLAPS_BY_UNITS = "Nothing corrects p of an overlap for that, so that there is no p for all; see rank_correlations."


def rank_correlations(
    measured: Measurements, family: Family, *, significance: float = 1e-4, level: float = 0.95
) -> Tested:
    """Spearman's rho between scores of two modules in every condition.

    Parameters
    ----------
    measured, family
        The system, and which of its scores: ``strangeness`` (out-of-distribution scores) or ``uncertainty``.
    significance
        What p-values are compared with.
    level
        Of the intervals.

    Returns
    -------
    Tested
        A cell for each pair of modules and condition.

    References
    ----------
    Wang et al. (2022), SYS, Tables 16 and 17.

    See Also
    --------
    error_changes

    """

    def columns() -> Iterator[Column]:
        for condition in measured.conditions:
            for one, other in module_pairs(measured, family):
                of = (one.module, other.module, one.name)
                yield of, condition, measured.score(one, condition), measured.score(other, condition)

    heads = ("module", "other module", "score")
    return _tested(measured, family, "rho", heads, columns, significance, level)


def module_pairs(measured: Measurements, family: Family) -> list[tuple[Score, Score]]:
    """Scores of one name in two modules."""
    scores = measured.of_family(family)
    return [(a, b) for a, b in combinations(scores, 2) if a.name == b.name and a.module != b.module]


def _tested(
    measured: Measurements,
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


def standard_error(influence: FloatArray, units: IntArray | None) -> float:
    """Of a mean of influences, where units are independent; each item is one where there are none."""
    sums = influence if units is None else np.bincount(units, influence)
    return float(np.sqrt(sums @ sums * sums.size / max(sums.size - 1, 1)) / influence.size)


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


def score_changes(measured: Measurements, family: Family, *, significance: float = 1e-4, level: float = 0.95) -> Tested:
    """Kendall's tau-b between what a corruption changes in two modules' scores.

    Parameters
    ----------
    measured, family, significance, level
        As for ``rank_correlations``.

    Returns
    -------
    Tested
        A cell for each pair of modules and corrupted condition.

    References
    ----------
    Wang et al. (2022), SYS, Tables 22 and 23.

    See Also
    --------
    error_changes

    """

    def columns() -> Iterator[Column]:
        for one, other in module_pairs(measured, family):
            before = measured.score(one), measured.score(other)
            for condition in measured.corrupted:
                change = difference(measured.score(one, condition), before[0])
                other_change = difference(measured.score(other, condition), before[1])
                yield (one.module, other.module, one.name), condition, change, other_change

    heads = ("module", "other module", "score")
    return _tested(measured, family, "tau", heads, columns, significance, level)


def error_changes(measured: Measurements, family: Family, *, significance: float = 1e-4, level: float = 0.95) -> Tested:
    """Kendall's tau-b of what changes in a module's score with what changes in the error.

    Parameters
    ----------
    measured, family, significance, level
        As for ``rank_correlations``.

    Returns
    -------
    Tested
        A cell for each score and corrupted condition.

    References
    ----------
    Wang et al. (2022), SYS, Tables 24 and 25.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> round(error_changes(measured, "uncertainty").cells[0].value, 2)
    0.5

    """

    def columns() -> Iterator[Column]:
        clean = measured.errors()
        for condition in measured.corrupted:
            worse = difference(measured.errors(condition), clean)
            for score in measured.of_family(family):
                change = difference(measured.score(score, condition), measured.score(score))
                yield (score.module, score.name), condition, change, worse

    return _tested(measured, family, "tau", ("module", "score"), columns, significance, level)


def overlaps(
    measured: Measurements,
    family: Family = "strangeness",
    *,
    shares: Sequence[float] = (0.01, 0.05, 0.10),
    significance: float = 1e-4,
) -> Tested:
    """How many of the items with the highest scores two modules have in common, in every condition.

    Modules are compared where they have a score of the same name. The paper counts 26 of 2,600 and 89 of 8,940 items as
    1%, so numbers of items are rounded down.

    Parameters
    ----------
    measured, family, significance
        As for ``rank_correlations``.
    shares
        Which shares of the items are the top.

    Returns
    -------
    Tested
        A cell for each pair of modules, condition and share.

    References
    ----------
    Wang et al. (2022), SYS, Tables 12 to 15 and Eqn. (11).

    See Also
    --------
    rank_correlations

    """
    validate.choice(family, FAMILIES, where=WHERE, name="family")
    significance = validate.fraction(significance, where=WHERE, name="significance")
    if not len(shares):
        raise InvalidInput("needs a share", where=WHERE, remedy="Say shares=(0.01, 0.05).")
    parts = [validate.fraction(share, where=WHERE, name="share") for share in shares]
    cells = [
        cell
        for condition in measured.conditions
        for one, other in module_pairs(measured, family)
        for cell in _cells(measured, one, other, condition, parts)
    ]
    judged, said = corrected(cells, significance), holm_note(cells, significance)
    if measured.units is not None:
        judged = tuple(replace(cell, p_all=None, significant_all=None) for cell in judged)
        said = f"Significant: p below {significance:g}."
    notes = (*NOTES, said, *unit_notes(measured, OVERLAPS_BY_UNITS), *undefined_notes(cells))
    return Tested("overlap", HEADS, None, judged, significance, notes)


def _cells(
    measured: Measurements, one: Score, other: Score, condition: Condition, shares: Sequence[float]
) -> Iterator[Cell]:
    pairs = Pairs.of(measured.score(one, condition), measured.score(other, condition), None)
    for share in shares:
        of = (one.module, other.module, one.name, percent(share))
        top = math.floor(share * pairs.count + 1e-9)
        why = pairs.undefined or ("" if top else f"{percent(share)} of the items is less than one")
        if why:
            yield Cell(of, condition, None, pairs.count, pairs.left_out, why=why)
        else:
            yield _overlaps_cell(of, condition, pairs, top)


def _overlaps_cell(of: tuple[str, ...], condition: Condition, pairs: Pairs, top: int) -> Cell:
    chance, (low, high) = _by_chance(pairs.count, top)
    common = round(float(among_top(pairs.first, top) @ among_top(pairs.second, top)), 9)
    p = min(1.0, 2 * min(chance.sf(math.floor(common) - 1), chance.cdf(math.ceil(common))))
    details = {"top items": top, "chance": top / pairs.count, "chance low": low, "chance high": high}
    return Cell(of, condition, common / top, pairs.count, pairs.left_out, p=float(p), details=details)


@lru_cache(maxsize=64)
def _by_chance(count: int, top: int) -> tuple[Any, tuple[float, float]]:
    """How many of two random tops are common, and limits of their share: all pairs of modules have the same."""
    from scipy import stats

    chance = stats.hypergeom(count, top, top)
    low, high = chance.ppf([0.025, 0.975]) / top
    return chance, (float(low), float(high))


def among_top(values: FloatArray, top: int) -> FloatArray:
    """1 for the highest values, 0 for the others; those tied at the edge share the places that are left."""
    edge = np.partition(values, values.size - top)[values.size - top]
    above, tied = values > edge, values == edge
    return above + tied * ((top - above.sum()) / tied.sum())


# Rank correlations with the influence of every item.


def kendall_influence(first: FloatArray, second: FloatArray) -> tuple[float, FloatArray]:
    """Kendall's tau-b, and what each item adds to it; undefined for columns that do not vary."""
    n, x, y = first.size, _codes(first), _codes(second)
    tied_x, tied_y, tied_both = (np.bincount(codes)[codes] for codes in (x, y, _codes(x * n + y)))
    agreeing = _dominated(x, y) + _dominated(x.max() - x, y.max() - y)
    differing = n - tied_x - tied_y + tied_both
    score, apart_x, apart_y = (counts / (n - 1) for counts in (2 * agreeing - differing, n - tied_x, n - tied_y))
    return _normed(score, apart_x, apart_y, degree=2)


def _codes(values: NDArray[np.generic]) -> IntArray:
    """Numbers from 0 in the order of the values, the same for ties."""
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _dominated(x: IntArray, y: IntArray) -> IntArray:
    """For each item, how many are smaller in both; a wavelet tree over the bits of y, items in the order of x.

    Items whose higher bits agree form a group. In it, those with this bit come after the items without it that stand
    before them; then those without it move to the front.
    """
    items, places = np.lexsort((-y, x)), np.arange(x.size)
    codes, smaller = y[items], np.zeros(x.size, dtype=np.int64)
    for bit in reversed(range(int(y.max(initial=0)).bit_length())):
        high = ((codes >> bit) & 1).astype(bool)
        starts = np.flatnonzero(np.diff(codes >> (bit + 1), prepend=-1))
        sizes, lows = np.diff(np.append(starts, x.size)), np.cumsum(~high)
        before, all_lows = lows[starts] - ~high[starts], lows[starts + sizes - 1]
        so_far = lows - np.repeat(before, sizes)
        smaller[items[high]] += so_far[high]
        moved_up = places + np.repeat(all_lows - before, sizes) - so_far
        order = np.where(high, moved_up, np.repeat(starts, sizes) + so_far - 1)
        items[order], codes[order] = items.copy(), codes.copy()
    return smaller


def _normed(over: FloatArray, x: FloatArray, y: FloatArray, *, degree: int) -> tuple[float, FloatArray]:
    """The ratio mean(over) / sqrt(mean(x) mean(y)) and its influences; each item is in ``degree`` places of a mean."""
    means = over.mean(), x.mean(), y.mean()
    value = means[0] / np.sqrt(means[1] * means[2])
    parts = [degree * (column - mean) for column, mean in zip((over, x, y), means, strict=True)]
    added = parts[0] / np.sqrt(means[1] * means[2]) - value / 2 * (parts[1] / means[1] + parts[2] / means[2])
    return float(np.clip(value, -1.0, 1.0)), added


def spearman_influence(first: FloatArray, second: FloatArray) -> tuple[float, FloatArray]:
    """Spearman's rho (midranks for ties), and what each item adds to it; undefined for columns that do not vary."""
    x, y = _codes(first), _codes(second)
    u, v = _centred(x), _centred(y)
    product = u * v + _carried(x, v) + _carried(y, u)
    own_x, own_y = u * u + 2 * _carried(x, u), v * v + 2 * _carried(y, v)
    return _normed(product / 3, own_x / 3, own_y / 3, degree=3)


def _centred(codes: IntArray) -> FloatArray:
    """Midranks as shares, less their mean of one half."""
    counts = np.bincount(codes)
    return ((np.cumsum(counts) - counts / 2) / codes.size - 0.5)[codes]


def _carried(codes: IntArray, values: FloatArray) -> FloatArray:
    """What an item adds to the midranks of others, times their values: those above in full, ties by half."""
    sums = np.bincount(codes, values)
    above = sums.sum() - np.cumsum(sums)
    return ((above + sums / 2) / codes.size)[codes]


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
