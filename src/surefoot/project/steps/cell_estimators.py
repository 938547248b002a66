"""Which estimator finds the risk inside cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.core import InvalidInput, validate
from surefoot.reliability import ExactTrees, Interval, LocalEstimator, MonteCarlo
from surefoot.reliability.network_reading import read_network
from surefoot.reliability.tree_readers import read_ensemble

NAMES = ("auto", "exact_trees", "interval", "monte_carlo")


def estimator_named(name: str, model: Any, *, samples: int, equal: bool, where: str) -> LocalEstimator:
    """The estimator of that name; ``auto`` looks inside the model. ``equal`` draws as many points in every cell."""
    validate.choice(name, NAMES, where=where, name="estimator")
    sampling = MonteCarlo(samples, allocation="equal" if equal else "sequential")
    if name == "exact_trees" or (name == "auto" and _can(read_ensemble, model)):
        return ExactTrees()
    if name == "interval" or (name == "auto" and _can(read_network, model)):
        return Interval(otherwise=sampling)
    return sampling


def _can(read: Callable[[Any], object], model: Any) -> bool:
    try:
        read(model)
    except InvalidInput:
        return False
    return True
