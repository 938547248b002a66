"""Read from a store, and believe nothing that is not what was written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from surefoot.core import DiagnosticsError, Evidence, InvalidInput
from surefoot.core.canonical import reading
from surefoot.documents import json
from surefoot.project.store.layout import ARRAYS, EVIDENCE, Shelf
from surefoot.project.store.place import Place
from surefoot.project.store.problems import AGAIN, Damaged, reading_file, undamaged, unreadable
from surefoot.project.store.record import Record

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
        except (ValueError, EOFError) as error:
            raise Damaged("the file holds no array", where=name) from error
