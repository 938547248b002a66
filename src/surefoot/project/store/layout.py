"""Names of the files of a store.

A key leads to a small record, the record to content that is named by its own SHA-256:
``keys`` to ``objects`` (evidence as JSON), ``array-keys`` to ``arrays`` (.npy). ``looks`` holds the ledger of looks,
``iterations`` the history of each project.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from surefoot.core import InvalidInput
from surefoot.core.canonical import reading
from surefoot.documents import json

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
