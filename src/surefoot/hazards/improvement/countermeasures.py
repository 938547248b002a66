"""Candidate measures: what they change in a tree, how project files write them, and which go together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError, Distribution, Estimate, InvalidInput, SurefootError, validate
from surefoot.core.canonical import FrozenMap
from surefoot.documents import Refused, did_you_mean, shown
from surefoot.faulttree.formats.assembly import recorded
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Fixed, Operation, Quantity, as_quantity

Chosen = tuple[int, ...]
"""Places of candidates in the list, in order."""
KEYS = ("events", "cost", "note")
FACTOR = re.compile(r"[x×*]\s*(\d[\d.]*(?:[eE][+-]?\d+)?|\.\d+)")


@dataclass(frozen=True)
class Candidate:
    """A measure that would change events, gates, house events or parameters of a tree.

    Parameters
    ----------
    name
        What is done.
    changes
        By name what it changes. An event or parameter takes a number, an estimate, a distribution, a quantity or
        ``Times``; an event, gate or house event also True (certain) or False (impossible); a gate also a ``Barrier``.
    cost
        At least 0; None where nobody knows it.
    note
        Anything else.

    Examples
    --------
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
        """Read ``{"events": {"e": 0.01, "f": "x0.1"}, "cost": 1000, "note": ""}``; see ``candidates_from_plain``."""
        return candidate_from(name, said)


def _check(change: Change, where: str) -> None:
    if isinstance(change, str):
        remedy = "Use a number or Times(0.1), or from_plain."
        raise InvalidInput("a change is no text", where=where, found=repr(change), remedy=remedy)
    if not isinstance(change, Times | Barrier | Quantity | Estimate | Distribution):
        validate.number(change, where=where, name="change")


