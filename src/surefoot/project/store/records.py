"""Files of a store: their names, the records that say what keys stand for, reading and keeping them, the marker.

A key leads to a small record, the record to content that is named by its own SHA-256: ``keys`` to ``objects`` (evidence
as JSON), ``array-keys`` to ``arrays`` (.npy). ``looks`` holds the ledger of looks, ``iterations`` the history of each
project.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Diagnostic, DiagnosticsError, Evidence, InvalidInput, digest
from surefoot.core.canonical import reading
from surefoot.documents import BROKEN_ARRAYS, json
from surefoot.documents.files import Fill, Writable, shown, writing
from surefoot.project.store.places import AGAIN, Damaged, Place, damage, reading_file, undamaged, unreadable


@dataclass(frozen=True)
class Record:
    """What a key stands for; ``step`` and ``digest`` (of the evidence) are empty for arrays."""

    key: str
    sha256: str
    """Of the content, which has it as its name."""
    size: int
    step: str = ""
    digest: str = ""

    def encode(self) -> bytes:
        """The file's content, which ends with a checksum of the rest."""
        return encoded(asdict(self) | {"checksum": digest(asdict(self))})

    @classmethod
    def decode(cls, content: bytes, *, key: str, where: str) -> Self:
        """Read back what ``encode`` wrote for ``key``, to the last byte."""
        try:
            with reading("record of a store"):
                data = json.loads(content)
                record = cls(**{field.name: data[field.name] for field in fields(cls)})
                intact = record.encode() == content and record.key == key and HASH.fullmatch(record.sha256)
        except InvalidInput as error:
            raise Damaged("the record cannot be read", where=where) from error
        if not intact:
            raise Damaged("the record does not have the content it was written with", where=where)
        return record


# Names of the files.

VERSION = 1
MARKER = "surefoot-store.json"
LOOKS = "looks"
ITERATIONS = "iterations"
HASH = re.compile("[0-9a-f]{64}")
_NUMBERED = re.compile("([0-9]{8,})-([0-9a-f]{64})")


@dataclass(frozen=True)
class Shelf:
    """Folders of one kind of record and of what these records lead to."""

    records: str
    contents: str
    suffix: str = ""

    def record(self, key: str) -> str:
        """Name of the record of a key."""
        return f"{self.records}/{key[:2]}/{key}"

    def content(self, sha256: str) -> str:
        """Name of the content with that hash."""
        return f"{self.contents}/{sha256[:2]}/{sha256}{self.suffix}"

    def key_of(self, name: str) -> str | None:
        """The key whose record has that name."""
        key = name.rpartition("/")[2]
        return key if HASH.fullmatch(key) and self.record(key) == name else None

    def hash_of(self, name: str) -> str | None:
        """The hash of the content that has that name."""
        sha256 = name.rpartition("/")[2].removesuffix(self.suffix)
        return sha256 if HASH.fullmatch(sha256) and self.content(sha256) == name else None


EVIDENCE = Shelf("keys", "objects")
ARRAYS = Shelf("array-keys", "arrays", ".npy")
SHELVES = (EVIDENCE, ARRAYS)


def looks_folder(data: str) -> str:
    """Folder of the looks at the data with that digest."""
    return f"{LOOKS}/{data}"


@dataclass(frozen=True)
class LookName:
    """Name of a look at the data with a digest."""

    data: str
    sha256: str

    def __str__(self) -> str:
        return f"{looks_folder(self.data)}/{self.sha256}"


def look_of(name: str) -> LookName | None:
    """What the name of a look says; None where it is no such name."""
    data, sha256 = name.split("/")[1:] if name.count("/") == 2 else ("", "")
    found = LookName(data, sha256) if HASH.fullmatch(data) and HASH.fullmatch(sha256) else None
    return found if str(found) == name else None


@dataclass(frozen=True)
class NumberName:
    """Name of the entry that gives a look its number."""

    data: str
    number: int
    look: str
    """The hash of the look."""

    def __str__(self) -> str:
        return f"{looks_folder(self.data)}/{self.number:08d}-{self.look}"


