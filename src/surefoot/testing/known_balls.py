"""Worlds in which the risk in the ball around every input is known, and linear classifiers whose risk in a box is.

Operation is a mixture of boxes in [0, 1]^d. The true class is 1 where the first feature is above one half, which no
ball around an input reaches. The model is linear in all features but the last, which only weighs inputs. The risk in a
ball is that of a sum of uniform variables, and so is its mean over a box of operation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.core import InvalidInput, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray

DIMENSIONS = 16
RADIUS = 0.0625
GAP = 0.125
"""Between operation and where the true class changes."""
COMPONENTS = 8
LEAST_REACH = 1e-3
NODES = 257


@cache
def ball_worlds() -> tuple[BallWorld, ...]:
    """Ready worlds of balls.

    Returns
    -------
    tuple of BallWorld
        Failures that are common or rare, spread or in a corner of operation, and weights that go with risk.

    Examples
    --------
    >>> import surefoot as sf
    >>> [round(world.truth, 4) for world in sf.testing.ball_worlds()[:2]]
    [0.05, 0.001]

    """
    common, rare = spread_world("common", 0.05, seed=1), spread_world("rare", 1e-3, seed=2)
    return (
        common,
        rare,
        _weighted_by_risk(common, "common, weights go with risk"),
        _weighted_by_risk(rare, "rare, weights go with risk"),
        corner_world("mispredicted corner", share=0.03, pmi=0.02, seed=3),
        corner_world("rare corner", share=0.003, pmi=0.001, seed=4),
    )


def ball_world(name: str) -> BallWorld:
    """The ready world of balls of a name.

    Parameters
    ----------
    name
        Such as ``rare``.

    Returns
    -------
    BallWorld
        Operation, a model, and balls.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.testing.ball_world("rare").radius
    0.0625

    """
    known = {world.name: world for world in ball_worlds()}
    return known[validate.choice(name, known, where="ball_world", name="world")]


@dataclass(frozen=True, eq=False)
class BallWorld:
    """Operation, a model, and balls of one radius in which the risk is known.

    See Also
    --------
    ball_world

    """

    name: str
    weights: FloatArray
    """Of the model, whose score for class 1 over class 0 is their product with an input, plus the offset."""
    offset: float
    lower: FloatArray
    upper: FloatArray
    """Corners of the boxes, a row each."""
    shares: FloatArray
    """Of operation, in each box."""
    steepness: float = 0.0
    """An input weighs exp(steepness * last feature)."""
    radius: float = 0.0625

    def __post_init__(self) -> None:
        inside = (self.lower >= self.radius).all() and (self.upper <= 1 - self.radius).all()
        clear = ((self.lower[:, 0] >= 0.5 + self.radius) | (self.upper[:, 0] <= 0.5 - self.radius)).all()
        if not (inside and clear and self.weights[-1] == 0 and math.isclose(self.shares.sum(), 1)):
            raise InvalidInput("balls must keep to one class and to [0, 1], and shares sum to 1", where="BallWorld")

    def draw(self, n: int, seed: int) -> tuple[FloatArray, NDArray[np.int64]]:
        """Inputs from operation and their true classes."""
        rng = np.random.default_rng(seed)
        box = rng.choice(len(self.shares), size=n, p=self.shares)
        inputs = rng.uniform(self.lower[box], self.upper[box])
        return inputs, self.label(inputs)

    @staticmethod
    def label(inputs: FloatArray) -> NDArray[np.int64]:
        """True classes."""
        return (inputs[:, 0] > 0.5).astype(np.int64)

    def weigh(self, inputs: FloatArray) -> FloatArray:
        """What each input counts."""
        return np.asarray(np.exp(self.steepness * inputs[:, -1]))

    def scores(self, inputs: NDArray[Any]) -> FloatArray:
        """The model."""
        return opposite_scores(inputs, self.weights, self.offset)

    def module(self) -> Any:
        """The model as a torch module in single precision."""
        return opposite_module(self.weights, self.offset, single=True)

    def risk(self, inputs: FloatArray) -> FloatArray:
        """Failure probability in the ball around each input, to a relative 1e-6 where it is above 1e-30."""
        wrong = np.where(self.label(inputs) == 1, -1.0, 1.0)
        highest = wrong * (inputs @ self.weights + self.offset) + self.radius * np.abs(self.weights).sum()
        return self._distribution(highest / self._total)

    def frame_truth(self, inputs: FloatArray) -> float:
        """Weighted mean of the risks around these inputs."""
        return float(np.average(self.risk(inputs), weights=self.weigh(inputs)))

    @property
    def truth(self) -> float:
        """The pmi with equal weights, which is also the ACU."""
        return float(self.shares @ self.box_risks)

    @property
    def weighted_truth(self) -> float:
        """The pmi with the weights of ``weigh``, which depend on the last feature alone."""
        counts = self.shares * _mean_exponential(self.steepness, self.lower[:, -1], self.upper[:, -1])
        return float(counts @ self.box_risks / counts.sum())

    @property
    def error(self) -> float:
        """Share of operation at which the model itself is wrong."""
        return float(self.shares @ self._failures(0.0))

    @cached_property
    def box_risks(self) -> FloatArray:
        """Mean risk of the balls around the inputs of each box: a sum of twice as many uniform variables."""
        return self._failures(self.radius)

    def _failures(self, radius: float) -> FloatArray:
        sides = np.full(len(self.weights), radius)
        wrong = np.where(self.label(self.lower) == 1, -1.0, 1.0)
        logs = [
            linear_failure_probability(
                sign * np.tile(self.weights, 2), sign * self.offset, np.r_[low, -sides], np.r_[high, sides]
            )
            for sign, low, high in zip(wrong, self.lower, self.upper, strict=True)
        ]
        return np.exp(logs)

    @property
    def _total(self) -> float:
        return float(2 * self.radius * np.abs(self.weights).sum())

    def _distribution(self, reach: FloatArray) -> FloatArray:
        """Probability that the score moves up to its highest value by at most a share of its range."""
        lesser = np.minimum(reach, 1 - reach)
        found = np.zeros(len(reach))
        found[lesser > 0] = np.exp(self._log_spline(np.log(lesser[lesser > 0])))
        return np.where(reach > 0.5, 1 - found, found)

    def _log_distribution(self, reach: float) -> float:
        sides = np.full(len(self.weights), self.radius)
        offset = (reach - 0.5) * self._total
        return linear_failure_probability(self.weights, offset, -sides, sides)

    @cached_property
    def _log_spline(self) -> Any:
        from scipy.interpolate import CubicSpline

        at = np.linspace(math.log(LEAST_REACH), math.log(0.5), NODES)
        return CubicSpline(at, [self._log_distribution(value) for value in np.exp(at)])


def spread_world(name: str, pmi: float, *, seed: int) -> BallWorld:
    """Boxes of all sizes, each with a risk of its own."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.02, 0.2, (COMPONENTS, DIMENSIONS))
    middle = rng.uniform(RADIUS + half, 1 - RADIUS - half)
    return _with_pmi(name, pmi, middle, half, rng.dirichlet(np.full(COMPONENTS, 5.0)), rng.standard_normal(DIMENSIONS))


