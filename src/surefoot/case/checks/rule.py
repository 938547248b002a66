"""What a check is: a small function over shared indexes, and the codes it may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from surefoot.case.checks.context import Context
from surefoot.core import CODES, Diagnostic
from surefoot.core.registry import Entry, Registry

Check = Callable[[Context], Iterator[Diagnostic]]
THEMES = (
    "references",
    "relations",
    "development",
    "texts",
    "dialectic",
    "modules",
    "patterns",
    "arguments",
    "legs",
    "limits",
    "targets",
    "evidence",
    "verdicts",
    "assumptions",
)
"""The order in which checks run; those of other modules follow."""
case_check: Registry[Check] = Registry(
    "case check", "surefoot.case.checks", facts=("codes", "needs_evidence"), first=THEMES
)
"""Registers a check of cases with the codes it may raise; ``{code: meaning}`` brings codes that are new."""


@dataclass(frozen=True)
class Rule:
    """A check and its codes; ``needs_evidence`` keeps it silent where nobody said what was measured."""

    check: Check
    codes: tuple[str, ...]
    needs_evidence: bool = False

    @classmethod
    def of(cls, entry: Entry[Check]) -> Self:
        """A registered check, loaded; codes that it brings are known from then on."""
        check, facts = entry.load(), case_check.facts_of(entry)
        codes = facts.get("codes", ())
        for code, meaning in codes.items() if isinstance(codes, Mapping) else ():
            CODES.setdefault(code, meaning)
        return cls(check, tuple(codes), bool(facts.get("needs_evidence")))
