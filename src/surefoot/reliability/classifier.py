"""A model as a function from inputs to class numbers, with everything about its output settled beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, LoadedModel, as_data, as_model, scored
from surefoot.adapters.classes import numbered
from surefoot.adapters.outputs import is_label, put, score_type, settle
from surefoot.core import DiagnosticsError
from surefoot.core.validate import FloatArray
from surefoot.documents import printable

BATCH = 1 << 16
VALUES = 1 << 22
"""What the model is given at once, at most: rows, and numbers in all rows."""
TWICE = 1000
"""Rows that are answered twice, to find models that answer differently each time."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Class numbers for inputs; the same answer for the same input, in any batch."""

    model: LoadedModel
    classes: tuple[str, ...]

    @classmethod
    def of(
        cls, model: Any, inputs: NDArray[np.floating], labels: NDArray[Any], *, classes: Sequence[str] = ()
    ) -> tuple[Classifier, NDArray[np.int64]]:
        """The classifier, and the labels as its class numbers; ``classes`` names the model's columns."""
        data = as_data((inputs, labels), classes=classes)
        settled = _settled(as_model(model), inputs)
        classifier = cls(settled, scored(settled, data, batch_size=_batch(inputs)).classes)
        return classifier, classifier.numbers(labels, where="labels")

    def numbers(self, labels: NDArray[Any], *, where: str) -> NDArray[np.int64]:
        """Labels as numbers of this classifier's classes."""
        return numbered(np.asarray(labels), self.classes, where=where).numbers

    def __call__(self, inputs: NDArray[np.floating]) -> NDArray[np.int64]:
        data = Data("", inputs=inputs, classes=self.classes, classes_listed=True)
        return np.asarray(scored(self.model, data, batch_size=_batch(inputs)).scores.argmax(axis=1))

    def require_deterministic(self, inputs: FloatArray, further: FloatArray | None = None) -> None:
        """The model answers twice, once in reverse order; a difference is an error.

        Rows all over the inputs are asked, and over ``further`` points of the domain: chance may show in parts of it.
        """
        self._require_same_twice(inputs, "row")
        if further is not None:
            self._require_same_twice(further, "further point")

    def _require_same_twice(self, points: FloatArray, name: str) -> None:
        rows = _spread(len(points))
        differing = np.flatnonzero(self(points[rows]) != self(points[rows[::-1]])[::-1])
        if differing.size:
            first = rows[differing[0]]
            raise DiagnosticsError.of(
                "model-output",
                f"the model answered {differing.size:,} of {len(rows):,} inputs differently the second time, "
                f"{name} {first} first: {printable(points[first].tolist(), 80)}.",
                where=self.model.name,
                hint="Switch off dropout and other chance, and whatever depends on the rest of the batch.",
            )


def _batch(inputs: NDArray[Any]) -> int:
    """Rows that fit beside what a network makes of them on its way."""
    return max(1, min(BATCH, VALUES // max(1, inputs[:1].size)))


def _spread(count: int) -> NDArray[np.int64]:
    """Rows to ask twice, chosen at random from all and in order."""
    return np.sort(np.random.default_rng(0).choice(count, min(count, TWICE), replace=False))


def _settled(model: LoadedModel, inputs: NDArray[np.floating]) -> LoadedModel:
    """The model with what it returns decided on all inputs: a batch of scores may look like probabilities."""
    if model.returns is not None:
        return model
    size = _batch(inputs)
    answers = np.concatenate([model.answers(inputs[i : i + size]) for i in range(0, len(inputs), size)])
    if is_label(answers, None):
        return replace(model, returns="label")
    single = answers.ndim == 1
    scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    return replace(model, returns=settle(scores, single=single, returns=None, usual=model.usual))
