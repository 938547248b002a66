"""What counts as a failure, and how the model's own scores predict it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray

CHUNK = 1 << 16
PROBABILITY = "probability"


@dataclass(frozen=True)
class Failing:
    """Classes in the order of the scores, the only true class that counts (all for None), and undesired answers."""

    classes: tuple[str, ...]
    of: str | None = None
    undesired: Mapping[str, Sequence[str]] | None = None

    @cached_property
    def table(self) -> NDArray[np.bool_]:
        """For each true class and each answer, whether the answer is a failure that counts."""
        wrong = ~np.eye(len(self.classes), dtype=bool)
        for name, answers in (self.undesired or {}).items():
            wrong[self._number(name)] = False
            wrong[self._number(name), [self._number(answer) for answer in answers]] = True
        return wrong & self.counted[:, None]

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Whether rows of each true class count."""
        return np.array([self.of in (None, name) for name in self.classes])

    def suspicion(self, scores: NDArray[Any], output: str) -> FloatArray:
        """How much the model itself doubts each answer; only the order of the numbers means something.

        Of probabilities: the probability that the answer is a failure that counts. Of other scores: by how much the
        best true class for which the answer would be a failure falls behind the answer.
        """
        if output == PROBABILITY:
            return self.predicted(scores)[0]
        return np.concatenate([self._shortfalls(part) for part in _parts(scores)])

    def predicted(self, scores: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Probabilities that each row counts and fails, and that it counts, as the model sees it."""
        pairs = [self._probabilities(part) for part in _parts(scores)]
        failing, counting = zip(*pairs, strict=True)
        return np.concatenate(failing), np.concatenate(counting)

    def _probabilities(self, part: FloatArray) -> tuple[FloatArray, FloatArray]:
        failing = np.einsum("ij,ij->i", part, self.table.T[part.argmax(axis=1)].astype(float))
        return np.clip(failing, 0, 1), np.clip(part @ self.counted.astype(float), 0, 1)

    def _shortfalls(self, part: FloatArray) -> FloatArray:
        behind = part - part.max(axis=1, keepdims=True)
        return np.asarray(np.where(self.table.T[part.argmax(axis=1)], behind, -np.inf).max(axis=1))

    def _number(self, name: str) -> int:
        return self.classes.index(validate.choice(name, self.classes, where="failures", name="class"))


def _parts(scores: NDArray[Any]) -> Iterator[FloatArray]:
    for start in range(0, len(scores), CHUNK):
        yield np.asarray(scores[start : start + CHUNK], dtype=float)
