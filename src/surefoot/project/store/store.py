"""Evidence and arrays by key, in a place that may be damaged, full, shared, or gone at any instant."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Diagnostic, DiagnosticsError, Evidence, InvalidInput, canonical_json
from surefoot.project.store import verification
from surefoot.project.store.arrays import array_file_digest, hash_and_size, npy
from surefoot.project.store.contents import is_intact, names_in, read_array, read_checked, read_evidence, read_record
from surefoot.project.store.export import export
from surefoot.project.store.history import LOST, numbered, read_iteration, write_iteration
from surefoot.project.store.layout import (
    ARRAYS,
    EVIDENCE,
    ITERATIONS,
    Shelf,
    checked_hash,
    encoded,
    iteration_of,
    look_of,
    looks_folder,
)
from surefoot.project.store.location import place_at
from surefoot.project.store.marker import prepare, recognise
from surefoot.project.store.place import Place
from surefoot.project.store.problems import AGAIN, Damaged, damage, writing
from surefoot.project.store.record import Record

Content = TypeVar("Content")
UNKNOWN = "the file holds no iteration that this version of Surefoot can read"
LEFT_OUT = "this iteration is missing from the history"


@dataclass(frozen=True)
class Entry:
    """Evidence that a store holds: its key, the step it belongs to, the digest of its results, its size."""

    key: str
    step: str
    digest: str
    bytes: int


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

    def record_look(self, data_digest: str, look: Mapping[str, Any]) -> None:
        """Enter into the ledger that a test set was looked at; the same look twice is one look."""
        data = checked_hash(data_digest, where="record_look", name="data_digest")
        content = canonical_json({"data": data, "look": look}).encode()
        sha256 = hashlib.sha256(content).hexdigest()
        name = f"{looks_folder(data)}/{sha256}"
        with self._writing():
            if not is_intact(self.place, name, sha256):
                self.place.write(name, lambda stream: stream.write(content))

    def looks(self, data_digest: str) -> int:
        """How many different looks at a test set the ledger holds."""
        folder = looks_folder(checked_hash(data_digest, where="looks", name="data_digest"))
        return sum(look_of(name) is not None for name in names_in(self.place, folder))

    def ledger(self, data_digest: str) -> list[Mapping[str, Any]]:
        """What was seen at each look at a test set; damaged entries are left out."""
        folder = looks_folder(checked_hash(data_digest, where="ledger", name="data_digest"))
        found = []
        for name in names_in(self.place, folder):
            try:
                look = look_of(name)
                found += [json.loads(read_checked(self.place, name, look[1]))["look"]] if look else []
            except Damaged as error:
                self._warn(error)
        return found

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
        entries = (Entry(r.key, r.step, r.digest, r.size) for r in self._records())
        return sorted(entries, key=lambda entry: (entry.step, entry.key))

    def find(self, prefix: str) -> Entry:
        """The only evidence whose key starts with ``prefix``."""
        found = [entry for entry in self.entries() if entry.key.startswith(prefix)]
        if len(found) == 1:
            return found[0]
        text = f"{len(found)} keys start with {prefix!r}." if found else f"no key starts with {prefix!r}."
        hint = "Give more digits." if found else "List what is there with: surefoot evidence list"
        raise DiagnosticsError.of("unknown-reference", text, where=self.location, hint=hint)

    def verify(self) -> list[Diagnostic]:
        """Read every file again and tell what is not as it was written."""
        return verification.verify(self.place)

    def export(self, target: Path, keys: Iterable[str] | None = None) -> Path:
        """Write evidence as a zip file that people can read without Surefoot: ``keys``, or all and all iterations."""
        wanted = [entry.key for entry in self.entries()] if keys is None else list(dict.fromkeys(keys))
        iterations = self._all_iterations() if keys is None else {}
        return export(target, [self._required(key) for key in wanted], iterations)

    def _found(self, shelf: Shelf, key: str, read: Callable[[Place, Record], Content]) -> Content | None:
        try:
            record = read_record(self.place, shelf, _key(key))
            return read(self.place, record) if record else None
        except Damaged as error:
            self._warn(error)
            return None

    def _keep(self, shelf: Shelf, record: Record, write: Callable[[str], None]) -> None:
        """Content first, then the record that leads to it; what is there and intact stays untouched."""
        name, content = shelf.record(record.key), record.encode()
        with self._writing():
            if not is_intact(self.place, shelf.content(record.sha256), record.sha256):
                write(shelf.content(record.sha256))
            if not is_intact(self.place, name, hashlib.sha256(content).hexdigest()):
                self.place.write(name, lambda stream: stream.write(content))

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

    def _required(self, key: str) -> tuple[Record, Evidence]:
        """A record and its evidence; whoever exports must know when something is missing."""
        where = f"{self.location}/{EVIDENCE.record(_key(key))}"
        try:
            record = read_record(self.place, EVIDENCE, key)
            if record:
                return record, read_evidence(self.place, record)
        except Damaged as error:
            raise DiagnosticsError.of("store-damaged", f"{error}.", where=self.location, hint=AGAIN) from error
        raise DiagnosticsError.of("unknown-reference", "the store has no such evidence.", where=where)

    def _all_iterations(self) -> dict[str, Mapping[str, Any]]:
        found = {}
        for name in filter(None, map(iteration_of, sorted(names_in(self.place, ITERATIONS)))):
            try:
                found[str(name)] = read_iteration(self.place, name)
            except Damaged as error:
                raise DiagnosticsError.of("store-damaged", f"{error}.", where=self.location, hint=LOST) from error
        return found

    def _warn(self, error: Damaged, effect: str = "the result counts as absent", hint: str = AGAIN) -> None:
        text = f"{error.problem}, so {effect}."
        found = damage(text, f"{self.location}/{error.where}", severity="warning", hint=hint)
        if found not in self.warnings:
            self.warnings.append(found)


def _project(digest: str) -> str:
    return checked_hash(digest, where="Store", name="a project")


def _key(key: str) -> str:
    return checked_hash(key, where="Store", name="a key")
