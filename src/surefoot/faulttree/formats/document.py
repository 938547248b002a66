"""Plain data of a file, and the line of every key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Keys = tuple[str | int, ...]
NAMED_SECTIONS = ("gates", "events", "houses", "parameters")
DEEPEST = 500
"""Values nested deeper are refused: no tree needs them, and what walks over them may recurse."""


class Document(Protocol):
    """What a file says."""

    @property
    def data(self) -> Any:
        """Mappings, lists, texts, numbers, truth values and None."""

    @property
    def places(self) -> Mapping[Keys, int]:
        """The line of each key and list item; ``()`` is the line of the whole."""


def line_of(document: Document, path: Keys) -> int:
    """The line of the innermost key that is written."""
    places = document.places
    return next((places[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in places), 1)
