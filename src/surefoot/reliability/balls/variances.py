"""Variances of a weighted mean from drawn balls: the printed one and those that hold (errata RAM 8)."""

from __future__ import annotations

from surefoot.core.validate import FloatArray
from surefoot.reliability.by_k import weighted_mean

FORMS = ("linearised", "effective", "published")


def mean_and_variance(sizes: FloatArray, values: FloatArray, *, form: str = "linearised") -> tuple[float, float]:
    """Eqn. (14), and its variance in one of three forms.

    ``"published"`` is Eqn. (15), too small where weights differ or go with risk. ``"effective"`` puts Kish's (1965)
    effective number of draws in place of their number. ``"linearised"`` is that of a ratio (Cochran 1977, 6.4).
    """
    mean, variance = weighted_mean(sizes, values)
    if form == "linearised":
        return mean, variance
    total = float(sizes.sum())
    spread = max(float(sizes @ values**2) / total - mean**2, 0.0)
    draws = sizes.size if form == "published" else total**2 / float((sizes**2).sum())
    return mean, spread / (draws - 1) if draws > 1 else spread
