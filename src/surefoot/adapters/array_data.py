"""Rows that are arrays: npz files, images in one folder a class, and what Python code returns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.frames import Frame, FrameTable, Kind, Types, column_of, is_frame, is_series, typed
from surefoot.adapters.labels import DETECTION, LABEL_NAMES, TextColumn
from surefoot.adapters.project_code import ProjectModules, explained, file_digest, visible, visible_files
from surefoot.adapters.python_models import index_names
from surefoot.core import DiagnosticsError, SurefootError, validate
from surefoot.core.canonical import array_digest, digest
from surefoot.documents import BROKEN_ARRAYS, printable, quoted

MOST_PIXELS = 89_478_485
"""What Pillow takes for the most that an honest image has."""
EIGHT_BIT = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV")
IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm")


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
            except BROKEN_ARRAYS as error:
                raise self._unreadable(explained(error)) from error
            if not isinstance(opened, np.lib.npyio.NpzFile):
                raise self._unreadable("it holds one array instead of arrays by name")
            with opened:
                yield opened

    def _array(self, arrays: Any, name: str) -> NDArray[Any]:
        try:
            found = arrays[name]
        except BROKEN_ARRAYS as error:
            if "allow_pickle" in str(error):
                raise self._objects(name) from error
            raise self._unreadable(f"array {quoted(name)}: {explained(error)}") from error
        except MemoryError as error:
            claimed = math.prod(getattr(error, "shape", ())) * getattr(getattr(error, "dtype", None), "itemsize", 0)
            if 0 < claimed <= arrays.zip.getinfo(f"{name}.npy").file_size:
                raise
            raise self._unreadable(f"array {quoted(name)} claims more than the file holds") from error
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
    """Arrays that are in memory, by name.

    Parameters
    ----------
    arrays
        Arrays, lists or tensors.
    where
        What messages call them.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.adapters.Arrays({"labels": [0, 1]}, "memory").array("labels").tolist()
    [0, 1]

    """

    arrays: Mapping[str, Any]
    where: str
    tabular = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        return tuple(self.arrays)

    def read(self, names: Collection[str], *, numeric: Collection[str] = ()) -> dict[str, Any]:
        """The arrays of these names; frames stay frames."""
        return {name: self.frame(name) if is_frame(self.arrays[name]) else self.array(name) for name in names}

    def table(
        self, inputs: Sequence[str], beside: Sequence[str], kind: Kind | None, types: Types
    ) -> tuple[Frame, dict[str, Any]]:
        """Columns side by side as a frame, and other columns beside them."""
        import narwhals.stable.v2 as nw

        columns = {name: self.array(name) for name in inputs}
        for name, column in columns.items():
            if column.ndim != 1:
                raise self._wrong(name, f"one value a row is needed, and its shape is {column.shape}")
        frame = Frame(nw.from_dict(columns, backend=kind or "pandas").to_native(), self.where)
        return typed(frame, types), self.read(beside)

    def numbers_only(self, names: Collection[str]) -> bool:
        """Whether these arrays hold numbers and nothing is missing."""
        columns = [self.array(name) for name in names]
        return all(column.dtype.kind in "biuf" and not (column != column).any() for column in columns)

    def frame(self, name: str) -> Frame:
        """One frame, as it was given."""
        return Frame(self.arrays[name], self.where)

    def array(self, name: str) -> NDArray[Any]:
        """One array; lists and tensors are converted, what is ragged or masked is refused."""
        value = self.arrays[name]
        if is_series(value) and not _is_plain(value):
            column = column_of(value, where=self.where, name=name)
            return column.texts() if isinstance(column, TextColumn) else column
        if is_frame(value):
            frame = self.frame(name)
            only = frame.column(frame.names[0]) if len(frame.names) == 1 else frame.matrix(hint="")
            return only.texts() if isinstance(only, TextColumn) else only
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
        hint = DETECTION if name in LABEL_NAMES else ""
        text = f"{quoted(name)} is no array of numbers or text: {why}."
        return DiagnosticsError.of("data-type", text, where=self.where, hint=hint)


@dataclass(frozen=True)
class ImageFolder:
    """The images of a folder, in a fixed order; hidden files are left out."""

    path: Path
    where: str

    def files(self) -> dict[str, list[Path]]:
        """Image files by class; the class is the name of the folder."""
        loose = [entry for entry in visible(self.path) if entry.is_file() and entry.suffix.lower() in IMAGE_ENDINGS]
        folders = [entry for entry in visible(self.path) if entry.is_dir()]
        if loose or not folders:
            text = (
                f"images must lie in one folder a class; found {printable(loose[0].name) if loose else 'no folders'}."
            )
            raise DiagnosticsError.of("data-unreadable", text, where=self.where)
        return {folder.name: list(visible_files(folder)) for folder in folders}

    def labels(self) -> TextColumn:
        """The class of each image."""
        counts = {name: len(files) for name, files in self.files().items()}
        return TextColumn(np.repeat(np.arange(len(counts)), list(counts.values())), tuple(counts))

    def images(self, size: tuple[int, int] | None) -> NDArray[np.uint8]:
        """All images as RGB, scaled to ``size`` (height, width) where it is given."""
        paths = [path for files in self.files().values() for path in files]
        pixels = self._pixels(paths, size)
        first = next(pixels, None)
        if first is None:
            raise DiagnosticsError.of("data-empty", "the folders hold no images.", where=self.where)
        images = np.empty((len(paths), *first.shape), np.uint8)
        images[0] = first
        for number, image in enumerate(pixels, 1):
            if image.shape != first.shape:
                raise self._sizes(paths[number], image.shape, first.shape)
            images[number] = image
        return images

    def digest(self) -> str:
        """SHA-256 of the names and contents of all images."""
        return digest({printable(f.relative_to(self.path)): file_digest(f) for fs in self.files().values() for f in fs})

    def _pixels(self, paths: list[Path], size: tuple[int, int] | None) -> Iterator[NDArray[np.uint8]]:
        for path in paths:
            try:
                yield decoded(path, size)
            except (Exception, Warning) as error:
                raise self._unreadable(path, explained(error)) from error

    def _unreadable(self, path: Path, why: str) -> DiagnosticsError:
        name = printable(path.relative_to(self.path))
        return DiagnosticsError.of("data-unreadable", f"{name} is no image that can be read: {why}.", where=self.where)

    def _sizes(self, path: Path, found: Any, first: Any) -> DiagnosticsError:
        text = f"{printable(path.relative_to(self.path))} has {found[:2]} pixels, and the first image has {first[:2]}."
        hint = "Give image_size: [height, width] to scale them."
        return DiagnosticsError.of("data-type", text, where=self.where, hint=hint)


def from_code(reference: str, folder: Path) -> Arrays | FrameTable:
    """The arrays, or the frame, that ``module:name`` holds, or returns when it is called."""
    modules = ProjectModules(folder)
    found = modules.find(reference, code="data-unreadable")
    try:
        with modules.active():
            is_source = isinstance(found, Mapping | tuple) or _is_dataset(found)
            return from_object(found if is_source or not callable(found) else found(), where=reference)
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"{reference} raised {explained(error, folder)}."
        raise DiagnosticsError.of("data-unreadable", text, where=reference) from error


def from_object(obj: Any, *, where: str) -> Arrays | FrameTable:
    """Arrays by name, or a frame; attributes in a mapping of their own are put beside the others."""
    if is_frame(obj):
        return FrameTable(Frame(obj, where), where)
    if isinstance(obj, Mapping):
        return Arrays(_flat(obj, where), where)
    if isinstance(obj, tuple) and len(obj) == 2:
        _check_order(*obj, where)
        return Arrays({"inputs": obj[0], "labels": obj[1]}, where)
    if _is_dataset(obj):
        return _from_dataset(obj, where)
    raise DiagnosticsError.of(
        "data-type",
        f"a {type(obj).__name__} holds no rows that can be read.",
        where=where,
        hint="Give a frame, a mapping of arrays, (inputs, labels), or a dataset of (input, target, metadata).",
    )


def _check_order(inputs: Any, labels: Any, where: str) -> None:
    """Rows go by place, as in scikit-learn; an index that holds the same in another order speaks against it."""
    first, second = getattr(inputs, "index", None), getattr(labels, "index", None)
    if not (is_frame(inputs) and is_series(labels)) or first is None or second is None or len(first) != len(second):
        return
    if first.equals(second) or not first.is_unique or len(first.difference(second)):
        return
    row = int(np.flatnonzero(np.asarray(first != second))[0])
    text = f"inputs and labels have the same index in another order: row {row} is {first[row]} and {second[row]}."
    hint = "Bring them into one order, such as labels.loc[inputs.index], or drop one index with reset_index(drop=True)."
    raise DiagnosticsError.of("data-order", text, where=where, hint=hint)


def _flat(mapping: Mapping[Any, Any], where: str) -> dict[str, Any]:
    attributes = mapping.get("attributes")
    inner = {str(k): v for k, v in attributes.items()} if isinstance(attributes, Mapping) else {}
    outer = {str(k): v for k, v in mapping.items() if v is not None and not (inner and k == "attributes")}
    for name in outer.keys() & inner.keys():
        text = f"{quoted(name)} is the name of an array and of an attribute."
        raise DiagnosticsError.of("data-column", text, where=where, hint="Rename the attribute.")
    return outer | inner


def _is_plain(series: Any) -> bool:
    """Whether a column is an array of numbers or truth values in another wrapping."""
    return isinstance(getattr(series, "dtype", None), np.dtype) and series.dtype.kind in "biuf"


@validate.arguments
def arrays_digest(arrays: Arrays | FrameTable) -> str:
    """SHA-256 over the names and contents of all arrays; of frames also over the order and types of their columns.

    Parameters
    ----------
    arrays
        By name, in any order.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import surefoot as sf
    >>> one, other = (sf.adapters.Arrays({"x": values}, "memory") for values in ([1, 2], [1, 3]))
    >>> sf.adapters.arrays_digest(one) == sf.adapters.arrays_digest(other)
    False

    """
    if isinstance(arrays, FrameTable):
        return arrays.frame.digest()
    return digest({printable(name): _digest_of(arrays, name) for name in sorted(arrays.names)})


def _digest_of(arrays: Arrays, name: str) -> str:
    is_table = is_frame(arrays.arrays[name])
    return arrays.frame(name).digest() if is_table else array_digest(arrays.array(name))


def _is_dataset(obj: Any) -> bool:
    sized = hasattr(obj, "__getitem__") and hasattr(obj, "__len__")
    return sized and not isinstance(obj, Mapping | list | tuple | str | bytes | np.ndarray)


def _from_dataset(dataset: Any, where: str) -> Arrays:
    rows = [dataset[number] for number in range(len(dataset))]
    if not rows:
        raise DiagnosticsError.of("data-empty", "the dataset has no rows.", where=where)
    if not all(isinstance(row, tuple) and len(row) in (2, 3) for row in rows):
        text = f"rows must be (input, target) or (input, target, metadata); found {printable(type(rows[0]).__name__)}."
        raise DiagnosticsError.of("data-type", text, where=where)
    inputs = [np.asarray(row[0]) for row in rows]
    shapes = sorted({array.shape for array in inputs})
    if len(shapes) > 1:
        text = f"inputs have different shapes, such as {shapes[0]} and {shapes[1]}."
        raise DiagnosticsError.of("data-type", text, where=where)
    labels = np.asarray([_class_number(row[1], where) for row in rows])
    names = np.asarray(index_names(getattr(dataset, "metadata", None)))
    named = names[labels] if names.size and labels.max() < names.size else labels
    return Arrays({"inputs": np.stack(inputs), "labels": named} | _metadata(rows), where)


def _class_number(target: Any, where: str) -> int:
    """The class of a one-hot target, or of a target that is a number."""
    array = np.asarray(target)
    if array.ndim == 0 and array.dtype.kind in "biu":
        return int(array)
    if array.ndim == 1 and array.dtype.kind in "biuf" and array.size and (array == array.max()).sum() == 1:
        return int(array.argmax())
    raise DiagnosticsError.of("data-type", f"target {printable(target, 60)} is not one-hot.", where=where)


def _metadata(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Columns of the metadata that every row has as a number or as text."""
    each = [row[2] if len(row) == 3 and isinstance(row[2], Mapping) else {} for row in rows]
    shared = set(each[0]).intersection(*each)
    plain = {n for n in shared if all(isinstance(m[n], str | int | float | np.number) for m in each)}
    return {str(name): np.asarray([m[name] for m in each]) for name in sorted(plain - {"inputs", "labels"})}


def decoded(path: Path, size: tuple[int, int] | None) -> NDArray[np.uint8]:
    """The pixels of one image as RGB, scaled to ``size`` (height, width) where it is given."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with path.open("rb") as stream, Image.open(stream) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(f"it would have {image.width} x {image.height} pixels")
            if image.mode not in EIGHT_BIT:
                raise ValueError(f"its pixels are of mode {image.mode!r}, and 8 bits a channel are needed")
            colours = image.convert("RGB")
            scaled = colours if size is None else colours.resize((size[1], size[0]), Image.Resampling.BILINEAR)
            return np.asarray(scaled)
