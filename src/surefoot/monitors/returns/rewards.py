"""``Rewards``: what each frame of each episode was worth, as a simulation or a drive recorded it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.monitors.returns.timeline import as_vectors

WHERE = "episodes"
Kind = Literal["safety", "mission"]
Frames = Mapping[Any, ArrayLike] | Sequence[ArrayLike]
"""Rewards of each frame of each episode, by name of the episode or in order."""


@dataclass(frozen=True, eq=False)
class Rewards:
    """Safety and mission reward of each frame, for the same episodes and the same frames.

    Frames after the end of a record, such as after the vehicle has stopped, are worth ``safety_after`` and
    ``mission_after``: one number, or one an episode.
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
