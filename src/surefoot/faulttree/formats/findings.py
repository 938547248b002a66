"""Problems of one file, collected while it is read and shown together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NoReturn

from surefoot.core.diagnostics import Diagnostic, DiagnosticsError

MOST_PROBLEMS = 200
LONGEST = 60


@dataclass
class Findings:
    """What was found in the file called ``file``; after many problems the rest is only counted."""

    file: str
    errors: list[Diagnostic] = field(default_factory=list)
    uncounted: int = 0

    def add(self, code: str, text: str, *, line: int | None = None, where: str = "", hint: str = "") -> None:
        """One more problem, in a line or at a place that is said in words."""
        if len(self.errors) < MOST_PROBLEMS:
            self.errors.append(Diagnostic(code, text, "error", where or self.place(line), hint))
        else:
            self.uncounted += 1

    def suggestion(self, word: str, known: Iterable[str]) -> str:
        """A hint at what was meant; empty once problems are only counted, since looking for it takes time."""
        return did_you_mean(word, known) if len(self.errors) < MOST_PROBLEMS else ""

    def place(self, line: int | None) -> str:
        """``tree.yaml:12``."""
        return self.file if line is None else f"{self.file}:{line}"

    def raise_if_any(self, others: Iterable[Diagnostic] = ()) -> None:
        """Raise one error with all problems, these and the others."""
        errors = by_line([*self.errors, *others])
        if self.uncounted:
            more = f"{self.uncounted:,} more problems were not listed."
            errors.append(Diagnostic(errors[0].code, more, "error", self.file, "Repair these first."))
        DiagnosticsError.raise_if_any(errors)

    def stop(self, code: str, text: str, *, line: int | None = None, where: str = "", hint: str = "") -> NoReturn:
        """The last problem: nothing after it can be read."""
        self.add(code, text, line=line, where=where, hint=hint)
        self.raise_if_any()
        raise AssertionError("unreachable")


def by_line(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In the order of the file; what has no line comes first."""

    def line(problem: Diagnostic) -> int:
        number = problem.where.rpartition(":")[2]
        return int(number) if number.isascii() and number.isdigit() else 0

    return sorted(found, key=line)


def shown(value: object) -> str:
    """A value as a message shows it: in one line, printable, not too long."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that was probably meant, or at what there is."""
    words = list(known)
    close = get_close_matches(word[:LONGEST], words, n=1)
    return f"Did you mean {close[0]!r}?" if close else f"Known are {', '.join(words)}."


class Refused(Exception):
    """What a definition says cannot be taken over; caught in this package, where it becomes a diagnostic."""

    def __init__(self, code: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self.hint = code, text, hint
