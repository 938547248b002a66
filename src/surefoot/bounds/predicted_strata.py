"""Limits of a failure probability in two strata: inputs that are predicted to fail, and all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache

import numpy as np

from surefoot.bounds.inversion import shared_limits, smallest_limit
from surefoot.core import BoundFamily, InvalidInput, Kind, Side
from surefoot.core.bound import check_side_and_kind
from surefoot.core.validate import FloatArray

SHARE_PART = 0.1
"""Part of alpha that is spent on the range of the share of flagged inputs."""


@dataclass(frozen=True)
class Prediction:
    """What came of a prediction of failures.

    ``seen`` inputs, tests among them, of which ``flagged`` were predicted to fail say how often that happens; of
    ``tested_flagged`` labelled ones among those, ``failed_flagged`` failed, and of the ``tested_others`` others,
    ``failed_others``.
    """

    flagged: int
    seen: int
    failed_flagged: int
    tested_flagged: int
    failed_others: int
    tested_others: int

    def __post_init__(self) -> None:
        pairs = {
            "flagged inputs": (self.flagged, self.seen),
            "failures among flagged tests": (self.failed_flagged, self.tested_flagged),
            "failures among other tests": (self.failed_others, self.tested_others),
            "flagged tests": (self.tested_flagged, self.flagged),
            "other tests": (self.tested_others, self.seen - self.flagged),
        }
        for name, (part, whole) in pairs.items():
            if not 0 <= part <= whole:
                raise InvalidInput(f"{name} must lie between 0 and all of them", found=f"{part:g} of {whole:g}")

    @property
    def failures(self) -> int:
        """All failures."""
        return self.failed_flagged + self.failed_others

    @property
    def trials(self) -> int:
        """All tests."""
        return self.tested_flagged + self.tested_others

    @property
    def unlabelled(self) -> int:
        """Inputs that say how often failures are predicted, and nothing else."""
        return self.seen - self.trials

    def turned(self) -> Prediction:
        """Passes in place of failures, and the others in place of the flagged."""
        return Prediction(
            flagged=self.seen - self.flagged,
            seen=self.seen,
            failed_flagged=self.tested_others - self.failed_others,
            tested_flagged=self.tested_others,
            failed_others=self.tested_flagged - self.failed_flagged,
            tested_others=self.tested_flagged,
        )

    @property
    def risk(self) -> float:
        """Shares of the strata times their failure rates; flagged inputs count as failures where none was tested."""
        share = self.flagged / self.seen
        flagged = self.failed_flagged / self.tested_flagged if self.tested_flagged else 1.0
        others = self.failed_others / self.tested_others if self.tested_others else 1.0
        return share * flagged + (1 - share) * others


@dataclass(frozen=True)
class PredictedStrataBound(Prediction, BoundFamily, tag="predicted-strata"):
    """Limits of s p1 + (1 - s) p0, with s the share of flagged inputs and p1, p0 the risk of flagged and other ones.

    Given which tests are flagged, three binomial counts are left: flagged inputs among unlabelled ones, and failures
    among flagged and other tests. Where the risk is read as p0 + s max(p1 - p0, 0), which is never smaller, it falls
    in none of s, p1, p0, and Buehler's limit holds (``inversion``). Most of the order's outcomes speak of other
    shares s than those that the flags allow, so that s is first enclosed at a tenth of alpha (Berger and Boos
    1994, JASA 89). The lower limit is what the upper one of passes leaves, with flags turned round.
    """

    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        check_side_and_kind(self.side, self.kind)

    def limit_at(self, level: float) -> float:
        found = Prediction(*astuple(self)[:6])
        if self.side == "upper":
            return _upper_limit(found, 1 - level)
        return 1 - _upper_limit(found.turned(), 1 - level)


@lru_cache(maxsize=4096)
def _upper_limit(found: Prediction, alpha: float) -> float:
    flagged = found.flagged - found.tested_flagged
    counts = np.array([flagged, found.unlabelled - flagged], float)
    high, passing = shared_limits(counts, float(found.unlabelled), SHARE_PART * alpha / 2)
    return smallest_limit(
        _risk,
        (flagged, found.failed_flagged, found.failed_others),
        (found.unlabelled, found.tested_flagged, found.tested_others),
        (1 - SHARE_PART) * alpha,
        within=((1 - float(passing), float(high)), (0.0, 1.0), (0.0, 1.0)),
    )


def _risk(p: Sequence[FloatArray]) -> FloatArray:
    share, flagged, others = p
    return np.asarray(others + share * np.maximum(flagged - others, 0))
