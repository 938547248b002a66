"""Reliability from operational profile and local robustness.

Cells of the input domain, the probability of a wrong answer inside each, and their sum weighted by the operational
profile, corrected by held-out labels; ``balls`` around data points where features are many. Implements sections 4.1
to 4.4 of RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning
Components in System Assurance"). May import ``bounds``, ``profile`` and what lies below them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.reliability.balls.assessment import assess_balls, assess_radii, assess_strengths
from surefoot.reliability.balls.designs import (
    Adaptive,
    AtRandom,
    ByRisk,
    ByWeight,
    Design,
    SamplingFrame,
    Stratified,
    WithReplacement,
)
from surefoot.reliability.balls.draws import Census, Draws, GroupDraws
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.cells.assessment import assess_cells
from surefoot.reliability.cells.result import CellReliability, Reliability
from surefoot.reliability.cells.table import Cells, Grid
from surefoot.reliability.local_risk import (
    LocalEstimator,
    LocalProblem,
    LocalRisk,
    NormalInside,
    ProfileInside,
    UniformInside,
    Within,
    cell_estimator,
)
from surefoot.reliability.proofs.box_proofs import proved_safe
from surefoot.reliability.proofs.linear_bounds import Network
from surefoot.reliability.proofs.model_conversion import read_network
from surefoot.reliability.rare_events.estimators import as_ball_estimator
from surefoot.reliability.rare_events.problem import (
    BallEstimator,
    BallProblem,
    BallRisks,
    Balls,
    VariedBalls,
    ball_estimator,
)
from surefoot.reliability.rare_events.splitting import failing_neighbours

if TYPE_CHECKING:
    from surefoot.reliability.cells import maps as figures

__all__ = [
    "Adaptive",
    "AtRandom",
    "BallEstimator",
    "BallProblem",
    "BallReliability",
    "BallRisks",
    "Balls",
    "ByRisk",
    "ByWeight",
    "CellReliability",
    "Cells",
    "Census",
    "Design",
    "Draws",
    "Grid",
    "GroupDraws",
    "LocalEstimator",
    "LocalProblem",
    "LocalRisk",
    "Network",
    "NormalInside",
    "ProfileInside",
    "Reliability",
    "SamplingFrame",
    "Stratified",
    "UniformInside",
    "VariedBalls",
    "WithReplacement",
    "Within",
    "as_ball_estimator",
    "assess_balls",
    "assess_cells",
    "assess_radii",
    "assess_strengths",
    "ball_estimator",
    "cell_estimator",
    "failing_neighbours",
    "figures",
    "proved_safe",
    "read_network",
]


def __getattr__(name: str) -> Any:
    if name == "figures":
        return import_module("surefoot.reliability.cells.maps")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# What is registered; written by `make generated`.
if TYPE_CHECKING:
    from surefoot.reliability.monte_carlo import MonteCarlo
    from surefoot.reliability.proofs.box_proofs import Interval
    from surefoot.reliability.proofs.tree_ensembles import ExactTrees
    from surefoot.reliability.rare_events.splitting import MultilevelSplitting
__all__ += ["ExactTrees", "Interval", "MonteCarlo", "MultilevelSplitting"]
# End of what `make generated` writes.
cell_estimator.show(__name__)
ball_estimator.show(__name__)
