"""Rows of a folder: data files and images, in the order of their names, also those that appear later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from surefoot.adapters.files import visible_files
from surefoot.adapters.image_data import LOOSE, decoded
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.documents import printable
from surefoot.project.watch.arrays import ArrayRows
from surefoot.project.watch.chunk import Chunk, Problem
from surefoot.project.watch.lines import Patience
from surefoot.project.watch.records import Records

LINES, BINARY = (".csv", ".jsonl", ".ndjson"), (".npz", ".parquet")
IMAGES = tuple(LOOSE)
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
