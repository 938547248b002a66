"""A chain of doubts as tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core import Artefact, Table
from surefoot.opinions import Opinion
from surefoot.project.steps import figures
from surefoot.project.steps.trust import Trust


@dataclass(frozen=True)
class Chain:
    """A metric's opinion and what is left of it after each link."""

    metric: str
    level: float
    trusts: Sequence[Trust]
    steps: tuple[Opinion, ...]

    def tables(self) -> dict[str, Table]:
        """The opinions of the chain, what discounted them, and what the data do not cover."""
        found = {"chain": self._opinions(), "trust": self._trust()}
        return found | {f"missing {t.link.name}": t.table for t in self.trusts if t.link and t.table and t.table.rows}

    def artefacts(self) -> dict[str, Artefact]:
        """Intervals of the chain, and its opinions in their triangle."""
        label = f"{self.metric}, with the two-sided interval of probability {100 * self.level:.10g}%"
        rows = [(name, low, value, high) for name, (value, low, high) in self._spreads().items()]
        triangle = figures.triangle(dict(zip(self._names, self.steps, strict=True)))
        return {"chain": figures.intervals(rows, label), "opinions": triangle}

    def uncertainties(self) -> dict[str, float]:
        """Uncertainty of the metric and after each link."""
        return {name: float(step.uncertainty) for name, step in zip(self._names, self.steps, strict=True)}

    @property
    def _names(self) -> list[str]:
        return [self.metric, *(f"after {trust.link.name}" for trust in self.trusts if trust.link)]

    def _opinions(self) -> Table:
        spreads = self._spreads()
        rows = [(name, *_masses(step), *spreads[name]) for name, step in zip(self._names, self.steps, strict=True)]
        ends = [f"{side} end (two-sided at {100 * self.level:.10g}%)" for side in ("lower", "upper")]
        return Table(("opinion", "belief", "disbelief", "uncertainty", "probability", *ends), tuple(rows))

    def _trust(self) -> Table:
        rows = [(t.link.name, t.link.layer, *_masses(t.link.opinion), t.note) for t in self.trusts if t.link]
        return Table(("trust", "layer", "belief", "disbelief", "uncertainty", "from"), tuple(rows))

    def _spreads(self) -> dict[str, tuple[float, float, float]]:
        """Probability and interval after each link."""
        ends = [tuple(map(float, step.interval(self.level))) for step in self.steps]
        middles = [float(step.probability) for step in self.steps]
        return {name: (middle, *end) for name, middle, end in zip(self._names, middles, ends, strict=True)}  # type: ignore[misc]


def _masses(opinion: Opinion) -> tuple[float, float, float]:
    return float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty)
