"""What a worksheet lacks: deviations nobody considered, unfinished rows, unknown names, open loops, reviews to come.

Mitigations create safety properties, which have to be examined in turn: the first loop of Figure 4 of paper RAM (Dong
et al. 2023).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.evidence import Table
from surefoot.documents import did_you_mean, listed
from surefoot.hazards.worksheet import STATUSES, Mitigation, Row

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop

MOST_WORDS = 20
_MOST_KNOWN, _MOST_HINTS = 60, 50
"""A suggestion compares a name with all that are known, which takes long where there are many of both."""
NOT_RATED = "not rated"


def findings(hazop: Hazop) -> Iterator[Diagnostic]:
    """Everything that is missing or odd; nothing of it makes the worksheet unusable."""
    yield from _empty(hazop)
    yield from unknown(hazop)
    yield from _unconsidered(hazop)
    yield from incomplete(hazop)
    yield from _open_loop(hazop)
    yield from _unverified(hazop)
    yield from _waiting(hazop)


def _empty(hazop: Hazop) -> Iterator[Diagnostic]:
    if not hazop.deviations():
        text = "there are no rows and no guide words, so that nobody considered anything."
        hint = "Give items parameters with guide words, and fill a row for each."
        yield Diagnostic("hazop-unconsidered", text, where=hazop.name, hint=hint)


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


def _hint(name: str, known: Collection[str], number: int) -> str:
    if known and len(known) <= _MOST_KNOWN and number < _MOST_HINTS:
        return did_you_mean(name, known)
    return "Define it, or correct the name."


def _unknown_ends(hazop: Hazop, numbers: Iterator[int]) -> Iterator[Diagnostic]:
    nodes = {item.name: None for item in hazop.items if item.kind == "node"}
    for item in hazop.items:
        for end, name in (("source", item.source), ("target", item.target)):
            if name and name not in nodes:
                what = "is a flow itself" if name in hazop.item else "is no node"
                text = f"the {end} {name!r} of flow {item.name!r} {what}."
                yield Diagnostic("hazop-unknown", text, where=item.name, hint=_hint(name, nodes, next(numbers)))


def _unconsidered(hazop: Hazop) -> Iterator[Diagnostic]:
    """One finding for each parameter of each item."""
    missing: dict[tuple[str, str], list[str]] = {}
    for deviation in hazop.deviations():
        if not deviation.considered:
            missing.setdefault((deviation.item, deviation.parameter), []).append(deviation.guide_word)
    for (item, parameter), words in missing.items():
        text = f"nobody considered, of {parameter!r} of {item!r}: {listed(words, MOST_WORDS)}."
        hint = "Fill a row for each, or rule it out as not credible with a reason."
        yield Diagnostic("hazop-unconsidered", text, where=item, hint=hint)
    silent = [item.name for item in hazop.items if not item.parameters]
    if silent:
        text = f"without parameters, so that nothing is looked for in them: {listed(silent)}."
        hint = "Give an item parameters with guide words where its deviations matter."
        yield Diagnostic("hazop-unconsidered", text, "note", hazop.name, hint)


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


def risk_class(hazop: Hazop, row: Row) -> str:
    """The class of risk of a row; empty where a level is not said, or is no word of the scale."""
    return hazop.matrix.risk(row.severity, row.likelihood) if hazop.matrix.knows(row.severity, row.likelihood) else ""


def _open_loop(hazop: Hazop) -> Iterator[Diagnostic]:
    loop = Loop.of(hazop)
    for row, mitigations in loop.unsaid:
        names = listed([repr(mitigation.text) for mitigation in mitigations])
        text = f"row {row.id}: nobody has said whether a safety property comes with {names}."
        hint = "Write 'mitigation -> P1' with the property it creates, or 'mitigation -> none'."
        yield Diagnostic("hazop-property", text, where=row.place or row.id, hint=hint)
    for name in loop.undefined:
        yield _undefined(name, loop.created[name])
    for name in loop.unexamined:
        yield _unexamined(name, loop.created.get(name, ()))


@dataclass(frozen=True)
class Loop:
    """What keeps the loop open; as long as there is something, the HAZOP has to go round once more.

    ``unsaid``: rows with mitigations of which nobody has said whether they create properties. ``undefined``: properties
    that are created, and defined nowhere. ``unexamined``: properties that no row endangers. ``created``: who creates
    each.
    """

    unsaid: tuple[tuple[Row, tuple[Mitigation, ...]], ...]
    undefined: tuple[str, ...]
    unexamined: tuple[str, ...]
    created: dict[str, tuple[Creation, ...]]

    @classmethod
    def of(cls, hazop: Hazop) -> Loop:
        """The state of the loop of a worksheet."""
        pairs = [(row, mitigation) for row in hazop.rows for mitigation in row.mitigations]
        created: dict[str, list[Creation]] = {}
        for row, each in pairs:
            for name in each.creates or ():
                created.setdefault(name, []).append(Creation(row, each, name))
        defined = {each.id: None for each in hazop.properties}
        examined = {name for row in hazop.rows for name in row.endangers}
        unsaid = ((row, tuple(each for each in row.mitigations if each.creates is None)) for row in hazop.rows)
        return cls(
            tuple((row, mitigations) for row, mitigations in unsaid if mitigations),
            tuple(name for name in created if name not in defined),
            tuple(name for name in defined if name not in examined),
            {name: tuple(creations) for name, creations in created.items()},
        )

    def __len__(self) -> int:
        """How many ends are open."""
        return sum(len(mitigations) for _, mitigations in self.unsaid) + len(self.undefined) + len(self.unexamined)


@dataclass(frozen=True)
class Creation:
    """A mitigation of a row, and a property that it creates."""

    row: Row
    mitigation: Mitigation
    property: str

    def __str__(self) -> str:
        return f"the mitigation {self.mitigation.text!r} of row {self.row.id}"


def _undefined(name: str, creations: Sequence[Creation]) -> Diagnostic:
    row = creations[0].row
    text = f"property {name!r}, created by {_origin(creations)}, is not defined."
    hint = "Define it with object, property, relation and value."
    return Diagnostic("hazop-property", text, where=row.place or row.id, hint=hint)


def _origin(creations: Sequence[Creation]) -> str:
    more = len(creations) - 1
    return f"{creations[0]} and {more:,} more" if more else str(creations[0])


def _unexamined(name: str, creations: Sequence[Creation]) -> Diagnostic:
    origin = f", created by {_origin(creations)}," if creations else ""
    again = "Go round once more: look" if creations else "Look"
    hint = f"{again} for deviations that violate it, and name it in what their rows endanger."
    return Diagnostic("hazop-property", f"property {name!r}{origin} is endangered by no row.", where=name, hint=hint)


def _unverified(hazop: Hazop) -> Iterator[Diagnostic]:
    for each in hazop.properties:
        if not each.verification.strip() and not each.evidence.strip():
            text = f"property {each.id!r} has neither a verification nor evidence."
            yield Diagnostic("hazop-property", text, where=each.id, hint="Say how it is shown to hold.")


def _waiting(hazop: Hazop) -> Iterator[Diagnostic]:
    waiting = [row.id for row in hazop.rows if row.status == "filled"]
    if waiting:
        rows, them = ("row waits", "it") if len(waiting) == 1 else ("rows wait", "them")
        text = f"{len(waiting):,} {rows} for review: {listed(waiting)}."
        yield Diagnostic("hazop-review", text, "note", hazop.name, f"Review {them}, and name the reviewer.")


@dataclass(frozen=True)
class Progress:
    """How far a HAZOP has come, in numbers.

    Parameters
    ----------
    nodes, flows
        Items of either kind.
    deviations, considered
        All deviations, and those that some row considers.
    statuses, risks
        Rows by status and by class of risk.
    properties
        Safety properties.
    open_ends
        What keeps the loop from mitigations to properties open.

    Examples
    --------
    >>> from surefoot.hazards import start
    >>> progress = Progress.of(start("vehicle"))
    >>> progress.considered, progress.deviations
    (2, 40)

    """

    nodes: int
    flows: int
    deviations: int
    considered: int
    statuses: Mapping[str, int]
    risks: Mapping[str, int]
    properties: int
    open_ends: int

    @classmethod
    def of(cls, hazop: Hazop) -> Progress:
        """Count."""
        found = hazop.deviations()
        flows = sum(item.kind == "flow" for item in hazop.items)
        statuses = Counter(row.status for row in hazop.rows)
        risks = Counter(risk_class(hazop, row) or NOT_RATED for row in hazop.rows)
        return cls(
            len(hazop.items) - flows,
            flows,
            len(found),
            sum(deviation.considered for deviation in found),
            FrozenMap({status: statuses[status] for status in STATUSES}),
            FrozenMap({name: risks[name] for name in (*reversed(hazop.matrix.order), NOT_RATED)}),
            len(hazop.properties),
            len(Loop.of(hazop)),
        )

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(self.statuses.values())

    def table(self) -> Table:
        """The counts, one a line."""
        lines = [
            ("nodes", self.nodes),
            ("flows", self.flows),
            ("deviations", self.deviations),
            ("deviations considered", self.considered),
            *((f"rows {status}", count) for status, count in self.statuses.items()),
            *((f"rows with risk {name}", count) for name, count in self.risks.items() if name != NOT_RATED),
            ("rows with risk not rated", self.risks[NOT_RATED]),
            ("safety properties", self.properties),
            ("open ends of the first loop", self.open_ends),
        ]
        return Table(("what", "count"), tuple(lines))
