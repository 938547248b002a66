"""How much work an exact answer may cost, and what is said where that is not enough."""

from __future__ import annotations

import time
from dataclasses import dataclass

from surefoot.core import validate
from surefoot.core.errors import SurefootError
from surefoot.faulttree.logic.engines.base import Limit


@dataclass(frozen=True)
class Budget:
    """How many nodes a diagram may have, and how many seconds the exact probability or an interval of it may take.

    The minimal cut sets may take five times as long: they are computed when they are first asked for.
    """

    nodes: int = 20_000_000
    seconds: float = 120.0

    @property
    def minimal_seconds(self) -> float:
        """Time for the minimal cut sets."""
        return 5 * self.seconds

    def __post_init__(self) -> None:
        validate.count(self.nodes, where="Budget", name="nodes", at_least=1)
        validate.positive(self.seconds, where="Budget", name="seconds")

    def limit(self) -> Limit:
        """The limit of work that begins now."""
        return Limit(max(self.nodes, 1024), time.monotonic() + self.seconds)


class BeyondBudget(SurefootError):
    """A tree is too large for an exact answer; its probability lies between ``low`` and ``high``, which is certain."""

    def __init__(self, *, low: float, high: float) -> None:
        self.low, self.high = low, high
        super().__init__(
            "the tree is too large for an exact probability within the budget",
            found=f"certified interval {low:.6g} to {high:.6g}",
            remedy="Use the interval, or give a larger budget of nodes and seconds.",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.low, self.high)


def _rebuild(low: float, high: float) -> BeyondBudget:
    return BeyondBudget(low=low, high=high)
