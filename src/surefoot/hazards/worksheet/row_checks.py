"""What a single row lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.hazards.worksheet.progress import risk_class
from surefoot.hazards.worksheet.row import Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop


def incomplete(hazop: Hazop) -> Iterator[Diagnostic]:
    """One finding for each row that somebody worked on and that lacks something."""
    severe = frozenset(hazop.matrix.severe)
    for row in hazop.rows:
        lacks = [] if row.blank else list(_lacks(row, risk_class(hazop, row), severe))
        if lacks:
            text = f"row {row.id} {' and '.join(what for what, _ in lacks)}."
            hint = " ".join(hint for _, hint in lacks)
            yield Diagnostic("hazop-incomplete", text, where=row.place or row.id, hint=hint)


def _lacks(row: Row, risk: str, severe: frozenset[str]) -> Iterator[tuple[str, str]]:
    """What is missing, and what to do about it."""
    if row.status == "not credible":
        if not row.remark.strip():
            yield "is called not credible without a reason", "Say why in the remark."
    else:
        yield from _chain(row)
        if risk in severe and not row.mitigations:
            yield f"has {risk} risk and no mitigation", "Say what is done about it."
    if bool(row.severity) != bool(row.likelihood):
        has, needs = ("severity", "likelihood") if row.severity else ("likelihood", "severity")
        yield f"has a {has} without a {needs}", f"Give its {needs} too."
    if row.status == "reviewed" and not row.reviewer.strip():
        yield "is called reviewed without a reviewer", "Name who reviewed it."


def _chain(row: Row) -> Iterator[tuple[str, str]]:
    if not row.causes and not row.consequences:
        yield "has neither cause nor consequence", "Say why the deviation may happen and what follows."
    elif not row.consequences:
        yield "has a cause without a consequence", "Say what follows, or rule the deviation out as not credible."
    elif not row.causes:
        yield "has a consequence without a cause", "Say why the deviation may happen."
