"""A store behind a URL, through fsspec (extra ``remote``).

Object stores show a file only when all of it has arrived. Elsewhere a file is sent under another name and then moved.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from numpy.typing import NDArray

from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.documents.whole_file import PREFIX, STALE_AFTER_SECONDS, Fill, unfinished_name
from surefoot.project.store.place import UNFINISHED, array_of, content_of, temporary_folder

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
