"""From gates to decision diagrams: simplification, modules, variable orders, engines, evaluation.

``compile_tree(tree)`` is the way in. Nothing here knows of formats, uncertainty or reports. May import
``surefoot.core``, the formulas of ``surefoot.faulttree`` and, when a tree is compiled, the engines OxiDD and relibmss.
"""

from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit, Problem, lower, modules, pulled, simplified, walks
from surefoot.faulttree.logic.compilation import (
    circuit_of,
    compile_circuit,
    compile_tree,
    enclosure,
    of_one_gate,
    solved,
    truncated,
)
from surefoot.faulttree.logic.decision_diagram import Compiled, Diagram, Part, constant
from surefoot.faulttree.logic.engines import (
    BeyondBudget,
    Budget,
    Builder,
    Engine,
    Limit,
    Operations,
    OverLimit,
    OxiddEngine,
    RelibmssEngine,
    minimal_sets,
)

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
