"""How much a top event rises with each failure probability that feeds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.logic.budget import BeyondBudget
from surefoot.faulttree.quantities import probabilities
from surefoot.faulttree.uncertainty import TopEvent
from surefoot.project.definition import FAULT_TREE
from surefoot.project.plan import Task
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.step_files import files_at
from surefoot.project.steps.fault_tree import fed
from surefoot.project.trees import hazop_of, scenarios_of, tree_of


@dataclass(frozen=True, eq=False)
class Top:
    """A fault tree with what an assessment found of its events."""

    tree: FaultTree
    references: Mapping[str, str]
    """For each event that is fed: the result that feeds it."""
    budget: Budget

    @classmethod
    def of(cls, project: Project, task: Task, result: Result) -> Top:
        """The tree of a step."""
        references = dict(task.references.get("events", {}))
        tree = _tree(project, task)
        known = {event: result[text] for event, text in references.items() if event in tree.events}
        return cls(
            fed(tree, known),
            {event: references[event] for event in known},
            Budget(task.values["nodes"], task.values["time_limit"]),
        )

    @cached_property
    def weights(self) -> dict[str, float] | None:
        """By result: the derivative of the top event (Birnbaum 1969); None where the tree is beyond its budget."""
        try:
            compiled = self.tree.compile(self.budget)
            known = probabilities(self.tree.expanded, events=compiled.events)
            slopes = compiled.gradient(np.array([float(known[name]) for name in compiled.events]))
        except BeyondBudget:
            return None
        exact = dict(zip(compiled.events, slopes.tolist(), strict=True))
        found: dict[str, float] = {}
        for event, reference in self.references.items():
            found[reference] = found.get(reference, 0.0) + exact.get(event, 0.0)
        return found

    def probability(self, limits: Mapping[str, float]) -> float:
        """The top event when results take these values."""
        changed = {event: limits[text] for event, text in self.references.items() if text in limits}
        tree = self.tree.with_events(changed)
        tree.compile(self.budget)
        return float(TopEvent(tree).at({}, 1)[0])


def _tree(project: Project, task: Task) -> FaultTree:
    said = dict(task.values) | files_at(task.files, project.folder)
    if task.step.name == FAULT_TREE:
        return tree_of(said["file"], said["inline"], said["top"])
    hazop = None if said["worksheet"] is None else hazop_of(said["worksheet"])
    return scenarios_of(said["file"], said["inline"], hazop).fault_tree(said["top"])
