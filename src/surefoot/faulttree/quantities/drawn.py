"""Quantities known by a distribution: any, or one of a family whose parameters are quantities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from surefoot.core import spread, validate
from surefoot.core.distributions import Distribution
from surefoot.core.estimate import Estimate
from surefoot.core.provenance import Provenance
from surefoot.faulttree.quantities.base import ANYWHERE, Quantity, Range, Value
from surefoot.faulttree.quantities.leaves import believed, support


@dataclass(frozen=True)
class Drawn(Quantity, tag="distribution"):
    """A number known by any distribution."""

    distribution: Distribution

    def __post_init__(self) -> None:
        validate.kind(self.distribution, Distribution, where="Drawn", name="distribution", example="core.Beta(1, 99)")

    @property
    def uncertain(self) -> bool:
        return True

    def belief(self, name: str) -> Estimate:
        return believed(self.distribution, name, unit="", provenance=Provenance("stated", {"scope": name}))

    def combine(self, *values: Value) -> Value:
        return self.distribution.mean

    def reach(self, *ranges: Range) -> Range:
        return support(self.distribution)

    def described(self) -> str:
        return f"distribution {self.distribution}"

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.tag, "distribution": self.distribution.to_dict()}


class Deviate(Quantity):
    """A number drawn from a family of distributions whose parameters are quantities.

    Where all parameters are constants the uncertain input is the number itself. Otherwise it is the number's
    percentile, uniform between 0 and 1, which is independent of the parameters.
    """

    moved_by: ClassVar[tuple[int, ...]]
    widest: ClassVar[Range] = ANYWHERE

    @property
    def uncertain(self) -> bool:
        return True

    @property
    def settled(self) -> bool:
        """Whether all its parameters are constants."""
        return all(argument.constant is not None for argument in self.arguments)

    def belief(self, name: str) -> Estimate:
        if not self.settled:
            return believed(
                spread.Uniform(0.0, 1.0), name, unit="", provenance=Provenance("percentile", {"scope": name})
            )
        provenance = Provenance("stated", {"deviate": self.to_dict(), "scope": name})
        return believed(self.distribution(), name, unit="", provenance=provenance)

    def distribution(self) -> Distribution:
        """The distribution where all parameters are constants."""
        return self.spread(*(float(argument.combine()) for argument in self.arguments))

    def drawn_value(self, drawn: Value, *values: Value) -> Value:
        return drawn if self.settled else self.quantile(drawn, *values)

    def reach(self, *ranges: Range) -> Range:
        return support(self.distribution()) if self.settled else self.widest

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        return self.moved_by if self.rises_with_draw(*ranges) else (0,) * len(ranges)

    def rises_with_draw(self, *ranges: Range) -> bool:
        """Whether parameters in these ranges make a distribution; a negative spread would turn the percentile round."""
        return self.settled or not any(fault for corner in product(*ranges) for fault in self.faults(*corner))

    @abstractmethod
    def spread(self, *values: float) -> Distribution:
        """The distribution with these parameters."""

    @abstractmethod
    def quantile(self, percentile: Value, *values: Value) -> Value:
        """The number that a share ``percentile`` of the draws does not exceed."""
