"""What a system is run on: items with their truth, and the conditions they are met in.

Table 1 of paper SYS (Wang et al. 2022) lists its conditions. May import ``core``, ``corruptions`` and, to tell contents
apart, ``systems.graph``.
"""

from surefoot.systems.data.conditions import CLEAN, Condition, conditions
from surefoot.systems.data.items import Items

__all__ = ["CLEAN", "Condition", "Items", "conditions"]
