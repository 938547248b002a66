"""Arrays by name: npz files, and what Python code returns."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.documents import quoted

DAMAGED = (OSError, ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class NpzFile:
    """An npz file; only the arrays asked for are read."""

    path: Path
    where: str
    names: tuple[str, ...] = field(init=False)
    tabular = False

    def __post_init__(self) -> None:
        with self._open() as arrays:
            object.__setattr__(self, "names", tuple(arrays.files))

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any]]:
        """The arrays of these names."""
        with self._open() as arrays:
            return {name: self._array(arrays, name) for name in names}

    @contextmanager
    def _open(self) -> Iterator[Any]:
        with self.path.open("rb") as stream:
            try:
                opened = np.load(stream, allow_pickle=False)
            except DAMAGED as error:
                raise self._unreadable(explained(error)) from error
            if not isinstance(opened, np.lib.npyio.NpzFile):
                raise self._unreadable("it holds one array instead of arrays by name")
            with opened:
                yield opened

    def _array(self, arrays: Any, name: str) -> NDArray[Any]:
        try:
            found = arrays[name]
        except DAMAGED as error:
            if "allow_pickle" in str(error):
                raise self._objects(name) from error
            raise self._unreadable(f"array {quoted(name)}: {explained(error)}") from error
        if not isinstance(found, np.ndarray):
            raise self._unreadable(f"{quoted(name)} is no array")
        return found

    def _objects(self, name: str) -> DiagnosticsError:
        text = f"array {quoted(name)} holds Python objects, which only pickle could read."
        hint = "Store numbers or text: np.asarray(values, dtype=float) or dtype=str."
        return DiagnosticsError.of("data-type", text, where=self.where, hint=hint)

    def _unreadable(self, why: str) -> DiagnosticsError:
        return DiagnosticsError.of("data-unreadable", f"this is no npz file that can be read: {why}.", where=self.where)


@dataclass(frozen=True)
class Arrays:
    """Arrays that are in memory."""

    arrays: Mapping[str, Any]
    where: str
    tabular = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(self.arrays)

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, NDArray[Any]]:
        """The arrays of these names."""
        return {name: self.array(name) for name in names}

    def array(self, name: str) -> NDArray[Any]:
        """One array; lists and tensors are converted, what is ragged or masked is refused."""
        value = self.arrays[name]
        try:
            array = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise self._wrong(name, explained(error)) from error
        if np.ma.is_masked(value):
            text = f"{quoted(name)} has masked entries."
            raise DiagnosticsError.of("data-missing-values", text, where=self.where)
        if array.dtype.hasobject and not all(isinstance(item, str) for item in array.flat):
            raise self._wrong(name, "it holds Python objects")
        return array.astype(str) if array.dtype.kind == "O" else array

    def _wrong(self, name: str, why: str) -> DiagnosticsError:
        return DiagnosticsError.of(
            "data-type", f"{quoted(name)} is no array of numbers or text: {why}.", where=self.where
        )
