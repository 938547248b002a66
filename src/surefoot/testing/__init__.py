"""Conformance checks and generators with known truth, for Surefoot's own tests and for yours.

``check_bound`` measures how often a bound holds. A generator has a ``truth`` and a ``sample(rng, n)``
that gives the arguments of the bound. May import any domain package; only tests and benchmarks
import it.
"""

from surefoot.testing.coverage import Coverage, CoverageError, CoverageReport, check_bound
from surefoot.testing.generators import (
    BernoulliLosses,
    BetaLosses,
    Generator,
    GroupedLosses,
    ShiftedLosses,
    StratifiedCounts,
    TwoPointLosses,
    UniformLosses,
)

__all__ = [
    "BernoulliLosses",
    "BetaLosses",
    "Coverage",
    "CoverageError",
    "CoverageReport",
    "Generator",
    "GroupedLosses",
    "ShiftedLosses",
    "StratifiedCounts",
    "TwoPointLosses",
    "UniformLosses",
    "check_bound",
]
