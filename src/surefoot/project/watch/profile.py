"""Operation against the data that evidence rests on: an alarm that is valid at any time, and what moved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Check
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray
from surefoot.profile import ChangeAlarm
from surefoot.profile.changes import MOST_AXES
from surefoot.project.watch.event import PROFILE, Event
from surefoot.project.watch.features import Features

LATEST = 1000
"""So many of the latest rows are kept, to say what moved."""
FEWEST_SHOWN = 20
MOST_NAMED, MOST_TOGETHER = 3, 4
SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class Moved:
    """How far one feature of operation lies from the reference."""

    name: str
    distance: float
    """Largest difference of the two distribution functions (Kolmogorov 1933): 0 is the same, 1 is apart."""
    shift: float
    """Difference of the means in standard deviations of the reference."""

    rows: int = 0
    """Rows of operation that were compared."""

    def __str__(self) -> str:
        way = "up" if self.shift > 0 else "down"
        return f"{self.name} ({way} by {abs(self.shift):.2g} standard deviations, distance {self.distance:.2f})"


class ProfileWatch:
    """Compares the features of a stream with those of the reference, row by row.

    An alarm looks along four axes at most, so that where there are more features, one alarm looks at all of them and
    further ones at four each; ``alpha`` is split among them.
    """

    def __init__(self, features: Features, *, alpha: float, seed: int = 0) -> None:
        self.features = features
        parts = _parts(len(features.names))
        self._alarms = [
            (part, ChangeAlarm(features.reference[:, part], alpha=alpha / len(parts), seed=seed)) for part in parts
        ]
        self._sorted = np.sort(features.reference, axis=0)
        spread = features.reference.std(axis=0)
        self._centre, self._spread = features.reference.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.latest: FloatArray = np.empty((0, len(features.names)))
        """Features of the latest rows."""
        self.row: int | None = None
        self.since: int | None = None
        self._changed_at: int | None = None
        self._together: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Rows that were compared."""
        return self._alarms[0][1].state.rows

    @property
    def value(self) -> float:
        """Evidence of a change: the chance to see this much or more without one is at most 1/value."""
        return max(alarm.state.value for _, alarm in self._alarms) / len(self._alarms)

    @property
    def broken(self) -> Check | None:
        """What the stream says against the assumption that operation is as the reference; None while it is calm."""
        if self.row is None:
            return None
        figures = {
            "row": self.row,
            "since": self.since,
            "features": list(self._together),
            **{f"distance of {each.name}": each.distance for each in self.moved[:MOST_NAMED]},
        }
        return Check("contradicted", "change alarm on the stream of operation", figures, self.moved[0].distance)

    def update(self, rows: NDArray[Any], scores: NDArray[Any], numbers: NDArray[np.int64]) -> list[Event]:
        """Take in rows; an event when the alarm goes off, which it does once."""
        found, before = self.features(rows, scores), self.rows
        states = [alarm.update(found[:, part]) for part, alarm in self._alarms]
        self.latest = np.concatenate([self.latest, found])[-LATEST:]
        noticed = [(state.row, state.since) for state in states if state.row is not None and state.since is not None]
        if self.row is not None or not noticed:
            return []
        row, since = min(noticed)
        part = next(part for (part, _), state in zip(self._alarms, states, strict=True) if state.row == row)
        self.row, self._together = int(numbers[row - before]), self.features.names[part]
        self.since, self._changed_at = self.row - (row - since), since
        return [self._event()]

    @property
    def moved(self) -> tuple[Moved, ...]:
        """How the latest rows, after the change where one was noticed, differ from the reference, the most first."""
        if not len(self.latest):
            return ()
        rows = len(self.latest) if self._changed_at is None else self.rows - self._changed_at
        latest = self.latest[-max(rows, FEWEST_SHOWN) :]
        shifts = (latest.mean(axis=0) - self._centre) / self._spread
        found = [
            Moved(name, _distance(self._sorted[:, place], latest[:, place]), float(shifts[place]), len(latest))
            for place, name in enumerate(self.features.names)
        ]
        return tuple(sorted(found, key=lambda each: -each.distance))

    @property
    def moved_for_certain(self) -> tuple[Moved, ...]:
        """Those of which each alone shows a difference, at 1% in all."""
        miss = SIGNIFICANCE / len(self.features.names)
        rows = len(self._sorted)
        return tuple(
            each for each in self.moved if each.distance**2 > -math.log(miss / 2) / 2 * (1 / each.rows + 1 / rows)
        )

    def snapshot(self) -> dict[str, Any]:
        """What it knows, as plain data."""
        return {
            "alarms": [alarm.snapshot() for _, alarm in self._alarms],
            "latest": self.latest.tolist(),
            "row": self.row,
            "since": self.since,
            "changed": self._changed_at,
            "together": list(self._together),
        }

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Go on from what ``snapshot`` told."""
        with reading("profile of a stream"):
            for (_, alarm), told in zip(self._alarms, snapshot["alarms"], strict=True):
                alarm.resume(told)
            self.latest = np.array(snapshot["latest"], dtype=float).reshape(-1, len(self.features.names))
            self.row, self.since = snapshot["row"], snapshot["since"]
            self._changed_at, self._together = snapshot["changed"], tuple(map(str, snapshot["together"]))

    def what_moved(self) -> str:
        """The features that moved most, or those that changed together, in words."""
        moved = self.moved_for_certain
        if moved:
            return f"Moved most: {', '.join(map(str, moved[:MOST_NAMED]))}."
        named = ", ".join(self._together[:MOST_TOGETHER])
        more = len(self._together) - MOST_TOGETHER
        others = f" and {more} more" if more > 0 else ""
        return f"Changed together, none for certain by itself: {named}{others}."

    def _event(self) -> Event:
        text = (
            f"Operation is no longer as the data that the evidence rests on, since about row {self.since:,}. "
            f"{self.what_moved()}"
        )
        check = self.broken
        assert self.row is not None, "an alarm has a row"
        assert check is not None, "an alarm contradicts"
        return Event(PROFILE, self.row, text, "operational profile", check.figures)


def _parts(features: int) -> list[slice]:
    """All features, and where they are more than an alarm has axes also a few at a time."""
    few = [slice(start, start + MOST_AXES) for start in range(0, features, MOST_AXES)]
    return few if len(few) == 1 else [slice(0, features), *few]


def _distance(reference: FloatArray, sample: FloatArray) -> float:
    """Kolmogorov's distance of a sample from sorted reference values."""
    both = np.concatenate([reference, ordered := np.sort(sample)])
    below, other = (np.searchsorted(part, both, side="right") / part.size for part in (reference, ordered))
    return float(np.abs(below - other).max())
