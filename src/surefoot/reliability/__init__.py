"""Reliability from operational profile and local robustness.

Cells of the input domain, the probability of a wrong answer inside each, and their sum weighted by the operational
profile, corrected by held-out labels. Implements sections 4.1, 4.2 and 4.4 of RAM (Dong, Huang, Bharti et al.,
"Reliability Assessment and Safety Arguments for Machine Learning Components in System Assurance"). May import
``bounds``, ``profile`` and what lies below them.
"""

from surefoot.reliability.assess import assess_cells
from surefoot.reliability.cells import Cells
from surefoot.reliability.exact_trees import ExactTrees
from surefoot.reliability.grid import Grid
from surefoot.reliability.interval import Interval
from surefoot.reliability.local import LocalEstimator, LocalProblem, LocalRisk
from surefoot.reliability.monte_carlo import MonteCarlo
from surefoot.reliability.result import Reliability
from surefoot.reliability.within import Following, Normal, Uniform

__all__ = [
    "Cells",
    "ExactTrees",
    "Following",
    "Grid",
    "Interval",
    "LocalEstimator",
    "LocalProblem",
    "LocalRisk",
    "MonteCarlo",
    "Normal",
    "Reliability",
    "Uniform",
    "assess_cells",
]
