"""AI systems of many modules: what corrupted inputs do to them, which module tells, and what rejecting is worth.

Here live systems as graphs (``graph``) of modules of many kinds (``modules``), the items and conditions they are run on
(``data``), recordings that resume (``records``), what was measured item by item and the tables of research questions 0
to 4 (``tables``), strategies that reject answers (``rejection``), substitution, repair and redundancy (``repair``), and
failure probabilities for fault tree and case (``risk``); ``study`` does it all in one call. Implements paper SYS (Wang
et al. 2022, "An Exploratory Study of AI System Risk Assessment from the Lens of Data Distribution and Uncertainty").
May import ``core``, ``metrics``, ``drawing``, ``adapters``, ``executors``, ``corruptions``, ``bounds``, ``faulttree``
and ``monitors``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.systems import data, graph, modules, records, rejection, repair, risk, study, tables
    from surefoot.systems.data import CLEAN, Condition, Items, conditions
    from surefoot.systems.graph import Answer, Loop, Module, System, Trace
    from surefoot.systems.modules import onnx_module, process_module, tflite_module, torch_module
    from surefoot.systems.rejection.acceptance import Acceptance, accept_below, accept_below_predicted
    from surefoot.systems.rejection.alternatives import average_unless_rejected, switching
    from surefoot.systems.rejection.comparison import rejections, risk_coverage
    from surefoot.systems.rejection.strategies import predicted_errors
    from surefoot.systems.repair import (
        Advice,
        Improvement,
        Localisation,
        advise,
        blame,
        corrupted_copies,
        filtered,
        improvement,
        localise,
        vote,
    )
    from surefoot.systems.risk import Mix, conditional_probabilities, failed, failures, system_failure, system_tree
    from surefoot.systems.study import Findings, Study
    from surefoot.systems.tables.inference import Measurements, MemoryColumns, Score

__all__ = [
    "CLEAN",
    "Acceptance",
    "Advice",
    "Answer",
    "Condition",
    "Findings",
    "Improvement",
    "Items",
    "Localisation",
    "Loop",
    "Measurements",
    "MemoryColumns",
    "Mix",
    "Module",
    "Score",
    "Study",
    "System",
    "Trace",
    "accept_below",
    "accept_below_predicted",
    "advise",
    "average_unless_rejected",
    "blame",
    "conditional_probabilities",
    "conditions",
    "corrupted_copies",
    "data",
    "failed",
    "failures",
    "filtered",
    "graph",
    "improvement",
    "localise",
    "modules",
    "onnx_module",
    "predicted_errors",
    "process_module",
    "records",
    "rejection",
    "rejections",
    "repair",
    "risk",
    "risk_coverage",
    "study",
    "switching",
    "system_failure",
    "system_tree",
    "tables",
    "tflite_module",
    "torch_module",
    "vote",
]
_PACKAGES = ("data", "graph", "modules", "records", "rejection", "repair", "risk", "study", "tables")
_NAMES = {
    "graph": ("Answer", "Loop", "Module", "System", "Trace"),
    "data": ("CLEAN", "Condition", "Items", "conditions"),
    "modules": ("onnx_module", "process_module", "tflite_module", "torch_module"),
    "rejection": (
        "Acceptance",
        "accept_below",
        "average_unless_rejected",
        "accept_below_predicted",
        "predicted_errors",
        "rejections",
        "risk_coverage",
        "switching",
    ),
    "repair": (
        "Advice",
        "Improvement",
        "Localisation",
        "advise",
        "blame",
        "corrupted_copies",
        "filtered",
        "improvement",
        "localise",
        "vote",
    ),
    "risk": ("Mix", "conditional_probabilities", "failed", "failures", "system_failure", "system_tree"),
    "study": ("Study", "Findings"),
    "tables.inference": ("MemoryColumns", "Measurements", "Score"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"surefoot.systems.{name}")
    if name in _HOMES:
        return getattr(import_module(f"surefoot.systems.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot.systems' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
