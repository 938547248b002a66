"""``Choice``: a threshold, what was asked, and what is promised there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from surefoot.core import Assumption, Diagnostic, Estimate, FrozenDict, Kind, Summary
from surefoot.core.canonical import reading, thaw, unthaw
from surefoot.documents import counted, percent, significant

FIGURES = ("safety_gain", "residual_hazard", "availability_cost")


@dataclass(frozen=True)
class Choice:
    """A threshold for a monitor that raises an alarm where its score exceeds it.

    Gain, hazard and cost are means over the units it was chosen on, so they flatter; what holds beyond them is said
    by ``guarantee``, and ``bounded`` is the figure it is about.
    """

    threshold: float
    asked: Mapping[str, Any]
    guarantee: str
    kind: Kind
    """``confidence``, ``expectation``, or ``heuristic`` where nothing is guaranteed."""
    bounded: Estimate
    safety_gain: float
    residual_hazard: float
    availability_cost: float
    unit: str
    """What is exchangeable: an input or an episode, never a frame of one."""
    units: int
    alarm_share: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", FrozenDict(self.asked))

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What the guarantee rests on."""
        return self.bounded.assumptions

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What a reader must know."""
        return self.bounded.caveats

    def summary(self) -> Summary:
        """For terminal and notebook."""
        rows = [
            ("threshold", f"{self.threshold:.6g} (alarm where the score is above)"),
            ("asked", ", ".join(f"{name} {_shown(value)}" for name, value in self.asked.items())),
            ("guarantee", f"{self.guarantee} ({self.kind})"),
            *((name.replace("_", " "), f"{significant(getattr(self, name))} in the sample") for name in FIGURES),
        ]
        if self.alarm_share is not None:
            rows.append(("alarms", f"{percent(self.alarm_share)} of the rows"))
        rows.append(("counted", counted(self.units, self.unit)))
        rows += [("assumes", f"{a.text} ({a.status})") for a in self.assumptions]
        return Summary("Threshold of a monitor", rows, tuple(str(caveat) for caveat in self.caveats))

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        plain = ("guarantee", "kind", *FIGURES, "unit", "units", "alarm_share")
        return {
            "threshold": thaw(self.threshold),
            "asked": thaw(self.asked),
            "bounded": self.bounded.to_dict(),
            **{name: getattr(self, name) for name in plain},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("choice of a threshold"):
            threshold, asked = unthaw(data["threshold"]), unthaw(data["asked"])
            read = {"threshold": threshold, "asked": asked, "bounded": Estimate.from_dict(data["bounded"])}
            return cls(**{**data, **read})


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
