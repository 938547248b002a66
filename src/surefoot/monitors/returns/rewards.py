"""Returns from rewards that were recorded frame by frame, of whole episodes or of each frame (MON, use case 2).

The system runs each scenario twice, with the monitor and without. An independent trial is an episode, whether a row is
an episode or a frame of it. A frame's return is what follows it: rewards of the frames after it, not its own (MON,
Eqns. 1 and 2), over a finite horizon or for ever with a discount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.monitors.returns.stakes import Range, Returns, Rows, as_vectors, return_function

WHERE = "episodes"
Kind = Literal["safety", "mission"]
Per = Literal["episode", "frame"]
PER: tuple[Per, ...] = ("episode", "frame")
Frames = Mapping[Any, ArrayLike] | Sequence[ArrayLike]
"""Rewards of each frame of each episode, by name of the episode or in order."""
Joined = Callable[[FloatArray, FloatArray, int], FloatArray]
"""What two neighbouring spans of frames are worth, of this length each."""


@dataclass(frozen=True, eq=False)
class Rewards:
    """Safety and mission reward of each frame, for the same episodes and the same frames.

    Parameters
    ----------
    safety, mission
        Rewards of each frame of each episode, by name of the episode or in order.
    safety_after, mission_after
        What frames after the end of a record are worth, such as after the vehicle has stopped: one number, or one an
        episode.

    See Also
    --------
    episodes : Makes returns of runs with the monitor and without.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.Rewards(safety=[[0, 0, -1], [0, 0]], mission=[[1, 1, 0], [1, 1]]).names
    [0, 1]

    """

    safety: Frames
    mission: Frames
    safety_after: ArrayLike = 0.0
    mission_after: ArrayLike = 0.0

    def __post_init__(self) -> None:
        safety, mission = self.records["safety"], self.records["mission"].ordered(self.names, "mission rewards")
        for name, one, other in zip(self.names, safety.episodes, mission.episodes, strict=True):
            if one.size != other.size:
                found = f"{one.size} and {other.size} in episode {name}"
                raise InvalidInput("safety and mission must be of the same frames", where=WHERE, found=found)

    @cached_property
    def records(self) -> dict[Kind, Record]:
        """Both kinds of rewards, checked."""
        return {
            "safety": Record.of(self.safety, self.safety_after, "safety"),
            "mission": Record.of(self.mission, self.mission_after, "mission"),
        }

    @property
    def names(self) -> list[Any]:
        """The episodes, by name or by number."""
        return self.records["safety"].names


@dataclass(frozen=True, eq=False)
class Record:
    """Rewards of one kind: the recorded frames of each episode, and what later ones are worth."""

    names: list[Any]
    episodes: list[FloatArray]
    after: FloatArray
    kind: Kind

    @classmethod
    def of(cls, frames: Frames, after: ArrayLike, kind: Kind) -> Self:
        """A record with all its figures checked."""
        stated = list(frames) if isinstance(frames, Mapping) else None
        vectors = list(frames.values()) if isinstance(frames, Mapping) else frames
        episodes = as_vectors(vectors, where=WHERE, name=f"{kind} rewards", each="episode", names=stated)
        names = list(range(len(episodes))) if stated is None else stated
        later = validate.numbers(after, where=WHERE, name=f"{kind}_after")
        if later.shape not in ((), (len(names),)):
            found = f"shape {later.shape} for {len(names)} episodes"
            raise InvalidInput(f"{kind}_after must be one number, or one an episode", where=WHERE, found=found)
        return cls(names, episodes, np.broadcast_to(later, len(names)), kind)

    def ordered(self, names: list[Any], what: str) -> Self:
        """The same episodes in another order; none may be missing and none be left."""
        known = {name: place for place, name in enumerate(self.names)}
        missing = [str(name) for name in names if name not in known]
        extra = [str(name) for name in set(known) - set(names)]
        if missing or extra:
            lacks = [f"{what} lack {listed(missing)}"] if missing else []
            adds = [f"{what} add {listed(sorted(extra))}"] if extra else []
            raise InvalidInput(
                "every episode must be there with the monitor and without, in safety and in mission",
                where=WHERE,
                found="; ".join(lacks + adds),
                remedy="Run the same scenarios each time.",
            )
        places = [known[name] for name in names]
        return type(self)(names, [self.episodes[place] for place in places], self.after[places], self.kind)


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

    Records that end earlier than others of their episode, or than ``horizon``, go on with the reward they state for
    later frames; with ``discount`` they do so for ever. Safety counts once an episode, by its worst frame, or with
    ``safety_per="frame"`` at each frame, as the mission does.

    Parameters
    ----------
    monitored, alone
        Runs of the same scenarios with the monitor and without.
    ideal
        Runs of the ideal function, which has the largest safety reward at all frames where none are stated.
    row
        Whether a row is an ``"episode"`` or a ``"frame"`` of it.
    horizon
        So many frames count; as many as the longest run of an episode has where None.
    discount
        How much less each frame counts than the one before.
    safety_per
        Whether safety counts once an ``"episode"`` or at each ``"frame"``.
    safety_rewards, mission_rewards
        The smallest and the largest reward of a frame: by default safety is -1 at a collision and the mission 1 while
        the vehicle runs.
    scaled
        Whether to divide by the widest difference of rewards and the number of frames: then availability cost is the
        share of frames lost, each episode counting alike, and safety gain and residual hazard sum to the share of
        episodes with an accident.
    **rows
        ``units``, ``weights``, ``unit`` and ``name`` of ``Returns``.

    Returns
    -------
    surefoot.monitors.Returns
        With an episode as the independent trial, whatever a row is.

    References
    ----------
    MON, use case 2, evaluation 2.

    Examples
    --------
    >>> import surefoot as sf
    >>> alone = sf.monitors.returns.Rewards([[0, 0, -1], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]])
    >>> monitored = sf.monitors.returns.Rewards([[0, 0, 0], [0, 0, 0]], [[1, 0, 0], [1, 1, 1]])
    >>> returns = sf.monitors.returns.episodes(monitored, alone)
    >>> returns.gains, returns.costs.round(2)
    (array([1., 0.]), array([0.67, 0.  ]))

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


class ReturnInterval(NamedTuple):
    """The smallest and the largest return that each frame can have, episode by episode.

    See Also
    --------
    discounted_interval : Makes it.

    """

    low: list[FloatArray]
    high: list[FloatArray]


def finite_return(rewards: Sequence[ArrayLike]) -> list[FloatArray]:
    """Sum of the rewards that follow each frame, to the end of its episode (MON, Eqns. 1 and 2).

    Parameters
    ----------
    rewards
        The frames of each episode; episodes may differ in length.

    Returns
    -------
    list of numpy.ndarray
        For each episode, the return of each frame.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.finite_return([[1, 1, 1], [0, -1]])
    [array([2., 1., 0.]), array([-1.,  0.])]

    """
    episodes = as_vectors(rewards, where="horizon", name="rewards", each="episode")
    timeline = Timeline.of(episodes)
    with overflow_refused():
        returns = timeline.futures(np.concatenate(episodes))
    return timeline.split(returns)


def discounted_return(rewards: Sequence[ArrayLike], discount: float, *, after: float = 0.0) -> list[FloatArray]:
    """Sum of all rewards that follow each frame, each ``discount`` times less than the one before (Sutton and Barto).

    Parameters
    ----------
    rewards
        The frames of each episode.
    discount
        At least 0 and below 1; 0 counts the next frame alone, as Eqn. 16 of MON does.
    after
        Reward of every frame after the end of a record, for ever.

    Returns
    -------
    list of numpy.ndarray
        For each episode, the return of each frame.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.discounted_return([[1, 1, 1]], 0.5, after=1)
    [array([2., 2., 2.])]

    """
    worth = validate.number(after, where="horizon", name="after")
    factor = as_discount(discount, where="horizon")
    episodes = as_vectors(rewards, where="horizon", name="rewards", each="episode")
    timeline = Timeline.of(episodes)
    with overflow_refused():
        returns = timeline.futures(np.concatenate(episodes), factor) + worth * factor**timeline.left / (1 - factor)
    return timeline.split(returns)


def discounted_interval(rewards: Sequence[ArrayLike], discount: float, *, after: tuple[float, float]) -> ReturnInterval:
    """As ``discounted_return``, where rewards after the record are only known to lie between two figures.

    Parameters
    ----------
    rewards, discount
        As in ``discounted_return``.
    after
        The smallest and the largest reward of frames after a record.

    Returns
    -------
    ReturnInterval
        Both ends for each frame.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.discounted_interval([[1, 1]], 0.5, after=(0, 1))
    ReturnInterval(low=[array([1., 0.])], high=[array([2., 2.])])

    """
    low, high = validate.vector(after, where="horizon", name="after", at_least=2).tolist()[:2]
    if len(after) != 2 or low > high:
        raise InvalidInput("after must be the smallest and the largest reward", where="horizon", found=repr(after))
    ends = [discounted_return(rewards, discount, after=end) for end in (low, high)]
    return ReturnInterval(*ends)


def as_discount(value: float, *, where: str) -> float:
    """A discount: at least 0 and below 1."""
    discount = validate.probability(value, where=where, name="discount")
    if discount == 1:
        raise InvalidInput("discount must be below 1", where=where, remedy="A finite horizon needs no discount.")
    return discount


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


@contextmanager
def overflow_refused() -> Iterator[None]:
    """Say in plain words that figures are too large to compute with."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            yield
    except FloatingPointError as error:
        remedy = "Give rewards in a larger unit."
        raise InvalidInput("rewards are too large to compute with", where="returns", remedy=remedy) from error
