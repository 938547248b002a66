"""Weights that an expert states for classes or for regions of inputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Diagnostic, Distribution, InvalidInput, LogNormal, Point, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import as_labels, as_rows
from surefoot.profile.weighting import collapse, unit_mean

WHERE = "expert_weights"
PRIOR_COUNT = 0.5
"""Added to each count: the prior of Jeffreys."""


@validate.arguments
def expert_weights(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    classes: Mapping[Any, float | Distribution] | None = None,
    counts: Mapping[Any, float] | None = None,
    regions: Iterable[Region] | None = None,
) -> GroupWeights:
    """Weights of rows from what an expert says about operation, one of three ways.

    A weight is a number or, where it is uncertain, a distribution above 0; see ``lognormal_weight``.

    Parameters
    ----------
    X
        Rows of the data.
    y
        Their labels, for weights of classes.
    classes
        How much more often rows of a label come in operation than in the data, 1 for labels not named.
    counts
        How often each label was seen, or is expected, among rows of operation; shares follow a Dirichlet distribution
        with the prior of Jeffreys.
    regions
        Boxes with how much more often their rows come, 1 elsewhere.

    Returns
    -------
    GroupWeights
        Weights with mean 1, and how uncertain they are.

    Examples
    --------
    >>> import surefoot as sf
    >>> weights = sf.profile.expert_weights([[0.1], [0.2], [0.9]], ["day", "day", "night"], classes={"night": 4.0})
    >>> weights.weights.tolist()
    [0.5, 0.5, 2.0]

    """
    boxes = _regions(regions)
    given = [name for name, value in (("classes", classes), ("counts", counts), ("regions", boxes)) if value]
    if len(given) != 1:
        raise InvalidInput(
            "state weights in one of three ways: classes, counts or regions",
            where=WHERE,
            found=" and ".join(given) or "none",
        )
    grouping: Grouping
    factors: tuple[Factor, ...]
    if boxes:
        grouping, factors = ByRegion(boxes), (*(_factor(region.weight) for region in boxes), Point(1.0))
    else:
        grouping, factors = _by_class(classes or {}, counts or {}, y)
    rows = as_rows(X, where=WHERE, name="X")
    members = grouping.groups(rows, y)
    validate.same_length(WHERE, X=rows, y=members)
    return GroupWeights(grouping, factors, members)


def _regions(given: Iterable[Region] | None) -> tuple[Region, ...]:
    example = "Region((0.0,), (1.0,), 2.0)"
    return tuple(
        validate.kind(each, Region, where=WHERE, name="a region", example=example)
        for each in (() if given is None else given)
    )


def _by_class(
    classes: Mapping[Any, float | Distribution], counts: Mapping[Any, float], y: ArrayLike | None
) -> tuple[ByClass, tuple[Factor, ...]]:
    if y is None:
        raise InvalidInput("weights of classes need labels", where=WHERE, remedy="Give y.")
    kinds, rows = np.unique(as_labels(y, where=WHERE), return_counts=True)
    found = dict(zip(kinds.tolist(), rows.tolist(), strict=True))
    strangers = [label for label in {**classes, **counts} if label not in found]
    if strangers:
        raise InvalidInput(
            "a class with a weight is not in the data",
            where=WHERE,
            found=f"{strangers[0]!r}; labels of the data: {', '.join(map(repr, list(found)[:10]))}",
            remedy="No weight can make up for a class without rows: collect some, or correct the name.",
        )
    if classes:
        return ByClass(tuple(classes)), (*(_factor(weight) for weight in classes.values()), Point(1.0))
    return ByClass(tuple(found)), (*(_share(counts.get(c, 0.0), n) for c, n in found.items()), Point(0.0))


def _share(count: float, rows: int) -> _Gamma:
    if not validate.number(count, where=WHERE, name="count") >= 0:
        raise InvalidInput("counts must be at least 0", where=WHERE, found=f"{count:g}")
    return _Gamma(count + PRIOR_COUNT, rows)


@dataclass(frozen=True)
class _Gamma:
    """Shares with a Dirichlet distribution are independent gamma variables over their sum."""

    shape: float
    rows: int

    @property
    def mean(self) -> float:
        return self.shape / self.rows

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return rng.gamma(self.shape, size=size) / self.rows


def _factor(weight: float | Distribution) -> Distribution:
    factor = weight if isinstance(weight, Distribution) else Point(validate.number(weight, where=WHERE, name="weight"))
    lowest = float(factor.ppf(1e-6))
    if lowest < 0:
        raise InvalidInput("a weight can be below 0", where=WHERE, found=repr(weight), remedy="Use lognormal_weight.")
    return factor


def lognormal_weight(value: float, *, sd: float | None = None, error_factor: float | None = None) -> Distribution:
    """A lognormal weight: with this mean and standard deviation, or with this median and error factor.

    Parameters
    ----------
    value
        The mean with ``sd``, the median with ``error_factor``.
    sd
        Standard deviation.
    error_factor
        The 95% quantile over the median, as in reliability data books.

    Returns
    -------
    Distribution
        To be given to ``expert_weights``.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(float(sf.profile.lognormal_weight(3.0, error_factor=2.0).ppf(0.95)), 6)
    6.0

    """
    value = validate.positive(value, where="lognormal_weight", name="value")
    if (sd is None) == (error_factor is None):
        raise InvalidInput("state sd or error_factor", where="lognormal_weight", found="both" if sd else "neither")
    if error_factor is not None:
        return LogNormal.from_error_factor(value, error_factor)
    spread = math.log1p((validate.positive(sd, where="lognormal_weight", name="sd") / value) ** 2)  # type: ignore[arg-type]
    return LogNormal(math.log(value) - spread / 2, math.sqrt(spread))


@dataclass(frozen=True, eq=False)
class GroupWeights:
    """Weights that are equal within groups of rows.

    See Also
    --------
    expert_weights : Gives them, with an example.

    """

    grouping: Grouping
    factors: tuple[Factor, ...]
    members: NDArray[np.int64]
    """Group of each row of the data."""

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each row of the data, with mean 1."""
        return unit_mean(self._means[self.members], where=WHERE)

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """A warning where few rows carry most weight."""
        return collapse(self.weights)

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Weights of other rows, on the scale of those of the data."""
        return self._means[self.grouping.groups(points, labels)] / self._means[self.members].mean()

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, one a row; None where all are certain."""
        if all(isinstance(factor, Point) for factor in self.factors):
            return None
        drawn = np.stack([factor.sample(rng, count) for factor in self.factors], axis=1)
        shares = np.bincount(self.members, minlength=len(self.factors)) / self.members.size
        return np.asarray((drawn / (drawn @ shares)[:, None])[:, self.members])

    @cached_property
    def _means(self) -> FloatArray:
        return np.array([factor.mean for factor in self.factors])


