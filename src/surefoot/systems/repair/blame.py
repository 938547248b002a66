"""Which module each failed item is blamed on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System
from surefoot.systems.repair.localisation import Progress
from surefoot.systems.repair.references import chosen_modules, judged, require_truth

ON_CLEAN = "fails on clean inputs"
ELSEWHERE = "corruption that no single module mends"
WHERE = "blame"
Blamed = dict[str, dict[Condition, NDArray[np.bool_]]]


def blame(
    system: System,
    items: Items,
    conditions: Sequence[Condition],
    metric: str | Metric,
    *,
    limit: float = 0.0,
    modules: Sequence[str] | None = None,
    seed: int = 0,
    batch: int = 256,
    progress: Progress | None = None,
) -> Blamed:
    """For every failed item of every condition one cause: a partition, which ``risk.system_tree`` makes events of.

    An item that fails on clean inputs is blamed on that. Any other is blamed on the first module, in the order of the
    system, whose clean output alone mends it, or on none. An item fails whose error is above ``limit``, or that has no
    answer.
    """
    judge, names = as_metric(metric), chosen_modules(system, modules, where=WHERE)
    require_truth(items, where=WHERE)
    validate.count(batch, where=WHERE, name="batch", at_least=1)
    validate.at_least_zero(limit, where=WHERE, name="limit")
    found: Blamed = {
        cause: {condition: np.zeros(len(items), bool) for condition in conditions}
        for cause in (ON_CLEAN, *(f"corruption through {name}" for name in names), ELSEWHERE)
    }
    starts = range(0, len(items), batch)
    for done, start in enumerate(starts, start=1):
        part = items.part(start, min(start + batch, len(items)))
        place = slice(start, start + len(part))
        for condition, causes in _causes(system, part, conditions, judge, names, limit, seed, start).items():
            for cause, mask in zip(found, causes, strict=True):
                found[cause][condition][place] = mask
        if progress is not None:
            progress(done, len(starts))
    return found


def _causes(
    system: System,
    part: Items,
    conditions: Sequence[Condition],
    metric: Metric,
    names: Sequence[str],
    limit: float,
    seed: int,
    start: int,
) -> dict[Condition, list[NDArray[np.bool_]]]:
    """For each condition a mask of items for each cause, in order, that do not overlap."""
    inputs = part.read()
    usual = system.run(inputs)
    clean = _fails(metric, judged(system, usual, part, metric), limit)
    found = {}
    for condition in conditions:
        if condition.clean:
            found[condition] = [clean, *(np.zeros_like(clean) for _ in (*names, ELSEWHERE))]
            continue
        worse = condition.applied(inputs, system.inputs, seed=seed, first=start)
        left = _fails(metric, judged(system, system.run(worse), part, metric), limit)
        masks = [left & clean]
        left = left & ~clean
        for name in names:
            own = {place: v for place, v in usual.outputs.items() if module_of(place) == name}
            mended = left & ~_fails(metric, judged(system, system.run(worse, substitute=own), part, metric), limit)
            masks.append(mended)
            left = left & ~mended
        found[condition] = [*masks, left]
    return found


def _fails(metric: Metric, statistics: FloatArray, limit: float) -> NDArray[np.bool_]:
    # An item without an answer has no error, which is not below the limit.
    return ~(np.asarray(metric.error(statistics)) <= limit)
