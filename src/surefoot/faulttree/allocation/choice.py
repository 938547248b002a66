"""Which events an allocation may change, and why not the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from surefoot.core import validate
from surefoot.core.errors import InvalidInput

WHERE = "allocate"


@dataclass(frozen=True)
class Choice:
    """Names of chosen events in the order of the diagram, and what to tell of those left out."""

    names: tuple[str, ...]
    notes: tuple[str, ...]


def choose(
    directions: Mapping[str, int], known: Collection[str], events: Sequence[str] | None, fixed: Collection[str]
) -> Choice:
    """The named events, or all with which the top event rises, without the fixed ones.

    ``directions`` are those of the events that the top event depends on, ``known`` the names of all events.
    """
    _check_names(known, events, fixed)
    if events is None:
        names = tuple(name for name, sign in directions.items() if sign > 0 and name not in fixed)
        left = [name for name, sign in directions.items() if sign <= 0 and name not in fixed]
        return _some(names, _note(left, "left as they are, because the top event does not rise with them"))
    wrong = [f"{name!r} {_behaviour(directions[name])}" for name in events if directions.get(name, 1) <= 0]
    if wrong:
        raise InvalidInput(
            "the top event does not rise with every chosen event",
            where=WHERE,
            found="; ".join(wrong),
            remedy="Leave these events out; a largest probability for them would not keep the top event down.",
        )
    names = tuple(name for name in directions if name in set(events))
    return _some(names, _note([n for n in events if n not in directions], "without influence on the top event"))


def _some(names: tuple[str, ...], notes: tuple[str, ...]) -> Choice:
    if not names:
        raise InvalidInput("there is no event left to choose", where=WHERE, found="; ".join(notes) or "all are fixed")
    return Choice(names, notes)


def _note(names: Sequence[str], why: str) -> tuple[str, ...]:
    return (f"{', '.join(names)}: {why}.",) if names else ()


def _behaviour(sign: int) -> str:
    return "lowers it" if sign < 0 else "can raise it and lower it"


def _check_names(known: Collection[str], events: Sequence[str] | None, fixed: Collection[str]) -> None:
    for names, what in ((events or (), "events"), (fixed, "fixed")):
        if isinstance(names, str):
            raise InvalidInput(f"{what} must be a collection of names", where=WHERE, found=repr(names))
        for name in names:
            validate.choice(name, known, where=WHERE, name="event")
    both = [name for name in events or () if name in set(fixed)]
    if both:
        raise InvalidInput("an event is chosen and fixed at once", where=WHERE, found=", ".join(both))
