"""Chains as the rows of a worksheet give them: cause, deviation, consequence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from surefoot.hazards.scenarios.conflicts import plain
from surefoot.hazards.scenarios.model import Scenario, Scenarios
from surefoot.hazards.scenarios.trace import NOT_CREDIBLE
from surefoot.hazards.worksheet.deviations import Deviation

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop, Row


def drafted(hazop: Hazop) -> Scenarios:
    """One chain for each cause and consequence of each row that is not called not credible.

    Texts that differ in case, spaces or a final full stop are one event, so that a consequence of one row which is a
    cause of another links them; texts of nothing but dots say nothing. Intermediate events and barriers are for people
    to add.
    """
    names, taken = _Names(), set(hazop.row)
    chains = [chain for row in hazop.rows if row.status != NOT_CREDIBLE for chain in _chains(row, names, taken)]
    return Scenarios(tuple(chains), name=hazop.name)


class _Names:
    """The first spelling of each event."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        return self.known.setdefault(plain(text), text.strip().rstrip("."))


def _chains(row: Row, names: _Names, taken: set[str]) -> Iterator[Scenario]:
    deviation = names(str(Deviation(*row.deviation)))
    causes, effects = ([names(text) for text in said if plain(text)] for said in (row.causes, row.consequences))
    chains = [
        chain for cause in causes or [deviation] for effect in effects for chain in _links(cause, deviation, effect)
    ]
    ids = iter([row.id]) if len(chains) == 1 else _free_ids(row.id, taken)
    for chain in chains:
        yield Scenario(next(ids), chain, rows=(row.id,), place=row.place)


def _links(cause: str, deviation: str, effect: str) -> Iterator[tuple[str, ...]]:
    """One chain; two where it would lead back, so that the loop is reported with all others."""
    if cause == effect != deviation:
        yield cause, deviation
        yield deviation, effect
    elif effect != deviation:
        yield tuple(dict.fromkeys((cause, deviation, effect)))
    elif cause != deviation:
        yield cause, deviation


def _free_ids(row: str, taken: set[str]) -> Iterator[str]:
    """``R1.1``, ``R1.2`` and so on, without those that rows or other chains have."""
    for number in count(1):
        id = f"{row}.{number}"
        if id not in taken:
            taken.add(id)
            yield id
