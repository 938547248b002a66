"""Assurance cases as pictures: a top-down graph in CAE or GSN, as SVG, PDF and PNG.

A description on top of ``surefoot.drawing``, which lays it out and writes it: a spanning tree of the case, the shapes
of both notations (Bloomfield and Netkachova 2014; GSN Community Standard, version 3) and the words in them. May import
that, ``core``, ``opinions``, and the model and the evaluation of a case.
"""

from surefoot.case.drawings.boxes import Box, Edge, Fork, Frame, Layout
from surefoot.case.drawings.diagram import pdf, picture, png, svg, undrawable
from surefoot.case.drawings.layout import lay_out

__all__ = ["Box", "Edge", "Fork", "Frame", "Layout", "lay_out", "pdf", "picture", "png", "svg", "undrawable"]
