"""The failure probabilities of learned components that feed the top events, or targets, of a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.core import DiagnosticsError
from surefoot.project.definition import TREE_STEPS
from surefoot.project.plan import Task, quantity_of, step_of
from surefoot.project.project import Project

STRATIFIED = "stratified_bound"
OPERATION = "operation"


@dataclass(frozen=True, eq=False)
class Found:
    """A failure probability, and the step that measures it on labelled rows."""

    reference: str
    task: Task
    folder: Path

    @property
    def component(self) -> str:
        """The component that fails."""
        return self.task.component or ""

    def said(self, name: str) -> Any:
        """What the project file says, or the default; None for what the step does not know."""
        return self.task.values.get(name)

    @property
    def sheet(self) -> str | None:
        """The sheet of labels that the step reads."""
        named = self.task.files.get(("labels",))
        return None if named is None else str(self.folder / named)

    @property
    def is_stratified(self) -> bool:
        """Whether the step already weighs strata, so that their number is settled."""
        return self.task.step.name == STRATIFIED

    def operation(self, project: Project, named: str | None) -> str:
        """The data set to choose from: the one that is named, that of the step, or the one called operation."""
        known = project.definition.components[self.component].data
        name = named or self.task.named.get(OPERATION, OPERATION)
        if name not in known or name == self.task.data:
            others = [each for each in known if each != self.task.data]
            text = f"component {self.component!r} has no data set {name!r} of inputs from operation."
            known_ones = f" Known: {', '.join(others)}." if others else ""
            raise DiagnosticsError.of(
                "unknown-reference",
                text,
                where=project.where("components", self.component, "data"),
                hint=f"Add one under data (labels are not needed), or name one with --on.{known_ones}",
            )
        return name


def trees(tasks: Sequence[Task]) -> list[Task]:
    """The steps that analyse fault trees."""
    return [task for task in tasks if task.step.name in TREE_STEPS]


def found(project: Project, tasks: Sequence[Task]) -> list[Found]:
    """Failure probabilities that feed fault trees; without a tree, those that targets ask about. Each once."""
    steps = {task.name: task for task in tasks}
    fed = [text for task in trees(list(steps.values())) for text in task.references.get("events", {}).values()]
    asked = [source.estimate for source in project.definition.all_targets.values()]
    return list(_countable(project, dict.fromkeys(fed or asked), steps))


def _countable(project: Project, references: Iterable[str], steps: dict[str, Task]) -> Iterator[Found]:
    for reference in references:
        task = steps[step_of(reference)]
        if "tested" in task.step.roles.values() and quantity_of(reference) == FAILURE_PROBABILITY:
            yield Found(reference, task, project.folder)
