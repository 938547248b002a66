"""Failures out of trials, checked once for every bound that counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from surefoot.core import Beta, BoundFamily, InvalidInput, QuantileBound, validate

MOST_TRIALS = 10**15


@dataclass(frozen=True)
class Counts:
    """Failures out of trials."""

    failures: int
    trials: int

    @classmethod
    def checked(cls, failures: object, trials: object, *, where: str) -> Counts:
        """Whole numbers with 0 <= failures <= trials and at least one trial, at most ``MOST_TRIALS``."""
        n = validate.count(trials, where=where, name="trials", at_least=1)
        if n > MOST_TRIALS:
            raise InvalidInput(
                f"more than {MOST_TRIALS:g} trials",
                where=where,
                found=f"about 1e{math.log10(n):.0f}",
                remedy="Check the count: limits this close to 0 have no meaning.",
            )
        k = validate.count(failures, where=where, name="failures")
        if k > n:
            raise InvalidInput("there are more failures than trials", where=where, found=f"{k} of {n}")
        return cls(k, n)

    @property
    def share(self) -> float:
        """Observed share of failures."""
        return self.failures / self.trials

    def exact_bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Clopper and Pearson (1934): the proportions that a one-sided binomial test does not reject."""
        k, n = self.failures, self.trials
        upper, lower = Beta(k + 1, n - k), Beta(k, n - k + 1)
        return QuantileBound(upper, "upper", "confidence"), QuantileBound(lower, "lower", "confidence")
