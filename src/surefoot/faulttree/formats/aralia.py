"""Aralia text: Boolean equations such as ``g1 := (e1 & ~e2) | @(2, [a, b, c]);``, and ``p(e1) = 0.01``.

Read are the operators ``~`` or ``-`` (not), ``&``, ``^`` (xor), ``|``, ``=>``, ``<=>``, in this order of strength,
``@(k, [...])`` (at least k) and ``#(low, high, [...])`` (between); probabilities ``p(event) = number`` and house
events ``s(event) = true``. Statements end with a semicolon or, in a file without any, with the line. A name alone in
the first line is the name of the tree; a name that is defined nowhere is a basic event of unknown probability.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from surefoot.core.errors import SurefootError
from surefoot.documents import Findings, Refused, shown
from surefoot.faulttree.formats.assembly import Parts
from surefoot.faulttree.formula import Formula, Kind
from surefoot.faulttree.quantities import Fixed


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
    name = words.name("the name of an event")
    words.expect(")")
    words.expect("=")
    value = words.next("a value")
    if not words.at_end:
        raise words.unexpected("the end of the statement")
    parts.define(name.text, name.line)
    if kind.text == "s":
        if value.text not in CONSTANTS:
            raise Refused("wrong-value", f"the house event {name.text!r} is true or false, found {shown(value.text)}.")
        parts.houses[name.text] = CONSTANTS[value.text]
    elif value.kind != "number":
        raise Refused("wrong-value", f"the probability of {name.text!r} is a number, found {shown(value.text)}.")
    else:
        parts.events[name.text] = Fixed(float(value.text))


def _add_undefined(parts: Parts) -> None:
    for formula in parts.gates.values():
        for name in formula.names():
            if name not in parts.marks:
                parts.events.setdefault(name, None)


# Formulas, by the strength of their operators (Pratt 1973).

STRENGTH = {"<=>": 1, "=>": 2, "|": 3, "^": 4, "&": 5}
KINDS: dict[str, Kind] = {"<=>": "iff", "=>": "imply", "|": "or", "^": "xor", "&": "and"}
CONSTANTS = {"true": True, "false": False, "1": True, "0": False}
DEEPEST = 100

Input = str | bool | Formula


@dataclass
class FormulaReader:
    """Reads one formula from the words of a statement."""

    words: Words
    depth: int = 0

    def whole(self) -> Formula:
        """The formula up to the end of the statement."""
        found = self._operators(0)
        if not self.words.at_end:
            raise self.words.unexpected("an operator or the end of the statement")
        return found if isinstance(found, Formula) else Formula("pass", (found,))

    def _operators(self, least: int) -> Input:
        """Operands joined by operators of at least this strength."""
        left = self._operand()
        while STRENGTH.get(self.words.ahead, -1) >= least:
            operator = self.words.ahead
            operands = [left]
            while self.words.accept(operator):
                operands.append(self._operators(STRENGTH[operator] + 1))
            if operator in ("=>", "<=>") and len(operands) > 2:
                raise Refused("tree-syntax", f"several {operator!r} stand in a row.", "Use parentheses.")
            left = Formula(KINDS[operator], tuple(operands))
        return left

    def _operand(self) -> Input:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused("tree-syntax", f"formulas are nested more than {DEEPEST} deep.", "Give inner formulas names.")
        found = self._innermost()
        self.depth -= 1
        return found

    def _innermost(self) -> Input:
        if self.words.accept("~") or self.words.accept("-"):
            return Formula("not", (self._operand(),))
        if self.words.accept("("):
            inner = self._operators(0)
            self.words.expect(")")
            return inner
        if self.words.ahead in ("@", "#"):
            return self._counting()
        word = self.words.next("a name or a formula")
        if word.text in CONSTANTS:
            return CONSTANTS[word.text]
        if word.kind != "name":
            self.words.position -= 1
            raise self.words.unexpected("a name or a formula")
        return word.text

    def _counting(self) -> Formula:
        """``@(least, [inputs])`` or ``#(least, most, [inputs])``."""
        at_least = self.words.next("a count").text == "@"
        self.words.expect("(")
        low = self._number()
        high = None if at_least else self._number()
        self.words.expect("[")
        inputs = [self._operators(0)]
        while self.words.accept(","):
            inputs.append(self._operators(0))
        self.words.expect("]")
        self.words.expect(")")
        return Formula("atleast" if at_least else "cardinality", tuple(inputs), low, high)

    def _number(self) -> int:
        word = self.words.next("a whole number")
        if not word.text.isdecimal() or len(word.text) > 9:
            raise Refused("tree-syntax", f"a whole number is needed to count to, found {shown(word.text)}.")
        self.words.expect(",")
        return int(word.text)


