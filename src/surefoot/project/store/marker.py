"""The file that makes a folder a store: written first, so that everything else in a folder without it is foreign."""

from __future__ import annotations

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents.whole_file import writing
from surefoot.project.store.contents import CHANGED, read_if_there
from surefoot.project.store.layout import MARKER, MARKER_CONTENT, VERSION, marker_version
from surefoot.project.store.place import Place
from surefoot.project.store.problems import Damaged, damage

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
