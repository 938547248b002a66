"""Table I as a function of the strength of the shift, and the strengths at which it is as hard as the printed one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import photographs
import table_one
import tasks
import views
from table_one import PRINTED_ERROR, Worth

STRENGTHS = tuple(round(float(value), 2) for value in np.arange(-0.9, 0.91, 0.1))
Say = Callable[[str], Any]


@dataclass(frozen=True, eq=False)
class Setting:
    """Networks, the monitors fitted beside them, and the images to look at."""

    pair: views.Pair
    forests: table_one.Forests
    images: photographs.Some
    usual: views.Seen
    """What the networks see of the images as they are."""

    @classmethod
    def of(cls, pair: views.Pair, train: views.Seen, labels: photographs.Labels, images: photographs.Some) -> Setting:
        """Fit the monitors, and look at the images as they are."""
        return cls(pair, table_one.Forests(train, labels), images, views.seen(pair, images[0]))

    def worth(self, task: tasks.Task) -> Worth:
        """What the monitors are worth on a task whose usual images are these."""
        rows = self.usual.followed_by(views.seen(self.pair, task.threats[0]))
        return table_one.worth(task, rows, self.forests.alarms(rows))


def by_strength(setting: Setting, strengths: Sequence[float], say: Say) -> dict[float, Worth]:
    """What the monitors are worth at each strength, and where the error rate is the printed one."""
    found = {strength: _at(setting, strength, say) for strength in strengths}
    matching = crossings({strength: worth.error for strength, worth in found.items()}, PRINTED_ERROR)
    return dict(sorted((found | {strength: _at(setting, strength, say) for strength in matching}).items()))


def crossings(errors: dict[float, float], goal: float) -> tuple[float, ...]:
    """Strengths at which the error rate, drawn as a line from point to point, crosses the goal; in hundredths."""
    strengths = sorted(errors)
    found = []
    for low, high in pairwise(strengths):
        before, after = errors[low] - goal, errors[high] - goal
        if before * after < 0:
            found.append(round(low + (high - low) * before / (before - after), 2))
    return tuple(found)


def nearest(found: dict[float, Worth], *, sign: int) -> float:
    """The strength, brighter (1) or darker (-1), whose error rate is nearest to the printed one."""
    return min((s for s in found if s * sign > 0), key=lambda s: abs(found[s].error - PRINTED_ERROR))


def _at(setting: Setting, strength: float, say: Say) -> Worth:
    say(f"brightness {strength:+.2f}")
    return setting.worth(tasks.brightness(setting.images, strength))
