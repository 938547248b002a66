"""Put content into a store, and the record that leads to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from surefoot.project.store.contents import is_intact
from surefoot.project.store.layout import Shelf
from surefoot.project.store.place import Place
from surefoot.project.store.record import Record


def keep(place: Place, shelf: Shelf, record: Record, write: Callable[[str], None]) -> None:
    """Content first, then the record that leads to it; what is there and intact stays untouched."""
    name, content = shelf.record(record.key), record.encode()
    if not is_intact(place, shelf.content(record.sha256), record.sha256):
        write(shelf.content(record.sha256))
    if not is_intact(place, name, hashlib.sha256(content).hexdigest()):
        place.write(name, lambda stream: stream.write(content))
