"""Fault trees: exact, with uncertainty, and backwards from a target to requirements.

Here live the model of a tree and its file formats, what is known of its events (quantities, common-cause groups), its
compilation to decision diagrams, cut sets, importances, uncertainty, what-if, allocation and diagrams. ``FaultTree``
answers all questions. Implements the fault-tree part of paper RAM (Dong et al. 2023, sections 2.2, 3.2 and 6.2). May
import ``surefoot.core`` and ``surefoot.drawing``.

Trees and quantities are at hand here; common-cause groups, answers and the packages ``cutsets`` (of a compiled tree),
``drawing`` and ``figures`` are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.faulttree.averages import PlugInValue
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.logic.engines import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import (
    GLM,
    BetaDeviate,
    Counts,
    Distributed,
    Exponential,
    Fixed,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    Measured,
    MissionTime,
    NormalDeviate,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    UniformDeviate,
    Weibull,
    as_quantity,
    inputs,
    probabilities,
)

if TYPE_CHECKING:
    from surefoot.faulttree import charts as figures
    from surefoot.faulttree import cutsets, drawing
    from surefoot.faulttree.allocation import Allocation
    from surefoot.faulttree.analysis import Approximation, TreeResult
    from surefoot.faulttree.common_cause import (
        AlphaFactor,
        BetaFactor,
        CommonCause,
        MultipleGreekLetter,
        PhiFactor,
    )
    from surefoot.faulttree.cutsets import CutSet, CutSets, Implicant, Literal, PrimeImplicants
    from surefoot.faulttree.formats import PartLeftOut
    from surefoot.faulttree.importance import MEASURES, Importance
    from surefoot.faulttree.joint_importance import JointImportance
    from surefoot.faulttree.logic import Compiled
    from surefoot.faulttree.sensitivity import BreakEven, Comparison, Sweep, Tornado, WhatIfs
    from surefoot.faulttree.shared_training import SharedTraining
    from surefoot.faulttree.uncertainty import bound_of_counts, interval_bounds

__all__ = [
    "GLM",
    "MEASURES",
    "Allocation",
    "AlphaFactor",
    "Approximation",
    "BetaDeviate",
    "BetaFactor",
    "BeyondBudget",
    "BreakEven",
    "Budget",
    "CommonCause",
    "Comparison",
    "Compiled",
    "Counts",
    "CutSet",
    "CutSets",
    "Distributed",
    "Exponential",
    "FaultTree",
    "Fixed",
    "Formula",
    "GammaDeviate",
    "Histogram",
    "Implicant",
    "Importance",
    "JointImportance",
    "Literal",
    "LogNormal",
    "LogNormalMuSigma",
    "Measured",
    "MissionTime",
    "MultipleGreekLetter",
    "NormalDeviate",
    "Operation",
    "Parameter",
    "PartLeftOut",
    "PeriodicTest",
    "PhiFactor",
    "PlugInValue",
    "PrimeImplicants",
    "Quantity",
    "SharedTraining",
    "Sweep",
    "Tornado",
    "TreeResult",
    "UniformDeviate",
    "Weibull",
    "WhatIfs",
    "as_quantity",
    "bound_of_counts",
    "cutsets",
    "drawing",
    "figures",
    "inputs",
    "interval_bounds",
    "probabilities",
]
_PACKAGES = {"cutsets": "cutsets", "drawing": "drawing", "figures": "charts"}
_HOMES = {
    "MEASURES": "importance",
    "Allocation": "allocation",
    "AlphaFactor": "common_cause",
    "Approximation": "analysis",
    "BetaFactor": "common_cause",
    "BreakEven": "sensitivity",
    "CommonCause": "common_cause",
    "Comparison": "sensitivity",
    "Compiled": "logic",
    "CutSet": "cutsets",
    "CutSets": "cutsets",
    "Implicant": "cutsets",
    "Importance": "importance",
    "JointImportance": "joint_importance",
    "Literal": "cutsets",
    "MultipleGreekLetter": "common_cause",
    "PartLeftOut": "formats",
    "PhiFactor": "common_cause",
    "PrimeImplicants": "cutsets",
    "WhatIfs": "sensitivity",
    "SharedTraining": "shared_training",
    "Sweep": "sensitivity",
    "Tornado": "sensitivity",
    "TreeResult": "analysis",
    "bound_of_counts": "uncertainty",
    "interval_bounds": "uncertainty",
}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"surefoot.faulttree.{_PACKAGES[name]}")
    if name in _HOMES:
        return getattr(import_module(f"surefoot.faulttree.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot.faulttree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
