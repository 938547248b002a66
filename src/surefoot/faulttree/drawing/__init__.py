"""Fault trees as diagrams in standard symbols, and as an outline for terminals and screen readers.

Symbols after IEC 61025:2006 and NUREG-0492 (Vesely et al. 1981). May import ``surefoot.core``, ``surefoot.drawing`` and
the model of a tree; matplotlib when a PNG or PDF is written.
"""

from surefoot.faulttree.drawing.outline import outline
from surefoot.faulttree.drawing.output import draw, save

__all__ = ["draw", "outline", "save"]
