"""Streams that rows come from: a file of lines or arrays, a folder of such or of images, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from surefoot.adapters.array_data import IMAGE_ENDINGS, NpzFile, decoded
from surefoot.adapters.labels import LABEL_NAMES
from surefoot.adapters.project_code import explained, visible_files
from surefoot.core import DiagnosticsError
from surefoot.core.errors import require
from surefoot.documents import printable
from surefoot.watch.drift import Layout
from surefoot.watch.records import Chunk, Patience, Problem, Records

STDIN = "-"
NO_PLACE: Mapping[str, Any] = {}


@contextmanager
def open_stream(
    where: str, layout: Layout, *, batch: int, patience: Patience | None = None, place: Mapping[str, Any] = NO_PLACE
) -> Iterator[Iterable[Chunk]]:
    r"""Open a stream of rows: a file, a folder or standard input.

    Parameters
    ----------
    where
        A file (.csv, .jsonl, .ndjson, .npz, .parquet), a folder of such files or of images, or ``-`` for CSV or JSON
        lines on standard input, which is read from wherever it stands.
    layout
        Which columns mean what.
    batch
        Most rows of a chunk.
    patience
        Whether to wait for more.
    place
        How far it was read before, as an earlier chunk told.

    Yields
    ------
    Iterable of Chunk
        Rows by column, and those that were no rows.

    Raises
    ------
    DiagnosticsError
        Where there is no such file, or none that can be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from surefoot.watch import Layout, open_stream
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "rows.csv")
    ...     _ = path.write_text("left,right\n0.1,0.2\n0.3,0.4\n")
    ...     with open_stream(str(path), Layout(), batch=10) as chunks:
    ...         [(chunk.rows, list(chunk.columns)) for chunk in chunks]
    [(2, ['left', 'right'])]

    """
    waiting, optional = patience or Patience(), (*filter(None, (layout.labels,)), *LABEL_NAMES, *layout.attributes)
    done = _rows(place)
    if where == STDIN:
        yield _counted_on(Records(sys.stdin.buffer, "stdin", batch, optional=optional), done)
        return
    path = Path(where)
    kind = path.suffix.lower()
    if path.is_dir():
        yield FolderRows(path, where, batch, waiting, layout.image_size, optional, dict(place))
    elif not path.is_file():
        raise DiagnosticsError.of("file-missing", "there is no such file or folder.", where=where)
    elif kind in LINES:
        with path.open("rb") as stream:
            yield Records(stream, where, batch, waiting, skip=done, optional=optional)
    elif kind not in BINARY:
        text = f"{path.name!r} is none of the streams that can be read ({', '.join((*LINES, *BINARY))}, a folder)."
        raise DiagnosticsError.of("watch-stream", text, where=where)
    elif waiting.follow:
        text = f"a {kind} file does not grow row by row."
        raise DiagnosticsError.of("watch-stream", text, where=where, hint="Follow a folder, or a .csv or .jsonl file.")
    else:
        yield ArrayRows(path, where, batch, skip=done)


def _rows(place: Mapping[str, Any]) -> int:
    rows = place.get("rows", 0)
    if not isinstance(rows, int) or rows < 0:
        raise DiagnosticsError.of("watch-state", "it does not say how far the stream was read.", where="state")
    return rows


def _counted_on(chunks: Iterable[Chunk], done: int) -> Iterable[Chunk]:
    """Chunks of a stream that cannot be read again: it goes on where it stands."""
    for chunk in chunks:
        yield replace(chunk, place={"rows": done + int(chunk.place["rows"])})


# Rows of a folder: data files and images, in the order of their names, also those that appear later.

LINES, BINARY = (".csv", ".jsonl", ".ndjson"), (".npz", ".parquet")
IMAGES = tuple(IMAGE_ENDINGS)
IMAGE, CLASS = "image", "class"
ENDED = object()


@dataclass
class FolderRows:
    """Files of a folder, each once; where images lie in folders, these are named after the class."""

    path: Path
    where: str
    batch: int
    patience: Patience = field(default_factory=Patience)
    image_size: tuple[int, int] | None = None
    optional: tuple[str, ...] = ()
    """Columns that rows may lack."""
    place: Mapping[str, Any] = field(default_factory=dict)
    _sizes: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Chunk]:
        """Chunks of rows; a file that appears later is taken when it has stopped growing."""
        waiting = self.patience.waiting()
        while True:
            found = False
            for chunk in self._look():
                found = True
                yield chunk
            if found:
                waiting = self.patience.waiting()
            if next(waiting, ENDED) is ENDED:
                return

    def _look(self) -> Iterator[Chunk]:
        """Rows of the files that are there and were not taken."""
        files = {path.relative_to(self.path).as_posix(): path for path in visible_files(self.path)}
        known = sorted(name for name, path in files.items() if path.suffix.lower() in (*LINES, *BINARY, *IMAGES))
        late = sum(name < self._last for name in known) - int(self.place.get("taken", 0))
        if late > 0:
            yield self._late(late)
        left = [name for name in known if name > self._last or (name == self._last and not self.place["done"])]
        for names in self._together(left):
            settled = [self._is_settled(name, files[name]) for name in names]
            if self.patience.follow and not all(settled):
                return
            yield from self._images(names, files) if _is_image(names[0]) else self._file(names[0], files[names[0]])

    @property
    def _last(self) -> str:
        """The file that was taken last."""
        return str(self.place.get("file", ""))

    def _together(self, names: list[str]) -> Iterator[list[str]]:
        """Data files one by one, images as many as a batch takes."""
        images: list[str] = []
        for name in names:
            if images and (not _is_image(name) or len(images) == self.batch):
                yield images
                images = []
            if _is_image(name):
                images.append(name)
            else:
                yield [name]
        if images:
            yield images

    def _is_settled(self, name: str, path: Path) -> bool:
        """Whether a file is as it was at the last look."""
        try:
            now = path.stat()
        except OSError:
            return False
        size = (now.st_size, now.st_mtime_ns)
        before, self._sizes[name] = self._sizes.get(name), size
        return before == size

    def _file(self, name: str, path: Path) -> Iterator[Chunk]:
        begun = int(self.place["rows"]) if self._last == name else 0
        try:
            with path.open("rb") as stream:
                reader: Iterable[Chunk] = (
                    Records(stream, name, self.batch, skip=begun, optional=self.optional)
                    if path.suffix.lower() in LINES
                    else ArrayRows(path, name, self.batch, skip=begun)
                )
                for chunk in reader:
                    self._at(name, int(chunk.place["rows"]))
                    yield replace(chunk, place=dict(self.place))
        except (DiagnosticsError, OSError) as error:
            self._at(name, int(self.place["rows"]) if self._last == name else 0, done=True)
            problem = Problem(0, name, f"the file cannot be used: {explained(error)}")
            yield Chunk({}, (), 1, dict(self.place), name, problems=(problem,))
        self._at(name, int(self.place["rows"]) if self._last == name else 0, done=True)

    def _images(self, names: list[str], files: Mapping[str, Path]) -> Iterator[Chunk]:
        images, classes, offsets, problems = [], [], [], []
        for offset, name in enumerate(names):
            self._at(name, 1, done=True)
            try:
                images.append(decoded(files[name], self.image_size))
            except (Exception, Warning) as error:
                problems.append(Problem(offset, name, f"this is no image that can be read: {explained(error)}"))
                continue
            offsets.append(offset)
            classes.append(name.rpartition("/")[0].rpartition("/")[2])
        columns = {IMAGE: images} | ({CLASS: classes} if any(classes) else {})
        where = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        yield Chunk(columns, offsets, len(names), dict(self.place), where, None, problems=tuple(problems))

    def _at(self, name: str, rows: int, *, done: bool = False) -> None:
        """Note how far the folder was read: ``taken`` counts the files taken whose names come before this one."""
        taken = int(self.place.get("taken", 0)) + (bool(self._last) and self._last != name)
        self.place = {"file": name, "rows": rows, "taken": taken, "done": done}
        if done:
            self._sizes.pop(name, None)

    def _late(self, files: int) -> Chunk:
        self.place = {**self.place, "taken": int(self.place["taken"]) + files}
        appeared = "a file appeared with a name" if files == 1 else f"{files:,} files appeared with names"
        text = f"{appeared} before {printable(self._last)}, which was taken already"
        return Chunk({}, (), files, dict(self.place), self.where, problems=(Problem(0, self.where, text),))


def _is_image(name: str) -> bool:
    return name.lower().endswith(IMAGES)


# Rows of binary files: npz, which is read whole, and parquet, which is read in slices.


@dataclass(frozen=True)
class ArrayRows:
    """Rows of a file of arrays, a few at a time."""

    path: Path
    where: str
    batch: int
    skip: int = 0

    def __iter__(self) -> Iterator[Chunk]:
        """Chunks of at most ``batch`` rows."""
        reading = _parquet if self.path.suffix.lower() == ".parquet" else _npz
        read = 0
        for columns, rows in reading(self.path, self.where, self.batch):
            before, read = read, read + rows
            left_out = min(max(self.skip - before, 0), rows)
            if left_out < rows:
                kept = {name: column[left_out:] for name, column in columns.items()}
                yield Chunk(
                    kept, range(rows - left_out), rows - left_out, {"rows": read}, self.where, before + left_out + 1
                )
        if read < self.skip:
            text = f"the file has {read:,} rows, and {self.skip:,} of it were read before."
            raise DiagnosticsError.of("watch-state", text, where=self.where, hint="Remove the state to start anew.")


Slices = Iterator[tuple[dict[str, NDArray[Any]], int]]


def _npz(path: Path, where: str, batch: int) -> Slices:
    file = NpzFile(path, where)
    arrays = file.read(file.names)
    lengths = [len(array) for array in arrays.values() if array.ndim]
    rows = max(set(lengths), key=lengths.count, default=0)
    columns = {name: array for name, array in arrays.items() if array.ndim and len(array) == rows}
    for start in range(0, rows, batch):
        part = {name: array[start : start + batch] for name, array in columns.items()}
        yield part, min(batch, rows - start)


def _parquet(path: Path, where: str, batch: int) -> Slices:
    require("pyarrow", extra="parquet", purpose="A parquet file")
    from pyarrow import ArrowException, parquet

    try:
        with parquet.ParquetFile(path) as file:
            for slice_ in file.iter_batches(batch_size=batch):
                yield {name: _values(slice_.column(name)) for name in slice_.schema.names}, slice_.num_rows
    except (ArrowException, OSError) as error:
        text = f"this is no parquet file that can be read: {explained(error)}."
        raise DiagnosticsError.of("data-unreadable", text, where=where) from error


def _values(column: Any) -> Any:
    from pyarrow import types

    plain = types.is_floating(column.type) or types.is_integer(column.type) or types.is_boolean(column.type)
    return column.to_numpy(zero_copy_only=False) if plain and not column.null_count else column.to_pylist()
