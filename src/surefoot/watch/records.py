"""Records of a stream: lines of text, rows in chunks, and the events that watching them finds.

Text is CSV with a header, or JSON lines: one row a line, so that a broken row spoils no other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from numpy.typing import NDArray

from surefoot.core import Diagnostic, DiagnosticsError, validate
from surefoot.core.canonical import FrozenDict, thaw
from surefoot.documents import csv, json

# Lines of a text stream, each at most so long, while it may still grow.

LONGEST_LINE = 1 << 24
PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Line:
    """One line with its number; ``text`` is None where it is too long or no UTF-8."""

    number: int
    text: str | None
    why: str = ""


@dataclass(frozen=True)
class Patience:
    """Whether to wait for more of a stream, and for how long.

    Parameters
    ----------
    follow
        Wait at all.
    idle
        End when nothing came for so many seconds; None waits for ever.
    pause
        Seconds between two looks.

    Examples
    --------
    >>> from surefoot.watch import Patience
    >>> list(Patience().waiting())
    []

    """

    follow: bool = False
    idle: float | None = None
    pause: float = PAUSE_SECONDS

    def waiting(self) -> Iterator[None]:
        """Once after each pause, until patience ends."""
        end = None if self.idle is None else time.monotonic() + self.idle
        while self.follow and (end is None or time.monotonic() < end):
            time.sleep(self.pause)
            yield


def lines_of(stream: IO[bytes], patience: Patience) -> Iterator[Line | None]:
    """Lines of a stream; None where it has no more at the moment, so that what is there can be looked at."""
    number, begun = 0, b""
    while True:
        part = stream.readline(LONGEST_LINE - len(begun))
        begun += part
        if begun.endswith(b"\n") or len(begun) >= LONGEST_LINE:
            number += 1
            yield _line(number, begun, _rest_skipped(stream, begun))
            begun = b""
        elif not part:
            yield None
            if not _more(stream, patience):
                break
    if begun:
        yield _line(number + 1, begun, False)


def _more(stream: IO[bytes], patience: Patience) -> bool:
    """Wait until there is something to read."""
    for _ in patience.waiting():
        at = stream.tell()
        if stream.read(1):
            stream.seek(at)
            return True
    return False


def _rest_skipped(stream: IO[bytes], begun: bytes) -> bool:
    """Read on to the end of a line that is too long; whether it was."""
    if begun.endswith(b"\n"):
        return False
    while part := stream.readline(LONGEST_LINE):
        if part.endswith(b"\n"):
            break
    return True


def _line(number: int, raw: bytes, too_long: bool) -> Line:
    if too_long:
        return Line(number, None, f"the line is longer than {LONGEST_LINE:,} bytes")
    try:
        return Line(number, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n"))
    except UnicodeDecodeError:
        return Line(number, None, "the line is not UTF-8")


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


# Rows as they come out of a stream, before anybody looked at their values.

Column = Sequence[Any] | NDArray[Any]
Place = Mapping[str, Any]
"""How far a stream was read, as plain data."""


@dataclass(frozen=True)
class Problem:
    """A row that cannot be used."""

    offset: int
    """Which row of its chunk it is."""
    where: str
    text: str


@dataclass(frozen=True, eq=False)
class Chunk:
    """A few rows of a stream by column, and those that were no rows."""

    columns: Mapping[str, Column]
    offsets: Sequence[int]
    """For each row of the columns, which row of the chunk it is."""
    rows: int
    """All rows that were read, those that cannot be used as well."""
    place: Place
    where: str
    first_line: int | None = 1
    """Line, or row, of the first row; None where each chunk has a name of its own."""
    lines: Sequence[int] = ()
    """Lines of the rows of the columns, where they are not simply one after the other."""
    problems: tuple[Problem, ...] = field(default=())

    def place_of(self, row: int) -> str:
        """Where a row of the columns is written."""
        if self.lines:
            return f"{self.where}:{self.lines[row]}"
        return self.where if self.first_line is None else f"{self.where}:{self.first_line + self.offsets[row]}"


# What watching a stream found: one thing that happened, at one row, in words that say what to do.

SMALLEST_PERCENT = 1e-4


def share_words(share: float) -> str:
    """A share as people read it.

    >>> [share_words(each) for each in (0, 1, 0.15, 0.0193, 3.1e-6)]
    ['0%', '100%', '15%', '1.93%', '3.1e-06']
    """
    return f"{100 * share:.3g}%" if share == 0 or share >= SMALLEST_PERCENT else f"{share:.2g}"


def out_of(few: int, all_: int, what: str = "") -> str:
    """So many of so many, and the share that this is.

    >>> out_of(210, 1400, "labelled rows")
    '210 of 1,400 labelled rows (15%)'
    """
    return f"{few:,} of {' '.join(filter(None, (f'{all_:,}', what)))} ({share_words(few / all_ if all_ else 0.0)})"


CONDITION, PROFILE, FIELD, FELL, ROW = (
    "watch-condition",
    "watch-profile",
    "watch-field",
    "watch-claim-fell",
    "watch-row",
)
RAISED = (CONDITION, PROFILE, FIELD, FELL)
"""Codes of what is raised; a row that cannot be used is only told."""


@dataclass(frozen=True)
class Event:
    """One thing that happened in a stream.

    Parameters
    ----------
    code
        ``watch-condition``, ``watch-profile``, ``watch-field``, ``watch-claim-fell``, or ``watch-row`` for a row that
        cannot be used.
    row
        Row of the stream at which it was noticed, counted from 1.
    text
        What happened, in a sentence.
    about
        The id of an assumption, a target or a claim, or the place of a row.
    figures
        What it rests on.

    Examples
    --------
    >>> from surefoot.watch import Event
    >>> event = Event("watch-claim-fell", 812, "The claim 'G1' was supported and is not shown.", "G1")
    >>> print(event, event.raised)
    row 812: [watch-claim-fell] The claim 'G1' was supported and is not shown. True

    """

    code: str
    row: int
    text: str
    about: str = ""
    figures: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        validate.fields(self)
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    @property
    def raised(self) -> bool:
        """Whether an assumption broke or a claim fell."""
        return self.code in RAISED

    @property
    def diagnostic(self) -> Diagnostic:
        """The event as any other finding."""
        return Diagnostic(self.code, self.text, "error" if self.raised else "warning", f"row {self.row:,}")

    def __str__(self) -> str:
        return f"row {self.row:,}: [{self.code}] {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "code": self.code,
            "row": self.row,
            "text": self.text,
            "about": self.about,
            "figures": thaw(self.figures),
        }
