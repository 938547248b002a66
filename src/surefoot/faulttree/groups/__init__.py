"""Events that fail together: common-cause groups, and what stands in the tree in their place.

The classic models follow the Open-PSA Model Exchange Format (Epstein and Rauzy 2008); ``SharedTraining`` is for
redundant learned components, whose joint failures are measured on a common test set. May import core and the
quantities, formulas and model of fault trees.
"""

from surefoot.faulttree.groups.common_cause import (
    AlphaFactor,
    BetaFactor,
    CommonCause,
    Expansion,
    FactorModel,
    MultipleGreekLetter,
    PhiFactor,
    expanded,
    problems_of,
)
from surefoot.faulttree.groups.shared_training import SharedTraining

__all__ = [
    "AlphaFactor",
    "BetaFactor",
    "CommonCause",
    "Expansion",
    "FactorModel",
    "MultipleGreekLetter",
    "PhiFactor",
    "SharedTraining",
    "expanded",
    "problems_of",
]
