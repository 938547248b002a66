"""Rows from a project file: which reader opens which source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from surefoot.adapters.answers import Data, Returned
from surefoot.adapters.array_data import Arrays, ImageFolder, NpzFile, arrays_digest, from_code, from_object
from surefoot.adapters.column_roles import Wanted, read_rows
from surefoot.adapters.labels import is_unicode, numbered
from surefoot.adapters.project_code import file_digest, locate, locate_file
from surefoot.adapters.python_models import checked_output
from surefoot.adapters.table_data import CsvFile, ParquetFile
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.documents import did_you_mean, listed, printable, quoted

READERS: dict[str, type[NpzFile] | type[CsvFile] | type[ParquetFile]] = {
    ".npz": NpzFile,
    ".csv": CsvFile,
    ".parquet": ParquetFile,
}
KEYS = ("inputs", "labels", "scores", "output", "groups", "attributes", "classes")


def load_data(
    *,
    path: str | None = None,
    callable: str | None = None,
    inputs: str | Sequence[str] | None = None,
    labels: str | None = None,
    scores: str | Sequence[str] | None = None,
    output: Returned | None = None,
    groups: str | None = None,
    attributes: Sequence[str] = (),
    image_size: tuple[int, int] | None = None,
    classes: Sequence[str] = (),
    folder: Path,
    with_inputs: bool = True,
    arrays: Arrays | None = None,
) -> Data:
    """Read rows from a file or folder (``path``) or from ``module:name`` (``callable``).

    Labels become numbers of ``classes``; without classes, of their own sorted values. ``with_inputs=False``
    leaves inputs in the file. ``arrays`` are what ``callable`` made before; then it is not run.
    """
    _check_source(path, callable)
    names = _class_names(classes)
    wanted = Wanted(inputs, labels, scores, _output(output), groups, attributes)
    with _in_memory(printable(path or callable)):
        if callable is not None:
            made = arrays or from_code(callable, Path(folder))
            return read_rows(made, wanted, classes=names, digest=arrays_digest(made), with_inputs=with_inputs)
        place = locate(path or "", Path(folder), what="data")
        if place.is_dir():
            return _images(ImageFolder(place, printable(path)), wanted, image_size, names, with_inputs)
        locate_file(path or "", Path(folder), what="data")
        reader = _reader(place, printable(path))
        return read_rows(reader, wanted, classes=names, digest=file_digest(place), with_inputs=with_inputs)


def as_data(obj: Any, *, classes: Sequence[str] = ()) -> Data:
    """Take rows that are in memory: a mapping of arrays, (inputs, labels), or a MAITE-shaped dataset.

    A mapping may have the keys inputs, labels, scores, output, groups, classes, and attributes (a mapping of
    further columns).
    """
    if isinstance(obj, Data):
        return obj
    if not isinstance(obj, Mapping):
        arrays = from_object(obj, where="data")
        others = tuple(name for name in arrays.names if name not in KEYS)
        return _from_arrays(arrays, Wanted(attributes=others), classes)
    for key in obj:
        if key not in KEYS:
            raise DiagnosticsError.of(
                "data-column", f"{quoted(key)} means nothing here.", hint=did_you_mean(str(key), KEYS)
            )
    plain = {key: value for key, value in obj.items() if key not in ("output", "classes")}
    named = {key: key for key in ("inputs", "labels", "scores", "groups") if plain.get(key) is not None}
    wanted = Wanted(**named, output=_output(obj.get("output")), attributes=tuple(plain.get("attributes") or ()))
    return _from_arrays(from_object(plain, where="data"), wanted, classes or obj.get("classes") or ())


def data_digest(*, path: str | None = None, callable: str | None = None, folder: Path) -> str:
    """SHA-256 of a file's content, of a folder's names and contents, or of the arrays that code returns."""
    _check_source(path, callable)
    if callable is not None:
        return arrays_digest(from_code(callable, Path(folder)))
    place = locate(path or "", Path(folder), what="data")
    if place.is_dir():
        return ImageFolder(place, printable(path)).digest()
    return file_digest(locate_file(path or "", Path(folder), what="data"))


def _from_arrays(arrays: Arrays, wanted: Wanted, classes: Sequence[str]) -> Data:
    names = _class_names(classes)
    return read_rows(arrays, wanted, classes=names, digest=arrays_digest(arrays), with_inputs=True)


def _reader(place: Path, where: str) -> NpzFile | CsvFile | ParquetFile:
    reader = READERS.get(place.suffix.lower())
    if reader is None:
        text = f"{where!r} is none of the data that can be read ({listed(READERS)}, a folder of images)."
        raise DiagnosticsError.of("data-unreadable", text, where=where)
    return reader(place, where)


def _images(
    folder: ImageFolder, wanted: Wanted, size: tuple[int, int] | None, classes: Sequence[str], with_inputs: bool
) -> Data:
    named = [wanted.inputs, wanted.labels, wanted.scores, wanted.groups, *wanted.attributes]
    for name in named:
        if name is not None:
            text = f"a folder of images has no column {quoted(name)}; its classes are the names of its folders."
            raise DiagnosticsError.of("data-column", text, where=folder.where)
    found = folder.labels()
    if not len(found):
        raise DiagnosticsError.of("data-empty", "the folders hold no images.", where=folder.where)
    labels = numbered(found, classes, where=folder.where)
    images = folder.images(size) if with_inputs else None
    return Data(folder.digest(), images, labels.numbers, classes=labels.classes, classes_listed=bool(classes))


def _output(output: str | None) -> Returned | None:
    return None if output is None else checked_output(output)


def _check_source(path: str | None, callable: str | None) -> None:
    if (path is None) == (callable is None):
        raise InvalidInput("data need exactly one of path and callable", where="load_data")


def _class_names(classes: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(classes, str):
        raise DiagnosticsError.of("data-classes", f"{quoted(classes)} is no list of names.", where="classes")
    names = tuple(map(str, classes))
    if len(set(names)) < len(names):
        raise DiagnosticsError.of("data-classes", f"a class is named twice: {listed(names)}.", where="classes")
    for name in names:
        if not is_unicode(name):
            text = f"{quoted(name, 60)} cannot be the name of a class."
            raise DiagnosticsError.of("data-classes", text, where="classes", hint="Use printable text.")
    return names


@contextmanager
def _in_memory(where: str) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        text = "the data do not fit into memory."
        raise DiagnosticsError.of("data-unreadable", text, where=where, hint="Name fewer columns or rows.") from error
