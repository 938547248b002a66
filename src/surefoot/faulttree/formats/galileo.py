"""Static fault trees in the Galileo format (Sullivan and Dugan, Galileo User's Manual, 1998; also FFORT and Storm).

``toplevel "A"; "A" and "B" "C"; "B" 2of3 "x" "y" "z"; "x" lambda=1e-3 dorm=0; "y" prob=0.1;`` Gates: ``and``, ``or``,
``KofM``, ``votK``, ``not``, ``xor``, ``inhibit``, and ``pand``, which becomes a priority gate whose order is taken to
hold, and is told as left out. Gates whose answer depends on time in other ways (spares, dependencies, sequences) are
refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from surefoot.core.errors import SurefootError
from surefoot.documents import Findings, Refused, did_you_mean, shown
from surefoot.faulttree.formats.assembly import Parts
from surefoot.faulttree.formula import Formula, Kind
from surefoot.faulttree.quantities import MISSION_TIME, Exponential, Fixed, Parameter, Quantity

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
    if mission_time is not None:
        parts.parameters[MISSION_TIME] = Fixed(mission_time)
    for statement in statements(text, findings):
        try:
            _take(statement, parts)
        except Refused as error:
            findings.add(error.code, error.text, line=statement.line, hint=error.hint)
        except SurefootError as error:
            findings.add("tree-probability", f"{shown(statement.words[0].text)}: {error}", line=statement.line)
    parts.top = parts.top if top is None else top
    return parts


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


# Basic events of Galileo files: a probability, or a rate over the mission time.

WITHOUT_EFFECT = {"dorm": None, "cov": 1.0, "res": 0.0, "repl": 1.0, "phases": 1.0, "repair": 0.0}
"""Attributes that a static tree does not use, with the value at which they change nothing; dormancy never does."""
AGEING = ("shape", "rate", "scale", "mean", "stddev", "interval")
KNOWN = ("prob", "lambda", *WITHOUT_EFFECT, *AGEING)


def read_event(name: str, words: list[Word], parts: Parts) -> None:
    """Take over a basic event; what is not used stays as an attribute."""
    said = _attributes(name, words)
    parts.events[name] = None
    for key, value in said.items():
        _refuse_dynamic(name, key, value)
    parts.events[name] = _quantity(name, said, parts)
    unused = {key: value for key, value in said.items() if key in WITHOUT_EFFECT}
    if unused:
        parts.attributes[name] = unused


def _attributes(name: str, words: list[Word]) -> dict[str, str]:
    said: dict[str, str] = {}
    for word in words:
        key, equals, value = word.text.partition("=")
        key = key.lower()
        if word.quoted or not equals:
            raise Refused("tree-syntax", f"{shown(word.text)} of the event {shown(name)} is not key=value.")
        if key not in KNOWN:
            raise Refused("tree-syntax", f"the event {shown(name)} has an unknown {key!r}.", did_you_mean(key, KNOWN))
        if key in said:
            raise Refused("tree-duplicate", f"the event {shown(name)} has {key!r} twice.", "Remove one of them.")
        said[key] = value
    return said


def _refuse_dynamic(name: str, key: str, value: str) -> None:
    number = _number(name, key, value)
    if key in AGEING or (key in WITHOUT_EFFECT and WITHOUT_EFFECT[key] not in (None, number)):
        problem = f"the event {shown(name)} has {key}={value}, which is not read from Galileo files."
        raise Refused("tree-unsupported", problem, "Give its probability over the mission as prob=.")


def _quantity(name: str, said: dict[str, str], parts: Parts) -> Quantity:
    if ("prob" in said) == ("lambda" in said):
        found = "both" if "prob" in said else "neither"
        raise Refused("tree-probability", f"the event {shown(name)} needs prob= or lambda=, found {found}.")
    if "prob" in said:
        return Fixed(_number(name, "prob", said["prob"]))
    rate = Fixed(_number(name, "lambda", said["lambda"]))
    if MISSION_TIME not in parts.parameters:
        problem = f"the event {shown(name)} has a rate, and the file has no mission time."
        raise Refused(
            "tree-probability", problem, "Give mission_time (--mission-time at the prompt), in the unit of the rates."
        )
    return Exponential(rate, Parameter(MISSION_TIME))


def _number(name: str, key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refused("tree-probability", f"{key} of the event {shown(name)} is not a number: {shown(value)}.")
    return number


# Words and statements of Galileo text.

_WORD = re.compile(
    r"""(?P<nothing>\s+ | //[^\n]* | /\*.*?\*/)
    | (?P<unclosed>/\*)
    | "(?P<quoted>[^"\n]*)"
    | (?P<end>;)
    | (?P<bare>(?:(?!//|/\*)[^\s;"])+)
    | (?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?!pand<=|por<=|pdep=)([A-Za-z]\w*)=(.*)")


class Word(NamedTuple):
    """A word, and whether it stood in quotes."""

    text: str
    quoted: bool

    @property
    def is_attribute(self) -> bool:
        """Whether it reads ``key=value``."""
        return not self.quoted and _ATTRIBUTE.fullmatch(self.text) is not None


class Statement(NamedTuple):
    """The words up to a semicolon, and the line of the first one."""

    words: list[Word]
    line: int


def statements(text: str, findings: Findings) -> Iterator[Statement]:
    """The statements of a file; what begins no word is noted and passed over."""
    words: list[Word] = []
    line, first = 1, 1
    for found in _WORD.finditer(text):
        kind = found.lastgroup
        if kind == "unclosed":
            findings.stop("tree-syntax", "a comment begins here and does not end.", line=line, hint="Close it with */.")
        if kind == "wrong":
            what = "a quote begins here and does not end" if found[0] == '"' else f"{found[0]!r} has no meaning here"
            findings.add("tree-syntax", f"{what}.", line=line)
        elif kind == "end" and words:
            yield Statement(_joined(words), first)
            words = []
        elif kind in ("quoted", "bare"):
            first = first if words else line
            words.append(Word(found[kind], kind == "quoted"))
        line += found[0].count("\n")
    if words:
        findings.add("tree-syntax", "the last statement does not end with a semicolon.", line=first)
        yield Statement(_joined(words), first)


def _joined(words: list[Word]) -> list[Word]:
    """``prob = 0.1`` as one word."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        if last and not last.quoted and not word.quoted and _belong(last.text, word.text):
            joined[-1] = Word(last.text + word.text, False)
        else:
            joined.append(word)
    return joined


def _belong(left: str, right: str) -> bool:
    return (left.endswith("=") and not left.endswith("<=")) or right.startswith("=")
