"""Checks of what the normal-score bounds assume: normal, independent, identically distributed margins.

A departure contradicts an assumption when it is both significant and large. With ten million rows every
p-value is 0, so significance alone says nothing; with twenty rows every departure looks large, so size alone
says nothing either. Fewer than ``FEW`` rows can contradict but not support.

The thresholds of size are chosen for tails. By the Edgeworth series a skewness of 0.1 changes Phi(-3) by 44% and an
excess kurtosis of 0.2 by 49%; the same two move the distribution function by 0.007 and 0.005, and leave 6e-4 and 4e-4
of the variance of a normal probability plot unexplained.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.statement import REPRESENTATIVE, Counts, plain_array
from surefoot.core import Assumption, Check, Undefined, validate
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray

ROUNDING = 4 * float(np.finfo(float).eps)
SIGNIFICANCE = 0.05
FEW = 20
FEWEST_FOR_HALVES = 4
LARGE_DISTANCE = 0.005
LARGE_SKEWNESS = 0.1
LARGE_KURTOSIS = 0.2
LARGE_SHAPIRO = 5e-4
SHAPIRO_MOST = 5000
SHAPIRO_SEED = 20250101
MANY_COPIES = 0.01
LARGE_SHIFT = 0.1
LARGE_HALVES_DISTANCE = 0.05

NOTHING_FOUND = "no departure from normal found by Anderson-Darling, Jarque-Bera and Shapiro-Wilk"
NORMAL = Assumption("normal-margins", "Margins follow a normal distribution.")
INDEPENDENT = Assumption(
    "independent-samples", "Test samples are independent of each other; only repeated rows are looked for."
)
IDENTICAL = Assumption("identical-distribution", "Test samples come from one and the same distribution.")


def anderson_darling(margins: ArrayLike) -> Check:
    """Anderson-Darling test of normality with estimated mean and variance.

    P-value by the formulas of D'Agostino and Stephens (Goodness-of-fit techniques, 1986, table 4.9).
    The effect size is the largest distance between the empirical and the fitted distribution function.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.

    Returns
    -------
    Check
        What was found; the effect size is the largest distance of the distribution functions.

    References
    ----------
    D'Agostino and Stephens (1986), "Goodness-of-fit techniques", table 4.9.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.bounds.anderson_darling(np.random.default_rng(0).exponential(size=500)).status
    'contradicted'

    """
    return _anderson_darling(standardised(margins, where="anderson_darling"))


def _anderson_darling(standard: FloatArray) -> Check:
    z = np.sort(standard)
    n = z.size
    odd = 2 * np.arange(1, n + 1) - 1
    statistic = -n - float(np.mean(odd * (special.log_ndtr(z) + special.log_ndtr(-z[::-1]))))
    adjusted = statistic * (1 + 0.75 / n + 2.25 / n**2)
    fitted, rank = special.ndtr(z), np.arange(n + 1) / n
    distance = float(max((rank[1:] - fitted).max(), (fitted - rank[:-1]).max()))
    p = _anderson_p(adjusted)
    figures = {"statistic": statistic, "adjusted": adjusted, "p_value": p, "distance": distance, "n": n}
    return _check("Anderson-Darling", figures, n, p, distance, large=distance > LARGE_DISTANCE)


def jarque_bera(margins: ArrayLike) -> Check:
    """Jarque-Bera test of normality (International Statistical Review 55, 1987), with its asymptotic p-value.

    The effect size is the larger of the absolute skewness and half the absolute excess kurtosis.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.

    Returns
    -------
    Check
        What was found, with skewness and excess kurtosis.

    References
    ----------
    Jarque and Bera (1987), International Statistical Review 55.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.bounds.jarque_bera(np.random.default_rng(0).exponential(size=500)).status
    'contradicted'

    """
    return _jarque_bera(standardised(margins, where="jarque_bera"))


def _jarque_bera(standard: FloatArray) -> Check:
    z = standard / np.sqrt(np.mean(np.square(standard)))
    # Products, because powers of arrays are many times slower.
    square = z * z
    skewness, kurtosis = float(np.mean(square * z)), float(np.mean(np.square(square)) - 3)
    statistic = z.size / 6 * (skewness**2 + kurtosis**2 / 4)
    p = float(np.exp(-statistic / 2))
    figures = {"statistic": statistic, "p_value": p, "skewness": skewness, "excess_kurtosis": kurtosis, "n": z.size}
    large = abs(skewness) > LARGE_SKEWNESS or abs(kurtosis) > LARGE_KURTOSIS
    return _check("Jarque-Bera", figures, z.size, p, max(abs(skewness), abs(kurtosis) / 2), large=large)


def shapiro_wilk(margins: ArrayLike) -> Check:
    """Shapiro-Wilk test of normality, on 5000 rows drawn with a fixed seed where there are more.

    The effect size is 1 - W, the share of variance that a normal probability plot leaves unexplained.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.

    Returns
    -------
    Check
        What was found; the effect size is 1 - W.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.bounds.shapiro_wilk(np.random.default_rng(0).exponential(size=500)).status
    'contradicted'

    """
    return _shapiro_wilk(standardised(margins, where="shapiro_wilk"))


def _shapiro_wilk(z: FloatArray) -> Check:
    from scipy import stats

    used = z
    if z.size > SHAPIRO_MOST:
        used = np.random.default_rng(SHAPIRO_SEED).choice(z, SHAPIRO_MOST, replace=False)
    w, p = (float(v) for v in stats.shapiro(used))
    figures = {"statistic": w, "p_value": p, "n": z.size, "rows_used": used.size}
    if used.size < z.size:
        figures["seed"] = SHAPIRO_SEED
    return _check("Shapiro-Wilk", figures, used.size, p, 1 - w, large=1 - w > LARGE_SHAPIRO)


def duplicates(rows: ArrayLike) -> Check:
    """Rows that repeat an earlier one, and whether independent draws would repeat like that.

    ``rows`` are margins or, better, the feature rows. Values of limited precision, classes and whole numbers repeat by
    themselves; rows that are resolved too finely for it, or that come in multiples, were copied (see ``copies``). A
    share of up to 1% is let pass. The effect size is the share of rows that repeat an earlier one.

    Parameters
    ----------
    rows
        Margins or feature rows, numbers or text.

    Returns
    -------
    Check
        What was found; the effect size is the share of rows that repeat an earlier one.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(100, 3))
    >>> sf.bounds.duplicates(rows).status, sf.bounds.duplicates(np.concatenate([rows, rows])).status
    ('supported', 'contradicted')

    """
    table = plain_array(rows, where="duplicates", name="rows")
    table = table.reshape(len(table), -1)
    found = occurrences(table)
    distinct = found.first.size
    copies = len(table) - distinct
    share = copies / len(table)
    figures = {"rows": len(table), "distinct": distinct, "copies": copies, "share": share}
    if not copies:
        return Check(silent(len(table)), f"no identical rows found among {len(table):,}", figures, share)
    looked = f"{copies:,} of {len(table):,} rows repeat{'s' if copies == 1 else ''} an earlier one"
    if share <= MANY_COPIES:
        return Check(silent(len(table)), looked, figures, share)
    why = why_copied(table, found)
    if why is None:
        return Check(silent(len(table)), f"{looked}, as independent rows of few values do", figures, share)
    return Check("contradicted", f"{looked}, and {why}", figures, share)


def split_half_drift(margins: ArrayLike) -> Check:
    """Difference between the first and the second half of the rows, in the order in which they came.

    Kolmogorov-Smirnov distance of the halves with its asymptotic p-value, and their standardised mean shift
    with the p-value of a z test; the effect size is the shift. Standard deviations are relative to that of all rows.
    Rows sorted by class or by outcome show as drift. Each test is at half a percent.

    Parameters
    ----------
    margins
        Margins, in the order in which they came.

    Returns
    -------
    Check
        What was found; the effect size is the shift.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.bounds.split_half_drift(np.random.default_rng(0).normal(np.repeat([0.0, 1.0], 200))).status
    'contradicted'

    """
    validate.vector(margins, where="split_half_drift", name="margins", at_least=FEWEST_FOR_HALVES)
    values = standardised(margins, where="split_half_drift")
    first, second = np.sort(values[: values.size // 2]), np.sort(values[values.size // 2 :])
    distance = _two_sample_distance(first, second)
    harmonic = first.size * second.size / values.size
    p_distance = float(special.kolmogorov(np.sqrt(harmonic) * distance))
    shift = _standardised_shift(first, second)
    p_shift = float(2 * special.ndtr(-abs(shift) * np.sqrt(harmonic)))
    drifted = (p_distance < BOUNDS_DRIFT_SIGNIFICANCE / 2 and distance > LARGE_HALVES_DISTANCE) or (
        p_shift < BOUNDS_DRIFT_SIGNIFICANCE / 2 and abs(shift) > LARGE_SHIFT
    )
    figures = {
        "distance": distance,
        "p_distance": p_distance,
        "mean_shift": shift,
        "p_shift": p_shift,
        "sd_first": float(first.std(ddof=1)),
        "sd_second": float(second.std(ddof=1)),
        "rows": values.size,
    }
    status: Status = "contradicted" if drifted else silent(values.size)
    return Check(status, f"mean and distribution of the halves of {values.size:,} rows compared", figures, abs(shift))


def normality(margins: ArrayLike) -> Check:
    """All three tests of normality as one check: contradicted where one of them contradicts.

    Each test is at 5%, so margins that are normal are contradicted about once in ten times.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.

    Returns
    -------
    Check
        ``figures`` holds what each test found.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> sf.bounds.normality(np.random.default_rng(0).exponential(size=500)).status
    'contradicted'

    """
    standard = standardised(margins, where="normality")
    tests = {
        "anderson_darling": _anderson_darling(standard),
        "jarque_bera": _jarque_bera(standard),
        "shapiro_wilk": _shapiro_wilk(standard),
    }
    figures = {name: {"status": check.status, **check.figures} for name, check in tests.items()}
    statuses = [check.status for check in tests.values()]
    status = next((s for s in ("contradicted", "unchecked") if s in statuses), "supported")
    against = [check.method for check in tests.values() if check.status == "contradicted"]
    found = f"departure from normal found by {' and '.join(against)}" if against else NOTHING_FOUND
    looked = f"{found} among {standard.size:,} margins"
    return Check(status, looked, figures, tests["anderson_darling"].effect)  # type: ignore[arg-type]


def assumption_checks(margins: ArrayLike, rows: ArrayLike | None = None) -> tuple[Assumption, ...]:
    """Everything a normal-score bound assumes, with what the data say about it.

    ``rows`` are the feature rows in which to look for duplicates, one for each margin; without them the margins serve.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    rows
        Feature rows in which to look for duplicates, one for each margin; without them the margins serve.

    Returns
    -------
    tuple of Assumption
        Normal, independent, identically distributed, representative.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> [a.status for a in sf.bounds.assumption_checks(np.random.default_rng(0).exponential(size=500))]
    ['contradicted', 'supported', 'supported', 'unchecked']

    """
    table = checked_rows(rows, margins, where="assumption_checks")
    return (
        replace(NORMAL, check=normality(margins)),
        replace(INDEPENDENT, check=duplicates(margins if table is None else table)),
        replace(IDENTICAL, check=split_half_drift(margins) if np.size(margins) >= FEWEST_FOR_HALVES else None),
        REPRESENTATIVE,
    )


def checked_rows(rows: ArrayLike | None, margins: ArrayLike, *, where: str) -> NDArray[Any] | None:
    """Feature rows of numbers or text, as many as there are margins."""
    if rows is None:
        return None
    table = plain_array(rows, where=where, name="rows")
    validate.same_length(where, rows=table, margins=validate.vector(margins, where=where, name="margins"))
    return table


def standardised(margins: ArrayLike, *, where: str) -> FloatArray:
    """Margins minus their mean, over their standard deviation."""
    values = validate.vector(margins, where=where, name="margins", at_least=3)
    # Scaling first keeps the squares of very large or very small margins in range.
    scaled = values / (np.abs(values).max() or 1.0)
    sd = scaled.std(ddof=1)
    if sd <= ROUNDING:
        raise Undefined(
            "all margins are equal up to rounding, so their standard deviation says nothing",
            where=where,
            found=f"{values.size} times {values[0]:g}",
            remedy="Use a bound that counts failures, such as clopper_pearson.",
        )
    return (scaled - scaled.mean()) / sd


def practically_constant(values: FloatArray) -> bool:
    """Whether at least two values differ by no more than rounding can explain."""
    largest = np.abs(values).max()
    return bool(largest == 0 or (values / largest).std(ddof=1) <= ROUNDING)


def _anderson_p(adjusted: float) -> float:
    # Valid below 10, where p is about 1e-24; beyond, that value is an upper limit.
    a = min(adjusted, 10.0)
    if a < 0.2:
        return float(-np.expm1(-13.436 + 101.14 * a - 223.73 * a**2))
    if a < 0.34:
        return float(-np.expm1(-8.318 + 42.796 * a - 59.938 * a**2))
    if a < 0.6:
        return float(np.exp(0.9177 - 4.279 * a - 1.38 * a**2))
    return float(np.exp(1.2937 - 5.709 * a + 0.0186 * a**2))


def _check(method: str, figures: Mapping[str, Any], n: int, p: float, effect: float, *, large: bool) -> Check:
    status: Status = "contradicted" if p < SIGNIFICANCE and large else silent(n)
    return Check(status, method, figures, effect)


def silent(n: int) -> Status:
    """What a check that found nothing says, which is nothing where rows are few."""
    return "supported" if n >= FEW else "unchecked"


def _two_sample_distance(first: FloatArray, second: FloatArray) -> float:
    return max(_distance_at(first, second), _distance_at(second, first))


def _distance_at(half: FloatArray, other: FloatArray) -> float:
    """Largest distance of the distribution functions at the values of one half, each value once."""
    counts = np.append(np.flatnonzero(half[1:] != half[:-1]), half.size - 1) + 1
    share = np.searchsorted(other, half[counts - 1], side="right") / other.size
    return float(np.abs(counts / half.size - share).max())


def _standardised_shift(first: FloatArray, second: FloatArray) -> float:
    difference = second.mean() - first.mean()
    pooled = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    if pooled == 0:
        return 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
    return float(difference / pooled)


# Rows that repeat: whether independent draws would repeat like that, or rows were copied.
#
# Independent draws repeat where values are few: classes, whole numbers, two decimals, a sensor that rests at 0. A copy
# repeats a row that nothing says could come twice. Three things tell them apart, none of which asks for a distribution:
#
# - **Resolution.** Where values are few, repeats come with near misses: neighbouring values of a scale, or rows that
#   share many of their columns but not all. Rows that repeat without near misses were not drawn from few values.
# - **Counts.** How often a value occurs is a Poisson mixture, and given that it occurs, its count is even with a
#   probability below 1/2, whatever the mixture (and divisible by k about once in k times). A table that was doubled has
#   only even counts.
# - **Order.** A few values of otherwise fine rows that occur very often may be where a sensor rests, unless they come
#   side by side.

NARROW = 64
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)

FEW_REPEATED = 3
"""So many rows that repeat, or fewer, say nothing about how finely rows are resolved."""
ATOMS = ((8, 3.0), (32, 5.0))
"""At most so many values, each occurring so often on average, may be where independent rows come to rest."""
EVEN, ALIKE, RARE, COPIES_ROUNDING = 1.1, 1.03, 1e-4, 16
"""Factors up to which steps of a scale are alike, how rarely those of continuous values may seem so, and rounding."""
IDENTIFIES = 0.9
"""A scale with so many values for each distinct row stands for the whole row."""
HALVES, COLUMNS_MOST, SEED = 8, 256, 20250101
LARGEST_FOLD = 50
COPIES_SIGNIFICANCE = 0.001
LARGE_EXCESS = 0.1


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The distinct rows of a table: where each first stands, how often it occurs, and which one each row is."""

    first: NDArray[np.intp]
    counts: NDArray[np.int64]
    which: NDArray[np.intp]

    @property
    def repeated(self) -> int:
        """Distinct rows that occur more than once."""
        return int((self.counts > 1).sum())


