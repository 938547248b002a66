"""Reliability from operational profile and local robustness.

Cells of the input domain, the probability of a wrong answer inside each, and their sum weighted by the operational
profile, corrected by held-out labels; ``balls`` around data points where features are many. Implements sections 4.1
to 4.4 of RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning
Components in System Assurance"). May import ``bounds``, ``profile`` and what lies below them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.reliability.assess import assess_cells
from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.assess import assess_balls
from surefoot.reliability.balls.designs import (
    AtRandom,
    ByRisk,
    ByWeight,
    Design,
    SamplingFrame,
    Stratified,
    WithReplacement,
)
from surefoot.reliability.balls.drawn import Census, Draws
from surefoot.reliability.balls.estimators import as_ball_estimator
from surefoot.reliability.balls.group_draws import GroupDraws
from surefoot.reliability.balls.neighbours import failing_neighbours
from surefoot.reliability.balls.problem import BallEstimator, BallProblem, BallRisks, Balls, ball_estimator
from surefoot.reliability.balls.radii import assess_radii
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.cells import Cells
from surefoot.reliability.grid import Grid
from surefoot.reliability.local import LocalEstimator, LocalProblem, LocalRisk, cell_estimator
from surefoot.reliability.network_reading import read_network
from surefoot.reliability.networks import Network
from surefoot.reliability.result import CellReliability, Reliability
from surefoot.reliability.safe_boxes import proved_safe
from surefoot.reliability.within import Following, Normal, Uniform, Within

if TYPE_CHECKING:
    from surefoot.reliability import exports, figures
    from surefoot.reliability.exports import *  # noqa: F403

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
    "Following",
    "Grid",
    "GroupDraws",
    "LocalEstimator",
    "LocalProblem",
    "LocalRisk",
    "Network",
    "Normal",
    "Reliability",
    "SamplingFrame",
    "Stratified",
    "Uniform",
    "WithReplacement",
    "Within",
    "as_ball_estimator",
    "assess_balls",
    "assess_cells",
    "assess_radii",
    "ball_estimator",
    "cell_estimator",
    "failing_neighbours",
    "figures",
    "proved_safe",
    "read_network",
]


def __getattr__(name: str) -> Any:
    if name == "figures":
        return import_module("surefoot.reliability.figures")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if TYPE_CHECKING:
    __all__ += exports.__all__
else:
    cell_estimator.show(__name__)
    ball_estimator.show(__name__)
