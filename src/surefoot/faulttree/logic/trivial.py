"""Trees whose top event does not depend on anything."""

from __future__ import annotations

from surefoot.faulttree.logic import diagram
from surefoot.faulttree.logic.compiled import Compiled, Part


def constant(*, value: bool) -> Compiled:
    """The top event happens always, or never."""
    return Compiled((), (Part(diagram.constant(False), {}, 1.0),), {}, negated=value)
