"""``Monitor``: a detector with a threshold beside a model, one input at a time or many."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector

Watched = tuple[NDArray[Any], NDArray[Any] | None]


class Observation(NamedTuple):
    """What a monitor says of one input.

    See Also
    --------
    Monitor.step : Makes it.

    """

    score: float
    alarm: bool
    prediction: Any = None


@dataclass(frozen=True, eq=False)
class Monitor:
    """Raises an alarm where the score of its detector exceeds the threshold.

    Parameters
    ----------
    detector
        Fitted.
    threshold
        The largest score without an alarm.
    watch
        Turns a batch of raw inputs into what the detector takes and what the model answers, such as
        ``monitors.TorchFeatures``; without it inputs are what the detector takes, and predictions are handed over.
    name
        What messages call it.

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.KNN(k=1).fit([[0, 0], [0, 1], [1, 0]])
    >>> monitor = sf.monitors.Monitor(detector, threshold=2.0)
    >>> monitor.step([4, 4]).alarm
    True
    >>> monitor.alarms([[0, 0.5], [4, 4]])
    array([False,  True])

    """

    detector: Detector
    threshold: float
    watch: Callable[[Any], Watched] | None = None
    name: str = "monitor"

    def __post_init__(self) -> None:
        validate.kind(self.detector, Detector, where=self.name, name="detector", example="Mahalanobis()")
        limit = validate.number(self.threshold, where=self.name, name="threshold", finite=False)
        object.__setattr__(self, "threshold", limit)
        if self.watch is not None and not callable(self.watch):
            raise self._wrong("watch must be a function of a batch of inputs", repr(self.watch))

    def step(self, x: Any, prediction: Any = None) -> Observation:
        """Look at one input as it comes."""
        if self.watch is not None:
            features, answers = self._watched(np.asarray(x)[None])
            x, prediction = features[0], None if answers is None else answers[0]
        score = self.detector.score_one(x, prediction)
        return Observation(score, score > self.threshold, prediction)

    def scores(self, inputs: Any, predictions: ArrayLike | None = None) -> FloatArray:
        """The detector's scores of many inputs."""
        if self.watch is not None:
            inputs, predictions = self._watched(inputs)
        return self.detector.decision_function(inputs, predictions)

    def alarms(self, inputs: Any, predictions: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Which of many inputs raise an alarm."""
        return self.scores(inputs, predictions) > self.threshold

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write detector and threshold to a file (.npz) that holds no code; ``watch`` is not in it."""
        from surefoot.monitors.detectors.base import save_detector

        save_detector(self.detector, path, monitor={"threshold": repr(self.threshold), "name": self.name})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, watch: Callable[[Any], Watched] | None = None, **objects: Any
    ) -> Monitor:
        """Read what ``save`` wrote; ``watch`` and ``objects`` such as a ``model`` are handed over anew."""
        from surefoot.monitors.detectors.base import load_described

        detector, described = load_described(path, **objects)
        try:
            said = described["monitor"]
            threshold, name = float(said["threshold"]), str(said["name"])
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(
                "the file holds a detector without a threshold", where=str(path), remedy="Use Detector.load."
            ) from error
        return cls(detector, threshold, watch, name)

    def _watched(self, batch: Any) -> Watched:
        """What ``watch`` gives, if it is a row and a prediction an input."""
        assert self.watch is not None
        found = self.watch(batch)
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._wrong("watch must give features and predictions", type(found).__name__)
        for what, given in zip(("features", "predictions"), found, strict=True):
            if given is not None and len(given) != len(batch):
                raise self._wrong(f"watch must give one row of {what} an input", f"{len(given)} for {len(batch)}")
        return found

    def _wrong(self, problem: str, found: str) -> InvalidInput:
        remedy = "Return (features, predictions), or (features, None)."
        return InvalidInput(problem, where=self.name, found=found, remedy=remedy)
