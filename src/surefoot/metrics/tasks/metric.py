"""What a metric of a task is, how well and how much worse a system does by it, and the metrics of numbers and labels.

A metric has statistics of items that add up, and a value of their sums, so that a bootstrap is one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.metrics import distances

Better = Literal["lower", "higher"]
Judge = Callable[[Any, Any], bool]


class NoAnswer(Enum):
    """The answer of a system that gave none; it equals no label and solves no task."""

    NO_ANSWER = "no answer"


NO_ANSWER: Final = NoAnswer.NO_ANSWER


@dataclass(frozen=True)
class Metric:
    """How well the answers of a system agree with the truth, for any set of items, from sums over its items.

    Parameters
    ----------
    name
        What it is called.
    better
        ``lower`` or ``higher``.
    statistics
        Of outputs and truths, what the metric needs of each item: one row an item, one column a number that adds up.
    value
        The metric of sums of statistics, along the last axis; NaN where it is undefined.
    error
        The error of each item by itself, higher for worse, from its statistics; never NaN.
    columns
        What the columns of the statistics are.
    meaning
        The metric in words, with what it counts.
    empty
        The output that stands for no answer; None where there is none, so that such items cannot be counted.

    See Also
    --------
    as_metric, metric_named, of

    """

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


MetricLike = str | Metric | Callable[[Any, Any], float]
metric: Registry[Callable[..., Metric]] = Registry("metric", "surefoot.metrics.tasks")
"""Registers a function that makes a ``Metric``, by its own name; without arguments it has the usual options."""


@validate.arguments
def of(outputs: Any, truths: Any, metric: MetricLike) -> float:
    """The metric of a set of items.

    Parameters
    ----------
    outputs, truths
        The items.
    metric
        A metric, its name, or a function of output and truth.

    Returns
    -------
    float
        Its value.

    Raises
    ------
    Undefined
        Where there is nothing to divide by.

    Examples
    --------
    >>> of([0.1, 0.4], [0.0, 0.4], "mae")
    0.05

    """
    chosen = as_metric(metric)
    value = float(chosen.value(chosen.statistics(outputs, truths).sum(axis=0)))
    if np.isnan(value):
        remedy = "Give at least one item whose truth is not empty."
        raise Undefined("the metric has nothing to divide by", where=chosen.name, remedy=remedy)
    return value


def change(metric: MetricLike, corrupted: float, clean: float) -> float:
    """Relative performance drop: corrupted / clean - 1, or 1 - that where higher is better.

    Parameters
    ----------
    metric
        A metric or its name.
    corrupted, clean
        Its values.

    Returns
    -------
    float
        Above 0 where the system does worse.

    Raises
    ------
    Undefined
        Where the clean value is 0, or below as MOTA may be: there is nothing of which to lose a share.

    References
    ----------
    Paper SYS, Tables 4 to 7.

    Examples
    --------
    >>> round(change("wer", 0.334, 0.212), 3)
    0.575

    """
    after = validate.number(corrupted, where="change", name="corrupted")
    value = float(changes(metric, after, validate.number(clean, where="change", name="clean")))
    if np.isnan(value):
        remedy = "Give the difference instead."
        raise Undefined(
            "a relative change needs a clean value above 0", where="change", found=f"{clean:g}", remedy=remedy
        )
    return value


@validate.arguments
def changes(metric: MetricLike, corrupted: ArrayLike, clean: ArrayLike) -> FloatArray:
    """Relative performance drop of many values at once, such as those of a bootstrap.

    Parameters
    ----------
    metric
        A metric or its name.
    corrupted, clean
        Its values.

    Returns
    -------
    ndarray
        As of ``change``; NaN where it is undefined.

    Examples
    --------
    >>> changes("rmse", [0.2, 0.3], [0.1, 0.0]).tolist()
    [1.0, nan]

    """
    values = {"corrupted": corrupted, "clean": clean}
    top, bottom = (validate.array(each, where="changes", name=name) for name, each in values.items())
    if not all(each.dtype.kind in "buif" for each in (top, bottom)):
        raise InvalidInput(
            "values of a metric must be numbers", where="changes", found=f"{top.dtype} and {bottom.dtype}"
        )
    relative = ratio(top.astype(np.float64), bottom.astype(np.float64)) - 1
    return relative if as_metric(metric).better == "lower" else -relative


@validate.arguments
def metric_named(name: str) -> Metric:
    """The metric of a name, with the usual options.

    Parameters
    ----------
    name
        Such as ``rmse``, ``accuracy``, ``wer``, ``bleu`` or ``hota``.

    Returns
    -------
    Metric
        As made without arguments.

    Examples
    --------
    >>> metric_named("rmse").better
    'lower'

    """
    return metric.get(name)()


@validate.arguments
def as_metric(metric: str | Metric | Callable[[Any, Any], float]) -> Metric:
    """A metric by its name, or any function of output and truth that is the error of an item: its mean.

    Parameters
    ----------
    metric
        A name, a function, or a ``Metric``, which stays as it is.

    Returns
    -------
    Metric
        For any set of items.

    Examples
    --------
    >>> of([3.0, 5.0], [4.0, 4.0], as_metric(lambda output, truth: max(output - truth, 0.0)))
    0.5

    """
    if isinstance(metric, Metric):
        return metric
    return mean_of(metric) if callable(metric) else metric_named(metric)


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


@metric
def rmse() -> Metric:
    """Root mean square error (SYS Eqn. (1)); that of an item is |output - truth|.

    Where an item is several numbers, the mean is taken over all numbers of all items.
    """
    return Metric(
        name="rmse",
        better="lower",
        statistics=partial(_number_statistics, power=2, where="rmse"),
        value=_root_mean,
        error=_root_mean,
        columns=("squared error", "numbers"),
        meaning="root mean square error",
    )


@metric
def mae() -> Metric:
    """Mean absolute error; where an item is several numbers, over all numbers of all items."""
    return Metric(
        name="mae",
        better="lower",
        statistics=partial(_number_statistics, power=1, where="mae"),
        value=shares,
        error=shares,
        columns=("absolute error", "numbers"),
        meaning="mean absolute error",
    )


def _root_mean(sums: FloatArray) -> FloatArray:
    return np.sqrt(ratio(sums[..., 0], sums[..., 1]))


def _number_statistics(outputs: Any, truths: Any, *, power: int, where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    found = _rows(outputs, where=where, name="outputs")
    real = _rows(truths, where=where, name="truths")
    if found.shape != real.shape:
        shapes = f"{found.shape[1]} in outputs and {real.shape[1]} in truths"
        raise InvalidInput("items must have as many numbers in both", where=where, found=shapes)
    with np.errstate(over="ignore"):
        errors = (np.abs(found - real) ** power).sum(axis=1)
        if not np.isfinite(errors.sum()):
            remedy = "Give numbers in a larger unit."
            raise Undefined(
                "the errors are too large to be added", where=where, found=f"{errors.max():g}", remedy=remedy
            )
    return np.column_stack([errors, np.full(len(found), float(found.shape[1]))])


def _rows(values: Any, *, where: str, name: str) -> FloatArray:
    numbers = validate.numbers(values, where=where, name=name)
    if not numbers.size:
        raise InvalidInput(f"{name} must have a number an item", where=where, found=f"shape {numbers.shape}")
    return numbers.reshape(len(numbers), -1)


@metric
def success_rate(judge: Judge | None = None) -> Metric:
    """Share of the items whose task was done (SYS Eqn. (4)).

    Without a ``judge`` the outputs say it themselves: True or 1, False or 0, and truths are not read. With one,
    ``judge(output, truth)`` says it; ``NO_ANSWER`` is a failure, and the judge is not asked.
    """
    statistics = partial(_success_statistics, judge=judge or _said, where="success_rate")
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


def _success_statistics(outputs: Any, truths: Any, *, judge: Judge, where: str) -> FloatArray:
    check_items(outputs, truths, where=where)
    pairs = enumerate(zip(outputs, truths, strict=True))
    right = [_judged(judge, output, truth, index, where) for index, (output, truth) in pairs]
    return np.column_stack([right, np.ones(len(right))])


def _judged(judge: Judge, output: Any, truth: Any, index: int, where: str) -> float:
    verdict = False if output is NO_ANSWER else judge(output, truth)
    if distances.is_value(verdict) and not isinstance(verdict, str) and verdict in (0, 1):
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
    return _success_statistics(found, real, judge=_equal, where="accuracy")


def _equal(output: Any, truth: Any) -> bool:
    return bool(output == truth)


def _labels(side: Any, name: str) -> list[Any]:
    labels = side.tolist() if isinstance(side, np.ndarray) else list(side)
    for index, label in enumerate(labels):
        if label is None or not (isinstance(label, str | int | float) or distances.is_value(label)) or label != label:
            found, remedy = f"{label!r:.40} at index {index}", "Give one label an item: argmax(axis=-1) of scores."
            raise InvalidInput(f"{name} must be labels", where="accuracy", found=found, remedy=remedy)
    return labels
