"""Linear classifiers in a box, whose failure probability is known exactly however rare failures are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.extras import require
from surefoot.core.validate import FloatArray
from surefoot.testing.uniform_sums import UniformSum

GRID = 4096
"""Centres and radii are multiples of one over this, so that corners are the same in single precision."""
MOST_BLUR = 0.05


@dataclass(frozen=True, eq=False)
class LinearBox:
    """A linear classifier of two classes, and a ball in which it should answer 0.

    It answers 1, which is a failure, where ``weights`` . x + ``offset`` > 0. Inputs are uniform in the ball, which is
    cut to [0, 1].
    """

    weights: FloatArray
    offset: float
    centre: FloatArray
    radius: float
    log_probability: float
    """Natural logarithm of the exact failure probability."""
    single: bool = False
    """Whether all numbers are those of single precision, which ``module`` then has."""

    @property
    def corners(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of the ball."""
        return _corners(self.centre, self.radius)

    def scores(self, inputs: NDArray[Any]) -> FloatArray:
        """Scores of both classes for each input."""
        return opposite_scores(inputs, self.weights, self.offset)

    def module(self) -> Any:
        """The same classifier as a linear layer of torch."""
        return opposite_module(self.weights, self.offset, single=self.single)


def linear_failure_probability(weights: ArrayLike, offset: float, lower: ArrayLike, upper: ArrayLike) -> float:
    """Natural logarithm of P(weights . x + offset >= 0) for x uniform in the box between two corners.

    A sum of uniform variables: by inclusion and exclusion in whole numbers up to 12 features (Barrow & Smith 1979), by
    the inverse of the Laplace transform through the saddle point beyond.
    """
    where = "linear_failure_probability"
    w, low, high = (validate.vector(v, where=where, name=n) for v, n in _named(weights, lower, upper))
    validate.same_length(where, weights=w, lower=low, upper=high)
    if (low > high).any():
        found = f"{low[low > high][0]:g} above {high[low > high][0]:g}"
        raise InvalidInput("lower must not lie above upper", where=where, found=found)
    highest, total = _score_range(w, low, high, validate.number(offset, where=where, name="offset"))
    return total.log_probability(highest)


def linear_world(
    dimensions: int,
    probability: float,
    *,
    seed: int,
    concentrated: bool = False,
    cut: bool = False,
    radius: float = 0.0625,
    single: bool = False,
) -> LinearBox:
    """A random classifier and ball with the failure probability that is asked for.

    ``concentrated``: weights fall off like 1 / i, so that a few features decide. ``cut``: centres lie anywhere in
    [0, 1], half of their features at either end, which cuts the ball. Where ``single``, the offset is rounded, and the
    probability that of the rounded one. What floats of the kind cannot hold is refused.
    """
    where = "linear_world"
    d = validate.count(dimensions, where=where, name="dimensions", at_least=1)
    p = validate.fraction(probability, where=where, name="probability")
    r = round(validate.positive(radius, where=where, name="radius") * GRID) / GRID
    if not 0 < r <= 0.5:
        raise InvalidInput("radius must lie between 1/4096 and 0.5", where=where, found=f"{radius:g}")
    rng = np.random.default_rng(validate.seed(seed, where=where))
    fall = np.arange(1, d + 1) if concentrated else 1.0
    weights = (rng.standard_normal(d) / fall).astype(np.float32).astype(float)
    centre = rng.integers(round(r * GRID), round((1 - r) * GRID) + 1, d) / GRID
    centre = np.where(rng.random(d) < 0.5, rng.integers(0, 2, d), centre) if cut else centre
    base, total = _score_range(weights, *_corners(centre, r), 0.0)
    offset = float(_reach(total, math.log(p)) - base)
    offset = float(np.float32(offset)) if single else offset
    box = LinearBox(weights, offset, centre, r, total.log_probability(base + Fraction(offset)), single)
    _check_held(box, base, total, math.log(p))
    return box


def opposite_scores(inputs: NDArray[Any], weights: FloatArray, offset: float) -> FloatArray:
    """Scores of two classes whose difference is linear."""
    difference = np.asarray(inputs, dtype=float).reshape(-1, len(weights)) @ weights + offset
    return np.column_stack([-difference / 2, difference / 2])


def opposite_module(weights: FloatArray, offset: float, *, single: bool) -> Any:
    """The same as a linear layer of torch, behind one that makes an input flat."""
    torch = require("torch", extra="torch", purpose="A linear classifier as a torch module")
    dtype = torch.float32 if single else torch.float64
    layer = torch.nn.Linear(len(weights), 2, dtype=dtype)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(np.stack([-weights / 2, weights / 2]), dtype=dtype))
        layer.bias.copy_(torch.tensor([-offset / 2, offset / 2], dtype=dtype))
    return torch.nn.Sequential(torch.nn.Flatten(), layer).eval()


def _corners(centre: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    return np.maximum(centre - radius, 0.0), np.minimum(centre + radius, 1.0)


def _named(*values: ArrayLike) -> list[tuple[ArrayLike, str]]:
    return list(zip(values, ("weights", "lower", "upper"), strict=True))


def _score_range(w: FloatArray, low: FloatArray, high: FloatArray, offset: float) -> tuple[Fraction, UniformSum]:
    """The highest score in the box, and how far below it scores lie; no rounding."""
    best = np.where(w > 0, high, low)
    highest = sum((Fraction(a) * Fraction(b) for a, b in zip(w, best, strict=True)), Fraction(offset))
    sides = (abs(Fraction(a)) * (Fraction(t) - Fraction(b)) for a, b, t in zip(w, low, high, strict=True))
    return highest, UniformSum(tuple(side for side in sides if side))


def _reach(total: UniformSum, log_probability: float) -> Fraction:
    """Where the distribution function has that value; at least where the whole orthant would have it."""
    from scipy.optimize import brentq

    d = len(total.widths)
    least = (log_probability + special.gammaln(d + 1) + np.log(total.sizes).sum()) / d
    most = math.log(total.total)

    def excess(log_reach: float) -> float:
        return total.log_probability(Fraction(math.exp(log_reach))) - log_probability

    start = min(least, most) - 1e-6
    return Fraction(math.exp(brentq(excess, start, most + 1e-9, xtol=1e-15, rtol=1e-15)))


def _check_held(box: LinearBox, base: Fraction, total: UniformSum, asked: float) -> None:
    """Rounding inside the model, in the worst case, must not change the probability much."""
    precision = np.finfo(np.float32 if box.single else np.float64).eps
    blur = precision * (abs(box.offset) + np.abs(box.weights) @ box.corners[1])
    blurred = total.log_probability(base + Fraction(box.offset) - Fraction(float(blur)))
    if not min(box.log_probability, blurred) > asked - MOST_BLUR:
        raise InvalidInput(
            f"{'single' if box.single else 'double'} precision cannot hold so rare a failure in so few features",
            where="linear_world",
            found=f"{math.exp(asked):.3g} in {len(box.weights)} dimensions",
            remedy="Ask for a larger probability or more dimensions.",
        )
