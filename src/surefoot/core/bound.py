"""Bounds: statements that a quantity lies on one side of a limit, and what kind of statement that is.

A bound is a family: it can be asked for at any level, because combining ten events at 95% needs
bounds at 99.5%. A ``Bound`` is one member of a family, or all that is known.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.canonical import Tagged
from surefoot.core.distributions import Beta, Distribution, Empirical
from surefoot.core.errors import InvalidInput, LevelUnavailable

Side = Literal["upper", "lower"]
Kind = Literal["confidence", "credible", "certain", "expectation", "heuristic"]
WITHOUT_LEVEL: tuple[Kind, ...] = ("certain", "expectation")

KINDS: dict[str, str] = {
    "confidence": "the procedure misses with probability at most alpha, whatever the truth",
    "credible": "holds with probability 1 - alpha under a stated prior",
    "certain": "always holds",
    "expectation": "holds on average over data sets; no level is attached",
    "heuristic": "no guarantee; a target must allow it",
}
MIN_TAIL_DRAWS = 10
WITH_LEVELS: tuple[Kind, ...] = ("confidence", "credible", "heuristic")


class BoundFamily(Tagged, ABC):
    """Limits of one side and kind, one for each level.

    See Also
    --------
    Bound, QuantileBound, TabulatedBound, MappedBound

    """

    side: Side
    kind: Kind

    @abstractmethod
    def limit_at(self, level: float) -> float:
        """The limit that is missed with probability at most ``1 - level``; the level is checked by ``at``."""

    def refuting_limit_at(self, level: float) -> float:
        """The limit that may show a target violated: that of the least favourable prior, where priors are weighed."""
        return self.limit_at(level)

    def at(self, level: float) -> Bound:
        """The member of this family at ``level``."""
        checked = validate.level(level, where=f"{self.side} bound")
        alpha = 0.0 if self.kind == "certain" else 1.0 - checked
        return Bound(self.limit_at(checked), self.side, alpha, self.kind)


@dataclass(frozen=True)
class Bound(BoundFamily, tag="bound"):
    """One limit, with the probability that it is missed.

    As a family it knows one level only; any other level raises, except that what is certain holds at every level.

    Parameters
    ----------
    limit
        The number.
    side
        ``upper`` or ``lower``.
    alpha
        Probability that it is missed; 0 for a certain one.
    kind
        What kind of statement it is; see ``KINDS``.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.Bound(0.01, "upper", 0.05, "confidence").at(0.95).limit
    0.01

    """

    limit: float
    side: Side
    alpha: float
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind, kinds=get_args(Kind))
        alpha = validate.probability(self.alpha, where="Bound", name="alpha")
        limit = validate.numbers(self.limit, where="Bound", name="limit", finite=False)
        if limit.ndim:
            raise InvalidInput("limit must be one number", where="Bound", found=f"shape {limit.shape}")
        if self.kind == "certain" and self.alpha != 0:
            raise InvalidInput("a certain bound has alpha 0", where="Bound", found=f"{self.alpha:g}")
        object.__setattr__(self, "limit", float(limit))
        object.__setattr__(self, "alpha", alpha)

    @property
    def level(self) -> float:
        """Probability that the limit holds."""
        return 1.0 - self.alpha

    def limit_at(self, level: float) -> float:
        if self.kind == "certain" or math.isclose(1.0 - level, self.alpha, rel_tol=1e-9):
            return self.limit
        if self.kind == "expectation":
            raise LevelUnavailable(
                f"this {self.side} bound holds on average and has no level",
                found=f"level {level:g}",
                remedy="Use a method with a stated confidence, such as normal_exact or clopper_pearson.",
            )
        raise LevelUnavailable(
            f"only the {self.side} bound at level {self.level:g} is known",
            found=f"level {level:g}",
            remedy="Ask for that level, or compute the estimate at the level needed.",
        )


@dataclass(frozen=True)
class QuantileBound(BoundFamily, tag="quantile"):
    """Limits that are quantiles of a distribution: a posterior, or a confidence distribution.

    A target is violated only where the limit under the least favourable prior says so too: small prior counts of many
    inputs would otherwise add up to a refutation.

    Parameters
    ----------
    dist
        The distribution.
    side
        ``upper`` or ``lower``.
    kind
        ``confidence``, ``credible`` or ``heuristic``.
    worst
        The posterior under the prior that moves the limit furthest outward, among all beta priors of the same weight.

    References
    ----------
    Walley (1996), Journal of the Royal Statistical Society B 58(1).

    Examples
    --------
    >>> import surefoot as sf
    >>> family = sf.core.QuantileBound(sf.core.Beta.from_counts(0, 100), "upper", "credible")
    >>> round(family.at(0.95).limit, 4)
    0.019

    """

    dist: Distribution
    side: Side
    kind: Kind
    worst: Distribution | None = None

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        for dist in (self.dist, *(() if self.worst is None else (self.worst,))):
            if not isinstance(dist, Distribution):
                raise InvalidInput("needs a distribution", where="QuantileBound", found=repr(dist))

    def limit_at(self, level: float) -> float:
        return self._quantile(self.dist, level)

    def refuting_limit_at(self, level: float) -> float:
        outermost = min if self.side == "lower" else max
        limits = [self._quantile(dist, level) for dist in (self.dist, self.worst) if dist is not None]
        return outermost(limits)

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in super().to_dict().items() if name != "worst" or value is not None}

    def _quantile(self, dist: Distribution, level: float) -> float:
        if isinstance(dist, Empirical):
            _require_tail(len(dist.draws), level)
        return float(dist.ppf(level if self.side == "upper" else 1.0 - level))


@dataclass(frozen=True)
class TabulatedBound(BoundFamily, tag="tabulated"):
    """Limits known at a table of levels; between two levels the stricter one's limit is given.

    Parameters
    ----------
    levels
        Rising, inside (0, 1).
    limits
        One a level, which widen with it; ``widened`` makes them so.
    side, kind
        As for ``Bound``.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.TabulatedBound((0.9, 0.99), (0.02, 0.05), "upper", "confidence").at(0.95).limit
    0.05

    """

    levels: tuple[float, ...]
    limits: tuple[float, ...]
    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        check_side_and_kind(self.side, self.kind)
        levels = validate.vector(self.levels, where="TabulatedBound", name="levels")
        limits = validate.numbers(self.limits, where="TabulatedBound", name="limits", finite=False)
        validate.same_length("TabulatedBound", levels=levels, limits=limits)
        widening = limits if self.side == "upper" else -limits
        inside = (levels > 0).all() and (levels < 1).all()
        if not inside or (np.diff(levels) <= 0).any() or (widening[1:] < widening[:-1]).any():
            raise InvalidInput(
                "levels must increase inside (0, 1) and limits must widen with them",
                where="TabulatedBound",
                found=f"levels {self.levels[:3]}..., limits {self.limits[:3]}...",
            )
        object.__setattr__(self, "levels", tuple(levels.tolist()))
        object.__setattr__(self, "limits", tuple(limits.tolist()))

    @classmethod
    def widened(cls, levels: ArrayLike, limits: ArrayLike, side: Side, kind: Kind) -> TabulatedBound:
        """From arrays; a limit that is narrower than one at a lower level takes that one's place."""
        widening = np.maximum.accumulate if side == "upper" else np.minimum.accumulate
        return cls(tuple(np.asarray(levels).tolist()), tuple(widening(np.asarray(limits)).tolist()), side, kind)

    def limit_at(self, level: float) -> float:
        index = int(np.searchsorted(np.asarray(self.levels), level * (1 - 1e-15)))
        if index == len(self.levels):
            raise LevelUnavailable(
                f"the {self.side} bound is tabulated up to level {self.levels[-1]:.12g}",
                found=f"level {level:.12g}",
                remedy="Compute the estimate at the level needed.",
            )
        return self.limits[index]


