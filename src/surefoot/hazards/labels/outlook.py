"""What the bound of a failure probability is expected to be after more labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.hazards.labels.allocation import Expected
from surefoot.hazards.labels.melding import upper_limit
from surefoot.hazards.labels.tally import Tally


@dataclass(frozen=True)
class Outlook:
    """Upper bounds: today's, the one expected after the labels, and the exact one after as many labels at random."""

    today: float
    then: float
    at_random: float

    @classmethod
    def of(
        cls, tally: Tally, added: NDArray[np.int64], expected: Expected, bound: float | None, level: float
    ) -> Outlook:
        """``bound`` is today's where an assessment found one."""
        then = upper_limit(tally.with_labels(added.astype(float), expected.failing, expected.counting), level)
        trials = float(tally.trials.sum() + added.sum()) * expected.counted
        failures = trials * expected.risk
        at_random = float(special.betaincinv(failures + 1, max(trials - failures, 1e-9), level))
        return cls(upper_limit(tally, level) if bound is None else bound, then, at_random)

    @property
    def figures(self) -> tuple[float, float, float]:
        """As a line of a table shows them."""
        return self.today, self.then, self.at_random
