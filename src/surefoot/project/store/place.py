"""Where a store lives: what it asks of a folder of named files, and the one that lives in memory only."""

from __future__ import annotations

import hashlib
import io
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.documents.whole_file import Fill

UNFINISHED = "tmp"
"""Folder of what is being written; no part of the store's content."""


class Place(Protocol):
    """Named files; a name is relative and has ``/`` between folders. All methods raise ``OSError`` only."""

    @property
    def location(self) -> str:
        """Where it is, as printable text."""
        ...

    @property
    def shared_location(self) -> str | None:
        """What another process opens to see the same files; None where it cannot."""
        ...

    def read(self, name: str) -> bytes:
        """The content of a file."""
        ...

    def digest(self, name: str) -> str:
        """SHA-256 of a file's content."""
        ...

    def array(self, name: str) -> NDArray[Any]:
        """The array of an .npy file, read-only."""
        ...

    def names(self, folder: str = "") -> Iterator[str]:
        """All files below a folder; none where there is no such folder."""
        ...

    def is_new(self) -> bool:
        """Whether there is nothing yet, or nothing but unfinished files."""
        ...

    def write(self, name: str, fill: Fill) -> None:
        """Write a file whole or not at all."""
        ...

    def adopt(self, name: str, path: Path) -> None:
        """Take over a local file, which is gone afterwards."""
        ...

    def scratch(self) -> Path:
        """A new local folder for unfinished files, from which ``adopt`` is cheap where it can be."""
        ...

    def unfinished_work(self, key: str) -> Path | None:
        """A local folder that the next run finds again, and that ``sweep`` removes; None where there is none."""
        ...

    def sweep(self) -> None:
        """Remove what was left unfinished more than a day ago."""
        ...


def array_of(content: bytes) -> NDArray[Any]:
    """The array of an .npy file in memory, read-only."""
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    array.setflags(write=False)
    return array


def content_of(fill: Fill) -> bytes:
    """What ``fill`` writes."""
    buffer = io.BytesIO()
    fill(buffer)
    return buffer.getvalue()


def temporary_folder(owner: object) -> Path:
    """A folder that goes when its owner does, at the latest with the process."""
    folder = Path(tempfile.mkdtemp(prefix="surefoot-"))
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True, eq=False)
class MemoryPlace:
    """Files in memory, for runs that keep nothing."""

    files: dict[str, bytes] = field(default_factory=dict)
    location: str = "memory"
    shared_location: str | None = None

    def read(self, name: str) -> bytes:
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.read(name)).hexdigest()

    def array(self, name: str) -> NDArray[Any]:
        return array_of(self.read(name))

    def names(self, folder: str = "") -> Iterator[str]:
        start = f"{folder}/" if folder else ""
        yield from sorted(name for name in self.files if name.startswith(start))

    def is_new(self) -> bool:
        return not self.files

    def write(self, name: str, fill: Fill) -> None:
        self.files[name] = content_of(fill)

    def adopt(self, name: str, path: Path) -> None:
        self.files[name] = path.read_bytes()
        path.unlink()

    def scratch(self) -> Path:
        return temporary_folder(self)

    def unfinished_work(self, key: str) -> None:
        """What memory holds ends with its run."""

    def sweep(self) -> None:
        """Nothing is ever left unfinished in memory."""
