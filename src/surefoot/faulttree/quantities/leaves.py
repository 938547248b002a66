"""Quantities that are given, not computed: a number, a measured estimate, counts, and names of parameters."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from surefoot.core import validate
from surefoot.core.assumption import Assumption
from surefoot.core.bound import QuantileBound, posterior_bounds
from surefoot.core.distributions import Beta, Distribution, Point
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.estimate import PER_DEMAND, Estimate
from surefoot.core.provenance import Provenance
from surefoot.faulttree.quantities.base import ANYWHERE, Given, Quantity, Range, Value

MISSION_TIME = "mission-time"
DEFAULT_MISSION_TIME = 8760.0
JEFFREYS = (0.5, 0.5)
OF_COUNTS = (
    Assumption("independent-trials", "Trials are independent and each fails with the same probability."),
    Assumption("operational-profile", "The test data follow the operational profile."),
)


@dataclass(frozen=True)
class Fixed(Quantity, tag="fixed"):
    """A number that is taken as known."""

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", validate.number(self.value, where="fixed value", name="value"))

    @property
    def constant(self) -> float:
        return self.value

    def reach(self, *ranges: Range) -> Range:
        return self.value, self.value

    def combine(self, *values: Value) -> Value:
        return self.value

    def described(self) -> str:
        return f"{self.value:.6g}"


@dataclass(frozen=True)
class Measured(Quantity, tag="measured"):
    """An estimate, with everything that it rests on; the same estimate at two places is one input."""

    estimate: Estimate

    def __post_init__(self) -> None:
        validate.kind(self.estimate, Estimate, where="Measured", name="estimate", example="Estimate.known(...)")

    @property
    def uncertain(self) -> bool:
        return True

    def belief(self, name: str) -> Estimate:
        return self.estimate

    def combine(self, *values: Value) -> Value:
        return self.estimate.value

    def reach(self, *ranges: Range) -> Range:
        if self.estimate.dist is not None:
            return support(self.estimate.dist)
        if self.estimate.value < 0 or not self.estimate.unit.startswith("per "):
            return ANYWHERE
        return (0.0, 1.0) if self.estimate.unit == PER_DEMAND and self.estimate.value <= 1 else (0.0, inf)

    def described(self) -> str:
        return f"measured, {self.estimate.reference}, {self.estimate.value:.6g}"

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.tag, "estimate": self.estimate.to_dict()}


@dataclass(frozen=True)
class Counts(Quantity, tag="counts"):
    """Failures among independent trials; the belief is the Beta posterior, by default from Jeffreys' prior."""

    failures: float
    trials: float
    prior: tuple[float, float] = JEFFREYS

    def __post_init__(self) -> None:
        failures, trials = (
            validate.number(getattr(self, name), where="counts", name=name) for name in ("failures", "trials")
        )
        if not 0 <= failures <= trials:
            raise InvalidInput(
                "failures must lie between 0 and the trials", where="counts", found=f"{failures:g} of {trials:g}"
            )
        prior = validate.vector(self.prior, where="counts", name="prior")
        if prior.size != 2 or (prior <= 0).any():
            raise InvalidInput("the prior has two positive parameters", where="counts", found=prior.tolist())
        object.__setattr__(self, "prior", tuple(prior.tolist()))

    @property
    def uncertain(self) -> bool:
        return True

    @property
    def posterior(self) -> Beta:
        """What is believed after the trials."""
        return Beta.from_counts(self.failures, self.trials - self.failures, prior=self.prior)

    def belief(self, name: str) -> Estimate:
        details = {"failures": self.failures, "trials": self.trials}
        provenance = Provenance("beta posterior", {"prior": self.prior, "scope": name} | details)
        more: dict[str, Any] = {"details": details, "assumptions": OF_COUNTS}
        if self.prior == JEFFREYS:
            # Another prior is a stated belief, and counts like any other one.
            some, all_ = self.failures > 0, self.failures == self.trials
            more["bounds"] = posterior_bounds(self.posterior, some=some, all_=all_)
        return believed(self.posterior, name, unit=PER_DEMAND, provenance=provenance, **more)

    def combine(self, *values: Value) -> Value:
        return self.posterior.mean

    def reach(self, *ranges: Range) -> Range:
        return 0.0, 1.0

    def described(self) -> str:
        return f"{self.failures:g} failures in {self.trials:g} trials, prior Beta({self.prior[0]:g}, {self.prior[1]:g})"


@dataclass(frozen=True)
class Parameter(Quantity, tag="parameter"):
    """A number that the tree names once and several places share; ``mission-time`` need not be defined."""

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInput("a parameter has a name", where="Parameter", found=repr(self.name))

    def named(self) -> tuple[str, ...]:
        return (self.name,)

    def value_given(self, given: Given) -> Value:
        if self.name == MISSION_TIME:
            return given.known.get(MISSION_TIME, DEFAULT_MISSION_TIME)
        return given.known[self.name]

    def combine(self, *values: Value) -> Value:
        raise InvalidInput(f"the parameter {self.name!r} has no value of its own", where="Parameter")

    def described(self) -> str:
        return f"parameter {self.name}"


@dataclass(frozen=True)
class MissionTime(Quantity, tag="system-mission-time"):
    """The mission time of the system: the tree's parameter ``mission-time``, or 8760 hours where it has none."""

    def named(self) -> tuple[str, ...]:
        return (MISSION_TIME,)

    def value_given(self, given: Given) -> Value:
        return given.known.get(MISSION_TIME, DEFAULT_MISSION_TIME)

    def combine(self, *values: Value) -> Value:
        return DEFAULT_MISSION_TIME

    def described(self) -> str:
        return "mission time"


def believed(dist: Distribution, name: str, *, unit: str, provenance: Provenance, **more: Any) -> Estimate:
    """An estimate whose value is the mean of a distribution and whose bounds are its quantiles."""
    quantiles = (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible"))
    found = {"bounds": quantiles, **more}
    return Estimate("fault tree input", dist.mean, unit, name, dist=dist, provenance=provenance, **found)


def support(dist: Distribution) -> Range:
    """Where the values of a distribution lie."""
    try:
        return float(dist.ppf(0.0)), float(dist.ppf(1.0))
    except Undefined:
        return ANYWHERE


def quantity_from(value: object) -> Quantity:
    """A number, an estimate or a distribution as a quantity."""
    from surefoot.faulttree.quantities.drawn import Drawn

    if isinstance(value, Estimate):
        return Measured(value)
    if isinstance(value, Point):
        return Fixed(value.value)
    if isinstance(value, Distribution):
        return Drawn(value)
    return Fixed(value)  # type: ignore[arg-type]
