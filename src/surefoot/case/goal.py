"""One target as part of a case."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.case.evaluation import BY_STATUS, Standing
from surefoot.core import Estimate, Verdict


@dataclass(frozen=True)
class Goal:
    """One target as part of a case: its claim in words, the verdict, and the estimate behind it."""

    name: str
    text: str
    verdict: Verdict
    estimate: Estimate
    reference: str
    alone: bool = False
    """Met at its level, and no longer at the level that covers all looks at the test data."""
    strict_level: float | None = None
    """The level that covers all looks at the test data, where it was looked at before."""

    @property
    def standing(self) -> Standing:
        """How the claim stands."""
        return "not shown" if self.alone else BY_STATUS[self.verdict.status]

    @property
    def defeated(self) -> bool:
        """Whether the argument fails, so that the claim is not shown: an assumption it needs is contradicted."""
        return any(assumption.status == "contradicted" for assumption in self.estimate.assumptions)
