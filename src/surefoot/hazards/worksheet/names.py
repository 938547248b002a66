"""Names that rows and flows use and that are defined nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import did_you_mean, listed
from surefoot.hazards.worksheet.row import Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

_MOST_KNOWN, _MOST_HINTS = 60, 50
"""A suggestion compares a name with all that are known, which takes long where there are many of both."""


@dataclass(frozen=True)
class _Use:
    """An unknown name, and the names that are known in its place, whose owner is ``of``."""

    what: str
    name: str
    of: tuple[str, ...] = ()

    def known(self, hazop: Hazop) -> Collection[str]:
        scales = {"severity": hazop.matrix.severities, "likelihood": hazop.matrix.likelihoods}
        if self.what == "item":
            return hazop.item
        if self.what == "property":
            return [each.id for each in hazop.properties]
        if self.what == "parameter":
            return hazop.item[self.of[0]].parameters
        return scales[self.what] if self.what in scales else hazop.item[self.of[1]].parameters[self.of[0]]

    def __str__(self) -> str:
        owner = "".join(f" of {name!r}" for name in self.of)
        return f"{self.what} {self.name!r}{owner}"


def unknown(hazop: Hazop) -> Iterator[Diagnostic]:
    """One finding for each unknown name, with the rows that use it, and one for each open end of a flow."""
    uses: dict[_Use, list[Row]] = {}
    properties = frozenset(each.id for each in hazop.properties)
    for row in hazop.rows:
        for use in _unknown_of(hazop, row, properties):
            uses.setdefault(use, []).append(row)
    numbers = count()
    for use, rows in uses.items():
        who, say = ("row", "names") if len(rows) == 1 else ("rows", "name")
        text = f"{use} is not defined; {who} {listed([row.id for row in rows])} {say} it."
        hint = _hint(use.name, use.known(hazop), next(numbers))
        yield Diagnostic("hazop-unknown", text, where=rows[0].place or rows[0].id, hint=hint)
    yield from _unknown_ends(hazop, numbers)


def _unknown_of(hazop: Hazop, row: Row, properties: Collection[str]) -> Iterator[_Use]:
    item = hazop.item.get(row.item)
    if item is None:
        yield _Use("item", row.item)
    elif item.parameters and row.parameter not in item.parameters:
        yield _Use("parameter", row.parameter, (row.item,))
    elif item.parameters and row.guide_word not in item.parameters[row.parameter]:
        yield _Use("guide word", row.guide_word, (row.parameter, row.item))
    yield from (_Use("property", name) for name in row.endangers if name not in properties)
    if row.severity and row.severity not in hazop.matrix.severities:
        yield _Use("severity", row.severity)
    if row.likelihood and row.likelihood not in hazop.matrix.likelihoods:
        yield _Use("likelihood", row.likelihood)


def _unknown_ends(hazop: Hazop, numbers: Iterator[int]) -> Iterator[Diagnostic]:
    nodes = {item.name: None for item in hazop.items if item.kind == "node"}
    for item in hazop.items:
        for end, name in (("source", item.source), ("target", item.target)):
            if name and name not in nodes:
                what = "is a flow itself" if name in hazop.item else "is no node"
                text = f"the {end} {name!r} of flow {item.name!r} {what}."
                yield Diagnostic("hazop-unknown", text, where=item.name, hint=_hint(name, nodes, next(numbers)))


def _hint(name: str, known: Collection[str], number: int) -> str:
    if known and len(known) <= _MOST_KNOWN and number < _MOST_HINTS:
        return did_you_mean(name, known)
    return "Define it, or correct the name."
