"""Every detector of the catalogue and every uncertainty on one task, ranked, with how sure the ranking is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import doubts
import line_up
import numpy as np
import photographs
import tasks
import views
from numpy.typing import NDArray

from surefoot import monitors
from surefoot.monitors import returns
from surefoot.monitors.evaluation import Comparison

COST = 0.15
"""What a monitor may cost: the alarms of MON's, on 30% of the usual images, which are half of all."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The same scores judged in both schemes."""

    scores: dict[str, NDArray[np.float64]]
    comparisons: dict[str, Comparison]
    microseconds: dict[str, float]
    """What scoring an image took, beyond the networks unless a detector runs them; for uncertainties, all together."""


def ranked(
    pair: views.Pair,
    train: photographs.Some,
    task: tasks.Task,
    say: Callable[[str], Any],
    *,
    draws: int = 1000,
    seed: int = 0,
) -> Ranked:
    """Fit every detector to training images, score the task, ask for doubts too, and compare within one budget."""
    usual = views.seen(pair, train[0], views.HIDDEN, views.LOGITS)
    halves = [views.seen(pair, pixels, views.HIDDEN, views.LOGITS) for pixels in (task.usual[0], task.threats[0])]
    scores, spent = {}, {}
    for entry in line_up.entries(pair):
        say(entry.name)
        entry.fit(usual, train[1])
        start = time.perf_counter()
        scores[entry.name] = np.concatenate([entry.scores(half) for half in halves])
        spent[entry.name] = 1e6 * (time.perf_counter() - start) / len(task.labels)
    say("uncertainty")
    start = time.perf_counter()
    found = [doubts.doubts(pair, half.pixels, seed=seed) for half in halves]
    scores |= {name: np.concatenate([half[name] for half in found]) for name in found[0]}
    spent |= dict.fromkeys(found[0], 1e6 * (time.perf_counter() - start) / len(task.labels))
    predictions = np.concatenate([half.predictions for half in halves])
    stakes = {
        "E1": returns.errors(predictions, task.labels, **task.rows),
        "E2": returns.threats(task.is_threat, **task.rows),
    }
    comparisons = {}
    for scheme, at_stake in stakes.items():
        say(f"comparing, {scheme}")
        title = f"CIFAR-10, {task.name}: {scheme}, detect {at_stake.name}"
        comparisons[scheme] = monitors.compare(scores, at_stake, cost=COST, draws=draws, seed=seed, title=title)
    return Ranked(scores, comparisons, spent)
