"""Fault trees: exact, with uncertainty, and backwards from a target to requirements.

Here live the model of a tree and its file formats, its compilation to decision diagrams (``logic``), cut sets,
importances, uncertainty, what-if, allocation and diagrams. Implements the fault-tree part of paper RAM (Dong et al.
2023, sections 2.2, 3.2 and 6.2). May import ``surefoot.core`` and ``surefoot.drawing``.
"""

from surefoot.faulttree.averages import PlugInValue
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.model import FaultTree

__all__ = ["BeyondBudget", "Budget", "FaultTree", "Formula", "PlugInValue"]
