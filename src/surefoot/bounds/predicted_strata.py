"""Limits of a failure probability in two strata: inputs that are predicted to fail, and all others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from surefoot.core import BoundFamily, InvalidInput, Kind, Side, validate
from surefoot.core.bound import check_side_and_kind
from surefoot.core.validate import FloatArray

NODES = 48
TOLERANCE = 1e-13
SMALLEST = 1e-300


@dataclass(frozen=True)
class Prediction:
    """What came of a prediction of failures.

    ``seen`` inputs of which ``flagged`` were predicted to fail say how often that happens; of ``tested_flagged``
    labelled ones among those, ``failed_flagged`` failed, and of the ``tested_others`` others, ``failed_others``.
    Planning may use expected counts that are not whole.
    """

    flagged: float
    seen: float
    failed_flagged: float
    tested_flagged: float
    failed_others: float
    tested_others: float

    def __post_init__(self) -> None:
        pairs = {
            "flagged inputs": (self.flagged, self.seen),
            "failures among flagged tests": (self.failed_flagged, self.tested_flagged),
            "failures among other tests": (self.failed_others, self.tested_others),
        }
        for name, (part, whole) in pairs.items():
            if not 0 <= part <= whole < math.inf:
                raise InvalidInput(f"{name} must lie between 0 and all of them", found=f"{part:g} of {whole:g}")

    @property
    def failures(self) -> float:
        """All failures."""
        return self.failed_flagged + self.failed_others

    @property
    def trials(self) -> float:
        """All tests."""
        return self.tested_flagged + self.tested_others

    @property
    def risk(self) -> float:
        """Shares of the strata times their failure rates; flagged inputs count as failures where none was tested."""
        share = self.flagged / self.seen
        flagged = self.failed_flagged / self.tested_flagged if self.tested_flagged else 1.0
        others = self.failed_others / self.tested_others if self.tested_others else 1.0
        return share * flagged + (1 - share) * others


@dataclass(frozen=True)
class PredictedStrataBound(Prediction, BoundFamily, tag="predicted-strata"):
    """Limits of s p1 + (1 - s) p0 from confidence distributions of s, p1 and p0, combined as if independent draws.

    Melding of confidence distributions: Fay, Proschan and Brittain (2015), Biometrics 71(1). All have their exact
    (Clopper-Pearson) distribution, except that on the upper side the share, and the rate among flagged inputs while
    these are the smaller part, have the one of Jeffreys' prior. The coverage is measured, not proved.
    """

    side: Side
    kind: Kind

    def __post_init__(self) -> None:
        super().__post_init__()
        check_side_and_kind(self.side, self.kind)
        validate.positive(self.seen, where="PredictedStrataBound", name="seen")

    def limit_at(self, level: float) -> float:
        from scipy.optimize import brentq

        wanted = level if self.side == "upper" else 1 - level
        products, remainders, weights = self._flagged_part()

        def surplus(limit: float) -> float:
            return float((weights * self._others_below((limit - products) / remainders)).sum()) - wanted

        if surplus(0.0) >= 0:
            return 0.0
        return float(brentq(surplus, 0.0, 1.0, xtol=TOLERANCE)) if surplus(1.0) > 0 else 1.0

    def _flagged_part(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Nodes of s p1, of 1 - s, and their weights."""
        nodes, weights = _nodes()
        upper = self.side == "upper"
        share = _quantiles(self.flagged, self.seen, nodes, more=0.5 if upper else 0.0)
        rare = self.tested_flagged and self.flagged <= self.seen / 2 and self.failures < self.trials
        more = 0.5 if upper and rare else float(upper)
        rate = _quantiles(self.failed_flagged, self.tested_flagged, nodes, more=more)
        return share[:, None] * rate, np.maximum(1 - share, SMALLEST)[:, None], weights[:, None] * weights

    def _others_below(self, rates: FloatArray) -> FloatArray:
        """Confidence that the rate among the others is at most each of ``rates``."""
        k, n = self.failed_others, self.tested_others
        a, b = (k + 1, n - k) if self.side == "upper" else (k, n - k + 1)
        if a == 0:
            return np.asarray(rates >= 0, dtype=float)
        if b == 0:
            return np.asarray(rates >= 1, dtype=float)
        inside = np.clip(rates, 0, 1)
        within = (inside > 0) & (inside < 1)
        inside[within] = special.betainc(a, b, inside[within])
        return inside


def _quantiles(part: float, whole: float, nodes: FloatArray, *, more: float) -> FloatArray:
    """Quantiles of a share: exact from below (``more`` 0) or above (1), or by Jeffreys' prior (0.5)."""
    a, b = part + more, whole - part + 1 - more
    if a == 0:
        return np.zeros_like(nodes)
    return np.ones_like(nodes) if b == 0 else np.asarray(special.betaincinv(a, b, nodes))


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (nodes + 1) / 2, weights / 2
