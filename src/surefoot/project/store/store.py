"""Evidence and arrays by key, in a place that may be damaged, full, shared, or gone at any instant.

Here too: going through a whole store to find what is not as it was written, and evidence as a zip file for people.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Artefact, Diagnostic, Evidence, InvalidInput
from surefoot.documents.whole_file import Writable, fill_atomically, shown, writing
from surefoot.project.store.ledger import (
    LEFT_OUT,
    LOOK_LOST,
    LOST,
    UNKNOWN,
    Entry,
    Link,
    Look,
    all_iterations,
    chain,
    claim,
    count,
    enter,
    look_hash,
    looks_at,
    missing_before,
    numbered,
    numbers_at,
    only_one,
    read_entry,
    read_iteration,
    read_look,
    write_iteration,
)
from surefoot.project.store.places import (
    AGAIN,
    UNFINISHED,
    Damaged,
    LocalPlace,
    MemoryPlace,
    Place,
    RemotePlace,
    damage,
    reading_file,
    undamaged,
)
from surefoot.project.store.records import (
    ANEW,
    ARRAYS,
    CHANGED,
    EVIDENCE,
    ITERATIONS,
    LOOKS,
    MARKER,
    MARKER_CONTENT,
    SHELVES,
    Record,
    Shelf,
    array_file_digest,
    checked_hash,
    encoded,
    hash_and_size,
    is_intact,
    iteration_of,
    keep,
    look_of,
    names_in,
    npy,
    number_of,
    prepare,
    read_array,
    read_evidence,
    read_record,
    recognise,
    required,
)

Content = TypeVar("Content")


@dataclass(eq=False)
class Store:
    """The evidence store: evidence and arrays by key.

    What is damaged counts as absent, with a warning, and is mended when it is put again.

    Parameters
    ----------
    place
        Where the files lie; ``Store.open`` makes it from a folder, a URL, or None for memory.
    warnings
        What was found damaged so far.

    Examples
    --------
    >>> import surefoot as sf
    >>> store = sf.project.Store.open(None)
    >>> found = sf.Evidence((sf.bounds.clopper_pearson(0, 100, level=0.95),))
    >>> store.put("0" * 64, found, step="counted")
    >>> store.get("0" * 64) == found, [entry.step for entry in store.entries()]
    (True, ['counted'])

    """

    place: Place
    warnings: list[Diagnostic] = field(default_factory=list)

    @classmethod
    def open(cls, location: str | Path | None) -> Self:
        """The store in a folder, behind a URL that fsspec knows, or in memory (None).

        Opening makes nothing: a new store comes into being with the first write.
        """
        place = place_at(location)
        warnings = recognise(place)
        place.sweep()
        return cls(place, warnings)

    @property
    def location(self) -> str:
        """Where the store is, as printable text."""
        return self.place.location

    @property
    def shared_location(self) -> str | None:
        """What another process opens to get the same store; None where it cannot."""
        return self.place.shared_location

    def prepare(self) -> None:
        """Make sure that the store can be written to, before long work starts."""
        with self._writing():
            pass

    def get(self, key: str) -> Evidence | None:
        """The evidence of a key; None where there is none that can be trusted."""
        return self._found(EVIDENCE, key, read_evidence)

    def put(self, key: str, evidence: Evidence, *, step: str) -> None:
        """Keep evidence; it is on the disk when this returns."""
        content = encoded(evidence.to_dict())
        record = Record(_key(key), hashlib.sha256(content).hexdigest(), len(content), step, evidence.digest)
        self._keep(EVIDENCE, record, lambda name: self.place.write(name, lambda stream: stream.write(content)))

    def get_array(self, key: str) -> NDArray[Any] | None:
        """The array of a key, read-only, memory-mapped where the store is a local folder."""
        return self._found(ARRAYS, key, read_array)

    def put_array(self, key: str, array: NDArray[Any]) -> None:
        """Keep an array; arrays of Python objects are refused."""
        fill = npy(np.asarray(array))
        self._keep(ARRAYS, Record(_key(key), *hash_and_size(fill)), lambda name: self.place.write(name, fill))

    def adopt_array(self, key: str, path: Path) -> None:
        """Keep the array of a finished .npy file, best one in ``scratch``; the file is gone afterwards."""
        record = Record(_key(key), array_file_digest(path), path.stat().st_size)
        self._keep(ARRAYS, record, lambda name: self.place.adopt(name, path))
        path.unlink(missing_ok=True)

    def scratch(self) -> Path:
        """A new folder for unfinished files, on the disk of the store where that is a local folder."""
        with self._writing():
            return self.place.scratch()

    def unfinished_work(self, key: str) -> Path | None:
        """Where a step keeps parts of its work until it is done; None where runs cannot share a local folder."""
        with self._writing():
            return self.place.unfinished_work(_key(key))

    def drop_unfinished_work(self, key: str) -> None:
        """Remove the parts, once the evidence is kept."""
        folder = self.place.unfinished_work(_key(key))
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def record_look(self, data_digest: str, look: Mapping[str, Any]) -> int:
        """Enter into the ledger that a test set was looked at; the number of the look, which it keeps."""
        number, answer = self.claim_look(data_digest, look)
        if answer is None:
            self.enter_look(data_digest, look, number, {})
        return number

    def claim_look(self, data_digest: str, look: Mapping[str, Any]) -> tuple[int, Mapping[str, Any] | None]:
        """The number of a look, and what it was answered; None for a look that must be entered yet."""
        data = _data(data_digest)
        known = self._entered(data, look)
        if known is not None:
            return known
        with self._writing():
            claim(self.place, data, look)
            return count(self.place, data), None

    def enter_look(self, data_digest: str, look: Mapping[str, Any], number: int, answer: Mapping[str, Any]) -> None:
        """Enter a claimed look with its number, and what it was answered where nothing else was shown."""
        with self._writing():
            enter(self.place, claim(self.place, _data(data_digest), look), number, answer)

    def looks(self, data_digest: str) -> int:
        """How many different looks at a test set the ledger holds."""
        return count(self.place, _data(data_digest))

    def test_sets(self) -> list[str]:
        """The fingerprints of all test sets that were looked at."""
        found = (look_of(name) for name in names_in(self.place, LOOKS))
        return sorted({name.data for name in found if name is not None})

    def ledger(self, data_digest: str) -> list[Look]:
        """The looks at a test set, by their numbers; damaged entries are left out."""
        data, found = _data(data_digest), []
        numbered = numbers_at(self.place, data)
        for name in looks_at(self.place, data):
            try:
                entry = numbered.get(name.sha256)
                content = read_look(self.place, name)
                found.append(Look(content, entry.number, read_entry(self.place, entry)) if entry else Look(content))
            except Damaged as error:
                self._warn(error, "what was looked at is lost", LOOK_LOST)
        return sorted(found, key=lambda look: (look.number is not None, look.number or 0))

    def _entered(self, data: str, look: Mapping[str, Any]) -> tuple[int, Mapping[str, Any] | None] | None:
        """The number stands in the name of the file, so that damage leaves it."""
        entry = numbers_at(self.place, data).get(look_hash(data, look))
        try:
            return None if entry is None else (entry.number, read_entry(self.place, entry))
        except Damaged as error:
            self._warn(error, "the look is entered again", LOOK_LOST)
            return None if entry is None else (entry.number, None)

    def record_iteration(self, project: str, iteration: Mapping[str, Any]) -> int:
        """Keep an iteration of the project with that digest, after all that are there; its number."""
        checked = _project(project)
        with self._writing():
            return write_iteration(self.place, checked, iteration)

    def last_iteration(self, project: str) -> str:
        """The hash of the last iteration of a project, which stands for all before it; empty where there is none."""
        names = numbered(self.place, _project(project))
        return names[-1].sha256 if names else ""

    def chain(self, project: str) -> dict[str, Link]:
        """The iterations of a project by their hashes, oldest first, each with the hash of the one before."""
        return chain(self.place, _project(project))

    def iterations(
        self, project: str, read: Callable[[int, Mapping[str, Any]], Content], *, most: int
    ) -> list[Content]:
        """The last ``most`` iterations of a project, each as ``read`` makes it; damaged ones are left out."""
        found = []
        for name in numbered(self.place, _project(project))[-most:]:
            try:
                found.append(read(name.number, read_iteration(self.place, name)))
            except InvalidInput:
                self._warn(Damaged(UNKNOWN, where=str(name)), LEFT_OUT, LOST)
            except Damaged as error:
                self._warn(error, LEFT_OUT, LOST)
        return found

    def entries(self) -> list[Entry]:
        """All evidence, by step and key."""
        return sorted(map(Entry.of, self._records()))

    def find(self, prefix: str) -> Entry:
        """The only evidence whose key starts with ``prefix``."""
        return only_one(self.entries(), prefix, where=self.location)

    def verify(self) -> list[Diagnostic]:
        """Read every file again and tell what is not as it was written."""
        return verify(self.place)

    def export(self, target: Path, keys: Iterable[str] | None = None) -> Path:
        """Write evidence as a zip file that people can read without Surefoot: ``keys``, or all and all iterations."""
        wanted = [entry.key for entry in self.entries()] if keys is None else list(dict.fromkeys(keys))
        with undamaged(self.location, LOST):
            iterations = all_iterations(self.place) if keys is None else {}
        return export(target, [required(self.place, _key(key)) for key in wanted], iterations)

    def _found(self, shelf: Shelf, key: str, read: Callable[[Place, Record], Content]) -> Content | None:
        try:
            record = read_record(self.place, shelf, _key(key))
            return read(self.place, record) if record else None
        except Damaged as error:
            self._warn(error)
            return None

    def _keep(self, shelf: Shelf, record: Record, write: Callable[[str], None]) -> None:
        with self._writing():
            keep(self.place, shelf, record, write)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with writing(self.location):
            prepare(self.place)
            yield

    def _records(self) -> Iterator[Record]:
        keys = [key for name in names_in(self.place, EVIDENCE.records) if (key := EVIDENCE.key_of(name))]
        for key in keys:
            record = self._found(EVIDENCE, key, lambda place, record: record)
            if record:
                yield record

    def _warn(self, error: Damaged, effect: str = "the result counts as absent", hint: str = AGAIN) -> None:
        text = f"{error.problem}, so {effect}."
        found = damage(text, f"{self.location}/{error.where}", severity="warning", hint=hint)
        if found not in self.warnings:
            self.warnings.append(found)


def _data(digest: str) -> str:
    return checked_hash(digest, where="Store", name="data_digest")


def _project(digest: str) -> str:
    return checked_hash(digest, where="Store", name="a project")


def _key(key: str) -> str:
    return checked_hash(key, where="Store", name="a key")


# From what a user calls a location to the place itself.


def place_at(location: str | Path | None) -> Place:
    """A folder, a URL that fsspec knows, or memory (None)."""
    if location is None:
        return MemoryPlace()
    if isinstance(location, str) and "://" in location:
        return RemotePlace.at(location)
    return LocalPlace(Path(location).absolute())


# Go through a whole store and tell everything that is not as it was written.

FOREIGN = "This file is not of the store."
GAP = "The iteration before this one is not in the store, or not as it was written."
LEFT_OVER = "No record leads to this file: a run was interrupted, or its result was replaced."
HINTS = {
    MARKER: ANEW,
    LOOKS: LOOK_LOST,
    ITERATIONS: LOST,
}


def verify(place: Place) -> list[Diagnostic]:
    """Every finding, each once: errors for damage, warnings for foreign files, notes for leftovers of interrupted runs.

    Another run may write meanwhile, because content is always there before the record that leads to it.
    """
    names = _names(place)
    led_to: set[str] = set()
    found: list[Diagnostic] = []
    for name in names:
        try:
            for content in _checked(place, name):
                led_to.add(content)
        except Damaged as error:
            found.append(_error(place, error))
    for name in names:
        if name not in led_to:
            found += _beside(place, name)
    found += [
        damage(GAP, _where(place, name), severity="warning", hint="Ask for the store as it was.")
        for name in missing_before(place)
    ]
    return list(dict.fromkeys(found))


def _names(place: Place) -> Collection[str]:
    names = [name for name in names_in(place) if not name.startswith(f"{UNFINISHED}/")]
    return dict.fromkeys([MARKER, *names]) if names else ()


def _checked(place: Place, name: str) -> Iterator[str]:
    """Raise ``Damaged`` where a file, or the content it leads to, is not as it was written; yields that content."""
    if name == MARKER:
        _check_marker(place)
    elif look := look_of(name):
        read_look(place, look)
    elif number := number_of(name):
        read_entry(place, number)
    elif iteration := iteration_of(name):
        read_iteration(place, iteration)
    for shelf in SHELVES:
        key = shelf.key_of(name)
        record = read_record(place, shelf, key) if key else None
        if record:
            yield shelf.content(record.sha256)
            CHECKS[shelf](place, record)


def _beside(place: Place, name: str) -> Iterator[Diagnostic]:
    """Findings about files that no record leads to."""
    hashes = [sha256 for shelf in SHELVES if (sha256 := shelf.hash_of(name))]
    for sha256 in hashes:
        yield damage(LEFT_OVER, _where(place, name), severity="note")
        if not is_intact(place, name, sha256):
            yield _error(place, Damaged(CHANGED, where=name))
    known = name == MARKER or any(named(name) for named in (look_of, number_of, iteration_of))
    known = known or any(shelf.key_of(name) for shelf in SHELVES)
    if not hashes and not known:
        yield damage(FOREIGN, _where(place, name), severity="warning")


def _check_marker(place: Place) -> None:
    with reading_file(place.location, MARKER):
        if place.read(MARKER) != MARKER_CONTENT:
            raise Damaged(CHANGED, where=MARKER)


def _check_evidence(place: Place, record: Record) -> None:
    if read_evidence(place, record).digest != record.digest:
        name = EVIDENCE.content(record.sha256)
        raise Damaged("the evidence does not have the digest its record states", where=name)


CHECKS: dict[Shelf, Callable[[Place, Record], object]] = {EVIDENCE: _check_evidence, ARRAYS: read_array}


def _error(place: Place, error: Damaged) -> Diagnostic:
    text = f"{error.problem[0].upper()}{error.problem[1:]}."
    return damage(text, _where(place, error.where), hint=HINTS.get(error.where.partition("/")[0], AGAIN))


def _where(place: Place, name: str) -> str:
    return f"{place.location}/{shown(name)}"


# Evidence as a zip file that people can read without Surefoot.
#
# The same evidence gives the same bytes: no times, no compression that depends on a library's version.

VERSION = 1
MANIFEST = "manifest.json"
SUFFIXES = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/xml": ".xml",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
READABLE_BY_ALL = 0o644 << 16


def export(
    target: Path, evidence: Sequence[tuple[Record, Evidence]], iterations: Mapping[str, Mapping[str, Any]]
) -> Path:
    """Write a zip file with a folder for each evidence, the iterations by their names, and a manifest of all hashes."""
    members = dict(member for record, item in evidence for member in _members(record, item))
    members |= {f"{name}.json": encoded(iteration, indent=2) for name, iteration in iterations.items()}
    manifest = {
        "format": "surefoot evidence export",
        "version": VERSION,
        "evidence": [{"key": r.key, "step": r.step, "digest": r.digest, "folder": _folder(r)} for r, _ in evidence],
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in members.items()},
    }
    fill_atomically(target, lambda stream: _zip(stream, {MANIFEST: encoded(manifest, indent=2)} | members))
    return target


def _members(record: Record, evidence: Evidence) -> Iterator[tuple[str, bytes]]:
    folder = _folder(record)
    files = {name: _file_name(n, name, item) for n, (name, item) in enumerate(evidence.artefacts.items(), start=1)}
    named = {n: {"media_type": item.media_type, "file": files[n]} for n, item in evidence.artefacts.items()}
    yield f"{folder}/evidence.json", encoded(evidence.to_dict() | {"artefacts": named}, indent=2)
    for name, item in evidence.artefacts.items():
        yield f"{folder}/{files[name]}", item.content


def _folder(record: Record) -> str:
    return f"{_safe(record.step)}-{record.key}"


def _file_name(number: int, name: str, artefact: Artefact) -> str:
    kind = artefact.media_type.partition(";")[0].strip().lower()
    return f"{number:02d}-{_safe(name)}{SUFFIXES.get(kind, '.bin')}"


def _safe(name: str) -> str:
    """A name that leads nowhere but into its own folder, on any system."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:60] or "unnamed"


def _zip(stream: Writable, members: dict[str, bytes]) -> None:
    with ZipFile(stream, "w") as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = ZipInfo(name)
            info.create_system, info.external_attr = 3, READABLE_BY_ALL
            archive.writestr(info, content)
