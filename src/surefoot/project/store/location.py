"""From what a user calls a location to the place itself."""

from __future__ import annotations

from pathlib import Path

from surefoot.project.store.local import LocalPlace
from surefoot.project.store.place import MemoryPlace, Place
from surefoot.project.store.remote import RemotePlace


def place_at(location: str | Path | None) -> Place:
    """A folder, a URL that fsspec knows, or memory (None)."""
    if location is None:
        return MemoryPlace()
    if isinstance(location, str) and "://" in location:
        return RemotePlace.at(location)
    return LocalPlace(Path(location).absolute())