@dataclass(frozen=True)
class Times:
    """Today's probability, or parameter, times a factor.

    Parameters
    ----------
    factor
        At least 0; 0.1 is ten times better.

    Examples
    --------
    >>> str(Times(0.1))
    'x0.1'

    """

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
    """A new event that has to happen as well for a gate to be true: the barrier fails.

    It fails independently of everything else; two gates that name one barrier share it.

    Parameters
    ----------
    name
        Of the barrier.
    fails
        Its probability of failure: a number, an estimate, a distribution or a quantity.

    Examples
    --------
    >>> str(Barrier("sonar guidance", 0.05))
    'barrier sonar guidance: 0.05'

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


def candidate_from(name: str, said: Any) -> Candidate:
    """One candidate; every problem of it is in the error."""
    return candidates_from_plain({name: said})[0]


def candidates_from_plain(said: Any) -> tuple[Candidate, ...]:
    """Candidates as project files write them.

    A change is a probability, a factor (``"x0.1"``), true or false, a quantity as in fault-tree files (``{failures: 3,
    trials: 4000}``), or for a gate ``{barrier: name, fails: 0.01}``.

    Parameters
    ----------
    said
        For each name a mapping with ``events``, and where there are any ``cost`` and ``note``.

    Returns
    -------
    tuple of Candidate
        In their order.

    Raises
    ------
    DiagnosticsError
        Every problem of all of them.

    Examples
    --------
    >>> found = candidates_from_plain({"second camera": {"events": {"blind": "x0.1"}, "cost": 4000}})
    >>> str(found[0].changes["blind"])
    'x0.1'

    """
    if not isinstance(said, Mapping):
        text = f"Candidates are a mapping from names to what they change, found {shown(said)}."
        raise DiagnosticsError.of("wrong-value", text, where="candidates")
    problems: list[Diagnostic] = []
    found = [_read(str(name), each, problems) for name, each in said.items()]
    DiagnosticsError.raise_if_any(problems)
    return tuple(candidate for candidate in found if candidate is not None)


def _read(name: str, said: Any, problems: list[Diagnostic]) -> Candidate | None:
    where = f"candidate {name!r}"
    before = len(problems)
    problems.extend(_of_shape(said, where))
    if len(problems) > before:
        return None
    changes: dict[str, Change] = {}
    for event, change in said["events"].items():
        place = f"{where}, {str(event)!r}"
        try:
            changes[str(event)] = _change(change)
        except Refused as refused:
            problems.append(Diagnostic(refused.code, refused.text, "error", place, refused.hint))
        except SurefootError as error:
            problems.append(Diagnostic("wrong-value", f"{error}.".replace("..", "."), "error", place))
    if len(problems) > before:
        return None
    try:
        return Candidate(name, changes, said.get("cost"), said.get("note") or "")
    except SurefootError as error:
        problems.append(Diagnostic("wrong-value", str(error), "error", where))
        return None


def _of_shape(said: Any, where: str) -> Iterator[Diagnostic]:
    if not isinstance(said, Mapping):
        yield Diagnostic(
            "wrong-value", f"A candidate is a mapping with {', '.join(KEYS)}.", "error", where, _found(said)
        )
        return
    for key in said:
        if key not in KEYS:
            hint = did_you_mean(str(key), KEYS)
            yield Diagnostic("unknown-key", f"{shown(key)} says nothing for a candidate.", "error", where, hint)
    if not isinstance(said.get("events"), Mapping) or not said["events"]:
        text = "'events' must say what changes, by the name of an event, gate, house event or parameter."
        yield Diagnostic("missing-key", text, "error", where, _found(said.get("events")))
    cost, note = said.get("cost"), said.get("note")
    if cost is not None and (isinstance(cost, bool) or not isinstance(cost, int | float)):
        yield Diagnostic("wrong-value", "The cost must be a number.", "error", where, _found(cost))
    if note is not None and not isinstance(note, str):
        yield Diagnostic("wrong-value", "The note must be text.", "error", where, _found(note))


def _found(said: Any) -> str:
    return f"Found {shown(said)}."


def _change(said: Any) -> Change:
    if isinstance(said, bool | int | float):
        return said
    if isinstance(said, str):
        return _factor(said)
    if isinstance(said, Mapping) and "barrier" in said:
        return _barrier(said)
    if isinstance(said, Mapping):
        return _quantity(said)
    raise Refused("wrong-value", f"A change is a number, a factor such as 'x0.1', true or false; found {shown(said)}.")


def _factor(said: str) -> Times:
    found = FACTOR.fullmatch(said.strip())
    try:
        return Times(float(found[1]) if found else float("nan"))
    except (ValueError, SurefootError):
        text = f"A factor is written x and a number, found {shown(said)}."
        raise Refused("wrong-value", text, "Write for example x0.1 for ten times better.") from None


def _barrier(said: Mapping[str, Any]) -> Barrier:
    wrong = [key for key in said if key not in ("barrier", "fails")]
    if wrong:
        raise Refused("unknown-key", f"{shown(wrong[0])} says nothing for a barrier.", "It has a name and fails.")
    if "fails" not in said or not isinstance(said["barrier"], str):
        raise Refused("missing-key", "A barrier needs its name, and 'fails', its probability of failure.")
    fails = said["fails"]
    return Barrier(said["barrier"], _quantity(fails) if isinstance(fails, Mapping) else as_quantity(_number(fails)))


def _quantity(said: Mapping[str, Any]) -> Quantity:
    return Quantity.from_dict(recorded(said, Quantity))


def _number(said: Any) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 1:
        raise Refused("wrong-value", f"A probability lies between 0 and 1, found {shown(said)}.")
    return float(said)


# Candidates put into a tree.


def check(tree: FaultTree, found: Sequence[Candidate]) -> None:
    """Refuse names that the tree does not have and changes that do not fit them; all problems at once."""
    DiagnosticsError.raise_if_any(problem for candidate in found for problem in _problems(tree, candidate))


def _problems(tree: FaultTree, candidate: Candidate) -> Iterator[Diagnostic]:
    known = names_of(tree)
    for name, change in candidate.changes.items():
        where = f"candidate {candidate.name!r}, {name!r}"
        if name not in known:
            yield Diagnostic(
                "unknown-reference", f"The tree has no {name!r}.", "error", where, did_you_mean(name, list(known)[:200])
            )
        elif wrong := _misfit(tree, name, change):
            yield Diagnostic("wrong-value", wrong, "error", where)


def names_of(tree: FaultTree) -> dict[str, object]:
    """Everything that a candidate can change, by name."""
    return {**tree.parameters, **tree.houses, **tree.gates, **tree.events}


def _misfit(tree: FaultTree, name: str, change: Change) -> str:
    """What is wrong with a change of this name, or nothing."""
    if name in tree.events:
        return _misfit_of_event(tree, name, change)
    if name in tree.gates:
        if isinstance(change, Barrier):
            taken = change.name in {*tree.events, *tree.gates, *tree.houses}
            return f"The name {change.name!r} of the barrier is taken." if taken else ""
        return "" if isinstance(change, bool) else "A gate takes true, false or a barrier."
    if name in tree.houses:
        return "" if isinstance(change, bool) else "A house event takes true or false."
    return "A parameter takes a number, a factor or a quantity." if isinstance(change, bool | Barrier) else ""


def _misfit_of_event(tree: FaultTree, name: str, change: Change) -> str:
    if isinstance(change, Barrier):
        return "A barrier stands at a gate: name the gate above the event, or give a factor."
    if isinstance(change, Times) and tree.events[name] is None:
        return "A factor needs a probability, and the event has none."
    if isinstance(change, int | float) and not 0 <= change <= 1:
        return f"A probability lies between 0 and 1, found {change:g}."
    return ""


def in_tree(tree: FaultTree, found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates as far as they change something here: several trees may share a list of them."""
    known = names_of(tree)
    parts = ((each, {name: change for name, change in each.changes.items() if name in known}) for each in found)
    return [replace(each, changes=changes) for each, changes in parts if changes]


