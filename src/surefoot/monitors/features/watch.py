"""What all sources of features share: batches, pooling, and predictions from scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import DiagnosticsError, InvalidInput, validate
from surefoot.monitors.features.batches import batches_of

Pool = Literal["flatten", "mean"] | Callable[[NDArray[Any]], ArrayLike]
Predict = Callable[[NDArray[Any]], ArrayLike]
View = Callable[[NDArray[Any]], NDArray[Any]]
Run = tuple[NDArray[Any], NDArray[Any]]


class Features(ABC):
    """Features of a layer and the model's answer, in one pass over the inputs."""

    def __init__(
        self, name: str, *, pool: Pool, batch: int, classes: Sequence[Any] | None, predict: Predict | None
    ) -> None:
        if not callable(pool):
            validate.choice(pool, ("flatten", "mean"), where=name, name="pool")
        self.name = name
        self.pool = pool
        self.batch = validate.count(batch, where=name, name="batch", at_least=1)
        self.classes = None if classes is None else np.asarray(classes)
        self.predict = predict

    def __call__(self, inputs: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Features, one row an input, and predictions: the class whose score is highest."""
        features, scores = self.both(inputs)
        return features, self._predictions(scores)

    def features(self, inputs: ArrayLike) -> NDArray[Any]:
        """Features, one row an input."""
        return self.both(inputs)[0]

    def scores(self, inputs: ArrayLike) -> NDArray[Any]:
        """What the model answers, unchanged."""
        return self.both(inputs)[1]

    @abstractmethod
    def _run(self, rows: NDArray[Any]) -> Run:
        """What the layer and the model answer for a batch."""

    def both(self, inputs: ArrayLike) -> Run:
        """Features, one row an input, and what the model answers, unchanged."""
        parts = [self._pooled(rows) for rows in batches_of(inputs, self.batch, where=self.name)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _pooled(self, rows: NDArray[Any]) -> Run:
        layer, answer = self._run(rows)
        features = pooled(layer, self.pool)
        for what, array in (("features", features), ("answers", answer)):
            if array.ndim == 0 or len(array) != len(rows):
                text = f"{what} of shape {array.shape} for {len(rows)} inputs: the first axis must be the inputs."
                hint = "Name another layer, or give pool= as a function that puts inputs first."
                raise DiagnosticsError.of("model-output", text, where=self.name, hint=hint)
        return features, answer

    def _predictions(self, scores: NDArray[Any]) -> NDArray[Any]:
        if self.predict is not None:
            return np.asarray(self.predict(scores))
        columns = scores.shape[1] if scores.ndim == 2 else 1
        if scores.ndim > 2 or (columns == 1 and self.classes is not None):
            remedy = "Say how scores become predictions, for example predict=lambda scores: scores[:, 0] > 0."
            raise InvalidInput(
                "needs a column of scores a class", where=self.name, found=f"{scores.shape}", remedy=remedy
            )
        if columns == 1:
            return scores.reshape(-1)
        return self._named(scores.argmax(axis=1), columns)

    def _named(self, numbers: NDArray[np.int64], columns: int) -> NDArray[Any]:
        if self.classes is None:
            return numbers
        if self.classes.shape != (columns,):
            found = f"{self.classes.size} for {columns} columns"
            raise InvalidInput("classes must have one entry a column of scores", where=self.name, found=found)
        return np.asarray(self.classes[numbers])


def pooled(layer: NDArray[Any], pool: Pool) -> NDArray[Any]:
    """One row an input: all values, or the mean over all axes after the second (places of a map, channels first)."""
    if callable(pool):
        return np.asarray(pool(layer))
    if layer.ndim < 2:
        return layer.reshape(-1, 1)
    if pool == "mean" and layer.ndim > 2:
        return np.asarray(layer.mean(axis=tuple(range(2, layer.ndim))))
    return layer.reshape(len(layer), -1)
