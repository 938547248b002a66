"""Rows of text streams: CSV with a header, or JSON lines. One row a line, so that a broken row spoils no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from surefoot.core import DiagnosticsError
from surefoot.documents import csv, json
from surefoot.project.watch.chunk import Chunk, Problem
from surefoot.project.watch.lines import Line, Patience, lines_of

MOST_COLUMNS = 100_000


class BadRow(Exception):
    """A line that is no row, with the reason."""


@dataclass
class Records:
    """Reads rows line by line; the first line says whether it is JSON lines or the header of a CSV file."""

    stream: IO[bytes]
    where: str
    batch: int
    patience: Patience = field(default_factory=Patience)
    skip: int = 0
    """So many rows were read before."""
    optional: tuple[str, ...] = ()
    """Columns that rows of JSON may lack; there, the others are those of the first row."""
    _names: tuple[str, ...] = ()
    _json: bool | None = None

    def __iter__(self) -> Iterator[Chunk]:
        """Chunks of at most ``batch`` rows; fewer where the stream has no more at the moment."""
        collected, read = _Collected(), 0
        for line in lines_of(self.stream, self.patience):
            if line is not None and not self._is_row(line):
                continue
            if line is not None:
                read += 1
                if read > self.skip:
                    self._take(line, collected)
            if collected.rows and (line is None or collected.rows >= self.batch):
                yield collected.chunk(self._names, read, self.where)
                collected = _Collected()
        if collected.rows:
            yield collected.chunk(self._names, read, self.where)
        if read < self.skip:
            text = f"the stream has {read:,} rows, and {self.skip:,} of it were read before."
            raise DiagnosticsError.of("watch-state", text, where=self.where, hint="Remove the state to start anew.")

    def _is_row(self, line: Line) -> bool:
        """Whether a line is a row, and not the header or empty."""
        if line.text is not None and not line.text.strip():
            return False
        if self._json is None:
            self._json = line.text is not None and line.text.lstrip().startswith("{")
            if not self._json:
                self._names = _header(line, self.where)
                return False
        return True

    def _take(self, line: Line, collected: _Collected) -> None:
        try:
            if line.text is None:
                raise BadRow(line.why)
            values = self._object(line.text) if self._json else self._cells(line.text)
        except BadRow as error:
            collected.refuse(f"{self.where}:{line.number}", str(error))
            return
        collected.add(values, line.number)

    def _cells(self, text: str) -> list[Any]:
        try:
            cells = csv.row(text)
        except ValueError as error:
            raise BadRow(f"this is no row of CSV: {error}") from error
        if len(cells) != len(self._names):
            raise BadRow(f"the header has {len(self._names)} columns, and this line has {len(cells)}")
        return cells

    def _object(self, text: str) -> list[Any]:
        try:
            found = json.loads(text)
        except ValueError as error:
            raise BadRow(f"this is no JSON: {str(error)[:100]}") from error
        if not isinstance(found, Mapping) or not found:
            raise BadRow("this is no object with a value for each column")
        if not self._names:
            self._names = tuple(dict.fromkeys((*found, *self.optional)))
        missing = next((name for name in self._names if name not in found and name not in self.optional), None)
        if missing is not None:
            raise BadRow(f"there is no {missing!r}")
        return [found.get(name) for name in self._names]


@dataclass
class _Collected:
    values: list[list[Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0

    def add(self, values: list[Any], line: int) -> None:
        self.values.append(values)
        self.lines.append(line)
        self.offsets.append(self.rows)
        self.rows += 1

    def refuse(self, where: str, why: str) -> None:
        self.problems.append(Problem(self.rows, where, why))
        self.rows += 1

    def chunk(self, names: tuple[str, ...], read: int, where: str) -> Chunk:
        columns = zip(*self.values, strict=True) if self.values else ((),) * len(names)
        named = {name: list(column) for name, column in zip(names, columns, strict=True)}
        return Chunk(
            {name: column for name, column in named.items() if any(value is not None for value in column)},
            self.offsets,
            self.rows,
            {"rows": read},
            where,
            lines=self.lines,
            problems=tuple(self.problems),
        )


def _header(line: Line, where: str) -> tuple[str, ...]:
    problem = line.why
    if line.text is not None:
        try:
            names = tuple(name.strip() for name in csv.row(line.text))
        except ValueError as error:
            names, problem = (), str(error)
        twice = [name for name in names if names.count(name) > 1] if len(names) < MOST_COLUMNS else []
        if names and not twice and all(names) and len(names) < MOST_COLUMNS:
            return names
        problem = problem or (f"two columns are called {twice[0]!r}" if twice else "a column has no name")
    text = f"the first line is neither a header of CSV nor a JSON object: {problem}."
    raise DiagnosticsError.of("watch-stream", text, where=f"{where}:{line.number}")