class Factor(Protocol):
    """An uncertain number above 0, with its mean."""

    @property
    def mean(self) -> float: ...

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray: ...


# Which rows belong together: those of one class, or of one region of inputs.


@dataclass(frozen=True, eq=False)
class Region:
    """A box of inputs, ends included, and what its rows weigh.

    Parameters
    ----------
    lower, upper
        Ends for each feature; ``-inf`` and ``inf`` for one that does not matter.
    weight
        How much more often its rows come in operation than in the data.

    Examples
    --------
    >>> import surefoot as sf
    >>> dark = sf.profile.Region([0.0], [0.25], 3.0)
    >>> sf.profile.expert_weights([[0.1], [0.5]], regions=[dark]).weights.tolist()
    [1.5, 0.5]

    """

    lower: FloatArray
    upper: FloatArray
    weight: float | Distribution

    def __init__(self, lower: ArrayLike, upper: ArrayLike, weight: float | Distribution) -> None:
        low = np.atleast_1d(validate.numbers(lower, where="Region", name="lower", finite=False))
        high = np.atleast_1d(validate.numbers(upper, where="Region", name="upper", finite=False))
        if low.ndim != 1 or low.shape != high.shape or not (low <= high).all():
            raise InvalidInput(
                "a region needs a lower and an upper end for each feature, lower not above upper",
                where="Region",
                found=f"{low.tolist()} to {high.tolist()}",
                remedy="Use -inf and inf for a feature that does not matter.",
            )
        for name, value in (("lower", low), ("upper", high), ("weight", weight)):
            object.__setattr__(self, name, value)

    def holds(self, points: FloatArray) -> NDArray[np.bool_]:
        """Whether each row lies inside."""
        return np.asarray(((points >= self.lower) & (points <= self.upper)).all(axis=1))


class Grouping(Protocol):
    """Tells the group of each row; the last group is that of all others."""

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class ByClass:
    """Groups are labels."""

    classes: tuple[Any, ...]

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]:
        """Place of each label among the classes."""
        if labels is None:
            raise InvalidInput("weights of classes need labels", where=WHERE, remedy="Give a label for each row.")
        known = {label: place for place, label in enumerate(self.classes)}
        kinds, at = np.unique(as_labels(labels, where=WHERE, name="labels"), return_inverse=True)
        return np.array([known.get(kind, len(known)) for kind in kinds.tolist()], dtype=np.int64)[at]


@dataclass(frozen=True, eq=False)
class ByRegion:
    """Groups are boxes; the first that holds a row has it."""

    regions: tuple[Region, ...]

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]:
        """Place of the first region that holds each row."""
        rows = as_rows(points, where=WHERE, name="points", columns=self.regions[0].lower.size)
        inside = np.stack([region.holds(rows) for region in self.regions] + [np.ones(len(rows), dtype=bool)])
        return inside.argmax(axis=0)
