"""The iterations of projects: one file for each, named by its number and the hash of its content.

Two runs at once may take the same number; their contents, and so their names, differ, and neither replaces the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.canonical import reading
from surefoot.documents import json
from surefoot.project.store.contents import names_in, read_checked
from surefoot.project.store.layout import ITERATIONS, IterationName, encoded, iteration_of, iterations_folder
from surefoot.project.store.place import Place
from surefoot.project.store.problems import Damaged

UNKNOWN = "the file holds no iteration that this version of Surefoot can read"
LEFT_OUT = "this iteration is missing from the history"
LOST = "This iteration is lost, the others are not; delete the file to read this no more."


def numbered(place: Place, project: str) -> list[IterationName]:
    """The iterations of a project in their order."""
    return _names(place, iterations_folder(project))


def all_iterations(place: Place) -> dict[str, Mapping[str, Any]]:
    """The iterations of every project, by the names of their files."""
    return {str(name): read_iteration(place, name) for name in _names(place, ITERATIONS)}


def write_iteration(place: Place, project: str, iteration: Mapping[str, Any]) -> int:
    """Write what comes after all that is there, and tell its number."""
    known = numbered(place, project)
    number = known[-1].number + 1 if known else 1
    content = encoded({"project": project, "number": number, "iteration": iteration})
    name = IterationName(project, number, hashlib.sha256(content).hexdigest())
    place.write(str(name), lambda stream: stream.write(content))
    return number


def read_iteration(place: Place, name: IterationName) -> Mapping[str, Any]:
    """What was written under a name, to the last byte."""
    content = read_checked(place, str(name), name.sha256)
    try:
        with reading("iteration"):
            data = json.loads(content)
            if (data["project"], data["number"]) == (name.project, name.number):
                return dict(data["iteration"])
    except InvalidInput as error:
        raise Damaged("the file holds no iteration", where=str(name)) from error
    raise Damaged("the file holds an iteration of another name", where=str(name))


def _names(place: Place, folder: str) -> list[IterationName]:
    found = (iteration_of(name) for name in names_in(place, folder))
    return sorted(name for name in found if name is not None)
