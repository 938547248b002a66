"""What the blocks of a drawing are: gates in full, single inputs, and lists of inputs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from surefoot.faulttree.drawing.growth import Growth

Role = Literal["gate", "leaf", "transfer", "collapsed", "list"]
MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class Row:
    """An input in a list."""

    item: int
    role: Role


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the drawing. A list has the item of its gate."""

    item: int
    role: Role
    depth: int
    parent: int | None
    rows: tuple[Row, ...] = ()
    hidden: tuple[int, ...] = ()
    """Inputs that the last row of a list counts instead of naming them."""
    condition: int | None = None
    """The event that stands in an oval beside an inhibit gate."""


def plan(growth: Growth, *, keep: Collection[int], most_rows: int | None) -> list[Part]:
    """Blocks, each after its parent, siblings from left to right; rows in ``keep`` are never left out."""
    roles = _roles(growth)
    parts: list[Part] = []
    waiting: list[tuple[int, int | None, bool]] = [(0, None, False)]
    while waiting:
        number, parent, as_list = waiting.pop()
        one = growth.occurrences[number]
        if as_list:
            rows = [Row(growth.occurrences[row].item, roles[row]) for row in growth.listed(number)]
            parts.append(_list(Part(one.item, "list", one.depth + 1, parent), rows, keep, most_rows))
            continue
        condition = growth.condition(number) if one.inputs else None
        parts.append(Part(one.item, roles[number], one.depth, parent, condition=condition))
        place = len(parts) - 1
        waiting += [(below, place, is_list) for below, is_list in reversed(list(_below(growth, number)))]
    return parts


def _below(growth: Growth, number: int) -> Iterator[tuple[int, bool]]:
    """What stands below a gate; its list goes by the number of the gate and stands where the first row would."""
    listed = growth.listed(number)
    rows = set(listed)
    for below in growth.below(number):
        if below not in rows:
            yield below, False
        elif below == listed[0]:
            yield number, True


def _list(part: Part, rows: Sequence[Row], keep: Collection[int], most: int | None) -> Part:
    shown = _shown(rows, keep, len(rows) if most is None else most)
    kept = tuple(rows[place] for place in sorted(shown))
    hidden = tuple(row.item for place, row in enumerate(rows) if place not in shown)
    return Part(part.item, part.role, part.depth, part.parent, kept, hidden)


def _shown(rows: Sequence[Row], keep: Collection[int], most: int) -> set[int]:
    if len(rows) <= most:
        return set(range(len(rows)))
    needed = [place for place, row in enumerate(rows) if row.item in keep]
    others = [place for place, row in enumerate(rows) if row.item not in keep]
    return {*needed, *others[: max(0, most - 1 - len(needed))]}


def _roles(growth: Growth) -> list[Role]:
    """A gate that is collapsed at several places is collapsed at the first, and a transfer elsewhere."""
    drawn = set(growth.in_full)
    roles: list[Role] = []
    for number, one in enumerate(growth.occurrences):
        if one.inputs:
            roles.append("gate")
        elif not growth.item(number).is_gate:
            roles.append("leaf")
        else:
            roles.append("transfer" if one.item in drawn else "collapsed")
            drawn.add(one.item)
    return roles
