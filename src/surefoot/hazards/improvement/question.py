"""What is asked of a top event: a target, and the limit and level that its verdict compares."""

from __future__ import annotations

from dataclasses import dataclass, replace

from surefoot.bounds.whatif import Aim
from surefoot.core import Target, validate
from surefoot.core.canonical import FrozenMap
from surefoot.faulttree.allocation.target import as_target
from surefoot.faulttree.logic.budget import BeyondBudget
from surefoot.faulttree.model import FaultTree


@dataclass(frozen=True)
class Question:
    """A target, and ``aim``: the limit its upper bound must reach, and at which level; see ``Estimate.meets``."""

    target: Target
    aim: Aim

    @classmethod
    def of(cls, target: float | Target, level: float | None, *, where: str) -> Question:
        """A number is a largest probability at level 0.95; ``level`` comes before the target's own."""
        given = as_target(target, where=where)
        aimed = given if level is None else replace(given, level=validate.level(level, where=where))
        return cls(aimed, Aim.of(aimed))

    @property
    def unit(self) -> str:
        """What the top event is counted by."""
        return f"per {self.target.per}"


def too_large(tree: FaultTree, beyond: BeyondBudget) -> str:
    """What is said where an exact answer is beyond the budget."""
    return (
        f"{tree.top} is beyond the budget of nodes and seconds: its probability lies between {beyond.low:.4g} and "
        f"{beyond.high:.4g}, and what an event contributes is not known. Give a larger budget."
    )


def component_of(tree: FaultTree, event: str) -> str:
    """The component that an event is marked with, or nothing."""
    return tree.attributes.get(event, FrozenMap()).get("component", "")
