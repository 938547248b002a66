"""Where a store lives: in memory, in a local folder, behind a URL; and what can be wrong with its files."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Diagnostic, DiagnosticsError, SurefootError
from surefoot.core.diagnostics import Severity
from surefoot.core.errors import require
from surefoot.documents.files import (
    PREFIX,
    STALE_AFTER_SECONDS,
    Fill,
    fill_through,
    make_folder,
    move_whole,
    reason,
    shown,
    sweep,
    unfinished_name,
)

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


# A store in a local folder.


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
            links = [name for name in folders if os.path.islink(os.path.join(place, name))]
            below = Path(place).relative_to(self.root).as_posix()
            yield from (name if below == "." else f"{below}/{name}" for name in sorted(files + links))

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


# A store behind a URL, through fsspec (extra ``remote``).
#
# Object stores show a file only when all of it has arrived. Elsewhere a file is sent under another name and then moved.

OBJECT_STORES = frozenset(["abfs", "abfss", "adl", "az", "gcs", "gs", "memory", "oci", "oss", "s3", "s3a", "tos"])


@dataclass(frozen=True, eq=False)
class RemotePlace:
    """Files below a folder of an fsspec file system."""

    fs: Any
    root: str
    location: str

    @classmethod
    def at(cls, url: str) -> Self:
        """The place a URL names; a URL that leads nowhere is a coded error."""
        fsspec = require("fsspec", extra="remote", purpose="A store behind a URL")
        try:
            fs, root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            raise DiagnosticsError.of("missing-extra", f"{error}.", where=url, hint="Install that package.") from error
        except ValueError as error:
            raise DiagnosticsError.of("wrong-value", f"{error}.", where=url, hint="Name a folder or a URL.") from error
        except Exception as error:
            hint = "Check the address and your access to it."
            raise DiagnosticsError.of("file-unreadable", f"no connection: {error}.", where=url, hint=hint) from error
        return cls(fs, root.rstrip("/"), url)

    @property
    def shared_location(self) -> str | None:
        return None if "memory" in self._protocols else self.location

    @property
    def _protocols(self) -> set[str]:
        protocol = self.fs.protocol
        return {protocol} if isinstance(protocol, str) else set(protocol)

    def read(self, name: str) -> bytes:
        with _only_os_errors():
            return bytes(self.fs.cat_file(self._path(name)))

    def digest(self, name: str) -> str:
        return hashlib.sha256(self.read(name)).hexdigest()

    def array(self, name: str) -> NDArray[Any]:
        return array_of(self.read(name))

    def names(self, folder: str = "") -> Iterator[str]:
        with _only_os_errors():
            self.fs.invalidate_cache()
            found = self.fs.find(self._path(folder) if folder else self.root)
        yield from (path.removeprefix(self.root).lstrip("/") for path in found)

    def is_new(self) -> bool:
        return all(name.startswith(f"{UNFINISHED}/") for name in self.names())

    def write(self, name: str, fill: Fill) -> None:
        content = content_of(fill)
        with _only_os_errors():
            if self._protocols & OBJECT_STORES:
                self.fs.pipe_file(self._path(name), content)
            else:
                self._send_and_move(self._path(name), content)

    def _send_and_move(self, target: str, content: bytes) -> None:
        part = self._path(f"{UNFINISHED}/{unfinished_name()}")
        for path in (part, target):
            self.fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        try:
            self.fs.pipe_file(part, content)
            self.fs.mv(part, target)
        except BaseException:
            with suppress(Exception):
                self.fs.rm_file(part)
            raise

    def adopt(self, name: str, path: Path) -> None:
        with path.open("rb") as stream:
            self.write(name, lambda sink: shutil.copyfileobj(stream, sink))
        path.unlink()

    def scratch(self) -> Path:
        return temporary_folder(self)

    def unfinished_work(self, key: str) -> None:
        """Parts of steps would cross the network one by one."""

    def sweep(self) -> None:
        with suppress(OSError):
            for name in self.names(UNFINISHED):
                with _only_os_errors():
                    self._remove_if_stale(self._path(name))

    def _remove_if_stale(self, path: str) -> None:
        age = datetime.now(UTC) - self.fs.modified(path)
        if path.rpartition("/")[2].startswith(PREFIX) and age.total_seconds() > STALE_AFTER_SECONDS:
            self.fs.rm_file(path)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"


@contextmanager
def _only_os_errors() -> Iterator[None]:
    """Each file system has exceptions of its own; a store knows those of the operating system."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


# What went wrong with a file, in words, and what to do about it.

AGAIN = "Assess again: what is damaged or missing is computed anew."


class Damaged(SurefootError):
    """A file of the store is not what was written; ``where`` is its name in the store."""


def damage(text: str, where: str, *, severity: Severity = "error", hint: str = "") -> Diagnostic:
    """A finding about a file of a store."""
    return Diagnostic("store-damaged", text, severity, where, hint)


@contextmanager
def reading_file(location: str, name: str) -> Iterator[None]:
    """Tell a file that may not be read (an error) from one that is missing or broken (``Damaged``)."""
    try:
        yield
    except PermissionError as error:
        raise unreadable(f"{location}/{name}", error) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Damaged("the file is missing", where=name) from error
    except OSError as error:
        raise Damaged(f"the file cannot be read: {reason(error)}", where=name) from error


@contextmanager
def undamaged(location: str, hint: str) -> Iterator[None]:
    """Turn damage into a coded error, for those who must know when something is missing."""
    try:
        yield
    except Damaged as error:
        raise DiagnosticsError.of("store-damaged", f"{error}.", where=location, hint=hint) from error


def unreadable(where: str, error: OSError) -> DiagnosticsError:
    """The error of a file or folder that is there and cannot be read."""
    hint = "Give yourself permission to read it, or choose another place."
    return DiagnosticsError.of("file-unreadable", f"it cannot be read: {reason(error)}.", where=where, hint=hint)
