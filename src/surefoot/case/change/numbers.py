"""Whether a number that a claim states was loosened or tightened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from surefoot.case.number import Number
from surefoot.core import Target

Direction = Literal["loosened", "tightened", "changed"]


@dataclass(frozen=True)
class NumberChange:
    """One part of a number that differs."""

    part: str
    direction: Direction
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.part} {self.direction}: {self.before} -> {self.after}"


def number_changes(before: Number | None, after: Number | None) -> tuple[NumberChange, ...]:
    """What differs between two numbers, in parts that can be ordered; none where nothing does."""
    if before is None or after is None:
        if before is after:
            return ()
        direction: Direction = "tightened" if before is None else "loosened"
        return (NumberChange("number", direction, str(before or "none"), str(after or "none")),)
    if _sort(before) != _sort(after):
        return (NumberChange("number", "changed", str(before), str(after)),)
    return tuple(_parts(before, after))


def weaker(before: Number | None, after: Number | None) -> tuple[NumberChange, ...]:
    """Those differences by which the number says less than before, or something else."""
    return tuple(change for change in number_changes(before, after) if change.direction != "tightened")


def _sort(number: Number) -> tuple[str, str, str]:
    return number.quantity, number.target.relation, number.target.per


def _parts(before: Number, after: Number) -> Iterator[NumberChange]:
    old, new = before.target, after.target
    if old.limit != new.limit:
        looser = (new.limit > old.limit) == (old.at_most is not None)
        yield NumberChange("limit", _towards(looser), f"{old.relation} {old.limit:g}", f"{new.relation} {new.limit:g}")
    if old.level != new.level:
        yield NumberChange("level", _towards(new.level < old.level), f"{old.level:g}", f"{new.level:g}")
    if before.strict_level != after.strict_level:
        looser = (after.strict_level or 0) < (before.strict_level or 0)
        yield NumberChange("level over all looks", _towards(looser), _level(before), _level(after))
    if set(old.kinds) != set(new.kinds):
        yield _kinds(old, new)
    if old.uncertainty != new.uncertainty:
        yield NumberChange("uncertainty of the limit", _leniency(old, new), _interval(old), _interval(new))


def _kinds(old: Target, new: Target) -> NumberChange:
    looser, tighter = set(new.kinds) > set(old.kinds), set(new.kinds) < set(old.kinds)
    direction: Direction = "loosened" if looser else "tightened" if tighter else "changed"
    return NumberChange("accepted bounds", direction, ", ".join(old.kinds), ", ".join(new.kinds))


def _leniency(old: Target, new: Target) -> Direction:
    """By the end of the limit that a bound is compared with."""
    before, after = old.cautious_limit(old.alpha), new.cautious_limit(new.alpha)
    if before == after:
        return "changed"
    return _towards((after > before) == (old.at_most is not None))


def _towards(looser: bool) -> Direction:
    return "loosened" if looser else "tightened"


def _level(number: Number) -> str:
    return "none" if number.strict_level is None else f"{number.strict_level:g}"


def _interval(target: Target) -> str:
    low, high = target.interval
    return "none" if target.uncertainty is None else f"{low:g} to {high:g}"
