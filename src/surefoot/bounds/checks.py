"""Checks of what the normal-score bounds assume: normal, independent, identically distributed margins.

A departure contradicts an assumption when it is both significant and large. With ten million rows every
p-value is 0, so significance alone says nothing; with twenty rows every departure looks large, so size alone
says nothing either. Fewer than ``FEW`` rows can contradict but not support.

The thresholds of size are chosen for tails. By the Edgeworth series a skewness of 0.1 changes Phi(-3) by 44% and an
excess kurtosis of 0.2 by 49%; the same two move the distribution function by 0.007 and 0.005, and leave 6e-4 and 4e-4
of the variance of a normal probability plot unexplained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.copies import occurrences, why_copied
from surefoot.bounds.drift import SIGNIFICANCE as DRIFT_SIGNIFICANCE
from surefoot.bounds.plain import plain_array
from surefoot.bounds.statement import REPRESENTATIVE
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
    """
    validate.vector(margins, where="split_half_drift", name="margins", at_least=FEWEST_FOR_HALVES)
    values = standardised(margins, where="split_half_drift")
    first, second = np.sort(values[: values.size // 2]), np.sort(values[values.size // 2 :])
    distance = _two_sample_distance(first, second)
    harmonic = first.size * second.size / values.size
    p_distance = float(special.kolmogorov(np.sqrt(harmonic) * distance))
    shift = _standardised_shift(first, second)
    p_shift = float(2 * special.ndtr(-abs(shift) * np.sqrt(harmonic)))
    drifted = (p_distance < DRIFT_SIGNIFICANCE / 2 and distance > LARGE_HALVES_DISTANCE) or (
        p_shift < DRIFT_SIGNIFICANCE / 2 and abs(shift) > LARGE_SHIFT
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
