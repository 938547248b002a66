"""The ledger of looks: how often a test set has been used, and what that does to a level.

A look is one distinct set of results and targets that a test set has given: another model, step or limit makes another
look when it shows something new; running the same again does not, nor do other names or a run that showed
nothing. Results of an earlier look may have shaped a later one, so only all looks together keep a level: by the union
bound each of k looks gets (1 - level) / k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from surefoot.core import Diagnostic, Distribution, Estimate, Evidence, Provenance, Table, Target, digest, validate
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.project.components import Components
from surefoot.project.fingerprint import fingerprint
from surefoot.project.plan import Task, how_read, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import Looks


def record(project: Project, tasks: Sequence[Task], evidence: Mapping[str, Evidence], components: Components) -> None:
    """Write down what is about to be shown, for every test set behind it."""
    for data, users in _by_test_set(project, tasks, components).items():
        components.store.record_look(data, _look(project, tasks, users, evidence))


def count(project: Project, tasks: Sequence[Task], components: Components) -> tuple[Looks, ...]:
    """All looks so far at each test set of the plan."""
    return tuple(
        Looks(name, max(1, components.store.looks(data)))
        for data, users in _by_test_set(project, tasks, components).items()
        for name in dict.fromkeys(f"{task.component}.{task.data}" for task in users)
    )


def corrected_level(level: float, looks: int) -> float:
    """The level each look needs so that all of them together keep ``level``.

    >>> round(corrected_level(0.95, 5), 12)
    0.99
    """
    validate.count(looks, where="corrected_level", name="looks", at_least=1)
    return 1 - (1 - validate.level(level, where="corrected_level")) / looks


def with_caveat(estimate: Estimate, looks: int, level: float, kind: str | None) -> Estimate:
    """The estimate, saying that its test set was looked at before."""
    if looks == 1:
        return estimate
    if kind in WITHOUT_LEVEL:
        text = f"The test set has been looked at {looks} times, and no correction exists for a bound without a level."
        hint = "Use a bound with a level, or a test set that was not used before."
    else:
        text = f"The test set has been looked at {looks} times; at level {level:g} this bound covers this look alone."
        hint = f"At level {corrected_level(level, looks):.6g} all {looks} looks together keep {level:g}."
    return replace(estimate, caveats=(*estimate.caveats, Diagnostic("repeated-looks", text, hint=hint)))


def earlier_limits(project: Project, tasks: Sequence[Task], components: Components) -> dict[str, list[Target]]:
    """For each estimate, by its content: the targets that earlier looks compared it with."""
    found: dict[str, list[Target]] = {}
    for data in _by_test_set(project, tasks, components):
        for look in components.store.ledger(data):
            for asked in look.get("targets", ()):
                found.setdefault(asked["of"], []).append(_target(asked))
    return found


def content(estimate: Estimate) -> str:
    """What an estimate says, whatever it is called."""
    return digest([estimate.value, [bound.to_dict() for bound in estimate.bounds]])


def _by_test_set(project: Project, tasks: Iterable[Task], components: Components) -> dict[str, list[Task]]:
    found: dict[str, list[Task]] = {}
    for task in tasks:
        data = _test_set(project, task, components) if task.component and task.data else None
        if data:
            found.setdefault(data, []).append(task)
    return found


def _test_set(project: Project, task: Task, components: Components) -> str | None:
    """The fingerprint of the rows, kept in the store so that stored results need no rows."""
    component, data = task.component or "", task.data or ""
    params = how_read(project.definition, component, data)
    key = Provenance("test set", params, (), {"data": components.data_digest(component, data)}).key
    kept = components.store.get(key)
    if kept is None:
        tested = "tested" in task.step.roles.values()
        found = fingerprint(components.tested(component, data) if tested else components.data(component, data))
        kept = Evidence((), {"test set": Table(("fingerprint",), ((found or "",),))})
        components.store.put(key, kept, step=f"fingerprint of {component}.{data}")
    return str(kept.tables["test set"].rows[0][0]) or None


def _look(
    project: Project, tasks: Sequence[Task], users: Sequence[Task], evidence: Mapping[str, Evidence]
) -> dict[str, Any]:
    seen = sorted([task.step.name, sorted(map(content, evidence[task.name].estimates))] for task in users)
    resting = _resting_on({task.name for task in users}, tasks)
    targets = [
        {"of": content(evidence[step_of(source.estimate)][quantity_of(source.estimate)]), **_asked(source.target)}
        for source in project.definition.all_targets.values()
        if step_of(source.estimate) in resting
    ]
    return {"seen": seen, "targets": sorted(targets, key=str)}


def _resting_on(names: set[str], tasks: Sequence[Task]) -> set[str]:
    """These steps and all that use their results."""
    found = set(names)
    for task in tasks:
        if found.intersection(task.needs):
            found.add(task.name)
    return found


def _asked(target: Target) -> dict[str, Any]:
    unsure = {} if target.uncertainty is None else {"uncertainty": target.uncertainty.to_dict()}
    return {"relation": target.relation, "limit": target.limit, "level": target.level, "per": target.per, **unsure}


def _target(asked: Mapping[str, Any]) -> Target:
    side = "at_most" if asked["relation"] == "at most" else "at_least"
    unsure = Distribution.from_dict(asked["uncertainty"]) if "uncertainty" in asked else None
    return Target(**{side: asked["limit"]}, level=asked["level"], per=asked["per"], uncertainty=unsure)
