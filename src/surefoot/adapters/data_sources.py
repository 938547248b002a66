"""Rows that a project names, or that are in memory: which reader opens which source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from surefoot.adapters.answers import Data, Returned
from surefoot.adapters.array_data import Arrays, ImageFolder, NpzFile, arrays_digest, from_code, from_object
from surefoot.adapters.column_roles import Form, StatedRoles, read_rows
from surefoot.adapters.frames import NO_TYPES, Frame, FrameTable, Types, is_frame
from surefoot.adapters.labels import is_unicode, numbered
from surefoot.adapters.project_code import file_digest, locate, locate_file
from surefoot.adapters.python_models import checked_output
from surefoot.adapters.table_data import CsvFile, JsonLinesFile, ParquetFile
from surefoot.core import DiagnosticsError, InvalidInput, validate
from surefoot.documents import did_you_mean, listed, printable, quoted

READERS: dict[str, type[NpzFile] | type[CsvFile] | type[ParquetFile] | type[JsonLinesFile]] = {
    ".npz": NpzFile,
    ".csv": CsvFile,
    ".parquet": ParquetFile,
    ".jsonl": JsonLinesFile,
}
KEYS = ("inputs", "labels", "scores", "output", "groups", "attributes", "classes")
JUDGED_KEYS = ("predictions", "repeats", "failed", "loss", "tolerance", "images", "sequence", "time", "gap")
"""What further keys a mapping of arrays may have where the task is no classification."""


@validate.arguments
def load_data(
    *,
    path: str | None = None,
    callable: str | None = None,
    inputs: str | Sequence[str] | None = None,
    labels: str | Sequence[str] | None = None,
    scores: str | Sequence[str] | None = None,
    output: Returned | None = None,
    groups: str | None = None,
    attributes: Sequence[str] = (),
    image_size: tuple[int, int] | None = None,
    classes: Sequence[str] = (),
    folder: Path,
    with_inputs: bool = True,
    arrays: Arrays | FrameTable | None = None,
    judged: Sequence[str] | None = None,
    types: Types | None = None,
    form: Form = "array",
) -> Data:
    r"""Read rows from a file, from a folder of images, or from what code returns.

    Parameters
    ----------
    path
        An npz, csv or parquet file, or a folder with one folder of images a class.
    callable
        ``module:name`` in its place, which holds arrays or returns them.
    inputs, labels, scores, groups, attributes
        Names of the columns that play these parts; those of the usual names where left out. Empty ``labels`` say that
        there are none.
    output
        What the scores are.
    image_size
        Height and width that images are scaled to.
    classes
        Names of the classes, in the order of the scores; without them labels are numbered by their own sorted values.
    folder
        The project's folder.
    with_inputs
        False leaves inputs in the file.
    arrays
        What ``callable`` made before; then it is not run.
    judged
        Columns that a task other than classification judges: they are left out, and no column is taken for classes.
    types
        What columns of a frame are: ``text``, ``number``, ``category``, ``date``, or a list of categories.
    form
        ``array`` for inputs that must be numbers, a library of frames for inputs of any type, ``either`` for a frame of
        pandas where some column is no number or lacks values.

    Returns
    -------
    Data
        Checked rows.

    Raises
    ------
    DiagnosticsError
        Where something is missing or cannot be used, with its code and place.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.csv").write_text("x,label\n0.1,car\n0.9,tree\n")
    ...     data = sf.adapters.load_data(path="rows.csv", folder=Path(folder))
    >>> data.classes, data.inputs.tolist()
    (('car', 'tree'), [[0.1], [0.9]])

    """
    _check_source(path, callable)
    names = _class_names(classes)
    wanted = StatedRoles(inputs, labels, scores, _output(output), groups, attributes, judged, form, types or NO_TYPES)
    with _in_memory(printable(path or callable)):
        if callable is not None:
            made = arrays or from_code(callable, Path(folder))
            return read_rows(made, wanted, classes=names, digest=arrays_digest(made), with_inputs=with_inputs)
        place = locate(path or "", Path(folder), what="data")
        if place.is_dir():
            return _images(ImageFolder(place, printable(path)), wanted, image_size, names, with_inputs)
        locate_file(path or "", Path(folder), what="data")
        reader = reader_of(place, printable(path))
        return read_rows(reader, wanted, classes=names, digest=file_digest(place), with_inputs=with_inputs)


def as_data(obj: Any, *, classes: Sequence[str] = (), **parts: Any) -> Data:
    """Take rows that are in memory for what they are.

    Parameters
    ----------
    obj
        A mapping of arrays, (inputs, labels), a frame, or a MAITE-shaped dataset. A mapping may have the keys inputs,
        labels, scores, output, groups, classes, and attributes (a mapping of further columns); inputs may be a frame.
    classes
        Names of the classes, in the order of the scores.
    parts
        Of a frame the names of its columns: ``inputs``, ``labels``, ``scores``, ``output``, ``groups``, ``attributes``.

    Returns
    -------
    Data
        Checked rows.

    Examples
    --------
    >>> import surefoot as sf
    >>> len(sf.adapters.as_data(([[0.1], [0.9]], [0, 1])))
    2

    """
    if isinstance(obj, Data):
        return obj
    if is_frame(obj):
        return _from_frame(obj, parts, classes)
    if not isinstance(obj, Mapping):
        arrays: Arrays | FrameTable = from_object(obj, where="data")
        others = tuple(name for name in arrays.names if name not in KEYS)
        return _from_arrays(arrays, StatedRoles(attributes=others), classes)
    for key in obj:
        if key not in KEYS:
            raise DiagnosticsError.of(
                "data-column", f"{quoted(key)} means nothing here.", hint=did_you_mean(str(key), KEYS)
            )
    plain = {key: value for key, value in obj.items() if key not in ("output", "classes")}
    named: dict[str, Any] = {key: key for key in ("inputs", "labels", "scores", "groups") if plain.get(key) is not None}
    wanted = StatedRoles(**named, output=_output(obj.get("output")), attributes=tuple(plain.get("attributes") or ()))
    return _from_arrays(from_object(plain, where="data"), wanted, classes or obj.get("classes") or ())


@validate.arguments
def data_digest(*, path: str | None = None, callable: str | None = None, folder: Path) -> str:
    r"""SHA-256 of a file's content, of a folder's names and contents, or of the arrays that code returns.

    Parameters
    ----------
    path, callable, folder
        As for ``load_data``.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "rows.csv").write_text("x,label\n0.1,car\n")
    ...     sf.adapters.data_digest(path="rows.csv", folder=Path(folder))[:12]
    'd638db408b42'

    """
    _check_source(path, callable)
    if callable is not None:
        return arrays_digest(from_code(callable, Path(folder)))
    place = locate(path or "", Path(folder), what="data")
    if place.is_dir():
        return ImageFolder(place, printable(path)).digest()
    return file_digest(locate_file(path or "", Path(folder), what="data"))


def _from_frame(obj: Any, parts: Mapping[str, Any], classes: Sequence[str]) -> Data:
    """Rows of a frame; which of its columns is what is said, and inputs are those that are nothing else."""
    table = FrameTable(Frame(obj, "data"), "data")
    named = {key: value for key, value in parts.items() if value is not None and key != "output"}
    return _from_arrays(table, StatedRoles(**named, output=_output(parts.get("output"))), classes)


def _from_arrays(arrays: Arrays | FrameTable, wanted: StatedRoles, classes: Sequence[str]) -> Data:
    names = _class_names(classes)
    return read_rows(arrays, wanted, classes=names, digest=arrays_digest(arrays), with_inputs=True)


def reader_of(place: Path, where: str) -> NpzFile | CsvFile | ParquetFile | JsonLinesFile:
    """The reader of a file, by its ending."""
    reader = READERS.get(place.suffix.lower())
    if reader is None:
        text = f"{where!r} is none of the data that can be read ({listed(READERS)}, a folder of images)."
        raise DiagnosticsError.of("data-unreadable", text, where=where)
    return reader(place, where)


def _images(
    folder: ImageFolder, wanted: StatedRoles, size: tuple[int, int] | None, classes: Sequence[str], with_inputs: bool
) -> Data:
    named = [wanted.inputs, wanted.labels or None, wanted.scores, wanted.groups, *wanted.attributes]
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
        raise DiagnosticsError.out_of_memory(error, "while the data were read", where=where) from error
