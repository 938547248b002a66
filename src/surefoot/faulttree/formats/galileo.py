"""Static fault trees in the Galileo format (Sullivan and Dugan, Galileo User's Manual, 1998; also FFORT and Storm).

``toplevel "A"; "A" and "B" "C"; "B" 2of3 "x" "y" "z"; "x" lambda=1e-3 dorm=0; "y" prob=0.1;`` Gates: ``and``, ``or``,
``KofM``, ``votK``, ``not``, ``xor``, ``inhibit``, and ``pand``, which becomes a priority gate whose order is taken to
hold, and is told as left out. Gates whose answer depends on time in other ways (spares, dependencies, sequences) are
refused.
"""

from __future__ import annotations

import re

from surefoot.core.errors import SurefootError
from surefoot.documents import Findings, Refused, did_you_mean, shown
from surefoot.faulttree.formats.building import Parts
from surefoot.faulttree.formats.galileo_events import read_event
from surefoot.faulttree.formats.galileo_words import Statement, statements
from surefoot.faulttree.formula import Formula, Kind

STATIC: dict[str, Kind] = {"and": "and", "or": "or", "xor": "xor", "not": "not", "inhibit": "inhibit"}
PRIORITY = ("pand", "pand-inc", "pand-incl", "pand-ex", "pand-excl", "pand<=", "pand<")
DYNAMIC = {
    **dict.fromkeys(("csp", "wsp", "hsp", "spare"), "a spare"),
    **dict.fromkeys(("fdep", "pdep"), "a functional dependency"),
    **dict.fromkeys(("por", "por-inc", "por-incl", "por-ex", "por-excl", "por<=", "por<"), "a priority or"),
    "seq": "a sequence",
    "mutex": "an exclusion",
}
_COUNT = re.compile(r"(\d{1,9})of(\d{1,9})|vot(\d{1,9})")
HOLDS = "it is taken to hold, the safe side where the top event rises with the gate. YAML can say how probable it is."
IN_PLACE = "Use a tool for dynamic fault trees, or put in its place what it means for this mission."


def read_galileo(text: str, findings: Findings, *, top: str | None = None, mission_time: float | None = None) -> Parts:
    """What Galileo text describes; events with a rate need the mission time, in the unit of the rates."""
    parts = Parts(findings)
    _set_time(parts, mission_time)
    for statement in statements(text, findings):
        try:
            _take(statement, parts)
        except Refused as error:
            findings.add(error.code, error.text, line=statement.line, hint=error.hint)
        except SurefootError as error:
            findings.add("tree-probability", f"{shown(statement.words[0].text)}: {error}", line=statement.line)
    parts.top = parts.top if top is None else top
    return parts


def _set_time(parts: Parts, mission_time: float | None) -> None:
    from surefoot.faulttree.quantities import MISSION_TIME, Fixed

    if mission_time is not None:
        parts.parameters[MISSION_TIME] = Fixed(mission_time)


def _take(statement: Statement, parts: Parts) -> None:
    first, *rest = statement.words
    if first.text.lower() in ("toplevel", "param") and not first.quoted:
        _head(first.text.lower(), [word.text for word in rest], parts)
        return
    if not rest:
        raise Refused(
            "tree-syntax", f"{shown(first.text)} says nothing.", 'Write "name" and "a" "b"; with a semicolon.'
        )
    parts.define(first.text, statement.line)
    if rest[0].is_attribute or rest[0].quoted:
        read_event(first.text, rest, parts)
    else:
        inputs = [_input(word.text, word.quoted, first.text) for word in rest[1:]]
        parts.gates[first.text] = _gate(first.text, rest[0].text.lower(), tuple(inputs))
        if rest[0].text.lower() in PRIORITY:
            place = parts.findings.place(statement.line)
            text = f"{place}: the order that the {rest[0].text} gate {shown(first.text)} asks for; {HOLDS}"
            parts.left_out_at[first.text] = text


def _head(keyword: str, names: list[str], parts: Parts) -> None:
    if keyword == "param":
        raise Refused("tree-unsupported", "the file has parameters without values.", "Put numbers in their place.")
    if len(names) != 1:
        raise Refused("tree-syntax", f"toplevel takes one name, found {len(names)}.", "End the line with a semicolon.")
    if parts.top is not None:
        raise Refused(
            "tree-duplicate", f"toplevel is there twice, first for {shown(parts.top)}.", "Remove one of them."
        )
    parts.top = names[0]


def _input(text: str, quoted: bool, gate: str) -> str:
    if not quoted and (text.lower() in STATIC or text.lower() in DYNAMIC or text.lower() in ("toplevel", *PRIORITY)):
        problem = f"the keyword {text!r} stands among the inputs of {shown(gate)}."
        raise Refused("tree-syntax", problem, "Is a semicolon missing?")
    return text


def _gate(name: str, kind: str, inputs: tuple[str, ...]) -> Formula:
    if kind in STATIC:
        return Formula(STATIC[kind], inputs)
    if kind in PRIORITY:
        return Formula("pand", inputs)
    if count := _COUNT.fullmatch(kind):
        return _counting(name, count, inputs)
    if kind.partition("=")[0] in DYNAMIC:
        what = DYNAMIC[kind.partition("=")[0]]
        problem = f"the gate {shown(name)} is {what} ({kind}), which a static tree cannot express."
        raise Refused("tree-unsupported", problem, IN_PLACE)
    hint = did_you_mean(kind, [*STATIC, "pand", "2of3"])
    raise Refused("tree-syntax", f"{shown(kind)} of {shown(name)} is no kind of gate.", hint)


def _counting(name: str, count: re.Match[str], inputs: tuple[str, ...]) -> Formula:
    if count[2] is not None and int(count[2]) != len(inputs):
        raise Refused("tree-gate", f"{shown(name)} says {count[0]} and has {len(inputs)} inputs.")
    return Formula("atleast", inputs, int(count[1] or count[3]))
