"""How the confidence of a case is computed where its nodes do not say: conventions to agree on, not measurements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from surefoot.opinions import Opinion

Discounting = Literal["probability", "uncertainty"]


@dataclass(frozen=True)
class Policy:
    """Opinions on what no number speaks of.

    A check that finds nothing against an assumption does not prove it, so that belief in it stays below 1; one that
    nobody checked is simply not known; a contradicted one is disbelieved.
    """

    checked: Opinion = field(default_factory=lambda: Opinion(0.75, 0.0, 0.25))
    unchecked: Opinion = field(default_factory=lambda: Opinion(0.0, 0.0, 1.0))
    contradicted: Opinion = field(default_factory=lambda: Opinion(0.0, 1.0, 0.0))
    undeveloped: Opinion = field(default_factory=lambda: Opinion(0.0, 0.0, 1.0))
    discounting: Discounting = "probability"
    """How side-claims discount an argument: by their projected probability, or by belief alone, which is stricter."""
    disagreement: float = 0.1
    """Methods whose probabilities of one claim differ by more than this disagree strongly."""