def corner_world(name: str, *, share: float, pmi: float, seed: int) -> BallWorld:
    """A small share of operation where the features mislead the model, which is right everywhere else."""
    rng = np.random.default_rng(seed)
    tastes = rng.standard_normal(DIMENSIONS)
    half = np.full((COMPONENTS, DIMENSIONS), 0.1)
    middle = rng.uniform(0.4, 0.6, (COMPONENTS, DIMENSIONS))
    middle[0] = 0.5 + 0.25 * np.sign(tastes)
    rest = rng.dirichlet(np.full(COMPONENTS - 1, 5.0)) * (1 - share)
    return _with_pmi(name, pmi, middle, half, np.r_[share, rest], tastes)


def _with_pmi(
    name: str, pmi: float, middle: FloatArray, half: FloatArray, shares: FloatArray, tastes: FloatArray
) -> BallWorld:
    """Let the model heed features that do not matter until it fails as often as asked."""
    from scipy.optimize import brentq

    lower, upper = middle - half, middle + half
    lower[::2, 0], upper[::2, 0] = RADIUS, 0.5 - GAP
    lower[1::2, 0], upper[1::2, 0] = 0.5 + GAP, 1 - RADIUS

    def world(heed: float) -> BallWorld:
        weights = np.r_[1.0, heed * tastes[1:-1], 0.0].astype(np.float32).astype(float)
        offset = float(np.float32(-weights.sum() / 2))
        return BallWorld(name, weights, offset, lower, upper, shares, radius=RADIUS)

    return world(brentq(lambda heed: math.log(max(world(heed).truth, 1e-30) / pmi), 0.01, 1.0, xtol=1e-7))


