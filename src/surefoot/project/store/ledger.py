"""The ledger of looks at test sets, and the iterations of projects.

A look is claimed first, in a file named by the hash of its content, and then entered with its number, which it keeps.
The number is that of all claims in the folder once its own is there: of looks that several runs claim at once, the j-th
to be written finds j claims or more. Two may get the same number, and none gets one that is too low.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from surefoot.core import DiagnosticsError, InvalidInput, canonical_json, digest
from surefoot.core.canonical import reading
from surefoot.documents import json
from surefoot.project.store.places import Damaged, Place
from surefoot.project.store.records import (
    CHANGED,
    ITERATIONS,
    IterationName,
    LookName,
    NumberName,
    Record,
    encoded,
    is_intact,
    iteration_of,
    iterations_folder,
    look_of,
    looks_folder,
    names_in,
    number_of,
    read_checked,
    read_if_there,
)

LOOK_LOST = "It still counts as a look; what was looked at is lost."
OLDER = "seen"
"""Looks of a format that listed all results of one assessment have this key."""


@dataclass(frozen=True)
class Look:
    """What a ledger holds of one look: one of ``Store.ledger``.

    See Also
    --------
    surefoot.project.Store.ledger : The looks at a test set.

    """

    content: Mapping[str, Any]
    number: int | None = None
    """Its place among all looks; None where it was claimed and never entered, so that nothing was shown."""
    answer: Mapping[str, Any] | None = None

    @property
    def older(self) -> bool:
        """Whether it is of the format that had one entry for all results of an assessment."""
        return OLDER in self.content

    @property
    def count(self) -> int:
        """For how many looks it stands: an entry of the older format for all results or targets that it lists."""
        listed = (len(self.content.get(name, ())) for name in (OLDER, "targets")) if self.older else ()
        return max((1, *listed))


def looks_at(place: Place, data: str) -> list[LookName]:
    """The claimed looks at the data with that digest."""
    found = (look_of(name) for name in names_in(place, looks_folder(data)))
    return [name for name in found if name is not None]


def numbers_at(place: Place, data: str) -> dict[str, NumberName]:
    """For each look that was entered, its number; the lowest where two runs entered it at once."""
    found = (number_of(name) for name in names_in(place, looks_folder(data)))
    ordered = sorted((name for name in found if name is not None), key=lambda name: -name.number)
    return {name.look: name for name in ordered}


def look_hash(data: str, look: Mapping[str, Any]) -> str:
    """What a look at the data is known by."""
    return hashlib.sha256(_claimed(data, look)).hexdigest()


def claim(place: Place, data: str, look: Mapping[str, Any]) -> LookName:
    """Write a look; the same one twice is one."""
    name = LookName(data, look_hash(data, look))
    content = _claimed(data, look)
    if not is_intact(place, str(name), name.sha256):
        place.write(str(name), lambda stream: stream.write(content))
    return name


def count(place: Place, data: str) -> int:
    """How many looks the data have had; what cannot be read counts as one."""
    numbered = numbers_at(place, data)
    return len(numbered) + sum(_count(place, name) for name in looks_at(place, data) if name.sha256 not in numbered)


def enter(place: Place, name: LookName, number: int, answer: Mapping[str, Any]) -> None:
    """Give a claimed look its number, and what it was answered."""
    entry = NumberName(name.data, number, name.sha256)
    place.write(str(entry), lambda stream: stream.write(_entry(entry, answer)))


def read_look(place: Place, name: LookName) -> Mapping[str, Any]:
    """What was looked at, to the last byte."""
    content = read_checked(place, str(name), name.sha256)
    try:
        with reading("look"):
            said = json.loads(content)
            if said["data"] == name.data:
                return dict(said["look"])
    except InvalidInput as error:
        raise Damaged("the file holds no look", where=str(name)) from error
    raise Damaged(CHANGED, where=str(name))


def read_entry(place: Place, name: NumberName) -> Mapping[str, Any]:
    """What a look was answered, to the last byte."""
    content = read_if_there(place, str(name))
    if content is None:
        raise Damaged("the file is missing", where=str(name))
    try:
        with reading("entry of a look"):
            answer = dict(json.loads(content)["answer"])
            intact = _entry(name, answer) == content
    except InvalidInput as error:
        raise Damaged("the file holds no entry of a look", where=str(name)) from error
    if not intact:
        raise Damaged(CHANGED, where=str(name))
    return answer


def _claimed(data: str, look: Mapping[str, Any]) -> bytes:
    return canonical_json({"data": data, "look": look}).encode()


def _entry(name: NumberName, answer: Mapping[str, Any]) -> bytes:
    said = asdict(name) | {"answer": dict(answer)}
    return encoded(said | {"checksum": digest(said)})


def _count(place: Place, name: LookName) -> int:
    try:
        return Look(read_look(place, name)).count
    except Damaged:
        return 1


# The iterations of projects: one file for each, named by its number and the hash of its content.
#
# Two runs at once may take the same number; their contents, and so their names, differ, and neither replaces the other.
# Each names the hash of the one before, so that whoever knows one hash knows whether all that came before is unchanged.


@dataclass(frozen=True)
class Link:
    """What an iteration says of its place in the history."""

    before: str
    """The hash of the one before; empty for the first, and for those that former versions wrote."""
    created: str


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
    before = known[-1].sha256 if known else ""
    content = encoded({"project": project, "number": number, "before": before, "iteration": iteration})
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


def chain(place: Place, project: str) -> dict[str, Link]:
    """Every iteration of a project that is as it was written, by its hash, oldest first."""
    found = {}
    for name in numbered(place, project):
        with suppress(Damaged):
            data = json.loads(read_checked(place, str(name), name.sha256))
            said = read_iteration(place, name)
            found[name.sha256] = Link(str(data.get("before", "")), str(said.get("created", "")))
    return found


def missing_before(place: Place) -> Iterator[str]:
    """Files of iterations that name one before them that is not there."""
    for project in dict.fromkeys(name.project for name in _names(place, ITERATIONS)):
        links = chain(place, project)
        gaps = {sha256 for sha256, link in links.items() if link.before and link.before not in links}
        yield from (str(name) for name in numbered(place, project) if name.sha256 in gaps)


def _names(place: Place, folder: str) -> list[IterationName]:
    found = (iteration_of(name) for name in names_in(place, folder))
    return sorted(name for name in found if name is not None)


# What a store holds, for people who look through it.


@dataclass(frozen=True, order=True)
class Entry:
    """Evidence that a store holds: the step it belongs to, its key, the digest of its results, its size.

    See Also
    --------
    surefoot.project.Store.entries : All of them.

    """

    step: str
    key: str
    digest: str
    bytes: int

    @classmethod
    def of(cls, record: Record) -> Entry:
        """The entry of a record."""
        return cls(record.step, record.key, record.digest, record.size)


def only_one(entries: Iterable[Entry], prefix: str, *, where: str) -> Entry:
    """The only entry whose key starts with ``prefix``."""
    found = [entry for entry in entries if entry.key.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    text = f"{len(found)} keys start with {prefix!r}." if found else f"no key starts with {prefix!r}."
    hint = "Give more digits." if found else "List what is there with: surefoot evidence list"
    raise DiagnosticsError.of("unknown-reference", text, where=where, hint=hint)
