"""A case that was read, and what of its file it does not say."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.case.case import Case
from surefoot.core.diagnostics import Diagnostic

LOST = "case-lost"


@dataclass(frozen=True)
class Reading:
    """The case, and a note for each thing that was left out or kept in another form."""

    case: Case
    notes: tuple[Diagnostic, ...] = ()


def lost(text: str, where: str, hint: str = "") -> Diagnostic:
    """A note that something was left out or kept in another form."""
    return Diagnostic(LOST, text, "note", where, hint)
