"""One iteration: targets and their verdicts, top events, and the component bounds they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from surefoot.core import Target
from surefoot.core.canonical import FrozenDict, reading, thaw, unthaw
from surefoot.core.target import present
from surefoot.documents import significant

MAPPINGS = ("required", "inputs", "looks")
NO_BOUND = "none"


@dataclass(frozen=True)
class Judged:
    """A target, and what was found of it."""

    name: str
    reference: str
    relation: str
    limit: float
    cautious: float
    """What a bound must keep: the limit, or the strict end of a limit that is uncertain itself."""
    level: float
    per: str
    value: float
    bound: float | None
    """On the side that can show the target met; None where none counts."""
    bound_level: float
    """Stricter than the level of the target where the limit is uncertain itself and takes its share."""
    status: str
    """``met``, ``alone`` (at this look alone), ``not shown`` or ``violated``."""

    @property
    def target(self) -> Target:
        """What a bound must keep, as a target."""
        at_most, at_least = (self.cautious, None) if self.relation == "at most" else (None, self.cautious)
        return Target(at_most, at_least, self.level, self.per)

    @property
    def asked(self) -> str:
        """The target in words."""
        unsure = "" if self.cautious == self.limit else f" (compared with {self.cautious:.4g})"
        return f"{self.relation} {self.limit:g}{unsure} per {self.per} at level {self.level:g}"


@dataclass(frozen=True)
class Measured:
    """A top event, or an event that evidence feeds: what it is called, where its number comes from, and the number."""

    name: str
    reference: str
    value: float
    bound: float | None
    """Upper bound at the level; None where it is not known there."""
    level: float

    @property
    def relation(self) -> str:
        """A top event, or what feeds one, is kept low."""
        return "at most"

    @property
    def bound_level(self) -> float:
        """The level of the bound."""
        return self.level


@dataclass(frozen=True)
class Iteration:
    """What one assessment found, as far as later ones are compared with it."""

    number: int
    created: str
    result: str
    """Digest of the result when it was recorded."""
    targets: tuple[Judged, ...] = ()
    tops: tuple[Measured, ...] = ()
    events: tuple[Measured, ...] = ()
    required: Mapping[str, float | None] = field(default_factory=dict)
    """What each event would need, where that was said; None where no number of this event alone would do."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Digests of models, data and files."""
    looks: Mapping[str, int] = field(default_factory=dict)
    """How often each test set had been looked at."""
    changed: tuple[str, ...] = ()
    """What changed since the iteration before."""
    this: bool = False
    """Whether the result that holds this history is this iteration."""

    def __post_init__(self) -> None:
        for name in MAPPINGS:
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))

    @property
    def component_bounds(self) -> tuple[Measured | Judged, ...]:
        """What feeds events, and what targets ask about beside that and beside top events; each number once."""
        known = {_without_scope(item.reference) for item in (*self.tops, *self.events)}
        return (*self.events, *(item for item in self.targets if _without_scope(item.reference) not in known))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        lists = {name: [asdict(item) for item in getattr(self, name)] for name in ("targets", "tops", "events")}
        return {
            "number": self.number,
            "created": self.created,
            "result": self.result,
            **{name: thaw(items) for name, items in lists.items()},
            **{name: thaw(getattr(self, name)) for name in MAPPINGS},
            "changed": list(self.changed),
            "this": self.this,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("iteration"):
            return cls(
                number=data["number"],
                created=data["created"],
                result=data["result"],
                targets=tuple(
                    Judged(**{**unthaw(item), "status": present(item["status"])}) for item in data["targets"]
                ),
                tops=tuple(Measured(**unthaw(item)) for item in data["tops"]),
                events=tuple(Measured(**unthaw(item)) for item in data["events"]),
                **{name: unthaw(data[name]) for name in MAPPINGS},
                changed=tuple(data["changed"]),
                this=data["this"],
            )


def rounded_bound(item: Judged | Measured) -> str:
    """The bound as people read it, rounded to its cautious side."""
    if item.bound is None:
        return NO_BOUND
    return significant(item.bound, rounding="up" if item.relation == "at most" else "down")


def _without_scope(reference: str) -> str:
    return reference.partition("[")[0]
