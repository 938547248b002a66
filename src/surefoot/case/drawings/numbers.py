"""Numbers that boxes show: what a claim asks for, what was shown of it, what evidence measured."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.evaluation import Assessed
from surefoot.case.node import Node
from surefoot.core import Bound, Estimate
from surefoot.draw import percent, significant


def share(value: float) -> str:
    """A probability in percent, with as many digits as tell it from 0 and from 1.

    >>> share(0.943), share(0.9996), share(0.0004), share(1.0)
    ('94%', '99.96%', '0.04%', '100%')
    """
    if value in (0.0, 1.0) or 0.01 <= value <= 0.99:
        return f"{100 * value:.0f}%"
    return percent(value) if value > 0.5 else f"{significant(100 * value)}%"


def number_lines(node: Node, assessed: Assessed | None) -> Iterator[str]:
    """Short lines about the number of a claim or of evidence."""
    if node.number is not None:
        target = node.number.target
        limit = significant(target.limit)
        yield f"claimed: {target.relation} {limit} per {target.per}, level {percent(target.level)}"
    if assessed is None:
        return
    if assessed.verdict is not None:
        bound = assessed.verdict.bound
        yield f"{assessed.verdict.status}: {_bounded(bound)}" if bound else f"{assessed.verdict.status}: no bound"
    if assessed.estimate is not None:
        yield _measured(assessed.estimate)


def _bounded(bound: Bound) -> str:
    side = "at most" if bound.side == "upper" else "at least"
    limit = significant(bound.limit, rounding="up" if bound.side == "upper" else "down")
    return f"{side} {limit} shown"


def _measured(estimate: Estimate) -> str:
    return f"measured: {significant(estimate.value)} {estimate.unit}"