def occurrences(table: NDArray[Any]) -> Occurrences:
    """Distinct rows of a two-dimensional array, the same as ``np.unique(table, axis=0)`` finds, without sorting rows.

    Rows with different fingerprints differ; rows with the same one are compared.
    """
    marks = _fingerprints(np.ascontiguousarray(table))
    order = np.argsort(marks, kind="stable")
    new = np.concatenate([[True], marks[order[1:]] != marks[order[:-1]]])
    same = np.flatnonzero(~new)
    if not (table[order[same]] == table[order[same - 1]]).all():
        # Two fingerprints met by chance, or rows hold NaN, which equals nothing.
        _, first, which, counts = np.unique(table, axis=0, return_index=True, return_inverse=True, return_counts=True)
        return Occurrences(first, counts, which.ravel())
    which = np.empty(len(table), dtype=np.intp)
    which[order] = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    return Occurrences(order[starts], np.diff(np.append(starts, len(table))), which)


def why_copied(table: NDArray[Any], found: Occurrences) -> str | None:
    """What shows that rows were copied; None where independent draws can repeat as these rows do."""
    fold = _folded(found.counts)
    if fold is not None:
        return f"rows come in multiples of {fold}"
    repeated = found.repeated
    often = float(found.counts[found.counts > 1].mean())
    if any(repeated <= most and often >= heavy for most, heavy in ATOMS):
        return "identical rows stand side by side" if _side_by_side(table, found) else None
    if repeated <= FEW_REPEATED or _few_values(table[found.first], repeated):
        return None
    return "the rows are resolved too finely to repeat by chance"