def number_of(name: str) -> NumberName | None:
    """What the name of an entry says; None where it is no such name."""
    data, file = name.split("/")[1:] if name.count("/") == 2 else ("", "")
    parts = _NUMBERED.fullmatch(file) if HASH.fullmatch(data) else None
    found = NumberName(data, int(parts[1]), parts[2]) if parts else None
    return found if str(found) == name else None


@dataclass(frozen=True, order=True)
class IterationName:
    """Name of an iteration; the order is that of numbers, and of hashes where two have one number."""

    project: str
    number: int
    sha256: str

    def __str__(self) -> str:
        return f"{iterations_folder(self.project)}/{self.number:08d}-{self.sha256}"


def iterations_folder(project: str) -> str:
    """Folder of the iterations of the project with that digest."""
    return f"{ITERATIONS}/{project}"


def iteration_of(name: str) -> IterationName | None:
    """What the name of an iteration says; None where it is no such name."""
    project, file = name.split("/")[1:] if name.count("/") == 2 else ("", "")
    parts = _NUMBERED.fullmatch(file) if HASH.fullmatch(project) else None
    found = IterationName(project, int(parts[1]), parts[2]) if parts else None
    return found if str(found) == name else None


def checked_hash(value: str, *, where: str, name: str) -> str:
    """The value, if it is a SHA-256 in hexadecimal as ``core.digest`` writes it."""
    if not isinstance(value, str) or not HASH.fullmatch(value):
        raise InvalidInput(f"{name} must be 64 hexadecimal digits", where=where, found=repr(value)[:80])
    return value


def encoded(data: Any, *, indent: int | None = None) -> bytes:
    """JSON that keeps every bit of a number, the order of entries, and text of whatever characters."""
    text = json.dumps(data, indent=indent)
    return f"{text}\n".encode("utf-8", "backslashreplace")


MARKER_CONTENT = encoded({"format": "surefoot evidence store", "version": VERSION})


def marker_version(content: bytes) -> int | None:
    """The version a marker file states; None where it states none."""
    with suppress(InvalidInput), reading("marker of a store"):
        version = json.loads(content)["version"]
        return version if isinstance(version, int) else None
    return None


# Read from a store, and believe nothing that is not what was written.

CHANGED = "the file does not have the content it was written with"


def read_if_there(place: Place, name: str) -> bytes | None:
    """The content of a file; None where there is none."""
    with reading_file(place.location, name):
        try:
            return place.read(name)
        except (FileNotFoundError, NotADirectoryError):
            return None


def names_in(place: Place, folder: str = "") -> Iterator[str]:
    """All files below a folder; a folder that may not be read is a coded error."""
    try:
        yield from place.names(folder)
    except OSError as error:
        raise unreadable(place.location, error) from error


def read_record(place: Place, shelf: Shelf, key: str) -> Record | None:
    """What a key stands for; None where it has no record."""
    name = shelf.record(key)
    content = read_if_there(place, name)
    return None if content is None else Record.decode(content, key=key, where=name)


def is_intact(place: Place, name: str, sha256: str) -> bool:
    """Whether a file is there and has the content it was written with."""
    try:
        return place.digest(name) == sha256
    except OSError:
        return False


def read_checked(place: Place, name: str, sha256: str) -> bytes:
    """The content of a file, which must have that hash."""
    with reading_file(place.location, name):
        content = place.read(name)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Damaged(CHANGED, where=name)
    return content


def read_evidence(place: Place, record: Record) -> Evidence:
    """The evidence a record leads to."""
    name = EVIDENCE.content(record.sha256)
    content = read_checked(place, name, record.sha256)
    try:
        with reading("evidence"):
            return Evidence.from_dict(json.loads(content))
    except InvalidInput as error:
        raise Damaged("the file holds no evidence that this version of Surefoot can read", where=name) from error


def required(place: Place, key: str) -> tuple[Record, Evidence]:
    """A record and its evidence; damage and absence are coded errors."""
    with undamaged(place.location, AGAIN):
        record = read_record(place, EVIDENCE, key)
        if record:
            return record, read_evidence(place, record)
    where = f"{place.location}/{EVIDENCE.record(key)}"
    raise DiagnosticsError.of("unknown-reference", "the store has no such evidence.", where=where)


