"""Assurance cases as pictures: a top-down graph in CAE or GSN, as SVG, PDF and PNG.

Here live the layout (a tidy tree after Reingold and Tilford 1981 and van der Ploeg 2014, over a spanning tree of the
case), the shapes of both notations (Bloomfield and Netkachova 2014; GSN Community Standard, version 3) and what is
written from them. May import the model and the evaluation of a case, ``draw``, ``core``, and from ``faulttree.drawing``
what places and prints; matplotlib when a PDF or PNG is written.
"""

from surefoot.case.drawings.boxes import Box, Edge, Fork, Frame, Layout
from surefoot.case.drawings.layout import lay_out
from surefoot.case.drawings.looks import DARK, STYLE
from surefoot.case.drawings.print import pdf, png
from surefoot.case.drawings.svg import svg

__all__ = ["DARK", "STYLE", "Box", "Edge", "Fork", "Frame", "Layout", "lay_out", "pdf", "png", "svg"]