def _weighted_by_risk(world: BallWorld, name: str) -> BallWorld:
    """The riskier a box, the higher its last feature."""
    rank = np.argsort(np.argsort(world.box_risks)) / (len(world.shares) - 1)
    lower, upper = world.lower.copy(), world.upper.copy()
    lower[:, -1], upper[:, -1] = 0.1 + 0.6 * rank, 0.3 + 0.6 * rank
    return replace(world, name=name, lower=lower, upper=upper, steepness=3.0)


def _mean_exponential(steepness: float, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mean of exp(steepness x) for x uniform between two numbers."""
    if steepness == 0:
        return np.ones(len(low))
    return np.asarray((np.exp(steepness * high) - np.exp(steepness * low)) / (steepness * (high - low)))


GRID = 4096
"""Centres and radii are multiples of one over this, so that corners are the same in single precision."""
MOST_BLUR = 0.05
MOST_TERMS = 12
"""Up to so many variables the sum over all corners is taken in whole numbers."""
NEGLIGIBLE = 26.0
"""Parts smaller than e to minus this are left out of integrals."""
MOST_NODES = 1 << 23
BLOCK = 1 << 19


@dataclass(frozen=True, eq=False)
class LinearBox:
    """A linear classifier of two classes, and a ball in which it should answer 0.

    It answers 1, which is a failure, where ``weights`` . x + ``offset`` > 0. Inputs are uniform in the ball, which is
    cut to [0, 1].

    See Also
    --------
    linear_world

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
    """Natural logarithm of P(weights . x + offset >= 0) for x uniform in a box.

    A sum of uniform variables: by inclusion and exclusion in whole numbers up to 12 features, by the inverse of the
    Laplace transform through the saddle point beyond.

    Parameters
    ----------
    weights, offset
        Of the linear function.
    lower, upper
        Corners of the box.

    Returns
    -------
    float
        Exact however rare failures are.

    References
    ----------
    Barrow and Smith (1979), American Mathematical Monthly 86(2).

    Examples
    --------
    >>> import math
    >>> import surefoot as sf
    >>> log = sf.testing.linear_failure_probability([1.0, 1.0], -1.5, [0.0, 0.0], [1.0, 1.0])
    >>> round(math.exp(log), 6)
    0.125

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

    Parameters
    ----------
    dimensions
        Number of features.
    probability
        Of failure; what floats of the kind cannot hold is refused.
    seed
        Of weights and centre.
    concentrated
        Whether weights fall off like 1 / i, so that a few features decide.
    cut
        Whether centres lie anywhere in [0, 1], half of their features at either end, which cuts the ball.
    radius
        Of the ball.
    single
        Whether the offset is rounded to single precision, and the probability that of the rounded one.

    Returns
    -------
    LinearBox
        With its exact failure probability.

    Examples
    --------
    >>> import math
    >>> import surefoot as sf
    >>> box = sf.testing.linear_world(20, 1e-12, seed=0)
    >>> f"{math.exp(box.log_probability):.3e}"
    '1.000e-12'

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


@dataclass(frozen=True)
class UniformSum:
    """The sum of independent variables uniform between 0 and each width, exact far into its tail."""

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