# Words and statements of Aralia text.

_WORD = re.compile(
    r"""(?P<nothing>[^\S\n]+ | //[^\n]* | /\*.*?\*/)
    | (?P<unclosed>/\*)
    | (?P<newline>\n)
    | (?P<number>(?:\d+\.?\d* | \.\d+)(?:[eE][-+]?\d+)?(?!\w))
    | (?P<name>[^\W\d][\w.]*(?:-\w[\w.]*)*)
    | (?P<symbol>:= | <=> | => | [()\[\],;&|^~@\#=-])""",
    re.VERBOSE | re.DOTALL,
)
_OPEN, _CLOSED = "([", ")]"
_GOES_ON = (":=", "&", "|", "^", "~", "-", "=>", "<=>", ",", "=")


class Word(NamedTuple):
    """A name, number or symbol, and its line."""

    kind: str
    text: str
    line: int


@dataclass
class Words:
    """The words of one statement, read from the left."""

    words: list[Word]
    position: int = 0

    @property
    def at_end(self) -> bool:
        """Whether all words were read."""
        return self.position >= len(self.words)

    @property
    def line(self) -> int:
        """The line of the next word, or of the last one."""
        return self.words[min(self.position, len(self.words) - 1)].line

    @property
    def ahead(self) -> str:
        """The next word, empty at the end."""
        return "" if self.at_end else self.words[self.position].text

    def accept(self, text: str) -> bool:
        """Go past a word if it is the next one."""
        found = self.ahead == text
        self.position += found
        return found

    def expect(self, text: str) -> None:
        """Go past a word that must come."""
        if not self.accept(text):
            raise self.unexpected(f"{text!r}")

    def next(self, wanted: str) -> Word:
        """The next word, whatever it is."""
        if self.at_end:
            raise self.unexpected(wanted)
        self.position += 1
        return self.words[self.position - 1]

    def name(self, wanted: str) -> Word:
        """The next word, which must be a name."""
        if self.at_end or self.words[self.position].kind != "name":
            raise self.unexpected(wanted)
        return self.next(wanted)

    def unexpected(self, wanted: str) -> Refused:
        """The complaint about the next word."""
        return Refused("tree-syntax", f"expected {wanted}, found {shown(self.ahead) if self.ahead else 'the end'}.")


def statements(text: str, findings: Findings) -> Iterator[list[Word]]:
    """The words of each statement; characters that begin no word are noted and passed over."""
    words = list(_words(text, findings))
    by_semicolon = any(word.text == ";" for word in words)
    statement: list[Word] = []
    depth, titled = 0, False
    for word in words:
        depth = max(depth + (word.text in _OPEN) - (word.text in _CLOSED), 0) if word.kind == "symbol" else depth
        is_title = not titled and len(statement) == 1
        ends = word.text == ";" or (word.kind == "newline" and (is_title or not by_semicolon) and not depth)
        if ends and statement and not (word.kind == "newline" and statement[-1].text in _GOES_ON):
            yield statement
            statement, depth, titled = [], 0, True
        elif word.kind != "newline" and word.text != ";":
            statement.append(word)
    if statement:
        yield statement


def _words(text: str, findings: Findings) -> Iterator[Word]:
    position, line = 0, 1
    while position < len(text):
        found = _WORD.match(text, position)
        if found is None:
            findings.add("tree-syntax", f"{shown(text[position])} has no meaning here.", line=line)
            position += 1
            continue
        kind = str(found.lastgroup)
        if kind == "unclosed":
            findings.stop("tree-syntax", "a comment begins here and does not end.", line=line, hint="Close it with */.")
        if kind != "nothing":
            yield Word(kind, found[0], line)
        line += found[0].count("\n")
        position = found.end()