def posterior_bounds(posterior: Beta, *, some: bool, all_: bool) -> tuple[BoundFamily, BoundFamily]:
    """Limits after Jeffreys' prior; without a failure the lower one is 0, without a success the upper one 1."""
    upper = QuantileBound(posterior, "upper", "credible", posterior.with_prior_at("upper"))
    lower = QuantileBound(posterior, "lower", "credible", posterior.with_prior_at("lower"))
    return certain(1.0, "upper") if all_ else upper, lower if some else certain(0.0, "lower")


def certain(limit: float, side: Side) -> Bound:
    """A limit that always holds.

    Parameters
    ----------
    limit, side
        The number, and on which side of it the quantity lies.

    Returns
    -------
    Bound
        One that holds at every level.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.core.certain(1.0, "upper").at(0.999).alpha
    0.0

    """
    return Bound(limit, side, 0.0, "certain")


def check_side_and_kind(side: str, kind: str, *, kinds: tuple[str, ...] = WITH_LEVELS) -> None:
    """Refuse words that name no side or no kind; a family of levels is neither certain nor an expectation."""
    validate.choice(side, get_args(Side), where="bound", name="side")
    validate.choice(kind, kinds, where="bound", name="kind")


def _require_tail(draws: int, level: float) -> None:
    if draws * (1.0 - level) < MIN_TAIL_DRAWS * (1 - 1e-9):
        raise LevelUnavailable(
            f"{draws} draws do not resolve level {level:.12g}",
            remedy=f"Use at least {math.ceil(MIN_TAIL_DRAWS / (1.0 - level))} draws.",
        )
