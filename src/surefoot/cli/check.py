"""``surefoot check``: every problem of a project file, or its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.cli.console import counted, say, table
from surefoot.cli.failures import show_diagnostics
from surefoot.cli.options import PROJECT_FILE, ProjectFile

if TYPE_CHECKING:
    from surefoot.project import Task


def check(file: ProjectFile = Path(PROJECT_FILE)) -> None:
    """Check a project file without computing anything.

    Prints every problem at once, each with its code, file and line, and exits with 2; or prints the plan: the steps in
    the order in which they will run.
    """
    from surefoot.core import DiagnosticsError
    from surefoot.project import check as problems_of
    from surefoot.project import load, plan

    project = load(file)
    found = problems_of(project)
    DiagnosticsError.raise_if_any(found)
    show_diagnostics(found)
    tasks = plan(project)
    table(("evidence", "step", "on", "waits for"), [_row(task) for task in tasks])
    targets = project.definition.all_targets
    say(f"\n{project.path} is fine: {counted(tasks, 'step')}, {counted(targets, 'target')}.")


def _row(task: Task) -> tuple[str, str, str, str]:
    data = f"{task.component}.{task.data}" if task.component else ""
    return task.name, task.step.name, data, ", ".join(task.needs)
