"""Libraries that build decision diagrams, behind one small interface.

``build(problem, order, limit, columns)`` gives the diagram of a problem, or raises ``OverLimit``. OxiDD is asked
first: its number of nodes has a hard limit, and its diagrams come out in one piece. relibmss brings set algebra, and
checks OxiDD in the tests.
"""

from surefoot.faulttree.logic.engines.engine import Engine, Limit, OverLimit
from surefoot.faulttree.logic.engines.oxidd_engine import OxiddEngine
from surefoot.faulttree.logic.engines.relibmss_engine import RelibmssEngine

__all__ = ["Engine", "Limit", "OverLimit", "OxiddEngine", "RelibmssEngine"]
