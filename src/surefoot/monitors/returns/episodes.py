"""``episodes``: returns from rewards that were recorded frame by frame (MON, use case 2, evaluation 2).

The system runs each scenario twice, with the monitor and without. An independent trial is an episode, whether a row is
an episode or a frame of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import Range
from surefoot.monitors.returns.rewards import WHERE, Kind, Rewards
from surefoot.monitors.returns.rows import Rows
from surefoot.monitors.returns.stakes import Returns, return_function
from surefoot.monitors.returns.timeline import Timeline, overflow_refused
from surefoot.monitors.returns.worth import PER, Per, Worth


@return_function
def episodes(
    monitored: Rewards,
    alone: Rewards,
    *,
    ideal: Rewards | None = None,
    row: Per = "episode",
    horizon: int | None = None,
    discount: float | None = None,
    safety_per: Per = "episode",
    safety_rewards: Range = (-1.0, 0.0),
    mission_rewards: Range = (0.0, 1.0),
    scaled: bool = True,
    **rows: Unpack[Rows],
) -> Returns:
    """Returns of the same episodes with the monitor and without, a row an episode (or a frame: its future, Eqn. 17).

    ``safety_rewards`` and ``mission_rewards`` are the smallest and the largest reward of a frame: by default safety is
    -1 at a collision and the mission 1 while the vehicle runs. The ideal function has the largest safety reward at all
    frames, unless its own rewards are stated. Records that end earlier than others of their episode, or than
    ``horizon``, go on with the reward they state for later frames; with ``discount`` they do so for ever.

    Safety counts once an episode, by its worst frame, or with ``safety_per="frame"`` at each frame, as the mission
    does. ``scaled`` divides by the widest difference of rewards and the number of frames: then availability cost is the
    share of frames lost, each episode counting alike, and safety gain and residual hazard sum to the share of episodes
    with an accident.
    """
    validate.choice(row, PER, where=WHERE, name="row")
    safety, mission = (
        Worth(safety_rewards, safety_per, discount, scaled),
        Worth(mission_rewards, "frame", discount, scaled),
    )
    runs = _Runs.of(monitored, alone, ideal, horizon, row)
    return Returns(
        runs.worth(monitored, "safety", safety),
        runs.worth(alone, "safety", safety),
        runs.ideal(safety) if ideal is None else runs.worth(ideal, "safety", safety),
        runs.worth(monitored, "mission", mission),
        runs.worth(alone, "mission", mission),
        safety_range=runs.range(safety),
        mission_range=runs.range(mission),
        **runs.rows({"name": "accidents", "unit": "episode", **rows}),
    )


@dataclass(frozen=True, eq=False)
class _Runs:
    """The episodes by name, how many frames each has in all runs, and what a row is."""

    names: list[object]
    timeline: Timeline
    row: Per

    @classmethod
    def of(cls, monitored: Rewards, alone: Rewards, ideal: Rewards | None, horizon: int | None, row: Per) -> _Runs:
        all_runs = {"monitored": monitored, "alone": alone, **({} if ideal is None else {"ideal": ideal})}
        for name, run in all_runs.items():
            validate.kind(run, Rewards, where=WHERE, name=name, example="Rewards(safety, mission)")
        records = [run.records["safety"].ordered(alone.names, f"{name} runs") for name, run in all_runs.items()]
        longest = np.max([[episode.size for episode in record.episodes] for record in records], axis=0)
        return cls(alone.names, Timeline(_within(longest, horizon)), row)

    def worth(self, run: Rewards, kind: Kind, worth: Worth) -> FloatArray:
        record = run.records[kind].ordered(self.names, f"{kind} rewards")
        frames = self.timeline.filled(record.episodes, record.after)
        self._require_inside(frames, worth.rewards, kind)
        if worth.discount is not None:
            self._require_inside(record.after[self.timeline.episode], worth.rewards, kind)
        return self._values(worth, frames, record.after)

    def ideal(self, worth: Worth) -> FloatArray:
        best = np.full(self.timeline.lengths.size, float(worth.rewards[1]))
        return self._values(worth, best[self.timeline.episode], best)

    def range(self, worth: Worth) -> Range:
        return worth.episode_range(self.timeline) if self.row == "episode" else worth.frame_range(self.timeline)

    def rows(self, stated: Rows) -> Rows:
        """Units and weights, stated for each episode, for each row."""
        if self.row == "episode":
            return stated
        units, weights = stated.get("units"), stated.get("weights")
        number = self.timeline.episode
        spread = {
            "units": number if units is None else _for_each(self.names, units, "units")[number],
            "weights": None if weights is None else _for_each(self.names, weights, "weights")[number],
        }
        return {**stated, **spread}  # type: ignore[typeddict-item]

    def _require_inside(self, frames: FloatArray, range: Range, kind: Kind) -> None:
        outside = np.flatnonzero((frames < range[0]) | (frames > range[1]))
        if outside.size:
            at = int(outside[0])
            where = f"frame {self.timeline.position[at]} of episode {self.names[self.timeline.episode[at]]}"
            raise InvalidInput(
                f"{kind} rewards must lie in the stated range {range[0]:g} to {range[1]:g}",
                where=WHERE,
                found=f"{frames[at]:g} in {where} ({outside.size} such in all)",
                remedy=f"State {kind}_rewards as they can be, not as they were seen, and what later frames are worth.",
            )

    def _values(self, worth: Worth, frames: FloatArray, after: FloatArray) -> FloatArray:
        values = worth.of_episodes if self.row == "episode" else worth.of_frames
        with overflow_refused():
            return values(self.timeline, frames, after)


def _within(longest: np.ndarray, horizon: int | None) -> np.ndarray:
    if horizon is None:
        return longest
    frames = validate.count(horizon, where=WHERE, name="horizon", at_least=1)
    if longest.max() > frames:
        found = f"{longest.max()} frames where the horizon is {frames}"
        raise InvalidInput("no episode may be longer than the horizon", where=WHERE, found=found)
    return np.full_like(longest, frames)


def _for_each(names: list[object], values: object, what: str) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != (len(names),):
        found = f"shape {array.shape} for {len(names)} episodes"
        raise InvalidInput(f"{what} must be stated for each episode", where=WHERE, found=found)
    return array
