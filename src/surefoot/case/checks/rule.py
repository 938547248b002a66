"""What a check is: a small function over shared indexes, and the codes it may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from surefoot.case.checks.context import Context
from surefoot.core import Diagnostic

Check = Callable[[Context], Iterator[Diagnostic]]


@dataclass(frozen=True)
class Rule:
    """A check and its codes; ``needs_evidence`` keeps it silent where nobody said what was measured."""

    check: Check
    codes: tuple[str, ...]
    needs_evidence: bool = False
