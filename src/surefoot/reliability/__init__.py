"""Reliability from operational profile and local robustness.

Cells of the input domain, the probability of a wrong answer inside each, and their sum weighted by the operational
profile, corrected by held-out labels; ``balls`` around data points where features are many. Implements sections 4.1
to 4.4 of RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning
Components in System Assurance"). May import ``bounds``, ``profile`` and what lies below them.
"""

from typing import TYPE_CHECKING

from surefoot.reliability.assess import assess_cells
from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.assess import assess_balls
from surefoot.reliability.balls.designs import AtRandom, ByRisk, ByWeight, Stratified, WithReplacement
from surefoot.reliability.balls.problem import BallEstimator, BallProblem, BallRisks, Balls, ball_estimator
from surefoot.reliability.balls.radii import assess_radii
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.cells import Cells
from surefoot.reliability.grid import Grid
from surefoot.reliability.local import LocalEstimator, LocalProblem, LocalRisk, cell_estimator
from surefoot.reliability.result import CellReliability, Reliability
from surefoot.reliability.within import Following, Normal, Uniform

if TYPE_CHECKING:
    from surefoot.reliability import exports
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
    "Following",
    "Grid",
    "LocalEstimator",
    "LocalProblem",
    "LocalRisk",
    "Normal",
    "Reliability",
    "Stratified",
    "Uniform",
    "WithReplacement",
    "assess_balls",
    "assess_cells",
    "assess_radii",
    "ball_estimator",
    "cell_estimator",
]
if TYPE_CHECKING:
    __all__ += exports.__all__
else:
    cell_estimator.show(__name__)
    ball_estimator.show(__name__)
