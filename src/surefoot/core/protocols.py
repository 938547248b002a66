"""What other layers may rely on: a model, an executor, a detector."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Task = TypeVar("Task")
Result = TypeVar("Result")


@runtime_checkable
class Model(Protocol):
    """Anything that maps a batch of inputs to a batch of scores or labels."""

    def __call__(self, inputs: NDArray[Any], /) -> NDArray[Any]:
        """One row of output for each row of input."""
        ...


@runtime_checkable
class Executor(Protocol):
    """Runs a function over tasks, somewhere, with results that do not depend on where."""

    def map(
        self,
        function: Callable[[Task, np.random.Generator], Result],
        tasks: Sequence[Task],
        *,
        seed: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Result]:
        """Results in the order of the tasks.

        Task i gets the generator of the i-th child of ``seed``. ``progress`` is called with the
        number of finished tasks and of all tasks.
        """
        ...


@runtime_checkable
class Detector(Protocol):
    """Scores how far inputs are out of distribution; higher is farther, as in PyOD."""

    def fit(self, features: NDArray[Any], labels: NDArray[Any], /) -> Detector:
        """Learn what is usual."""
        ...

    def decision_function(self, features: NDArray[Any], predictions: NDArray[Any], /) -> NDArray[np.float64]:
        """One score for each row of features."""
        ...
