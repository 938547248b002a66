"""Aralia text: Boolean equations such as ``g1 := (e1 & ~e2) | @(2, [a, b, c]);``, and ``p(e1) = 0.01``.

Read are the operators ``~`` or ``-`` (not), ``&``, ``^`` (xor), ``|``, ``=>``, ``<=>``, in this order of strength,
``@(k, [...])`` (at least k) and ``#(low, high, [...])`` (between); probabilities ``p(event) = number`` and house
events ``s(event) = true``. Statements end with a semicolon or, in a file without any, with the line. A name alone in
the first line is the name of the tree; a name that is defined nowhere is a basic event of unknown probability.
"""

from __future__ import annotations

from surefoot.core.errors import SurefootError
from surefoot.documents import Findings, Refused, shown
from surefoot.faulttree.formats.aralia_formulas import FormulaReader
from surefoot.faulttree.formats.aralia_words import Word, Words, statements
from surefoot.faulttree.formats.building import Parts

STATES = {"true": True, "1": True, "false": False, "0": False}


def read_aralia(text: str, findings: Findings, *, top: str | None = None) -> Parts:
    """What Aralia text describes; top events are the gates that no other gate uses, unless one is named."""
    parts = Parts(findings, top=top)
    for index, statement in enumerate(statements(text, findings)):
        words = Words(statement)
        try:
            _take(words, parts, first=index == 0)
        except Refused as error:
            findings.add(error.code, error.text, line=words.line, hint=error.hint)
        except SurefootError as error:
            findings.add("tree-probability", f"{error}", line=words.line)
    _add_undefined(parts)
    return parts


def _take(words: Words, parts: Parts, *, first: bool) -> None:
    name = words.name("a name")
    if words.accept(":="):
        formula = FormulaReader(words).whole()
        parts.define(name.text, name.line)
        parts.gates[name.text] = formula
    elif name.text in ("p", "s") and words.accept("("):
        _fact(name, words, parts)
    elif first and words.at_end:
        parts.name = name.text
    else:
        raise words.unexpected("':='")


def _fact(kind: Word, words: Words, parts: Parts) -> None:
    """``p(name) = number`` or ``s(name) = true``."""
    from surefoot.faulttree.quantities import Fixed

    name = words.name("the name of an event")
    words.expect(")")
    words.expect("=")
    value = words.next("a value")
    if not words.at_end:
        raise words.unexpected("the end of the statement")
    parts.define(name.text, name.line)
    if kind.text == "s":
        if value.text not in STATES:
            raise Refused("wrong-value", f"the house event {name.text!r} is true or false, found {shown(value.text)}.")
        parts.houses[name.text] = STATES[value.text]
    elif value.kind != "number":
        raise Refused("wrong-value", f"the probability of {name.text!r} is a number, found {shown(value.text)}.")
    else:
        parts.events[name.text] = Fixed(float(value.text))


def _add_undefined(parts: Parts) -> None:
    from surefoot.faulttree.gate_problems import input_names

    for formula in parts.gates.values():
        for name in input_names(formula):
            if name not in parts.marks:
                parts.events.setdefault(name, None)
