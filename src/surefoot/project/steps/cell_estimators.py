"""Which estimator finds the risk inside cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.core import InvalidInput
from surefoot.project.names import made_with
from surefoot.project.steps.parameters import CELL_ESTIMATORS
from surefoot.reliability import LocalEstimator, MonteCarlo, cell_estimator
from surefoot.reliability.network_reading import read_network
from surefoot.reliability.tree_readers import read_ensemble


def estimator_named(name: str, model: Any, *, samples: int, equal: bool, where: str) -> LocalEstimator:
    """The estimator of that name; ``auto`` looks inside the model. ``equal`` draws as many points in every cell.

    It is made with those of ``samples``, ``allocation`` and ``otherwise`` (one that samples) that it takes.
    """
    CELL_ESTIMATORS.choice(name, where=where, name="estimator")
    chosen = _fitting(model) if name == "auto" else name
    allocation: Any = "equal" if equal else "sequential"
    offered = {"samples": samples, "allocation": allocation, "otherwise": MonteCarlo(samples, allocation=allocation)}
    return made_with(cell_estimator.get(chosen), offered)


def _fitting(model: Any) -> str:
    if _can(read_ensemble, model):
        return "exact_trees"
    return "interval" if _can(read_network, model) else "monte_carlo"


def _can(read: Callable[[Any], object], model: Any) -> bool:
    try:
        read(model)
    except InvalidInput:
        return False
    return True
