"""Trees whose top event does not depend on anything."""

from __future__ import annotations

import numpy as np

from surefoot.faulttree.logic.compiled import Compiled, Part
from surefoot.faulttree.logic.diagram import FALSE, Diagram


def constant(*, value: bool) -> Compiled:
    """The top event happens always, or never."""
    nothing = np.zeros(2, dtype=np.int64)
    return Compiled((), (Part(Diagram(nothing, nothing, nothing, FALSE), monotone=True),), {}, negated=value)