def with_numbers(numbers: Numbers, changes: Mapping[str, Sequence[Change]]) -> Numbers:
    """Events and parameters after their changes; other names are left to ``with_logic``."""
    events, parameters = dict(numbers.events), dict(numbers.parameters)
    for name, some in changes.items():
        if name in events:
            events[name] = _changed(events[name], some)
        elif name in parameters:
            parameters[name] = _changed(parameters[name], some) or parameters[name]
    return Numbers(events, parameters)


@dataclass(frozen=True)
class Numbers:
    """Quantities of events and parameters: what ``quantities`` reads of a tree."""

    events: Mapping[str, Quantity | None]
    parameters: Mapping[str, Quantity]


def _changed(today: Quantity | None, some: Sequence[Change]) -> Quantity | None:
    if isinstance(some[0], Times):
        return None if today is None else Operation("mul", (Fixed(factor_of(some)), today))
    return as_quantity(float(some[0]) if isinstance(some[0], bool) else some[0])


def factor_of(changes: Sequence[Change]) -> float:
    """What factors multiply to."""
    return math.prod(change.factor for change in changes if isinstance(change, Times))


def with_logic(tree: FaultTree, changes: Mapping[str, Sequence[Change]]) -> FaultTree:
    """The tree with gates and house events changed, and barriers put in."""
    gates, houses, events = dict(tree.gates), dict(tree.houses), dict(tree.events)
    for name, some in changes.items():
        if name in houses:
            houses[name] = bool(some[0])
        elif isinstance(some[0], bool):
            gates[name] = Formula("pass", (some[0],))
        else:
            barriers = {each.name: each.fails for each in some if isinstance(each, Barrier)}
            gates[name] = Formula("and", (gates[name], *barriers))
            events.update(barriers)
    return replace(tree, gates=gates, houses=houses, events=events)


# Sets of candidates.


def conflicts(found: Sequence[Candidate]) -> dict[tuple[int, int], Conflict]:
    """Pairs that change one thing in two ways; factors multiply, barriers add up, equal changes are one."""
    pairs = {}
    for (i, one), (j, other) in combinations(enumerate(found), 2):
        over = [name for name in one.changes if name in other.changes]
        over = [name for name in over if not _combine(one.changes[name], other.changes[name])]
        over += _barriers_that_differ(one, other)
        if over:
            pairs[i, j] = Conflict(one.name, other.name, ", ".join(over))
    return pairs


@dataclass(frozen=True)
class Conflict:
    """Two candidates that cannot be combined, and over what."""

    first: str
    second: str
    over: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second} are not combined: both change {self.over}"


def _combine(one: Change, other: Change) -> bool:
    both_add = any(isinstance(one, kind) and isinstance(other, kind) for kind in (Times, Barrier))
    return both_add or (type(one) is type(other) and one == other)


def _barriers_that_differ(one: Candidate, other: Candidate) -> list[str]:
    """Barriers of one name that fail differently."""
    first, second = ({b.name: b.fails for b in c.changes.values() if isinstance(b, Barrier)} for c in (one, other))
    return [f"the barrier {name}" for name in first if name in second and first[name] != second[name]]


def merged(chosen: Sequence[Candidate]) -> dict[str, list[Change]]:
    """Every change by the name it is about; more than one only where they are factors or barriers."""
    found: dict[str, list[Change]] = {}
    for candidate in chosen:
        for name, change in candidate.changes.items():
            already = found.setdefault(name, [])
            if isinstance(change, Times) or change not in already:
                already.append(change)
    return found


def up_to(count: int, size: int, against: Mapping[tuple[int, int], Conflict]) -> Iterator[Chosen]:
    """Every set of at most so many without a conflict, small ones first, beginning with none."""
    sets = (chosen for each in range(size + 1) for chosen in combinations(range(count), each))
    return (chosen for chosen in sets if allowed(chosen, against))


def allowed(chosen: Chosen, against: Mapping[tuple[int, int], Conflict]) -> bool:
    """Whether no two of the chosen contradict each other."""
    return not any(pair in against for pair in combinations(chosen, 2))


def is_logic(tree: FaultTree, name: str) -> bool:
    """Whether a change of this name changes gates or house events."""
    return name not in tree.events and (name in tree.gates or name in tree.houses)
