"""From gates to decision diagrams: simplification, modules, variable orders, engines, evaluation.

``compile_tree(tree)`` is the way in. Nothing here knows of formats, uncertainty or reports. May import
``surefoot.core``, the formulas of ``surefoot.faulttree`` and, when a tree is compiled, the engines OxiDD and relibmss.
"""

from surefoot.faulttree.logic.budget import BeyondBudget, Budget
from surefoot.faulttree.logic.compilation import compile_tree
from surefoot.faulttree.logic.compiled import Compiled, Part
from surefoot.faulttree.logic.diagram import Diagram

__all__ = ["BeyondBudget", "Budget", "Compiled", "Diagram", "Part", "compile_tree"]
