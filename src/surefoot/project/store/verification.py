"""Go through a whole store and tell everything that is not as it was written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from surefoot.core import Diagnostic
from surefoot.documents.whole_file import shown
from surefoot.project.store.contents import CHANGED, is_intact, names_in, read_array, read_evidence, read_record
from surefoot.project.store.history import LOST, read_iteration
from surefoot.project.store.layout import (
    ARRAYS,
    EVIDENCE,
    ITERATIONS,
    LOOKS,
    MARKER,
    MARKER_CONTENT,
    SHELVES,
    Shelf,
    iteration_of,
    look_of,
    number_of,
)
from surefoot.project.store.ledger import LOOK_LOST, read_entry, read_look
from surefoot.project.store.marker import ANEW
from surefoot.project.store.place import UNFINISHED, Place
from surefoot.project.store.problems import AGAIN, Damaged, damage, reading_file
from surefoot.project.store.record import Record

FOREIGN = "This file is not of the store."
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
