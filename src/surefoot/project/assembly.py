"""From evidence to a result: answers, case, and what all of it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from surefoot.core import Evidence
from surefoot.project.agreement import contradictions, marked
from surefoot.project.answers import answers
from surefoot.project.cases import case_digests, case_of, feedback_of
from surefoot.project.components import Components
from surefoot.project.looks import Ledger, Place
from surefoot.project.plan import Task
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.step_files import file_digests
from surefoot.project.versions import library_versions
from surefoot.project.withholding import shown


def assemble(
    project: Project,
    tasks: Sequence[Task],
    evidence: Mapping[str, Evidence],
    *,
    keys: Mapping[str, str],
    components: Components,
    ledger: Ledger,
    places: Mapping[str, Place],
) -> Result:
    """The result of a finished plan; of adaptive test data it holds the verdicts only."""
    definition = project.definition
    against = contradictions(evidence)
    evidence = marked(evidence, against)
    if ledger.adaptive:
        evidence = shown(evidence, ledger.resting, definition.all_targets, places)
    found = answers(project, evidence, places, ledger.earlier())
    kept = {task.name: evidence[task.name] for task in tasks}
    looks = ledger.counts()
    digests = _digests(tasks, components, project) | case_digests(project)
    result = Result(
        definition=definition.model_dump(mode="json", exclude_defaults=True),
        evidence=kept,
        answers=found,
        case=case_of(project, found, kept, digests),
        keys=keys,
        digests=digests,
        versions=_versions(tasks, components),
        looks=looks,
        caveats=(*components.store.warnings, *(each.finding for each in against)),
        feedback=feedback_of(definition),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return result.evaluated()


def _digests(tasks: Sequence[Task], components: Components, project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    for task in tasks:
        files = file_digests(task.files, project.folder)
        found |= {f"evidence.{task.name}.{parameter}": digest for parameter, digest in files.items()}
        if task.component and task.data:
            digests = components.digests(task.component, task.data)
            found[f"{task.component}.{task.data}"] = digests["data"]
            if "model" in digests:
                found[f"{task.component}.model"] = digests["model"]
            found |= {
                f"{task.component}.{data}": components.data_digest(task.component, data) for data in task.named.values()
            }
    return found


def _versions(tasks: Sequence[Task], components: Components) -> dict[str, str]:
    found = dict(library_versions())
    for task in tasks:
        identity = components.identity(task.component, task.data) if task.component and task.data else None
        found |= dict(identity.versions) if identity else {}
        for distribution in (task.step.distribution, *(entry.distribution for _, entry in task.named_entries)):
            name, _, number = distribution.rpartition(" ")
            found |= {name: number} if name else {}
    return found