def _folded(counts: NDArray[np.int64]) -> int | None:
    """A number by which far more counts are divisible than those of independent draws can be; the largest such."""
    folds = np.arange(2, LARGEST_FOLD + 1)
    seen = np.array([(counts % fold == 0).sum() for fold in folds])
    expected = counts.size * _divisible()
    # The tail of a binomial, which that of independent indicators with these means at most does not exceed.
    p = special.betainc(np.maximum(seen, 1), counts.size - seen + 1, _divisible())
    large = (seen > 0) & (p < COPIES_SIGNIFICANCE / folds.size) & (seen - expected > LARGE_EXCESS * counts.size)
    return int(folds[large][-1]) if large.any() else None


@cache
def _divisible() -> FloatArray:
    """For each fold, the largest probability that a Poisson count is divisible by it, given that it is not 0.

    For 2 it is (1 - exp(-mean)) / 2, below 1/2 for every mean; a mixture of means cannot exceed the largest.
    """
    means = np.geomspace(1e-3, 200, 2000)[:, None]
    counts = np.arange(1, 400)
    given = np.exp(counts * np.log(means) - means - special.gammaln(counts + 1)) / -np.expm1(-means)
    return np.array([given[:, fold - 1 :: fold].sum(axis=1).max() for fold in range(2, LARGEST_FOLD + 1)])


