"""How much events and gates matter to the top event, each measure with its interval.

May import ``surefoot.core``, ``surefoot.drawing`` and the rest of ``surefoot.faulttree`` except ``result``.
"""

from surefoot.faulttree.importance.calculate import importance
from surefoot.faulttree.importance.joint import JointImportance, joint_importance
from surefoot.faulttree.importance.measures import MEANINGS, MEASURES, Measure
from surefoot.faulttree.importance.table import Importance

__all__ = [
    "MEANINGS",
    "MEASURES",
    "Importance",
    "JointImportance",
    "Measure",
    "importance",
    "joint_importance",
]
