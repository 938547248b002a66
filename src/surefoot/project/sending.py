"""Whether a model can be used in other processes."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

import numpy as np

from surefoot.core import Executor, Model
from surefoot.documents import printable

LONGEST = 200


def obstacle(model: Model, executor: Executor) -> str:
    """Why the processes of an executor cannot use a model, found out by sending it; empty where they can."""
    try:
        (answer,) = executor.map(_opened, [_cloudpickle().dumps(model)], seed=0)
    except Exception as error:
        return _reason(error)
    return answer


def _cloudpickle() -> Any:
    """What joblib and Dask send functions with; joblib before 1.6 brings its own."""
    try:
        return import_module("cloudpickle")
    except ImportError:
        return import_module("joblib.externals.cloudpickle")


def _opened(content: bytes, _rng: np.random.Generator) -> str:
    try:
        pickle.loads(content)
    except Exception as error:
        return _reason(error)
    return ""


def _reason(error: Exception) -> str:
    return printable(f"{type(error).__name__}: {error}".partition("\n")[0], LONGEST)
