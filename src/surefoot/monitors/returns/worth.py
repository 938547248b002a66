"""How rewards of frames add up to a return, and which returns can occur."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import Range
from surefoot.monitors.returns.horizon import as_discount
from surefoot.monitors.returns.rewards import WHERE
from surefoot.monitors.returns.timeline import Timeline

Per = Literal["episode", "frame"]
PER: tuple[Per, ...] = ("episode", "frame")


@dataclass(frozen=True)
class Worth:
    """Rewards of one frame lie in ``rewards``; they count once an episode, by the worst, or at each frame, by the sum.

    With ``discount`` the sum goes on for ever. ``scaled`` divides by the widest difference that returns of so many
    frames can have (MON, section II-B), so that a sum becomes a mean over frames.
    """

    rewards: Range
    per: Per
    discount: float | None
    scaled: bool

    def __post_init__(self) -> None:
        validate.choice(self.per, PER, where=WHERE, name="way to count safety")
        if self.discount is not None:
            as_discount(self.discount, where=WHERE)
            if self.per == "episode":
                remedy = "Say safety_per='frame' to count each frame of it, later ones less."
                raise InvalidInput("an accident that counts once has no discount", where=WHERE, remedy=remedy)
        ends = validate.vector(self.rewards, where=WHERE, name="rewards of a frame", at_least=2)
        if ends.size != 2 or not 0 < ends[1] - ends[0] < np.inf:
            problem = "rewards of a frame must be their smallest and their largest value"
            raise InvalidInput(problem, where=WHERE, found=repr(self.rewards))

    @property
    def width(self) -> float:
        """How far rewards of one frame can lie apart."""
        return self.rewards[1] - self.rewards[0]

    def of_episodes(self, timeline: Timeline, frames: FloatArray, after: FloatArray) -> FloatArray:
        """The return of each episode, from its first frame on."""
        if self.per == "episode":
            values = timeline.worst(frames)
        elif self.discount is None:
            values = timeline.totals(frames)
        else:
            later = self.discount**timeline.lengths / (1 - self.discount)
            values = timeline.totals(frames, self.discount) + after * later
        return self._in_units(values, self._counted(timeline), self.episode_range(timeline))

    def of_frames(self, timeline: Timeline, frames: FloatArray, after: FloatArray) -> FloatArray:
        """The return of each frame: of what follows it."""
        if self.per == "episode":
            values = timeline.worst_futures(frames, self.rewards[1])
        elif self.discount is None:
            values = timeline.futures(frames)
        else:
            later = self.discount**timeline.left / (1 - self.discount)
            values = timeline.futures(frames, self.discount) + after[timeline.episode] * later
        counted = np.broadcast_to(self._counted(timeline), timeline.lengths.shape)[timeline.episode]
        return self._in_units(values, counted, self.frame_range(timeline))

    def episode_range(self, timeline: Timeline) -> Range:
        """The returns that episodes can have."""
        return self._range(timeline, *self.rewards)

    def frame_range(self, timeline: Timeline) -> Range:
        """The returns that frames can have; nothing follows the last, and so a sum can be 0."""
        low, high = self.rewards
        sums = self.per == "frame" and self.discount is None
        return self._range(timeline, min(low, 0.0), max(high, 0.0)) if sums else self._range(timeline, low, high)

    def _counted(self, timeline: Timeline) -> FloatArray:
        """How many frames' rewards a return of each episode holds."""
        if self.per == "episode":
            return np.ones(1)
        return timeline.lengths.astype(np.float64) if self.discount is None else np.array([1 / (1 - self.discount)])

    def _range(self, timeline: Timeline, low: float, high: float) -> Range:
        if self.scaled:
            return low / self.width, high / self.width
        counted = self._counted(timeline)
        return float((low * counted).min()), float((high * counted).max())

    def _in_units(self, values: FloatArray, counted: FloatArray, range: Range) -> FloatArray:
        """Values in the unit of the range; sums that round past an end of it are at that end."""
        return np.clip(values / self.width / counted if self.scaled else values, *range)
