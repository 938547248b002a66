"""Assurance cases: claims, arguments, evidence and side-claims, and their drawing.

Here live the model of a case (CAE; paper RAM, section 2.1), its construction from targets and estimates, and its
SVG. May import ``core``, ``draw`` and the domain packages below; nothing of ``project`` or above.
"""

from surefoot.case.build import Goal, build
from surefoot.case.drawing import draw
from surefoot.case.model import Case, Node

__all__ = ["Case", "Goal", "Node", "build", "draw"]
