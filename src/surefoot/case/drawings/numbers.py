"""Numbers that boxes show: what a claim asks for, what was shown of it, what evidence measured."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.evaluation import Assessed
from surefoot.case.node import Choice, Node
from surefoot.core import Bound, Estimate
from surefoot.documents import percent, significant

FINEST = 1e-4


def share(value: float) -> str:
    """A probability in percent, with as many digits as tell it from 0 and from 1, up to a hundredth of a percent.

    >>> share(0.943), share(0.9996), share(0.0004), share(1.0)
    ('94%', '99.96%', '0.04%', '100%')
    >>> share(0.999366), share(0.999_999_994), share(9e-9)
    ('99.94%', '>99.99%', '<0.01%')
    """
    if value in (0.0, 1.0) or 0.01 <= value <= 0.99:
        return f"{100 * value:.0f}%"
    if not FINEST <= value <= 1.0 - FINEST:
        return f">{100 * (1 - FINEST):g}%" if value > 0.5 else f"<{100 * FINEST:g}%"
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"


def amount(choice: Choice) -> str:
    """How many are to be chosen.

    >>> amount(Choice(("C2", "C3"))), amount(Choice(("C2", "C3", "C4"), least=1, most=2))
    ('1 of 2', '1 to 2 of 3')
    """
    least, most, of = choice.least, choice.most, len(choice.among)
    return f"{least} of {of}" if least == most else f"{least} to {most} of {of}"


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