def _side_by_side(table: NDArray[Any], found: Occurrences) -> bool:
    """Whether repeated rows follow each other more often than in random order, in a table that is not sorted."""
    n = found.which.size
    adjacent = int((found.which[1:] == found.which[:-1]).sum())
    expected = float((found.counts * (found.counts - 1.0)).sum()) / n
    if 2 * adjacent < n - found.counts.size or special.gammainc(max(adjacent, 1), expected) >= COPIES_SIGNIFICANCE:
        return False
    return table.shape[1] > 1 or not _is_sorted(table[:, 0])


def _is_sorted(values: NDArray[Any]) -> bool:
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())


def _few_values(distinct: NDArray[Any], repeated: int) -> bool:
    """Whether distinct rows are so close to each other that as many as ``repeated`` can coincide by chance."""
    scales, fine = [], False
    for column in _columns(distinct):
        values, counts = np.unique(column, return_counts=True)
        if column.dtype.kind not in "iufb" or _is_scale(values, repeated):
            scales.append(values.size / len(distinct))
        else:
            fine = fine or bool((counts == 1).sum() >= repeated and 2 * (counts > 1).sum() < repeated)
    # Where one scale alone tells all rows apart, finer columns follow from it.
    if fine:
        return 1.0 in scales
    return distinct.shape[1] == 1 or max(scales, default=0.0) >= IDENTIFIES or _share_parts(distinct, repeated)


