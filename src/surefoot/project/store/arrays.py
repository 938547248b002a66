"""Arrays as .npy files, without pickle."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.documents.whole_file import Fill, Writable, shown
from surefoot.project.store.problems import unreadable


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
    except (ValueError, EOFError) as error:
        remedy = "Write it with numpy.save and allow_pickle=False."
        raise InvalidInput("this is no .npy file of a plain array", where=shown(path), remedy=remedy) from error
