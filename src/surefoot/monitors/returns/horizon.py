"""Returns of each frame from rewards of each frame: over a finite horizon, or for ever with a discount (MON, II-A).

A frame's return is what follows it: rewards of the frames after it, not its own (Eqns. 1 and 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.timeline import Timeline, as_vectors, overflow_refused

WHERE = "horizon"


class ReturnInterval(NamedTuple):
    """The smallest and the largest return that each frame can have, episode by episode."""

    low: list[FloatArray]
    high: list[FloatArray]


def finite_return(rewards: Sequence[ArrayLike]) -> list[FloatArray]:
    """Sum of the rewards that follow each frame, to the end of its episode (MON, Eqns. 1 and 2).

    ``rewards`` holds the frames of each episode; episodes may differ in length.

    >>> finite_return([[1, 1, 1], [0, -1]])
    [array([2., 1., 0.]), array([-1.,  0.])]
    """
    episodes = as_vectors(rewards, where=WHERE, name="rewards", each="episode")
    timeline = Timeline.of(episodes)
    with overflow_refused():
        returns = timeline.futures(np.concatenate(episodes))
    return timeline.split(returns)


def discounted_return(rewards: Sequence[ArrayLike], discount: float, *, after: float = 0.0) -> list[FloatArray]:
    """Sum of all rewards that follow each frame, each ``discount`` times less than the one before (Sutton and Barto).

    Every frame after the end of a record has the reward ``after``, for ever. A discount of 0 counts the next frame
    alone, as Eqn. 16 of MON does.

    >>> discounted_return([[1, 1, 1]], 0.5, after=1)
    [array([2., 2., 2.])]
    """
    worth = validate.number(after, where=WHERE, name="after")
    factor = as_discount(discount, where=WHERE)
    episodes = as_vectors(rewards, where=WHERE, name="rewards", each="episode")
    timeline = Timeline.of(episodes)
    with overflow_refused():
        returns = timeline.futures(np.concatenate(episodes), factor) + worth * factor**timeline.left / (1 - factor)
    return timeline.split(returns)


def discounted_interval(rewards: Sequence[ArrayLike], discount: float, *, after: tuple[float, float]) -> ReturnInterval:
    """As ``discounted_return``, where rewards after the record are only known to lie between two figures."""
    low, high = validate.vector(after, where=WHERE, name="after", at_least=2).tolist()[:2]
    if len(after) != 2 or low > high:
        raise InvalidInput("after must be the smallest and the largest reward", where=WHERE, found=repr(after))
    ends = [discounted_return(rewards, discount, after=end) for end in (low, high)]
    return ReturnInterval(*ends)


def as_discount(value: float, *, where: str) -> float:
    """A discount: at least 0 and below 1."""
    discount = validate.probability(value, where=where, name="discount")
    if discount == 1:
        raise InvalidInput("discount must be below 1", where=where, remedy="A finite horizon needs no discount.")
    return discount
