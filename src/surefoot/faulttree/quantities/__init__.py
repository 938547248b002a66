"""What is known about the numbers of a fault tree: constants, estimates, deviates, rates and expressions of them.

Follows the expressions of the Open-PSA Model Exchange Format (Epstein and Rauzy, 2008). May import core only.
"""

from surefoot.faulttree.quantities.arithmetic import Operation
from surefoot.faulttree.quantities.base import Quantity, as_quantity
from surefoot.faulttree.quantities.deviates import (
    BetaDeviate,
    GammaDeviate,
    LogNormal,
    LogNormalMuSigma,
    NormalDeviate,
    UniformDeviate,
)
from surefoot.faulttree.quantities.drawn import Deviate, Drawn
from surefoot.faulttree.quantities.evaluation import aliases, inputs, probabilities
from surefoot.faulttree.quantities.histogram import Histogram
from surefoot.faulttree.quantities.leaves import (
    DEFAULT_MISSION_TIME,
    MISSION_TIME,
    Counts,
    Fixed,
    Measured,
    MissionTime,
    Parameter,
)
from surefoot.faulttree.quantities.order import parameter_order
from surefoot.faulttree.quantities.periodic import PeriodicTest
from surefoot.faulttree.quantities.problems import problems_of
from surefoot.faulttree.quantities.rates import GLM, Exponential, Weibull
from surefoot.faulttree.quantities.trends import powers, signs

__all__ = [
    "DEFAULT_MISSION_TIME",
    "GLM",
    "MISSION_TIME",
    "BetaDeviate",
    "Counts",
    "Deviate",
    "Drawn",
    "Exponential",
    "Fixed",
    "GammaDeviate",
    "Histogram",
    "LogNormal",
    "LogNormalMuSigma",
    "Measured",
    "MissionTime",
    "NormalDeviate",
    "Operation",
    "Parameter",
    "PeriodicTest",
    "Quantity",
    "UniformDeviate",
    "Weibull",
    "aliases",
    "as_quantity",
    "inputs",
    "parameter_order",
    "powers",
    "probabilities",
    "problems_of",
    "signs",
]
