"""Frames of many episodes, of unequal length, one after another: sums and worst values of each, without a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import WHERE

Joined = Callable[[FloatArray, FloatArray, int], FloatArray]
"""What two neighbouring spans of frames are worth, of this length each."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """How many frames each episode has, at least one."""

    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, episodes: Sequence[FloatArray]) -> Self:
        """The timeline of episodes as they are."""
        return cls(np.array([episode.size for episode in episodes], dtype=np.int64))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each episode begins."""
        return np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    @cached_property
    def episode(self) -> NDArray[np.int64]:
        """The number of each frame's episode."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)

    @cached_property
    def position(self) -> NDArray[np.int64]:
        """How many frames of its episode precede each frame."""
        return np.arange(self.episode.size) - self.starts[self.episode]

    @cached_property
    def left(self) -> NDArray[np.int64]:
        """How many frames of its episode follow each frame."""
        return self.lengths[self.episode] - 1 - self.position

    def filled(self, episodes: Sequence[FloatArray], after: FloatArray) -> FloatArray:
        """All frames in a row; each frame after the end of a record is worth what its episode states."""
        rewards = after[self.episode]
        recorded = self.position < np.array([episode.size for episode in episodes])[self.episode]
        rewards[recorded] = np.concatenate(episodes)
        return rewards

    def split(self, frames: FloatArray) -> list[FloatArray]:
        """Frames by episode."""
        return np.split(frames, self.starts[1:])

    def totals(self, frames: FloatArray, discount: float = 1.0) -> FloatArray:
        """Sum over each episode; a frame counts by ``discount`` to the number of frames before it."""
        weighted = frames if discount == 1 else frames * discount**self.position
        return np.asarray(np.add.reduceat(weighted, self.starts))

    def worst(self, frames: FloatArray) -> FloatArray:
        """The smallest reward of each episode."""
        return np.asarray(np.minimum.reduceat(frames, self.starts))

    def futures(self, frames: FloatArray, discount: float = 1.0) -> FloatArray:
        """Sum over the frames that follow each frame; the next one counts in full."""
        return self._after(self._joined(frames, lambda near, far, span: near + discount**span * far), 0.0)

    def worst_futures(self, frames: FloatArray, last: float) -> FloatArray:
        """The smallest of the rewards that follow each frame, and ``last`` where none follows."""
        return self._after(self._joined(frames, lambda near, far, span: np.minimum(near, far)), last)

    def _joined(self, frames: FloatArray, join: Joined) -> FloatArray:
        """Each frame joined with all that follow it in its episode, by spans that double (Hillis and Steele 1986)."""
        joined, span = frames.copy(), 1
        while span < self.lengths.max():
            within = np.flatnonzero(self.left >= span)
            joined[within] = join(joined[within], joined[within + span], span)
            span *= 2
        return joined

    def _after(self, joined: FloatArray, last: float) -> FloatArray:
        return np.where(self.left > 0, np.append(joined[1:], last), last)


def as_vectors(
    values: Sequence[ArrayLike],
    *,
    where: str,
    name: str,
    each: str,
    names: Sequence[Any] | None = None,
    at_least: int = 1,
) -> list[FloatArray]:
    """Vectors of any lengths, one for ``each`` episode or image; messages name the one that is wrong."""
    if isinstance(values, str) or not hasattr(values, "__len__") or any(map(np.isscalar, values)):
        remedy = f"Those of a single {each} are [values]."
        raise InvalidInput(f"{name} must hold a list for each {each}", where=where, remedy=remedy)
    if not len(values):
        raise InvalidInput(f"{name} must be of at least one {each}", where=where, found="none")
    known = range(len(values)) if names is None else names
    return [
        validate.vector(vector, where=where, name=f"{name} of {each} {which}", at_least=at_least)
        for which, vector in zip(known, values, strict=True)
    ]


@contextmanager
def overflow_refused() -> Iterator[None]:
    """Say in plain words that figures are too large to compute with."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except FloatingPointError as error:
        remedy = "Give rewards in a larger unit."
        raise InvalidInput("rewards are too large to compute with", where=WHERE, remedy=remedy) from error
