"""Conformance checks and generators with known truth, for Surefoot's own tests and for yours.

``check_bound`` measures how often a bound holds, and ``check_detector`` puts a detector through everything that a
monitor relies on; ``check_corruption``, ``check_metric`` and ``check_cell_estimator`` do so for their kinds. A
generator has a ``truth`` and a ``sample(rng, n)`` that gives the arguments of the bound. A world draws labelled sets
and operation, and knows the true failure probability of a model (``true_pmi``). A linear classifier in a box has a
failure probability that is known however rare it is, and a ball world the risk of the ball around every input. May
import any domain package; only tests and benchmarks import it.
"""

from surefoot.testing import worlds
from surefoot.testing.conformance import (
    Coverage,
    CoverageError,
    CoverageReport,
    check_bound,
    check_cell_estimator,
    check_corruption,
    check_metric,
)
from surefoot.testing.detectors import ConformanceError, DetectorCheck, DetectorReport, check_detector
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
from surefoot.testing.known_balls import (
    BallWorld,
    LinearBox,
    ball_world,
    ball_worlds,
    linear_failure_probability,
    linear_world,
)
from surefoot.testing.worlds import (
    KnownSet,
    World,
    broken_worlds,
    dense_set,
    sound_worlds,
    sparse_set,
    world_named,
)

__all__ = [
    "BallWorld",
    "BernoulliLosses",
    "BetaLosses",
    "ConformanceError",
    "Coverage",
    "CoverageError",
    "CoverageReport",
    "DetectorCheck",
    "DetectorReport",
    "Generator",
    "GroupedLosses",
    "KnownSet",
    "LinearBox",
    "ShiftedLosses",
    "StratifiedCounts",
    "TwoPointLosses",
    "UniformLosses",
    "World",
    "ball_world",
    "ball_worlds",
    "broken_worlds",
    "check_bound",
    "check_cell_estimator",
    "check_corruption",
    "check_detector",
    "check_metric",
    "dense_set",
    "linear_failure_probability",
    "linear_world",
    "sound_worlds",
    "sparse_set",
    "world_named",
    "worlds",
]
