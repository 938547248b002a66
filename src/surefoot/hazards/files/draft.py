"""What a file says before anybody has checked that it makes sense, and where it says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from surefoot.documents import Kind

VERSION = "1"
FORMAT = "surefoot-hazop"
WORKSHEET = Kind(
    "hazop-syntax", cell="hazop-cell", beginning=f"The first line of a worksheet is '{FORMAT}: {VERSION}'."
)


@dataclass(frozen=True)
class Entry:
    """Fields that were given, by their names in files; ``place`` says where a field stands, "" for the whole."""

    values: dict[str, Any]
    place: Callable[[str], str]

    def text(self, name: str) -> str:
        """The text of a field, empty where it was not given."""
        return self.values.get(name, "")


@dataclass
class Draft:
    """The parts of a worksheet; a matrix that was not given is the usual one."""

    name: str
    description: str = ""
    items: list[Entry] = field(default_factory=list)
    properties: list[Entry] = field(default_factory=list)
    matrix: Entry | None = None
    rows: list[Entry] = field(default_factory=list)
