"""``CommonCause``: events that fail together more often than independence says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.core.assumption import Assumption
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.tagged import Tagged
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Quantity

FEWEST_MEMBERS = 2
MOST_EVENTS = 2**12 - 1


@dataclass(frozen=True)
class Expansion:
    """What stands in the tree in place of a group: a gate for each member, over new independent basic events."""

    gates: Mapping[str, Formula]
    events: Mapping[str, Quantity]
    parameters: Mapping[str, Quantity] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommonCause(Tagged, ABC):
    """Basic events, defined by the group, that can fail together.

    The members are named here and nowhere else: a member has no quantity of its own in the tree's events.
    """

    name: str
    members: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))

    @property
    @abstractmethod
    def event_count(self) -> int:
        """How many basic events the expansion has."""

    @property
    @abstractmethod
    def quantities(self) -> dict[str, Quantity]:
        """The quantities that the group is given, by name."""

    @abstractmethod
    def expansion(self) -> Expansion:
        """Gates and independent basic events in place of the members; only for a group without problems."""

    @abstractmethod
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the group takes for granted."""

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What is wrong with the group itself; ``values`` are the means of its quantities, by name."""
        yield from self._member_problems()

    def _member_problems(self) -> Iterator[Diagnostic]:
        if len(self.members) < FEWEST_MEMBERS:
            yield self.error("tree-gate", f"has {len(self.members)} members, a common cause needs at least two.")
        twice = [member for member in dict.fromkeys(self.members) if self.members.count(member) > 1]
        if twice:
            yield self.error("tree-duplicate", f"names {', '.join(map(repr, twice))} more than once.")
        if self.event_count > MOST_EVENTS:
            text = (
                f"of {len(self.members)} members stands for {self.event_count:,} events; the most are {MOST_EVENTS:,}."
            )
            yield self.error("tree-beyond-budget", text, "Split the group, or give factors for fewer levels.")

    def error(self, code: str, text: str, hint: str = "") -> Diagnostic:
        """A problem of this group."""
        return Diagnostic(code, f"the common-cause group {self.name!r} {text}", "error", hint=hint)

    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return Quantity.from_dict(value)
        return super()._read(value)


def assumptions(group: CommonCause) -> tuple[Assumption, ...]:
    """What a group takes for granted, each with its check where there is one."""
    return group.assumptions()
