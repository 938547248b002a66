"""Several modules or configurations answer the same question: which one to believe, item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.rejection.intervals import check_draws
from surefoot.systems.rejection.learned import learned
from surefoot.systems.rejection.rows import answered, named, separate
from surefoot.systems.rejection.ways import COLUMNS, Ways
from surefoot.systems.tables.measured import Measured, Row
from surefoot.systems.tables.pairs import numbered

WHERE = "switching"
SWITCHED, ORACLE = "lowest predicted error", "lowest error"
"""What a system can do, and what knowing every error would give."""


def switching(
    modules: Mapping[str, Measured],
    *,
    pooled: bool = False,
    folds: int = 5,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Table:
    """Each module alone, the module whose error is predicted lowest, and the one whose error is lowest, per condition.

    ``modules`` were measured on the same items in the same conditions with the same metric. The error of each is
    predicted from its own scores by models that were fitted to other units (``learned``); the first of equal ones
    answers. Improvements are against the best module alone in that condition. Items that one of them has no answer to
    that counts are left out of all. ``pooled`` adds all conditions together.
    """
    check_draws(draws, level, where=WHERE)
    _require_alike(modules)
    predicted = {name: learned(each, folds=folds, seed=seed) for name, each in modules.items()}
    rows: list[Row] = []
    for conditions in separate(answered(*modules.values()), pooled=pooled):
        ways, left_out = _ways(modules, predicted, conditions)
        rows += [
            (*named(conditions), left_out, *row) for row in ways.rows(level, draws, validate.seed(seed, where=WHERE))
        ]
    return Table(("corruption", "severity", "left out", *COLUMNS), tuple(rows))


def chosen_module(predicted: FloatArray) -> NDArray[np.intp]:
    """For each item, the module (row) of the lowest predicted error; one without a prediction only if none has any."""
    return np.where(np.isnan(predicted), np.inf, predicted).argmin(axis=0)


def _ways(
    modules: Mapping[str, Measured],
    predicted: Mapping[str, Mapping[Condition, FloatArray]],
    conditions: Sequence[Condition],
) -> tuple[Ways, int]:
    first = next(iter(modules.values()))
    statistics = np.stack([np.concatenate([each.statistics(c) for c in conditions]) for each in modules.values()])
    there = ~np.isnan(statistics).any(axis=(0, 2))
    if not there.any():
        labels = ", ".join(condition.label for condition in conditions)
        raise Undefined("no item has an answer of every module that counts", where=WHERE, found=labels)
    kept = statistics[:, there]
    guess = np.stack([np.concatenate([predicted[name][c] for c in conditions]) for name in modules])[:, there]
    errors = np.stack([first.metric.error(each) for each in kept])
    items = np.arange(kept.shape[1])
    found = dict(zip(modules, kept, strict=True))
    found[SWITCHED] = kept[chosen_module(guess), items]
    found[ORACLE] = kept[chosen_module(errors), items]
    names = np.arange(len(first.statistics())) if first.units is None else np.asarray(first.units)
    units = numbered(np.tile(names, len(conditions))[there])
    return Ways(first.metric, found, tuple(modules), units), int((~there).sum())


def _require_alike(modules: Mapping[str, Measured]) -> None:
    if len(modules) < 2:
        raise InvalidInput("needs at least two modules", where=WHERE, found=f"{len(modules)}")
    taken = sorted({SWITCHED, ORACLE} & set(modules))
    if taken:
        raise InvalidInput("these names are taken", where=WHERE, found=", ".join(taken))
    first, *others = modules.values()
    for name, other in zip(list(modules)[1:], others, strict=True):
        differing = {
            "conditions": first.conditions != other.conditions,
            "metrics": first.metric.name != other.metric.name,
            "numbers of items": len(first.statistics()) != len(other.statistics()),
            "units": not _same_units(first.units, other.units),
        }
        wrong = [what for what, differs in differing.items() if differs]
        if wrong:
            problem = f"modules must have been measured alike; their {wrong[0]} differ"
            raise InvalidInput(problem, where=WHERE, found=f"{next(iter(modules))} and {name}")


def _same_units(one: NDArray[np.int64] | None, other: NDArray[np.int64] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)
