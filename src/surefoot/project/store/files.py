"""Local files that are written whole or not at all, and that stay once they are written.

A file comes into being under another name, is flushed to the disk, and only then moved to its place, which replaces an
older file in one step; the folder is flushed last. Whoever is killed in between leaves the older file, or none.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from surefoot.project.store.problems import shown, writing

PREFIX = ".surefoot-"
STALE_AFTER_SECONDS = 24 * 3600


class Writable(Protocol):
    """What content is written to."""

    def write(self, content: bytes, /) -> object:
        """Append the content."""
        ...


Fill = Callable[[Writable], object]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; what cannot be written is a coded error."""
    fill_atomically(path, lambda stream: stream.write(content))


def fill_atomically(path: Path, fill: Fill) -> None:
    """As ``write_atomically``, for content that is made while it is written.

    A link stays, and the file it leads to is replaced; a pipe or a device is written to as it is.
    """
    with writing(shown(path)):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                fill(stream)
        else:
            target = Path(os.path.realpath(path))
            sweep(target.parent)
            write_whole(target, fill, through=target.parent)


def write_whole(path: Path, fill: Fill, *, through: Path) -> None:
    """Write a new file in the folder ``through`` and move it to ``path`` once it is complete and on the disk."""
    make_folder(through)
    make_folder(path.parent)
    part = through / unfinished_name()
    try:
        with part.open("xb") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    sync_folder(path.parent)


def move_whole(source: Path, path: Path, *, through: Path) -> None:
    """Move a complete file to ``path``, which may lie on another disk."""
    with source.open("rb") as stream:
        os.fsync(stream.fileno())
        if source.is_symlink() or not _moved(source, path):
            write_whole(path, lambda copy: shutil.copyfileobj(stream, copy), through=through)
            source.unlink()


def _moved(source: Path, path: Path) -> bool:
    make_folder(path.parent)
    try:
        os.replace(source, path)
    except OSError as error:
        if error.errno == errno.EXDEV:
            return False
        raise
    sync_folder(path.parent)
    return True


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, each entered for good into the one above."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir()
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, where the file system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def unfinished_name() -> str:
    """A new name for something unfinished; ``sweep`` knows it again."""
    return f"{PREFIX}{secrets.token_hex(8)}"


def sweep(folder: Path) -> None:
    """Remove what an interrupted run left unfinished in a folder more than a day ago."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name.startswith(PREFIX) and time.time() - _last_change(path) > STALE_AFTER_SECONDS:
                _remove(path)


def _last_change(path: Path) -> float:
    return max(part.lstat().st_mtime for part in (path, *path.rglob("*")))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
