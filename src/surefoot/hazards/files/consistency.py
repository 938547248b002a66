"""Whether the parts of a worksheet fit together: what rows and flows name must exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from surefoot.documents import Findings, shown
from surefoot.hazards.worksheet import Hazop, Row

MOST_COMPARED = 60
"""Names among which a suggestion is looked for; more would take long where many are wrong."""


@dataclass(frozen=True)
class Misfit:
    """A field of an item or row that names what is not there."""

    part: str
    key: str
    field: str
    text: str
    known: Collection[str]
    name: str

    def hint(self, findings: Findings) -> str:
        """What was probably meant."""
        if self.known and len(self.known) <= MOST_COMPARED:
            return findings.suggestion(self.name, self.known)
        return "Define it, or correct the name."


def misfits(hazop: Hazop) -> Iterator[Misfit]:
    """Ends of flows that are no nodes, then items and levels that rows name and nobody defined.

    Rows of a worksheet without items may name any. A parameter or guide word that an item does not list is no misfit:
    a team may find more than was asked.
    """
    yield from _ends(hazop)
    for row in hazop.rows:
        if hazop.items and row.item not in hazop.item:
            text = f"item {shown(row.item)} is not defined."
            yield Misfit("row", row.id, "item", text, hazop.item, row.item)
        yield from _levels(hazop, row)


def _ends(hazop: Hazop) -> Iterator[Misfit]:
    nodes = {item.name: None for item in hazop.items if item.kind == "node"}
    for item in hazop.items:
        for field, end in (("from", item.source), ("to", item.target)):
            if end and end not in nodes:
                text = f"the flow {shown(item.name)} names {shown(end)}, which is no node."
                yield Misfit("item", item.name, field, text, nodes, end)


def _levels(hazop: Hazop, row: Row) -> Iterator[Misfit]:
    scales = (
        ("severity", row.severity, hazop.matrix.severities),
        ("likelihood", row.likelihood, hazop.matrix.likelihoods),
    )
    for field, word, scale in scales:
        if word and word not in scale:
            yield Misfit("row", row.id, field, f"{field} {shown(word)} is no word of the scale.", scale, word)
