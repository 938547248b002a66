"""Evidence and arrays by key, in a place that may be damaged, full, shared, or gone at any instant."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Diagnostic, Evidence, InvalidInput
from surefoot.documents.whole_file import writing
from surefoot.project.store import verification
from surefoot.project.store.arrays import array_file_digest, hash_and_size, npy
from surefoot.project.store.contents import names_in, read_array, read_evidence, read_record, required
from surefoot.project.store.entries import Entry, only_one
from surefoot.project.store.export import export
from surefoot.project.store.history import (
    LEFT_OUT,
    LOST,
    UNKNOWN,
    all_iterations,
    numbered,
    read_iteration,
    write_iteration,
)
from surefoot.project.store.keeping import keep
from surefoot.project.store.layout import ARRAYS, EVIDENCE, LOOKS, Shelf, checked_hash, encoded, look_of
from surefoot.project.store.ledger import (
    LOOK_LOST,
    Look,
    claim,
    count,
    enter,
    look_hash,
    looks_at,
    numbers_at,
    read_entry,
    read_look,
)
from surefoot.project.store.location import place_at
from surefoot.project.store.marker import prepare, recognise
from surefoot.project.store.place import Place
from surefoot.project.store.problems import AGAIN, Damaged, damage, undamaged
from surefoot.project.store.record import Record

Content = TypeVar("Content")


@dataclass(eq=False)
class Store:
    """Evidence by key; what is damaged counts as absent, with a warning, and is mended when it is put again."""

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
        return verification.verify(self.place)

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