def _columns(table: NDArray[Any]) -> Iterator[NDArray[Any]]:
    width = table.shape[1]
    chosen = np.arange(width)
    if width > COLUMNS_MOST:
        chosen = np.random.default_rng(SEED).choice(width, COLUMNS_MOST, replace=False)
    return (table[:, number] for number in chosen)


def _is_scale(values: NDArray[Any], repeated: int) -> bool:
    """Whether sorted values are marks on a scale, even or bent (such as logarithms of whole numbers).

    On an even scale the smallest steps are alike, half as many of them as there are repeated rows or more. On any
    smooth one steps that follow each other are alike, more often than between independent continuous values, where
    the ratio of two steps lies within a factor r with probability (r - 1) / (r + 1).
    """
    numbers = values.astype(np.float64)
    kind = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
    steps = np.diff(numbers)
    steps = steps[steps > COPIES_ROUNDING * float(np.finfo(kind).eps) * float(np.abs(numbers).max())]
    needed = (repeated + 1) // 2
    if steps.size < needed:
        return True
    smallest = np.partition(steps, needed - 1)[:needed]
    if smallest[-1] <= EVEN * smallest.min():
        return True
    alike = int((np.abs(np.log(steps[1:] / steps[:-1])) <= np.log(ALIKE)).sum())
    chance = (ALIKE - 1) / (ALIKE + 1)
    return bool(special.betainc(max(alike, 1), max(steps.size - alike, 1), chance) < RARE)


