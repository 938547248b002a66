"""``Detector``: what all detectors share: checked arguments, numbered classes, and files without pickle."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors import classes as class_numbers

Learned = Mapping[str, NDArray[Any]]
Takes = Literal["features", "logits", "probabilities", "images", "inputs"]
SHAPES = {"features": (2,), "logits": (2,), "probabilities": (2,), "images": (3, 4), "inputs": ()}


class Detector(ABC):
    """Scores how far rows are out of distribution; higher is farther.

    A subclass is a dataclass whose fields are its parameters, plain values that JSON can hold. It says in ``_fit``
    which arrays it learns, and in ``_score`` how it scores with what ``_prepared`` made of them. It keeps nothing
    else, so that every detector can be saved, loaded and fitted anew. ``class KNN(Detector, name="knn")`` registers
    it under the name that files and project files call it; ``beside=`` names its fields that no JSON can hold.
    """

    name: ClassVar[str]
    """What files and project files call it."""
    takes: ClassVar[Takes] = "features"
    """What its rows are."""
    by_class: ClassVar[bool] = False
    """Whether it needs labels to fit and predictions to score."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Fields that no JSON can hold, so that ``parameters`` leave them out."""
    _learned: Learned | None = None
    _ready: Any = None

    def __init_subclass__(
        cls, *, name: str | None = None, beside: tuple[str, ...] | None = None, **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if beside is not None:
            cls.beside = beside
        if name is not None:
            cls.name = name
            DETECTORS.add(cls, name, **({"beside": cls.beside} if cls.beside else {}))

    def fit(self, features: ArrayLike, labels: ArrayLike | None = None) -> Self:
        """Learn what is usual from rows that are; ``labels`` are the classes that the model answers for them."""
        rows = self._rows(features)
        if not rows.size:
            problem, found = "needs at least one row, and one number a row, to fit", f"shape {rows.shape}"
            raise InvalidInput(problem, where=self.name, found=found, remedy="Give rows that are usual.")
        known, numbers = self._numbered_labels(labels, len(rows))
        learned = {**self._fit(rows, numbers), "classes": known, "row_shape": np.array(rows.shape[1:], dtype=np.int64)}
        self._learned, self._ready = learned, None
        return self

    def decision_function(self, features: ArrayLike, predictions: ArrayLike | None = None) -> FloatArray:
        """A score for each row; ``predictions`` are the classes that the model answers for them."""
        learned = self.learned
        rows = self._rows(features)
        if rows.shape[1:] != tuple(learned["row_shape"]):
            raise InvalidInput(
                "rows must have the shape of those it was fitted to",
                where=self.name,
                found=f"{rows.shape[1:]} instead of {tuple(learned['row_shape'].tolist())}",
            )
        numbers = self._numbered_predictions(predictions, len(rows))
        if not len(rows):
            return np.empty(0)
        return self._checked(np.asarray(self._score(rows, numbers, self._prepared_once()), dtype=np.float64), len(rows))

    def score_one(self, features: NDArray[Any], prediction: Any = None) -> float:
        """The score of one row, for streams: the same figure as ``decision_function`` gives for a batch of one."""
        rows = np.asanyarray(features)[None]
        return float(self.decision_function(rows, None if prediction is None else np.asarray(prediction)[None])[0])

    @property
    def learned(self) -> Learned:
        """The arrays it has learned."""
        if self._learned is None:
            raise Undefined("is not fitted yet", where=self.name, remedy="Call fit(features, labels) first.")
        return self._learned

    @property
    def fitted(self) -> bool:
        """Whether it has learned."""
        return self._learned is not None

    @property
    def classes(self) -> NDArray[Any]:
        """The classes it was fitted with."""
        return self.learned["classes"]

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was made with, as plain values, but for the fields ``beside`` them."""
        names = [field.name for field in fields(cast(Any, self)) if field.init and field.name not in self.beside]
        return {name: getattr(self, name) for name in names}

    @property
    def members(self) -> tuple[Detector, ...]:
        """The detectors it is made of, which a file holds too."""
        return ()

    @classmethod
    def restored(
        cls,
        parameters: Mapping[str, Any],
        learned: Learned,
        members: Sequence[Detector] = (),
        objects: Mapping[str, Any] | None = None,
    ) -> Self:
        """The detector of a file: its parameters, what it had learned, its members, and objects that no file holds."""
        detector = cls(**parameters, **cls._restored_beside(learned, members, objects or {}))
        detector._learned = dict(learned)
        return detector

    @classmethod
    def _restored_beside(
        cls, learned: Learned, members: Sequence[Detector], objects: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The fields ``beside`` the parameters: objects that are handed over, unless a subclass knows better."""
        for name in cls.beside:
            if name not in objects:
                raise InvalidInput(f"needs its {name}", where=cls.name, remedy=f"Use load(path, {name}=...).")
        return {name: objects[name] for name in cls.beside}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file (.npz) that holds arrays and JSON, and no code."""
        from surefoot.monitors.files import save_detector

        save_detector(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], **objects: Any) -> Detector:
        """Read what ``save`` wrote; ``objects`` are what no file holds, such as the ``model`` of ODIN."""
        from surefoot.monitors.files import load_detector

        return load_detector(path, **objects)

    @abstractmethod
    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The arrays learned from rows, whose classes are numbered from 0 (all 0 where labels were not given)."""

    @abstractmethod
    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        """Scores of at least one row, given what ``_prepared`` made of the learned arrays."""

    def _prepared(self, learned: Learned) -> Any:
        """What scoring needs that is quickly made of the learned arrays; made once, never saved."""
        return learned

    def _prepared_once(self) -> Any:
        if self._ready is None:
            self._ready = self._prepared(self.learned)
        return self._ready

    def _checked(self, scores: FloatArray, rows: int) -> FloatArray:
        """Scores that can be compared with a threshold: NaN exceeds none, and a monitor would keep quiet."""
        if scores.shape != (rows,) or np.isnan(scores).any():
            found = "NaN" if scores.shape == (rows,) else f"shape {scores.shape} for {rows} rows"
            raise Undefined("gave no score for each row", where=self.name, found=found, remedy="Fit it anew.")
        return scores

    def _rows(self, features: ArrayLike) -> NDArray[Any]:
        rows = validate.numbers(features, where=self.name, name=self.takes)
        allowed = SHAPES[self.takes]
        if allowed and rows.ndim not in allowed:
            words = " or ".join(map(str, allowed))
            remedy = "Flatten each row." if allowed == (2,) else "Give rows x height x width, with channels or without."
            raise InvalidInput(
                f"{self.takes} must have {words} dimensions",
                where=self.name,
                found=f"shape {rows.shape}",
                remedy=remedy,
            )
        return rows

    def _numbered_labels(self, labels: ArrayLike | None, rows: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if labels is None and self.by_class:
            raise InvalidInput(
                "needs labels", where=self.name, remedy="Give the class that the model answers for each row."
            )
        if labels is None:
            return np.zeros(1, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        return class_numbers.numbered(labels, rows, where=self.name)

    def _numbered_predictions(self, predictions: ArrayLike | None, rows: int) -> NDArray[np.int64]:
        if not self.by_class:
            return np.zeros(rows, dtype=np.int64)
        if predictions is None:
            raise InvalidInput(
                "needs predictions", where=self.name, remedy="Give the class that the model answers for each row."
            )
        return class_numbers.numbers_of(predictions, self.classes, rows, where=self.name)


DETECTORS: Registry[type[Detector]] = Registry("detector", "surefoot.monitors.detectors", facts=("beside",))
