"""Hazard analysis and risk targets: where the requirements of a component come from.

Here live HAZOP worksheets (``worksheet``, their ``files`` and ``drawing``), chains from cause to consequence that merge
into fault trees (``scenarios``), risk acceptance principles as targets (``targets``), what to improve and to test next
(``improvement``), and which inputs to label next (``labels``). Implements sections 2.2, 3.2 (Figure 4) and 6.2 of paper
RAM (Dong et al. 2023). May import ``surefoot.core``, ``drawing``, ``bounds`` and ``faulttree``.

Worksheets and chains are at hand here; the other packages are loaded when they are first used, as in
``sf.hazards.targets.gale``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.hazards.chains import Scenario, Scenarios
from surefoot.hazards.completeness import Progress
from surefoot.hazards.guide_words import GUIDE_WORDS, MEANINGS, guide_words, start, with_every_deviation
from surefoot.hazards.trees import Difference, HazardStudy, Trace, chains_from_worksheet, compare, fault_tree, trace
from surefoot.hazards.worksheet import Deviation, Hazop, Item, Mitigation, Property, RiskMatrix, Row

if TYPE_CHECKING:
    from surefoot.hazards import drawing, files, improvement, labels, targets

__all__ = [
    "GUIDE_WORDS",
    "MEANINGS",
    "Deviation",
    "Difference",
    "HazardStudy",
    "Hazop",
    "Item",
    "Mitigation",
    "Progress",
    "Property",
    "RiskMatrix",
    "Row",
    "Scenario",
    "Scenarios",
    "Trace",
    "chains_from_worksheet",
    "compare",
    "drawing",
    "fault_tree",
    "files",
    "guide_words",
    "improvement",
    "labels",
    "start",
    "targets",
    "trace",
    "with_every_deviation",
]
_LATER = ("drawing", "files", "improvement", "labels", "targets")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"surefoot.hazards.{name}")
    raise AttributeError(f"module 'surefoot.hazards' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
