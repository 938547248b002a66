"""From gates to decision diagrams: simplification, modules, variable orders, engines, evaluation.

``compile_tree(tree)`` is the way in. Nothing here knows of formats, uncertainty or reports. May import
``surefoot.core``, the formulas of ``surefoot.faulttree`` and, when a tree is compiled, the engines OxiDD and relibmss.
"""

from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit
from surefoot.faulttree.logic.compilation import circuit_of, compile_circuit, compile_tree
from surefoot.faulttree.logic.compiled import Compiled, Part
from surefoot.faulttree.logic.diagram import Diagram, constant
from surefoot.faulttree.logic.enclosing import enclosure
from surefoot.faulttree.logic.engines import Engine, Limit, OverLimit, OxiddEngine, RelibmssEngine
from surefoot.faulttree.logic.engines.base import Builder, Operations
from surefoot.faulttree.logic.engines.minimal import minimal_sets
from surefoot.faulttree.logic.lowering import lower
from surefoot.faulttree.logic.modules import modules
from surefoot.faulttree.logic.orders import pulled, walks
from surefoot.faulttree.logic.part import Problem
from surefoot.faulttree.logic.portfolio import solved
from surefoot.faulttree.logic.simplify import simplified
from surefoot.faulttree.logic.single import of_one_gate
from surefoot.faulttree.logic.truncation import truncated

__all__ = [
    "FIRST",
    "TRUE",
    "BeyondBudget",
    "Budget",
    "Builder",
    "Circuit",
    "Compiled",
    "Diagram",
    "Engine",
    "Limit",
    "Operations",
    "OverLimit",
    "OxiddEngine",
    "Part",
    "Problem",
    "RelibmssEngine",
    "circuit_of",
    "compile_circuit",
    "compile_tree",
    "constant",
    "enclosure",
    "lower",
    "minimal_sets",
    "modules",
    "of_one_gate",
    "pulled",
    "simplified",
    "solved",
    "truncated",
    "walks",
]
