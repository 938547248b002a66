"""The formulas of importance, on the probability of the top event and its exact derivatives.

The top event is linear in the probability of each basic event: ``P = p P(top | e) + (1 - p) P(top | not e)``. So the
derivative gives both conditional probabilities, and everything below is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from surefoot.core.validate import FloatArray

Measure = Literal[
    "birnbaum",
    "criticality",
    "fussell_vesely",
    "diagnostic",
    "raw",
    "rrw",
    "conditional",
    "differential_uniform",
    "differential_proportional",
]
MEASURES: tuple[Measure, ...] = get_args(Measure)

MEANINGS: dict[Measure, str] = {
    "birnbaum": "P(top | x) - P(top | not x): how the top event changes with x (Birnbaum 1969)",
    "criticality": "(P(top) - P(top | not x)) / P(top): share of the top event that goes when x cannot happen",
    "fussell_vesely": "P(some minimal cut set with x is true) / P(top) (Fussell 1975; Vesely et al. 1983)",
    "diagnostic": "P(x | top): how often x has happened when the top event has",
    "raw": "P(top | x) / P(top): risk achievement worth (Vesely et al. 1983)",
    "rrw": "P(top) / P(top | not x): risk reduction worth (Vesely et al. 1983)",
    "conditional": "P(top | x): the top event when x is seen to have happened",
    "differential_uniform": "share of the change when all p change by one amount (Borgonovo, Apostolakis 2001)",
    "differential_proportional": "share of the change when all p change by one factor (Borgonovo, Apostolakis 2001)",
}
"""``criticality`` is often printed as Fussell-Vesely, which Meng (2000) shows to be another number."""


@dataclass(frozen=True, eq=False)
class Switched:
    """The top event as it is, and with each of several events or gates made certain or impossible.

    Each row is an event or gate and each column a scenario; ``top`` has one value a scenario. ``together`` is the
    probability that both the row and the top event happen, ``own`` that of the row.
    """

    top: FloatArray
    own: FloatArray
    present: FloatArray
    absent: FloatArray
    together: FloatArray

    def measures(self) -> dict[Measure, FloatArray]:
        """Those that need nothing else, each of the shape of ``own``; a row that never happens has no conditional."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return {
                "birnbaum": self.present - self.absent,
                "criticality": (self.top - self.absent) / self.top,
                "diagnostic": self.together / self.top,
                "raw": self.present / self.top,
                "rrw": self.top / self.absent,
                "conditional": self.together / self.own,
            }


def of_events(top: FloatArray, p: FloatArray, slope: FloatArray) -> Switched:
    """From the probability of the top event, those of the events and the derivatives by them."""
    present = np.clip(top + (1 - p) * slope, 0, 1)
    absent = np.clip(top - p * slope, 0, 1)
    return Switched(top, p, present, absent, p * present)


def differential(p: FloatArray, slope: FloatArray) -> dict[Measure, FloatArray]:
    """Differential importance (Borgonovo, Apostolakis 2001): parts of a total differential, which add up to 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weighted = p * slope
        return {
            "differential_uniform": slope / slope.sum(axis=0),
            "differential_proportional": weighted / weighted.sum(axis=0),
        }
