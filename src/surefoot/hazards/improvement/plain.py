"""Candidates as project files write them.

A change is a probability, a factor (``"x0.1"``), true or false, a quantity as in fault-tree files (``{failures: 3,
trials: 4000}``), or for a gate ``{barrier: name, fails: 0.01}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from surefoot.core import Diagnostic, DiagnosticsError, SurefootError
from surefoot.documents import Refused, did_you_mean, shown
from surefoot.faulttree.formats.shorthand import recorded
from surefoot.faulttree.quantities import Quantity, as_quantity
from surefoot.hazards.improvement.candidate import Barrier, Candidate, Change, Times

KEYS = ("events", "cost", "note")
FACTOR = re.compile(r"[x×*]\s*(\d[\d.]*(?:[eE][+-]?\d+)?|\.\d+)")


def candidates_from_plain(said: Any) -> tuple[Candidate, ...]:
    """All candidates of a mapping from names; every problem of all of them is in the error."""
    if not isinstance(said, Mapping):
        text = f"Candidates are a mapping from names to what they change, found {shown(said)}."
        raise DiagnosticsError.of("wrong-value", text, where="candidates")
    problems: list[Diagnostic] = []
    found = [_read(str(name), each, problems) for name, each in said.items()]
    DiagnosticsError.raise_if_any(problems)
    return tuple(candidate for candidate in found if candidate is not None)


def candidate_from(name: str, said: Any) -> Candidate:
    """One candidate; every problem of it is in the error."""
    return candidates_from_plain({name: said})[0]


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
        yield Diagnostic("wrong-value", f"A candidate is a mapping with {_all(KEYS)}.", "error", where, _found(said))
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


def _number(said: Any) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 1:
        raise Refused("wrong-value", f"A probability lies between 0 and 1, found {shown(said)}.")
    return float(said)


def _quantity(said: Mapping[str, Any]) -> Quantity:
    return Quantity.from_dict(recorded(said, Quantity))


def _found(said: Any) -> str:
    return f"Found {shown(said)}."


def _all(words: Iterable[str]) -> str:
    return ", ".join(words)
