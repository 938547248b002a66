"""What counted failures show when they were not drawn as their bound assumes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from surefoot.bounds import clopper_pearson
from surefoot.core import Estimate
from surefoot.documents import percent

SHARES = (0.01, 0.05)
"""Of inputs in operation, or of rows of the test data, that are not what they were taken for."""
TOGETHER = (2, 5)
"""Rows that stand or fall together."""
WITH_COUNTS = ("bounds.clopper_pearson", "bounds.jeffreys", "bounds.wilson", "reliability.")
"""Methods whose bound is one of counts."""
_STEPS = 200


@dataclass(frozen=True)
class Supposed:
    """A number that would hold instead, and under which supposition."""

    when: str
    limit: float
    whole: bool = False
    """Whether it holds whichever way the assumption is false."""
    about: bool = False
    """Whether it is a value, computed from values, and no bound."""


@dataclass(frozen=True)
class Tally:
    """Failures among tests that follow operation."""

    failures: int
    trials: int
    level: float

    @classmethod
    def of(cls, estimate: Estimate, level: float) -> Tally | None:
        """The counts behind an estimate whose tests follow operation, as far as there are any."""
        failures, trials = estimate.details.get("failures"), estimate.details.get("trials", estimate.details.get("n"))
        follows = any(each.id == "operational-profile" for each in estimate.assumptions)
        if not follows or not isinstance(failures, int) or not isinstance(trials, int) or not 0 <= failures <= trials:
            return None
        return cls(failures, trials, level) if trials else None

    @property
    def exact(self) -> float:
        """The upper bound that counts alone give (Clopper and Pearson)."""
        return clopper_pearson(self.failures, self.trials, level=self.level).upper(self.level)

    @property
    def stopped_at_will(self) -> float:
        """The upper bound that holds whenever somebody stopped testing.

        Robbins (1970), Annals of Mathematical Statistics 41(5): the likelihood of the counts, averaged over a uniform
        prior, over that under the truth exceeds 1/alpha at any time with probability at most alpha (Ville).
        """
        k, n = self.failures, self.trials
        averaged = math.lgamma(k + 1) + math.lgamma(n - k + 1) - math.lgamma(n + 2)
        needed = averaged + math.log1p(-self.level)
        low, high = k / n, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._log_likelihood(middle) >= needed else (low, middle)
        return high

    def _log_likelihood(self, p: float) -> float:
        k, n = self.failures, self.trials
        if p >= 1:
            return 0.0 if k == n else -math.inf
        return (k * math.log(p) if k else 0.0) + (n - k) * math.log1p(-p)

    def with_foreign_rows(self) -> Iterator[Supposed]:
        """Some rows came from elsewhere and all of them were right, so that they say nothing."""
        for share in SHARES:
            left = self.trials - math.ceil(share * self.trials)
            if left >= max(self.failures, 1):
                when = f"if {percent(share)} of the test rows came from elsewhere"
                yield Supposed(when, Tally(self.failures, left, self.level).exact)

    def with_rows_together(self) -> Iterator[Supposed]:
        """Rows came in groups whose members are all right or all wrong, so that a group says what one row does."""
        for size in TOGETHER:
            groups = self.trials // size
            if groups:
                failed = min(math.ceil(self.failures / size), groups)
                when = f"if {size} rows at a time stood or fell together"
                yield Supposed(when, Tally(failed, groups, self.level).exact)
