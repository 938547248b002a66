"""How many tests close an allocation: the tree is assessed anew with exactly the evidence that it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import Estimate
from surefoot.faulttree.allocation.target import limit_of
from surefoot.faulttree.quantities import Counts, Fixed, Quantity
from surefoot.faulttree.uncertainty import bound_of_counts, top_event

if TYPE_CHECKING:
    from surefoot.faulttree.allocation.result import Allocation
    from surefoot.faulttree.model import FaultTree

MOST_TESTS = 10**12
CLOSE, DOUBLINGS = 1.005, 24
Tests = Mapping[str, int]


def closing_tests(allocation: Allocation) -> dict[str, int] | None:
    """The fewest tests in the proportions of the requirements after which, none failed, the target is shown."""
    alone = _alone(allocation)
    if alone is None:
        return None

    def tests(factor: float) -> dict[str, int]:
        return {name: math.ceil(factor * count) for name, count in alone.items()}

    def shown(factor: float) -> bool:
        return _bound(allocation, tests(factor)) <= limit_of(allocation.target)

    enough = _enough(shown)
    if enough is None:
        return None
    low, high = enough
    while high / low > CLOSE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if shown(middle) else (middle, high)
    return tests(high)


def top_after(allocation: Allocation, tests: Tests) -> Estimate:
    """The top event after these tests, none of them failed."""
    return top_event(_tested(allocation, tests), level=allocation.level)


def _alone(allocation: Allocation) -> dict[str, int] | None:
    """Tests that show each requirement by itself; none for one that everything meets."""
    miss, found = 1 - allocation.each, {}
    for name, limit in allocation.requirements.items():
        if limit <= 0:
            return None
        found[name] = 0 if limit >= 1 else math.ceil(math.log(miss) / math.log1p(-limit))
    return found if max(found.values()) <= MOST_TESTS else None


def _enough(shown: object) -> tuple[float, float] | None:
    """A factor that is too small and one that is enough, within twice of each other."""
    assert callable(shown)
    factor = 1.0
    if shown(factor):
        for _ in range(DOUBLINGS):
            if not shown(factor / 2):
                return factor / 2, factor
            factor /= 2
        return factor / 2, factor
    for _ in range(DOUBLINGS):
        factor *= 2
        if shown(factor):
            return factor / 2, factor
    return None


def _bound(allocation: Allocation, tests: Tests) -> float:
    try:
        return bound_of_counts(_tested(allocation, tests), 1 - allocation.level)
    except (LevelUnavailable, MixedKinds, InvalidInput):
        return math.inf


def _tested(allocation: Allocation, tests: Tests) -> FaultTree:
    """Events that anything meets are certain to happen, and need no test."""
    known: dict[str, Quantity] = {name: Counts(0, count) if count else Fixed(1.0) for name, count in tests.items()}
    return allocation.tree.with_events(known)
