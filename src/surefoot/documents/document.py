"""What a file says as plain data, with the line and column of every part of it, and the problems found in it.

Each problem has a code, a place and what to do; they are collected while a file is read and shown together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from surefoot.core.diagnostics import Diagnostic, DiagnosticsError, Severity
from surefoot.core.validate import did_you_mean, printable, shown

Keys = tuple[str | int, ...]
"""Names of mappings and places in lists that lead from the whole to one of its parts."""
Place = tuple[int, int]
"""A line and a column, both counted from 1."""
START: Place = (1, 1)
_SIMPLE = re.compile(r"[\w -]{1,60}")
MOST_PROBLEMS = 200
_LINE_AND_COLUMN = re.compile(r":([0-9]+)(?::([0-9]+))?\Z")


class Document:
    r"""Mappings, lists, texts, numbers, truth values and None, with their places in the file.

    Parameters
    ----------
    data
        What the file says.
    places
        The place of each key and list item, and under ``()`` that of the whole; or what finds them, which is asked
        only when a message needs a place.

    Examples
    --------
    >>> from surefoot.documents import Findings, yaml
    >>> document = yaml.parse("target:\n  at most: 0.05\n", Findings("a.yaml"))
    >>> document.data, document.place(("target", "at most"))
    ({'target': {'at most': 0.05}}, (2, 3))

    """

    def __init__(self, data: Any, places: Mapping[Keys, Place] | Callable[[], Mapping[Keys, Place]]) -> None:
        self.data = data
        self._places = places

    @cached_property
    def places(self) -> Mapping[Keys, Place]:
        """Line and column of each key and list item."""
        return self._places() if callable(self._places) else self._places

    def place(self, path: Keys) -> Place:
        """The place of the innermost key that is written."""
        return self.places.get(self.written(path), START)

    def line(self, path: Keys) -> int:
        """The line of the innermost key that is written."""
        return self.place(path)[0]

    def written(self, path: Keys) -> Keys:
        """The keys as far as they are written; what was left out leads no further."""
        return next((path[:depth] for depth in range(len(path), 0, -1) if path[:depth] in self.places), ())

    def part(self, data: Any) -> Document:
        """Some of the data, with their places in the whole."""
        return Document(data, lambda: self.places)


def dotted(path: Keys, whole: str = "the project") -> str:
    """Keys as people write them.

    Parameters
    ----------
    path
        Names of mappings and places in lists.
    whole
        What no keys at all stand for.

    Returns
    -------
    str
        Keys with dots between them.

    Examples
    --------
    >>> dotted(("components", "camera", "classes", 0))
    'components.camera.classes[0]'

    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key if _SIMPLE.fullmatch(key) else shown(key, 60)}"
    return text.removeprefix(".") or whole


@dataclass(frozen=True)
class Kind:
    """How documents of one kind call their problems, and how large they may be.

    What is refused is the same for all of them: a second key of one name, control characters, and of YAML anchors,
    aliases, tags and several documents, of XML entities and document types.

    See Also
    --------
    Findings

    """

    syntax: str
    """The code of what cannot be parsed."""
    forbidden: str = ""
    """The code of what a strict reader refuses; that of what cannot be parsed where it is empty."""
    empty: str = ""
    """The code of a file that says nothing; likewise."""
    cell: str = ""
    """The code of a cell of a sheet that cannot be taken over; likewise."""
    heading: str = ""
    """The code of columns that are missing, not known or there twice; likewise."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Codes of names that appear twice in sections of the whole, where it is not ``duplicate-key``."""
    beginning: str = "Write it again, or take it from where it came from."
    """What to do about a file that says nothing."""
    flatter: str = "Nest it less deep."
    """What to do about values that are nested too deep."""
    columns: bool = False
    """Whether places are told with their columns."""
    largest: int = 20_000_000
    deepest: int = 500
    most_values: int = 10_000_000

    @property
    def cell_code(self) -> str:
        """The code of a cell."""
        return self.cell or self.syntax

    @property
    def heading_code(self) -> str:
        """The code of a column."""
        return self.heading or self.syntax


