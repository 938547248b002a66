"""The history of a project in its store: read before an assessment, and longer after one that found something new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Self

from surefoot.core import digest
from surefoot.project.iterations.changes import changes
from surefoot.project.iterations.iteration import Iteration
from surefoot.project.iterations.record import Record
from surefoot.project.iterations.recording import recorded
from surefoot.project.project import Project
from surefoot.project.store import Store

if TYPE_CHECKING:
    from surefoot.project.result import Result

MOST_TOLD = 20
"""Iterations in a result; the store keeps all."""
_READ = MOST_TOLD + 5


def project_key(project: Project) -> str:
    """What tells projects that share a store apart: the system's name, and the name of the project file.

    The folder is no part of it, so that a copy elsewhere continues the history.
    """
    return digest({"system": project.definition.system.name, "file": project.path.name if project.path else ""})


@dataclass(frozen=True)
class History:
    """The last iterations of one project; equal ones that two runs recorded at once count as one."""

    store: Store
    project: str
    records: tuple[Record, ...]

    @classmethod
    def of(cls, project: Project, store: Store) -> Self:
        """What the store has; damaged iterations are left out, with a warning of the store."""
        key = project_key(project)
        return cls(store, key, _distinct(store.iterations(key, Record.from_dict, most=_READ)))

    def told(self, result: Result, *, keep: bool) -> Result:
        """The result with its history; with ``keep`` it becomes an iteration where it differs from the last one."""
        found, records = recorded(result), self.records
        if keep and not (records and records[-1].content == found.content):
            number = self.store.record_iteration(self.project, found.to_dict())
            records = (*records, found.numbered(number))
        return result.with_iterations(_iterations(records, found.content))


def _distinct(records: Iterable[Record]) -> tuple[Record, ...]:
    found: list[Record] = []
    for record in records:
        if not found or found[-1].content != record.content:
            found.append(record)
    return tuple(found)


def _iterations(records: Sequence[Record], content: str) -> tuple[Iteration, ...]:
    """With what changed from each to the next; the latest one that is the present result is marked."""
    told = [record.iteration for record in records[:1]]
    told += [replace(after.iteration, changed=changes(before, after)) for before, after in pairwise(records)]
    same = [place for place, record in enumerate(records) if record.content == content]
    if same:
        told[same[-1]] = replace(told[same[-1]], this=True)
    return tuple(told[-MOST_TOLD:])
