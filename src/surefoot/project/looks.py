"""The ledger of looks: how often a test set has been used, and what that does to a level.

A look is one distinct analysis of a test set: other models, steps, parameters or targets make another look;
running the same again does not, nor does a newer version of a library. Results of an earlier look may have shaped a
later one, so only all looks together keep a level: by the union bound each of k looks gets (1 - level) / k.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from surefoot.core import Diagnostic, Estimate, validate
from surefoot.project.components import Components
from surefoot.project.plan import Task, how_read
from surefoot.project.project import Project
from surefoot.project.result import Looks


def record(project: Project, tasks: Iterable[Task], components: Components) -> None:
    """Write this look into the ledger; called before anything is computed."""
    by_digest: dict[str, list[Task]] = {}
    for task in tasks:
        if task.component and task.data:
            by_digest.setdefault(components.data_digest(task.component, task.data), []).append(task)
    for digest, users in by_digest.items():
        components.store.record_look(digest, _look(project, users, components))


def count(tasks: Iterable[Task], components: Components) -> tuple[Looks, ...]:
    """All looks so far at each data set of the plan."""
    used = dict.fromkeys((task.component, task.data) for task in tasks if task.component and task.data)
    return tuple(
        Looks(f"{component}.{data}", max(1, components.store.looks(components.data_digest(component, data))))
        for component, data in used
        if component and data
    )


def corrected_level(level: float, looks: int) -> float:
    """The level each look needs so that all of them together keep ``level``.

    >>> round(corrected_level(0.95, 5), 12)
    0.99
    """
    validate.count(looks, where="corrected_level", name="looks", at_least=1)
    return 1 - (1 - validate.level(level, where="corrected_level")) / looks


def with_caveat(estimate: Estimate, looks: int, level: float) -> Estimate:
    """The estimate, saying that its test set was looked at before."""
    if looks == 1:
        return estimate
    text = f"The test set has been looked at {looks} times; at level {level:g} this bound covers this look alone."
    hint = f"At level {corrected_level(level, looks):.6g} all {looks} looks together keep {level:g}."
    return replace(estimate, caveats=(*estimate.caveats, Diagnostic("repeated-looks", text, hint=hint)))


def _look(project: Project, tasks: list[Task], components: Components) -> dict[str, Any]:
    analyses = [
        {
            "step": task.step.name,
            "parameters": dict(task.parameters),
            "references": {name: dict(labelled) for name, labelled in task.references.items()},
            "reading": how_read(project.definition, task.component or "", task.data or ""),
            "model": components.digests(task.component or "", task.data or "").get("model", ""),
            "seed": project.definition.seed if "seed" in task.step.roles.values() else None,
        }
        for task in tasks
    ]
    asked = ("estimate", "at_most", "at_least", "level", "per", "kinds")
    targets = [{name: getattr(target, name) for name in asked} for target in project.definition.targets.values()]
    return {"analyses": sorted(analyses, key=str), "targets": sorted(targets, key=str)}
