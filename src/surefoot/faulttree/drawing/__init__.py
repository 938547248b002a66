"""Fault trees as diagrams in standard symbols, and as an outline for terminals and screen readers.

Symbols after IEC 61025:2006 and NUREG-0492 (Vesely et al. 1981). A description on top of ``surefoot.drawing``, which
lays it out and writes it. May import that, ``surefoot.core`` and the model of a tree.
"""

from surefoot.faulttree.drawing.diagram import draw, outline, picture, save

__all__ = ["draw", "outline", "picture", "save"]
