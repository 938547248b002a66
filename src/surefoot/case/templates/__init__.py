"""Templates of assurance cases, filled with what a project measured.

Frames: all targets beside each other, a learned component by its functions (paper RAM, section 5.1, Figure 8), a whole
system (section 3.1, Figure 3). Below them one argument for each result, by its method: counted failures, the four
steps of the RAM (sections 4 and 5.2, Figures 9 to 13), normal score (NRB), metric with trust chain (SL), monitor (MON),
system of many modules (SYS), fault tree and product, stated value. Each assumption is a side-warrant of the step that
makes it. The same as patterns with placeholders; nodes are tagged with clauses of standards. May import
the model of a case and everything below ``case``.
"""

from surefoot.case.templates.builder import Ingredients
from surefoot.case.templates.patterns import FRAMES, PATTERNS, Frame, instantiate, pattern

__all__ = [
    "FRAMES",
    "PATTERNS",
    "Frame",
    "Ingredients",
    "instantiate",
    "pattern",
]
