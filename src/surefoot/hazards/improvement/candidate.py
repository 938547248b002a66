"""``Candidate``: a measure that would change events, gates, house events or parameters of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.core import Distribution, Estimate, InvalidInput, validate
from surefoot.core.canonical import FrozenMap
from surefoot.faulttree.quantities import Quantity, as_quantity


@dataclass(frozen=True)
class Times:
    """Today's probability, or parameter, times a factor: ``Times(0.1)`` is ten times better."""

    factor: float

    def __post_init__(self) -> None:
        factor = validate.number(self.factor, where="Times", name="factor")
        if factor < 0:
            raise InvalidInput("a factor must be at least 0", where="Times", found=f"{factor:g}")
        object.__setattr__(self, "factor", factor)

    def __str__(self) -> str:
        return f"x{self.factor:g}"


@dataclass(frozen=True)
class Barrier:
    """A new event that has to happen as well for a gate to be true: the barrier ``name`` fails.

    The barrier fails independently of everything else; two gates that name one barrier share it.
    """

    name: str
    fails: Quantity

    def __init__(self, name: str, fails: float | Estimate | Distribution | Quantity) -> None:
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput("a barrier needs a name", where="Barrier", found=repr(name))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "fails", as_quantity(fails))

    def __str__(self) -> str:
        return f"barrier {self.name}: {self.fails}"


Change = float | bool | Estimate | Distribution | Quantity | Times | Barrier


@dataclass(frozen=True)
class Candidate:
    """A measure: what it changes, what it costs, and a note.

    An event or parameter takes a number, an estimate, a distribution, a quantity or ``Times``; an event, gate or house
    event also ``True`` (certain) or ``False`` (impossible); a gate also a ``Barrier``.

    >>> Candidate("second camera", {"camera misses it": Times(0.1)}, cost=4000).cost
    4000.0
    """

    name: str
    changes: Mapping[str, Change]
    cost: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        where = f"candidate {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput("a candidate needs a name", where="Candidate", found=repr(self.name))
        if not isinstance(self.changes, Mapping) or not self.changes:
            raise InvalidInput("needs at least one change, by name", where=where, found=repr(self.changes))
        for name, change in self.changes.items():
            _check(change, f"{where}, {name!r}")
        object.__setattr__(self, "changes", FrozenMap(self.changes))
        if self.cost is not None:
            cost = validate.number(self.cost, where=where, name="cost")
            if cost < 0:
                raise InvalidInput("a cost must be at least 0", where=where, found=f"{cost:g}")
            object.__setattr__(self, "cost", cost)

    @classmethod
    def from_plain(cls, name: str, said: Any) -> Candidate:
        """Read ``{"events": {"e": 0.01, "f": "x0.1"}, "cost": 1000, "note": ""}``; see ``plain``."""
        from surefoot.hazards.improvement.plain import candidate_from

        return candidate_from(name, said)


def _check(change: Change, where: str) -> None:
    if isinstance(change, str):
        remedy = "Use a number or Times(0.1), or from_plain."
        raise InvalidInput("a change is no text", where=where, found=repr(change), remedy=remedy)
    if not isinstance(change, Times | Barrier | Quantity | Estimate | Distribution):
        validate.number(change, where=where, name="change")
