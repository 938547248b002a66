"""How safe is safe enough: targets from stated reference data, after principles of risk acceptance.

Here live references with exact limits, conversions between exposures, the principles GALE, SE, "x times safer", MEM and
ALARP, gross disproportion, and societal risk. Implements section 3.2 of paper RAM (Dong et al. 2023). May import
``surefoot.core`` and ``drawing``.
"""

from surefoot.hazards.targets.exposure import Derivation, Exposure, Reference
from surefoot.hazards.targets.practicability import (
    BROADLY_ACCEPTABLE,
    INTOLERABLE,
    Bands,
    Disproportion,
    Measure,
    Valuation,
    disproportion,
    practicable,
)
from surefoot.hazards.targets.principles import HARMS, PRINCIPLES, alarp, derive, gale, mem, safer, se
from surefoot.hazards.targets.societal_risk import Accident, Criterion, SocietalRisk

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
