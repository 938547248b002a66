"""Reliability from operational profile and local robustness.

Cells of the input domain, the probability of a wrong answer inside each, and their sum weighted by the operational
profile, corrected by held-out labels; ``balls`` around data points where features are many. Implements sections 4.1
to 4.4 of RAM (Dong, Huang, Bharti et al., "Reliability Assessment and Safety Arguments for Machine Learning
Components in System Assurance"). May import ``bounds``, ``profile`` and what lies below them.
"""

from surefoot.reliability.assess import assess_cells
from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.assess import assess_balls
from surefoot.reliability.balls.designs import AtRandom, ByRisk, ByWeight, Stratified, WithReplacement
from surefoot.reliability.balls.problem import BallEstimator, BallProblem, BallRisks, Balls
from surefoot.reliability.balls.radii import assess_radii
from surefoot.reliability.balls.result import BallReliability
from surefoot.reliability.balls.splitting import MultilevelSplitting
from surefoot.reliability.cells import Cells
from surefoot.reliability.exact_trees import ExactTrees
from surefoot.reliability.grid import Grid
from surefoot.reliability.interval import Interval
from surefoot.reliability.local import LocalEstimator, LocalProblem, LocalRisk
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.result import CellReliability, Reliability
from surefoot.reliability.within import Following, Normal, Uniform

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
    "ExactTrees",
    "Following",
    "Grid",
    "Interval",
    "LocalEstimator",
    "LocalProblem",
    "LocalRisk",
    "MonteCarlo",
    "MultilevelSplitting",
    "Normal",
    "Reliability",
    "Stratified",
    "Uniform",
    "WithReplacement",
    "assess_balls",
    "assess_cells",
    "assess_radii",
]
