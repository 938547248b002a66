"""The metrics by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.core import validate
from surefoot.metrics.tasks.base import Metric, mean_of
from surefoot.metrics.tasks.bleu import bleu
from surefoot.metrics.tasks.numbers import mae, rmse
from surefoot.metrics.tasks.success import accuracy, success_rate
from surefoot.metrics.tasks.tracking import hota, idf1, mota
from surefoot.metrics.tasks.words import cer, wer

METRICS: dict[str, Callable[[], Metric]] = {
    "accuracy": accuracy,
    "bleu": bleu,
    "cer": cer,
    "hota": hota,
    "idf1": idf1,
    "mae": mae,
    "mota": mota,
    "rmse": rmse,
    "success_rate": success_rate,
    "wer": wer,
}


def metric_named(name: str) -> Metric:
    """The metric of a name, with the usual options."""
    return METRICS[validate.choice(name, METRICS, where="metric", name="metric")]()


def as_metric(metric: str | Metric | Callable[[Any, Any], float]) -> Metric:
    """A metric by its name, or any function of output and truth that is the error of an item: its mean."""
    if isinstance(metric, Metric):
        return metric
    return mean_of(metric) if callable(metric) else metric_named(metric)