def read_array(place: Place, record: Record) -> NDArray[Any]:
    """The array a record leads to."""
    name = ARRAYS.content(record.sha256)
    with reading_file(place.location, name):
        if place.digest(name) != record.sha256:
            raise Damaged(CHANGED, where=name)
        try:
            return place.array(name)
        except BROKEN_ARRAYS as error:
            raise Damaged("the file holds no array", where=name) from error


# Put content into a store, and the record that leads to it.


def keep(place: Place, shelf: Shelf, record: Record, write: Callable[[str], None]) -> None:
    """Content first, then the record that leads to it; what is there and intact stays untouched."""
    name, content = shelf.record(record.key), record.encode()
    if not is_intact(place, shelf.content(record.sha256), record.sha256):
        write(shelf.content(record.sha256))
    if not is_intact(place, name, hashlib.sha256(content).hexdigest()):
        place.write(name, lambda stream: stream.write(content))


# The file that makes a folder a store: written first, so that everything else in a folder without it is foreign.

ANEW = "The next assessment writes it anew."


def recognise(place: Place) -> list[Diagnostic]:
    """Refuse a store of a newer version and a folder of other things; tell of a damaged marker."""
    if _accepted(place) in (None, MARKER_CONTENT):
        return []
    return [damage(f"{CHANGED}.", f"{place.location}/{MARKER}", severity="warning", hint=ANEW)]


def prepare(place: Place) -> None:
    """Make the place a store, if it is not one yet."""
    if _accepted(place) != MARKER_CONTENT:
        place.write(MARKER, lambda stream: stream.write(MARKER_CONTENT))


def _accepted(place: Place) -> bytes | None:
    """The marker of a place that may be used; None where there is nothing yet."""
    content = _marker(place)
    if content is None:
        with writing(place.location):
            is_new = place.is_new()
        # Read again, after the look around: another run may have made the store meanwhile.
        content = _marker(place)
        if content is None and not is_new:
            raise _foreign(place)
    version = marker_version(content) if content else None
    if version is not None and version > VERSION:
        raise _newer(place, version)
    return content


def _marker(place: Place) -> bytes | None:
    try:
        return read_if_there(place, MARKER)
    except Damaged:
        return b""


def _foreign(place: Place) -> DiagnosticsError:
    text = "this folder is not empty and is no evidence store, so nothing is written into it."
    return DiagnosticsError.of("store-unwritable", text, where=place.location, hint="Choose a new or empty folder.")


def _newer(place: Place, version: int) -> DiagnosticsError:
    text = f"this store has version {version}; this version of Surefoot knows {VERSION}. Nothing was touched."
    hint = "Upgrade Surefoot, or choose another folder."
    return DiagnosticsError.of("store-newer", text, where=place.location, hint=hint)


# Arrays as .npy files, without pickle.


class _Plain:
    """A stream that numpy does not know as a file: into files it writes in a way that hides why writing failed."""

    def __init__(self, stream: Writable) -> None:
        self.write = stream.write


class _Hashing:
    def __init__(self) -> None:
        self.sha256, self.size = hashlib.sha256(), 0

    def write(self, content: bytes) -> None:
        self.sha256.update(content)
        self.size += len(content)


def npy(array: NDArray[Any]) -> Fill:
    """What writes an array in the .npy format."""
    if array.dtype.hasobject:
        raise InvalidInput("an array of Python objects cannot be stored", found=f"dtype {array.dtype}")
    return lambda stream: np.save(_Plain(stream), array, allow_pickle=False)


def hash_and_size(fill: Fill) -> tuple[str, int]:
    """SHA-256 and length of what ``fill`` writes, without keeping it."""
    sink = _Hashing()
    fill(sink)
    return sink.sha256.hexdigest(), sink.size


def array_file_digest(path: Path) -> str:
    """SHA-256 of an .npy file, which must hold plain numbers or text."""
    try:
        np.lib.format.open_memmap(path, mode="r")
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(shown(path), error) from error
    except BROKEN_ARRAYS as error:
        remedy = "Write it with numpy.save and allow_pickle=False."
        raise InvalidInput("this is no .npy file of a plain array", where=shown(path), remedy=remedy) from error
