"""What would be left of a number if an assumption were false, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from surefoot.documents import Rounding, significant

Relation = Literal["at most", "at least", "about"]
ROUNDED: dict[Relation, Rounding] = {"at most": "up", "at least": "down", "about": "nearest"}


@dataclass(frozen=True)
class Line:
    """One number that would hold instead."""

    when: str
    limit: float
    relation: Relation
    keeps: bool
    """Whether that is within the limit of the target."""

    @property
    def number(self) -> str:
        """The number, rounded to its cautious side, with its relation."""
        return f"{self.relation} {significant(self.limit, rounding=ROUNDED[self.relation])}"

    @property
    def said(self) -> str:
        """The supposition as the beginning of a sentence."""
        return f"{self.when[:1].upper()}{self.when[1:]}:"

    def __str__(self) -> str:
        return f"{self.said} {self.number}, which {'keeps' if self.keeps else 'breaks'} the limit"


@dataclass(frozen=True)
class Consequence:
    """What would be left of a number."""

    lines: tuple[Line, ...]
    rest: str
    """What can be said beyond these lines; empty where they say all."""

    @property
    def text(self) -> str:
        """All of it as sentences."""
        return " ".join([*(f"{line}." for line in self.lines), *([self.rest] if self.rest else [])])
