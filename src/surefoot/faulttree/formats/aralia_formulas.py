"""Formulas of Aralia text, by the strength of their operators (Pratt 1973)."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.documents import Refused, shown
from surefoot.faulttree.formats.aralia_words import Words
from surefoot.faulttree.formula import Formula, Kind

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
