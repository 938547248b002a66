"""What watching a stream found: one thing that happened, at one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import Diagnostic
from surefoot.core.canonical import FrozenDict, thaw

CONDITION, PROFILE, FIELD, FELL, ROW = (
    "watch-condition",
    "watch-profile",
    "watch-field",
    "watch-claim-fell",
    "watch-row",
)
RAISED = (CONDITION, PROFILE, FIELD, FELL)
"""Codes of what is raised; a row that cannot be used is only told."""


@dataclass(frozen=True)
class Event:
    """One thing that happened in a stream."""

    code: str
    row: int
    """Row of the stream at which it was noticed, counted from 1."""
    text: str
    about: str = ""
    """What it is about: the id of an assumption, a target or a claim, or the place of a row."""
    figures: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    @property
    def raised(self) -> bool:
        """Whether an assumption broke or a claim fell."""
        return self.code in RAISED

    @property
    def diagnostic(self) -> Diagnostic:
        """The event as any other finding."""
        return Diagnostic(self.code, self.text, "error" if self.raised else "warning", f"row {self.row:,}")

    def __str__(self) -> str:
        return f"row {self.row:,}: [{self.code}] {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "code": self.code,
            "row": self.row,
            "text": self.text,
            "about": self.about,
            "figures": thaw(self.figures),
        }