@dataclass
class Findings:
    """What was found in one file; after many problems the rest is only counted.

    Parameters
    ----------
    file
        Its name, as messages say it.
    kind
        How its problems are called.
    errors
        What was found before.
    uncounted
        How many problems were only counted.

    Examples
    --------
    >>> from surefoot.documents import Findings
    >>> findings = Findings("tree.yaml")
    >>> findings.add("wrong-value", "the gate has no inputs.", line=12, hint="Name some.")
    >>> print(findings.errors[0])
    tree.yaml:12: error [wrong-value] the gate has no inputs. Name some.

    """

    file: str
    kind: Kind = Kind("wrong-value")
    errors: list[Diagnostic] = field(default_factory=list)
    uncounted: int = 0

    def add(self, code: str, text: str, *, line: int | Place | None = None, where: str = "", hint: str = "") -> None:
        """One more problem, in a line or at a place that is said in words."""
        if len(self.errors) < MOST_PROBLEMS:
            self.errors.append(Diagnostic(code, text, "error", where or self.place(line), hint))
        else:
            self.uncounted += 1

    def suggestion(self, word: str, known: Iterable[str]) -> str:
        """A hint at what was meant; empty once problems are only counted, since looking for it takes time."""
        return did_you_mean(word, known) if len(self.errors) < MOST_PROBLEMS else ""

    def place(self, line: int | Place | None) -> str:
        """``tree.yaml:12``, or ``surefoot.yaml:12:3`` where such documents tell columns."""
        if line is None:
            return self.file
        if isinstance(line, int):
            return f"{self.file}:{line}"
        return f"{self.file}:{line[0]}:{line[1]}" if self.kind.columns else f"{self.file}:{line[0]}"

    def raise_if_any(self, others: Iterable[Diagnostic] = ()) -> None:
        """Raise one error with all problems, these and the others."""
        errors = by_line([*self.errors, *others])
        if self.uncounted:
            more = f"{self.uncounted:,} more problems were not listed."
            errors.append(Diagnostic(errors[0].code, more, "error", self.file, "Repair these first."))
        DiagnosticsError.raise_if_any(errors)

    def stop(
        self, code: str, text: str, *, line: int | Place | None = None, where: str = "", hint: str = ""
    ) -> NoReturn:
        """The last problem: nothing after it can be read."""
        self.add(code, text, line=line, where=where, hint=hint)
        self.raise_if_any()
        raise AssertionError("unreachable")

    def refuse(self, text: str, *, line: int | Place | None = None, hint: str = "") -> NoReturn:
        """Stop at what a strict reader refuses."""
        self.stop(self.kind.forbidden or self.kind.syntax, text, line=line, hint=hint)

    def unparsable(self, text: str, *, line: int | Place | None = None, hint: str = "") -> NoReturn:
        """Stop at what cannot be parsed."""
        self.stop(self.kind.syntax, text, line=line, hint=hint)

    def twice(self, path: Keys, line: Place, first: Place) -> None:
        """A key that appears twice."""
        code = self.kind.named.get(str(path[0]), "duplicate-key") if len(path) == 2 else "duplicate-key"
        text = f"the key {printable(repr(path[-1]), 60)} appears twice, first in line {first[0]}."
        self.add(code, text, line=line, hint="Remove or rename one of them.")


def by_line(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Problems in the order of the file; what has no line comes first.

    Parameters
    ----------
    found
        Problems whose ``where`` is such as ``a.yaml:12``.

    Returns
    -------
    list of Diagnostic
        All of them.

    Examples
    --------
    >>> from surefoot.core import Diagnostic
    >>> found = [Diagnostic("wrong-value", "odd", where=where) for where in ("a.yaml:12", "a.yaml:3")]
    >>> [problem.where for problem in by_line(found)]
    ['a.yaml:3', 'a.yaml:12']

    """

    def order(problem: Diagnostic) -> tuple[int, int]:
        place = _LINE_AND_COLUMN.search(problem.where)
        return (int(place[1]), int(place[2] or 0)) if place else (0, 0)

    return sorted(found, key=order)


@dataclass(frozen=True)
class Problem:
    r"""A problem before it has a place.

    Parameters
    ----------
    code
        One of ``surefoot.core.CODES``.
    path
        Keys that lead to what is wrong.
    text
        What is said of it, such as ``must be a number``.
    hint
        What to do, as a sentence.
    severity
        ``note``, ``warning`` or ``error``.
    where
        The place in another file, where the problem is there; the text is then a sentence of its own.

    Examples
    --------
    >>> from pathlib import Path
    >>> from surefoot.documents import Findings, Problem, yaml
    >>> document = yaml.parse("target: much\n", Findings("a.yaml"))
    >>> print(Problem("wrong-value", ("target",), "must be a number.").located(Path("a.yaml"), document))
    a.yaml:1: error [wrong-value] target must be a number.

    """

    code: str
    path: Keys
    text: str
    hint: str = ""
    severity: Severity = "error"
    where: str = ""
    """The place in another file, where the problem is there; the text is then a sentence of its own."""

    def located(self, file: Path | None, document: Document) -> Diagnostic:
        """With the line of the file, or with the keys where there is no file."""
        if self.where:
            return Diagnostic(self.code, self.text, self.severity, self.where, self.hint)
        subject = self.path if self.code == "missing-key" else document.written(self.path)
        text = self.text if file is None else f"{dotted(subject)} {self.text}"
        return Diagnostic(self.code, text, self.severity, place(file, document, self.path), self.hint)


def place(file: Path | None, document: Document, path: Keys) -> str:
    """Where a part of a document stands: ``surefoot.yaml:12``; without a file the keys themselves.

    Parameters
    ----------
    file
        The file it was read from.
    document
        What was read.
    path
        Keys that lead to the part.

    Returns
    -------
    str
        The place, as messages say it.

    Examples
    --------
    >>> from surefoot.documents import Document
    >>> place(None, Document({}, {}), ("targets", 0))
    'targets[0]'

    """
    return dotted(path) if file is None else f"{printable(file.name)}:{document.line(path)}"


class Refused(Exception):
    """What a part of a file says cannot be taken over; whoever knows its place makes a finding of it.

    See Also
    --------
    Problem

    """

    def __init__(self, code: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self.hint = code, text, hint
