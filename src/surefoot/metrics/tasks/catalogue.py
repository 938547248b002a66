"""The metrics by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.metrics.tasks.base import Metric, mean_of
from surefoot.metrics.tasks.base import metric as registered


def metric_named(name: str) -> Metric:
    """The metric of a name, with the usual options."""
    return registered.get(name)()


def as_metric(metric: str | Metric | Callable[[Any, Any], float]) -> Metric:
    """A metric by its name, or any function of output and truth that is the error of an item: its mean."""
    if isinstance(metric, Metric):
        return metric
    return mean_of(metric) if callable(metric) else metric_named(metric)
