"""Targets: a limit that is stated, or that a principle of risk acceptance gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from surefoot.core import Target
from surefoot.core.bound import Kind
from surefoot.core.target import DEFAULT_KINDS
from surefoot.project.definition.words import Part, Positive, Text

if TYPE_CHECKING:
    from surefoot.hazards.targets import Derivation


class ReferenceSource(Part):
    """What a principle compares with: events that were counted in so much exposure."""

    events: Annotated[int, Field(ge=0)]
    exposure: Annotated[float, Field(gt=0)]
    """In how much of ``per`` they were counted: so many hours, missions or demands."""
    per: Text = "hour"
    name: str = ""
    """Who or what it is, for example divers."""
    source: str = ""
    """Where the figures come from."""


class ExposureSource(Part):
    """How often the system is used, to convert a limit from one exposure to another."""

    demands_per_hour: Positive | None = None
    hours_per_mission: Positive | None = None
    demands_per_mission: Positive | None = None
    hours_per_year: Positive | None = None
    missions_per_year: Positive | None = None


class LimitSource(Part):
    """A limit, stated or given by a principle, and how surely it must be kept."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [key]} for key in ("at_most", "at_least", "principle")]}
    )

    claim: str = ""
    """The claim in words; by default made from the numbers."""
    at_most: float | None = None
    at_least: float | None = None
    principle: Literal["alarp", "gale", "mem", "safer", "se"] | None = None
    """In place of a limit: the principle of risk acceptance that gives it."""
    reference: ReferenceSource | None = None
    """What the principle compares with."""
    factor: Positive | None = None
    """For ``safer``: so many times safer than the reference."""
    margin: Positive | None = None
    """For ``se``: so many times the reference still counts as equivalent."""
    harm: Literal["fatality", "severe injury", "light injury"] | None = None
    """For ``mem``: what the event does to a person; ``fatality`` by default."""
    share: Positive | None = None
    """For ``mem``: the share of natural mortality that one system may add."""
    mortality: Positive | None = None
    """For ``mem``: natural deaths a person and year."""
    group: Literal["public", "worker"] | None = None
    """For ``alarp``: who is exposed; ``public`` by default."""
    harm_probability: Annotated[float, Field(gt=0, le=1)] | None = None
    """For ``mem`` and ``alarp``: the probability that the event does the harm."""
    exposure: ExposureSource | None = None
    """Converts what the principle gives to ``per``."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    per: Text = "demand"
    source: str = ""
    """Where the target comes from: a standard, a hazard analysis, a contract."""
    kinds: list[Kind] = Field(default=list(DEFAULT_KINDS))
    """Kinds of bounds that count."""

    @model_validator(mode="after")
    def _one_limit(self) -> LimitSource:
        if sum(stated is not None for stated in (self.at_most, self.at_least, self.principle)) != 1:
            raise ValueError("needs exactly one of at_most, at_least and principle")
        return self

    @property
    def derivation(self) -> Derivation | None:
        """How the limit follows from its principle; None where it is stated."""
        from surefoot.project.derived import derivation

        return None if self.principle is None else derivation(self)

    @property
    def target(self) -> Target:
        """The target an estimate is compared with."""
        derivation = self.derivation
        if derivation is not None:
            return derivation.target
        return Target(self.at_most, self.at_least, self.level, self.per, self.source, kinds=tuple(self.kinds))


class TargetSource(LimitSource):
    """What is asked of a result."""

    estimate: Text
    """``step.quantity``, for example ``counted.failure probability``."""
