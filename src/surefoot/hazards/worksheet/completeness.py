"""What a worksheet lacks: deviations nobody considered, unfinished rows, unknown names, open loops, reviews to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import listed
from surefoot.hazards.worksheet.loop import Creation, Loop
from surefoot.hazards.worksheet.names import unknown
from surefoot.hazards.worksheet.row_checks import incomplete

if TYPE_CHECKING:
    from surefoot.hazards.worksheet.hazop import Hazop

MOST_WORDS = 20


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


def _undefined(name: str, creations: Sequence[Creation]) -> Diagnostic:
    row = creations[0].row
    text = f"property {name!r}, created by {_origin(creations)}, is not defined."
    hint = "Define it with object, property, relation and value."
    return Diagnostic("hazop-property", text, where=row.place or row.id, hint=hint)


def _unexamined(name: str, creations: Sequence[Creation]) -> Diagnostic:
    origin = f", created by {_origin(creations)}," if creations else ""
    again = "Go round once more: look" if creations else "Look"
    hint = f"{again} for deviations that violate it, and name it in what their rows endanger."
    return Diagnostic("hazop-property", f"property {name!r}{origin} is endangered by no row.", where=name, hint=hint)


def _origin(creations: Sequence[Creation]) -> str:
    more = len(creations) - 1
    return f"{creations[0]} and {more:,} more" if more else str(creations[0])


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
