"""A store in a local folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.documents.whole_file import (
    PREFIX,
    Fill,
    fill_through,
    make_folder,
    move_whole,
    shown,
    sweep,
    unfinished_name,
)
from surefoot.project.store.place import UNFINISHED


@dataclass(frozen=True)
class LocalPlace:
    """Files below a folder of this machine, or of one it has mounted."""

    root: Path

    @property
    def location(self) -> str:
        return shown(self.root)

    @property
    def shared_location(self) -> str:
        return str(self.root)

    @property
    def _unfinished(self) -> Path:
        return self.root / UNFINISHED

    def read(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def digest(self, name: str) -> str:
        with (self.root / name).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def array(self, name: str) -> NDArray[Any]:
        return np.lib.format.open_memmap(self.root / name, mode="r")

    def names(self, folder: str = "") -> Iterator[str]:
        for place, folders, files in os.walk(self.root / folder, onerror=_unless_missing):
            folders.sort()
            links = [name for name in folders if Path(place, name).is_symlink()]
            for name in sorted(files + links):
                yield Path(place, name).relative_to(self.root).as_posix()

    def is_new(self) -> bool:
        try:
            return all(name == UNFINISHED for name in os.listdir(self.root))
        except FileNotFoundError:
            return True

    def write(self, name: str, fill: Fill) -> None:
        fill_through(self.root / name, fill, through=self._unfinished)

    def adopt(self, name: str, path: Path) -> None:
        move_whole(path, self.root / name, through=self._unfinished)
        if path.parent.parent == self._unfinished:
            with suppress(OSError):
                path.parent.rmdir()

    def scratch(self) -> Path:
        folder = self._unfinished / unfinished_name()
        make_folder(folder)
        return folder

    def unfinished_work(self, key: str) -> Path:
        return self._unfinished / f"{PREFIX}{key}"

    def sweep(self) -> None:
        sweep(self._unfinished)


def _unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error
