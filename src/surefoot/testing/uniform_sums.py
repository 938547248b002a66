"""The distribution of a sum of independent uniform variables, exact far into its tail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray

MOST_TERMS = 12
"""Up to so many variables the sum over all corners is taken in whole numbers."""
NEGLIGIBLE = 26.0
"""Parts smaller than e to minus this are left out of integrals."""
MOST_NODES = 1 << 23
BLOCK = 1 << 19


@dataclass(frozen=True)
class UniformSum:
    """The sum of variables uniform between 0 and each width, which must be above 0."""

    widths: tuple[Fraction, ...]

    @cached_property
    def total(self) -> Fraction:
        """The largest value of the sum."""
        return sum(self.widths, Fraction(0))

    @cached_property
    def sizes(self) -> FloatArray:
        """The widths as floats."""
        return np.array([float(width) for width in self.widths])

    def log_probability(self, reach: Fraction) -> float:
        """Natural logarithm of the probability that the sum is at most ``reach``."""
        if reach >= self.total:
            return 0.0 if reach >= 0 else -math.inf
        if reach <= 0:
            return -math.inf
        if 2 * reach > self.total:
            return math.log1p(-math.exp(self._log_tail(self.total - reach)))
        return self._log_tail(reach)

    def _log_tail(self, reach: Fraction) -> float:
        if len(self.widths) <= MOST_TERMS:
            return log_by_corners(self.widths, reach)
        return log_by_inversion(self.sizes, float(reach))


def log_by_corners(widths: Sequence[Fraction], reach: Fraction) -> float:
    """By inclusion and exclusion over the corners of a box, without rounding.

    P = sum over subsets S of (-1)^|S| max(0, reach - sum of S)^d / (d! product of widths) (Barrow & Smith 1979).
    """
    unit = math.lcm(reach.denominator, *(width.denominator for width in widths))
    sides = [int(width * unit) for width in widths]
    left, sign = [int(reach * unit)], [1]
    for side in sides:
        beyond = [(rest - side, -s) for rest, s in zip(left, sign, strict=True) if rest > side]
        left += [rest for rest, _ in beyond]
        sign += [s for _, s in beyond]
    volume = sum(s * rest ** len(sides) for rest, s in zip(left, sign, strict=True))
    return _log(volume) - _log(math.factorial(len(sides)) * math.prod(sides))


def log_by_inversion(sizes: FloatArray, reach: float) -> float:
    """By the inverse of the Laplace transform along a line through its saddle point.

    The integrand is the characteristic function of the tilted sum, so nothing cancels however small the probability
    is. The trapezium rule along the line errs by what the tilted sum has further away than a period, which is
    negligible because its density is logarithmically concave (Abate & Whitt 1992; Daniels 1987).
    """
    tilt = _saddle_point(sizes, reach)
    z = tilt * sizes
    deviation = math.sqrt((sizes**2 * _tilted_variance(z)).sum())
    step = 2 * math.pi / (2 * NEGLIGIBLE * deviation + 2 * NEGLIGIBLE / tilt)
    count = math.ceil(_last_frequency(z, tilt) / step)
    if count > MOST_NODES:
        raise InvalidInput(
            "a few weights outweigh all others too far for this number of features",
            where="linear_failure_probability",
            found=f"{len(sizes)} widths between {sizes.min():g} and {sizes.max():g}",
            remedy="Leave out the smallest, or use at most 12 features.",
        )
    rows = max(1, BLOCK // len(sizes))
    blocks = (
        step * np.arange(start, min(start + rows, count + 1), dtype=np.float64) for start in range(0, count + 1, rows)
    )
    whole = math.fsum(_line(sizes, reach, tilt, block).sum() for block in blocks)
    # The rule counts its first node half; there the integrand is 1.
    density = (whole - 0.5) * step / (math.pi * tilt)
    return float(tilt * reach + np.log(-np.expm1(-z) / z).sum() + math.log(density))


def _line(sizes: FloatArray, reach: float, tilt: float, frequencies: FloatArray) -> FloatArray:
    """Real part of the integrand at each frequency, as a multiple of its value at 0."""
    s = tilt + 1j * frequencies
    ratio = np.expm1(np.multiply.outer(s, -sizes)) / np.expm1(-tilt * sizes)
    logs = np.log(ratio).sum(axis=1) - (len(sizes) + 1) * np.log(s / tilt) + 1j * frequencies * reach
    return np.asarray(np.exp(logs).real)


def _saddle_point(sizes: FloatArray, reach: float) -> float:
    """Where mean of the tilted sum + 1 / tilt = reach; the mean lies between 0 and d / tilt."""
    from scipy.optimize import brentq

    def excess(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        return float((sizes * _tilted_mean(tilt * sizes)).sum() + 1 / tilt - reach)

    return math.exp(brentq(excess, -math.log(reach) - 1e-6, math.log((len(sizes) + 1) / reach) + 1e-6, xtol=1e-9))


def _tilted_mean(z: FloatArray) -> FloatArray:
    """Mean of a variable on (0, 1) with density proportional to exp(-z x)."""
    with np.errstate(over="ignore"):
        return np.where(z < 0.01, 0.5 - z / 12, 1 / z - 1 / np.expm1(z))


def _tilted_variance(z: FloatArray) -> FloatArray:
    """Its variance."""
    return np.where(z < 0.01, 1 / 12 - z**2 / 240, 1 / z**2 - np.exp(-z) / np.expm1(-z) ** 2)


def _last_frequency(z: FloatArray, tilt: float) -> float:
    """Beyond it the integrand is negligible.

    The modulus of each factor falls until the frequency times its width is pi, and from there on stays below
    coth(z / 2) tilt / |s|, which it touches there.
    """
    from scipy.optimize import brentq

    def log_size(log_frequency: float) -> float:
        y = math.exp(log_frequency)
        with np.errstate(over="ignore"):
            turned = (np.sin(np.minimum(y * z, np.pi) / 2) / np.sinh(z / 2)) ** 2
        # The frequencies beyond are y times as many, which the factor 1 / |s| outweighs.
        return float((np.log1p(turned) - math.log1p(y * y)).sum() / 2 + NEGLIGIBLE)

    longest = NEGLIGIBLE - float(np.log(np.minimum(z, 1.0)).min())
    return tilt * math.exp(brentq(log_size, -longest, longest, xtol=1e-3))


def _log(number: int) -> float:
    """Logarithm of a whole number of any length."""
    shift = max(0, number.bit_length() - 1000)
    return math.log(number >> shift) + shift * math.log(2)
