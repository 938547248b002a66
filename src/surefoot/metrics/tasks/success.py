"""Shares of items that are right: tasks that were done, labels that are those of the truth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.metrics import kinds
from surefoot.metrics.tasks.base import NO_ANSWER, Metric, check_items, metric, missing_shares, shares

Judge = Callable[[Any, Any], bool]


@metric
def success_rate(judge: Judge | None = None) -> Metric:
    """Share of the items whose task was done (SYS Eqn. (4)).

    Without a ``judge`` the outputs say it themselves: True or 1, False or 0, and truths are not read. With one,
    ``judge(output, truth)`` says it; ``NO_ANSWER`` is a failure, and the judge is not asked.
    """
    statistics = partial(_statistics, judge=judge or _said, where="success_rate")
    return _share("success_rate", statistics, "success rate", False if judge is None else NO_ANSWER)


@metric
def accuracy() -> Metric:
    """Share of the outputs that are the label of the truth; ``NO_ANSWER`` is never."""
    return _share("accuracy", _label_statistics, "share of right labels", NO_ANSWER)


def _share(name: str, statistics: Callable[[Any, Any], FloatArray], meaning: str, empty: Any) -> Metric:
    return Metric(
        name=name,
        better="higher",
        statistics=statistics,
        value=shares,
        error=missing_shares,
        columns=("right", "items"),
        meaning=meaning,
        empty=empty,
    )


def _said(output: Any, _: Any) -> Any:
    return output


def _statistics(outputs: Any, truths: Any, *, judge: Judge, where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    pairs = enumerate(zip(outputs, truths, strict=True))
    right = [_judged(judge, output, truth, index, where) for index, (output, truth) in pairs]
    return np.column_stack([right, np.ones(len(right))])


def _judged(judge: Judge, output: Any, truth: Any, index: int, where: str) -> float:
    verdict = False if output is NO_ANSWER else judge(output, truth)
    if kinds.is_value(verdict) and not isinstance(verdict, str) and verdict in (0, 1):
        return float(verdict)
    found = f"{verdict!r:.40} at index {index}"
    remedy = "Give True or False for each item, or a judge of output and truth."
    raise InvalidInput("success must be True or False", where=where, found=found, remedy=remedy)


def _label_statistics(outputs: Any, truths: Any) -> FloatArray:
    check_items(outputs, truths, where="accuracy")
    found, real = (_labels(side, name) for side, name in ((outputs, "outputs"), (truths, "truths")))
    answered = [label for label in found if label is not NO_ANSWER]
    texts = [any(isinstance(label, str) for label in side) for side in (answered, real)]
    if answered and texts[0] != texts[1]:
        kinds_found = " and ".join("text" if text else "numbers" for text in texts)
        raise InvalidInput("labels must be of one kind", where="accuracy", found=f"{kinds_found}")
    return _statistics(found, real, judge=_equal, where="accuracy")


def _equal(output: Any, truth: Any) -> bool:
    return bool(output == truth)


def _labels(side: Any, name: str) -> list[Any]:
    labels = side.tolist() if isinstance(side, np.ndarray) else list(side)
    for index, label in enumerate(labels):
        if label is None or not (isinstance(label, str | int | float) or kinds.is_value(label)) or label != label:
            found, remedy = f"{label!r:.40} at index {index}", "Give one label an item: argmax(axis=-1) of scores."
            raise InvalidInput(f"{name} must be labels", where="accuracy", found=found, remedy=remedy)
    return labels
