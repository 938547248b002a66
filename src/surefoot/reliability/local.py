"""What every local estimator is asked and answers: how a model decides inside many small boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.reliability.within import Uniform, Within

VOTE = -1
"""The label of a box whose true class nobody knows: the most frequent answer inside takes its place."""
PROVED, EXACT, SAMPLED = 0, 1, 2
KINDS = ("proved", "exact", "sampled")
Progress = Callable[[int, int], None]


class Boxes(Protocol):
    """Many boxes with sides along the axes; corners are computed for those that are asked for."""

    def __len__(self) -> int: ...

    @property
    def dimensions(self) -> int:
        """Number of features."""
        ...

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen boxes, one row each."""
        ...


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """A model, the boxes to look into, and what counts as a failure there."""

    decide: Callable[[FloatArray], NDArray[np.int64]]
    """Number of the class that the model answers, for each row; may be sent to other processes."""
    model: Any
    """The model as it was given, for estimators that look inside."""
    classes: int
    boxes: Boxes
    labels: NDArray[np.int64]
    """True class of each box, or ``VOTE``."""
    undesired: NDArray[np.bool_]
    """``undesired[truth, answer]``: whether that answer is a failure; never on the diagonal."""
    weights: FloatArray
    """What each box weighs in the result, to spend work where it matters."""
    within: Within = field(default_factory=Uniform)
    VOTE: ClassVar[int] = VOTE

    def slices(self, size: int) -> Iterator[slice]:
        """The boxes in batches of at most ``size``."""
        count = len(self.boxes)
        return (slice(start, min(start + size, count)) for start in range(0, count, size))


@dataclass(frozen=True, eq=False)
class LocalRisk:
    """What was found: how often each class is answered inside each box.

    ``trials`` is 0 where the shares are exact; ``how`` is ``PROVED`` (one answer in the whole box), ``EXACT``
    (shares computed) or ``SAMPLED``.
    """

    shares: FloatArray
    labels: NDArray[np.int64]
    trials: NDArray[np.int64]
    how: NDArray[np.uint8]
    PROVED: ClassVar[int] = PROVED
    EXACT: ClassVar[int] = EXACT
    SAMPLED: ClassVar[int] = SAMPLED

    def risk(self, undesired: NDArray[np.bool_]) -> FloatArray:
        """Probability of an undesired answer inside each box."""
        return np.asarray(np.einsum("ij,ij->i", self.shares, undesired[self.labels], dtype=float))

    @staticmethod
    def voted(labels: NDArray[np.int64], shares: NDArray[Any]) -> NDArray[np.int64]:
        """The labels, with the most frequent answer where nobody knows; the first of several."""
        return np.where(labels == VOTE, shares.argmax(axis=1), labels)


@runtime_checkable
class LocalEstimator(Protocol):
    """Estimates the share of each answer inside each box; ``repr`` shows its parameters.

    It works in batches of boxes handed to the executor, so that the place of the work leaves no trace in the
    result, and tells ``progress`` how many of all boxes are done.
    """

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem."""
        ...


cell_estimator: Registry[Callable[..., LocalEstimator]] = Registry("cell estimator", "surefoot.reliability")
"""Registers a ``LocalEstimator`` by the name that project files call it."""