def _share_parts(distinct: NDArray[Any], repeated: int) -> bool:
    """Whether enough distinct rows agree with another one in some half of their columns."""
    rng, width = np.random.default_rng(SEED), distinct.shape[1]
    for _ in range(HALVES):
        half = np.sort(rng.permutation(width)[: (width + 1) // 2])
        counts = occurrences(np.ascontiguousarray(distinct[:, half])).counts
        if counts[counts > 1].sum() >= repeated:
            return True
    return False


def _fingerprints(table: NDArray[Any]) -> NDArray[np.uint64]:
    width = table.dtype.itemsize * table.shape[1]
    if not width:
        return np.zeros(len(table), dtype=np.uint64)
    size = next(size for size in (8, 4, 2, 1) if width % size == 0)
    if width // size > NARROW:
        return np.fromiter((hash(_plain(row).tobytes()) for row in table), np.int64, len(table)).view(np.uint64)
    marks = np.zeros(len(table), dtype=np.uint64)
    for column in _plain(table).view(f"u{size}").T:
        marks = (marks ^ column) * _ODD
        marks ^= marks >> _SHIFT
    return marks


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Adding 0 makes -0.0, which equals 0.0, the same bytes."""
    return values + values.dtype.type(0) if values.dtype.kind == "f" else values


# Whether failures come more often in one half of the rows, by an exact test that knows when it is blind.

BOUNDS_DRIFT_SIGNIFICANCE = 0.01
"""Stricter than usual: drift is looked for in every step, and finding it takes the verdict away."""
LARGE_SHARE = 0.55


@validate.arguments
def outcome_drift(first: Counts, second: Counts) -> Check:
    """Failures of the first half of the rows against those of the second, by Fisher's exact test.

    Given the number of failures in all, the number in the first half is hypergeometric where nothing changed. Where
    most rows fail, successes are compared instead. The effect size is the share that the worse half has of the sum of
    both rates, from 0.5 to 1; a contradiction needs more than 0.55. Where not even the most uneven split would be
    significant, nothing was checked.

    Parameters
    ----------
    first, second
        What was counted in each half of the rows.

    Returns
    -------
    Check
        What was found; unchecked where the counts are too few for any split to be significant.

    Examples
    --------
    >>> from surefoot.bounds import Counts, outcome_drift
    >>> outcome_drift(Counts(2, 500), Counts(30, 500)).status
    'contradicted'

    """
    failures, rows = first.failures + second.failures, first.trials + second.trials
    rare = "failures" if 2 * failures <= rows else "successes"
    seen = tuple(c.failures if rare == "failures" else c.trials - c.failures for c in (first, second))
    p = _p_value(seen[0], sum(seen), first.trials, rows)
    smallest = min(_p_value(end, sum(seen), first.trials, rows) for end in _ends(sum(seen), first.trials, rows))
    share = _worse_share(seen, (first.trials, second.trials))
    status = _status(p, smallest, share)
    blind = ", too few for any split to be significant" if status == "unchecked" else ""
    found = f"{seen[0]:,} {rare} in the first half and {seen[1]:,} in the second half of {rows:,} rows"
    figures = {
        "rows": rows,
        f"{rare}_first_half": seen[0],
        f"{rare}_second_half": seen[1],
        "p_value": p,
        "smallest_p_value_possible": smallest,
        "significance": BOUNDS_DRIFT_SIGNIFICANCE,
    }
    return Check(status, f"{found}, compared by Fisher's exact test{blind}", figures, share)


def _status(p: float, smallest: float, share: float | None) -> Status:
    if share is None or smallest >= BOUNDS_DRIFT_SIGNIFICANCE:
        return "unchecked"
    return "contradicted" if p < BOUNDS_DRIFT_SIGNIFICANCE and share > LARGE_SHARE else "supported"


def _p_value(seen: int, events: int, first: int, rows: int) -> float:
    """Twice the smaller tail."""
    from scipy.stats import hypergeom

    tails = hypergeom.cdf(seen, rows, events, first), hypergeom.sf(seen - 1, rows, events, first)
    return min(1.0, 2 * float(min(tails)))


def _ends(events: int, first: int, rows: int) -> tuple[int, int]:
    """The fewest and the most events that the first half can have."""
    return max(0, events - (rows - first)), min(events, first)


def _worse_share(seen: tuple[int, ...], sizes: tuple[int, int]) -> float | None:
    rates = [count / size for count, size in zip(seen, sizes, strict=True) if size]
    return max(rates) / sum(rates) if len(rates) == 2 and sum(rates) > 0 else None
