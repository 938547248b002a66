"""How safe is safe enough: targets from stated reference data, after principles of risk acceptance.

Here live references with exact limits, conversions between exposures, the principles GALE, SE, "x times safer", MEM and
ALARP, gross disproportion, and societal risk. Implements section 3.2 of paper RAM (Dong et al. 2023). May import
``surefoot.core`` and ``drawing``.
"""

from surefoot.hazards.targets.bands import Bands
from surefoot.hazards.targets.comparison import gale, safer, se
from surefoot.hazards.targets.criterion import Criterion
from surefoot.hazards.targets.derivation import Derivation
from surefoot.hazards.targets.derive import PRINCIPLES, derive
from surefoot.hazards.targets.exposure import Exposure
from surefoot.hazards.targets.individual import BROADLY_ACCEPTABLE, HARMS, INTOLERABLE, alarp, mem
from surefoot.hazards.targets.practicable import Disproportion, Measure, Valuation, disproportion, practicable
from surefoot.hazards.targets.reference import Reference
from surefoot.hazards.targets.societal import Accident, SocietalRisk

__all__ = [
    "BROADLY_ACCEPTABLE",
    "HARMS",
    "INTOLERABLE",
    "PRINCIPLES",
    "Accident",
    "Bands",
    "Criterion",
    "Derivation",
    "Disproportion",
    "Exposure",
    "Measure",
    "Reference",
    "SocietalRisk",
    "Valuation",
    "alarp",
    "derive",
    "disproportion",
    "gale",
    "mem",
    "practicable",
    "safer",
    "se",
]
