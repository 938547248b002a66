"""Hazard analysis and risk targets: where the requirements of a component come from.

Here live HAZOP worksheets (``worksheet``, their ``files`` and ``drawing``), chains from cause to consequence that merge
into fault trees (``scenarios``), risk acceptance principles as targets (``targets``), and what to improve, test and
label next (``improvement``). Implements sections 2.2, 3.2 (Figure 4) and 6.2 of paper RAM (Dong et al. 2023). May
import ``surefoot.core``, ``draw``, ``bounds`` and ``faulttree``.
"""

from surefoot.hazards.scenarios import Scenario, Scenarios, Study, Trace, compare, drafted, fault_tree, trace
from surefoot.hazards.worksheet import Deviation, Hazop, Item, Mitigation, Property, RiskMatrix, Row

__all__ = [
    "Deviation",
    "Hazop",
    "Item",
    "Mitigation",
    "Property",
    "RiskMatrix",
    "Row",
    "Scenario",
    "Scenarios",
    "Study",
    "Trace",
    "compare",
    "drafted",
    "fault_tree",
    "trace",
]
