"""``Option``: a set of candidates, and what it makes of the top event."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from surefoot.core import Estimate, Verdict

NOTHING = "as it is"


@dataclass(frozen=True)
class Option:
    """Candidates that are carried out together; none of them is the tree as it is.

    ``cost`` is None where one of them has none. ``top`` is the top event with its bounds at the level of the verdict.
    ``best`` says that no other option is cheaper and has a lower bound (the Pareto front).
    """

    names: tuple[str, ...]
    cost: float | None
    top: Estimate
    bound: float
    verdict: Verdict
    best: bool = False

    @property
    def met(self) -> bool:
        """Whether the target is shown to be met."""
        return bool(self.verdict)

    @property
    def effort(self) -> float:
        """The cost, or infinity where nobody knows it."""
        return math.inf if self.cost is None else self.cost

    def __str__(self) -> str:
        return " + ".join(self.names) or NOTHING


def with_front(found: Iterable[Option], *, priced: bool) -> tuple[Option, ...]:
    """Options with those marked that no other beats in bound and cost, or number of candidates where none is priced."""
    options = sorted(found, key=lambda option: (_effort(option, priced), option.bound, option.names))
    marked, least = [], math.inf
    for option in options:
        best = option.bound < least and _effort(option, priced) < math.inf
        least = min(least, option.bound) if best else least
        marked.append(replace(option, best=best))
    return tuple(marked)


def ordered(options: Sequence[Option], *, priced: bool) -> tuple[Option, ...]:
    """Those that meet the target first, the cheapest of them on top; the others by their bounds.

    Those that meet it at a cost that nobody knows come after, the smallest first.
    """

    def place(option: Option) -> tuple[bool, float, float, float, int, tuple[str, ...]]:
        effort, size = _effort(option, priced), len(option.names)
        if not option.met:
            return True, option.bound, effort, size, 0, option.names
        return False, effort, size if effort == math.inf else 0, option.bound, size, option.names

    return tuple(sorted(options, key=place))


def _effort(option: Option, priced: bool) -> float:
    return option.effort if priced else len(option.names)
