"""How much events and gates matter to the top event, each measure with its interval.

May import ``surefoot.core``, ``surefoot.drawing`` and the rest of ``surefoot.faulttree`` except ``result``.
"""

from surefoot.faulttree.importance.joint import JointImportance, joint_importance
from surefoot.faulttree.importance.measures import MEANINGS, MEASURES, Importance, Measure, importance

__all__ = [
    "MEANINGS",
    "MEASURES",
    "Importance",
    "JointImportance",
    "Measure",
    "importance",
    "joint_importance",
]
