"""What is known about the numbers of a fault tree: constants, estimates, deviates, rates and expressions of them.

Follows the expressions of the Open-PSA Model Exchange Format (Epstein and Rauzy, 2008). May import core only.
"""

from surefoot.faulttree.quantities.arithmetic import Operation
from surefoot.faulttree.quantities.distributions import (
    BetaDeviate,
    Deviate,
    Distributed,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    NormalDeviate,
    UniformDeviate,
)
from surefoot.faulttree.quantities.evaluation import (
    aliases,
    inputs,
    parameter_order,
    powers,
    probabilities,
    problems_of,
    signs,
    typed_in,
)
from surefoot.faulttree.quantities.quantity import (
    DEFAULT_MISSION_TIME,
    MISSION_TIME,
    Counts,
    Fixed,
    Measured,
    MissionTime,
    Parameter,
    Quantity,
    as_quantity,
)
from surefoot.faulttree.quantities.rates import GLM, Exponential, PeriodicTest, Weibull

__all__ = [
    "DEFAULT_MISSION_TIME",
    "GLM",
    "MISSION_TIME",
    "BetaDeviate",
    "Counts",
    "Deviate",
    "Distributed",
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
    "typed_in",
]
