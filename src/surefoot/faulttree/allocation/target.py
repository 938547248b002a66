"""Targets of a top event."""

from __future__ import annotations

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.target import Target


def as_target(target: float | Target, *, where: str) -> Target:
    """A largest probability, given as a number or as a target."""
    aim = target if isinstance(target, Target) else Target(validate.probability(target, where=where, name="target"))
    if aim.at_most is None or not 0 <= aim.at_most <= 1:
        raise InvalidInput(
            "the target of a top event is a largest probability", where=where, found=str(aim), remedy="Use at_most."
        )
    return aim


def limit_of(aim: Target) -> float:
    """The number to stay below: on the strict side where the target itself is uncertain.

    Half of the miss probability is the limit's then, as when an estimate is held against the target.
    """
    return aim.cautious_limit(aim.alpha)
