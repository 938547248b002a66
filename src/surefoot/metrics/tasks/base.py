"""What a metric of a task is: statistics of items that add up, and the metric of their sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray

Better = Literal["lower", "higher"]


class NoAnswer(Enum):
    """The answer of a system that gave none; it equals no label and solves no task."""

    NO_ANSWER = "no answer"


NO_ANSWER: Final = NoAnswer.NO_ANSWER


@dataclass(frozen=True)
class Metric:
    """How well the answers of a system agree with the truth, for any set of items, from sums over its items."""

    name: str
    better: Better
    statistics: Callable[[Any, Any], FloatArray]
    """Of outputs and truths, what the metric needs of each item: one row an item, one column a number that adds up."""
    value: Callable[[FloatArray], FloatArray]
    """The metric of sums of statistics, along the last axis; NaN where it is undefined."""
    error: Callable[[FloatArray], FloatArray]
    """The error of each item by itself, higher for worse, from its statistics; never NaN."""
    columns: tuple[str, ...]
    """What the columns of the statistics are."""
    meaning: str
    """The metric in words, with what it counts."""
    empty: Any | None = None
    """The output that stands for no answer; None where there is none, so that such items cannot be counted."""

    def __post_init__(self) -> None:
        validate.choice(self.better, ("lower", "higher"), where=f"metric {self.name}", name="better")


metric: Registry[Callable[..., Metric]] = Registry("metric", "surefoot.metrics.tasks")
"""Registers a function that makes a ``Metric``, by its own name; without arguments it has the usual options."""


def mean_of(
    function: Callable[[Any, Any], float], *, name: str | None = None, better: Better = "lower", empty: Any = None
) -> Metric:
    """The mean of a function of output and truth: an error, or where higher is better a score whose best is 1.

    The error of an item is the function itself, or 1 - the score.
    """
    title = name or str(getattr(function, "__name__", "metric"))
    return Metric(
        name=title,
        better=better,
        statistics=partial(_values, function=function, where=title),
        value=shares,
        error=shares if better == "lower" else missing_shares,
        columns=(title, "items"),
        meaning=f"mean of {title}",
        empty=empty,
    )


def check_items(outputs: Any, truths: Any, *, where: str) -> None:
    """As many outputs as truths, and at least one."""
    for name, items in (("outputs", outputs), ("truths", truths)):
        if not _is_list(items):
            found, remedy = repr(items)[:60], "Give a list with one entry an item."
            raise InvalidInput(f"{name} must be a list", where=where, found=found, remedy=remedy)
    validate.same_length(where, outputs=outputs, truths=truths)
    if not len(outputs):
        raise InvalidInput("needs at least one item", where=where, found="none", remedy="Give outputs and truths.")


def ratio(over: FloatArray, under: FloatArray) -> FloatArray:
    """One number by another; NaN where there is nothing to divide by."""
    undefined = np.full(np.broadcast_shapes(np.shape(over), np.shape(under)), np.nan)
    return np.divide(over, under, out=undefined, where=np.asarray(under) > 0)


def shares(sums: FloatArray) -> FloatArray:
    """The first column by the second."""
    return ratio(sums[..., 0], sums[..., 1])


def missing_shares(sums: FloatArray) -> FloatArray:
    """1 - the first column by the second."""
    return 1 - shares(sums)


def _is_list(items: Any) -> bool:
    if isinstance(items, np.ndarray):
        return items.ndim > 0
    return isinstance(items, Sequence) and not isinstance(items, str | bytes)


def _values(outputs: Any, truths: Any, *, function: Callable[[Any, Any], float], where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    values = [function(output, truth) for output, truth in zip(outputs, truths, strict=True)]
    checked = validate.vector(values, where=where, name="values of the function")
    return np.column_stack([checked, np.ones(len(checked))])
