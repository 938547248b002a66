"""``Monitor``: a detector with a threshold beside a model, one input at a time or many."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, ForwardPass

Watched = ForwardPass | tuple[NDArray[Any], NDArray[Any] | None]
OnError = Literal["raise", "alarm"]


class Observation(NamedTuple):
    """What a monitor says of one input.

    See Also
    --------
    Monitor.step : Makes it.

    """

    score: float
    alarm: bool
    prediction: Any = None
    problem: str = ""
    """Why the input could not be scored, where that is an alarm."""


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
        Turns a batch of raw inputs into a ``ForwardPass``, such as ``monitors.TorchFeatures`` does, so that the
        detector sees features, answers and inputs of one pass; or, as a function of one's own, into what the detector
        takes and what the model answers. Without it inputs are what the detector takes, and predictions are handed
        over.
    name
        What messages call it.
    on_error
        What an input brings that cannot be scored, such as one with NaN: ``"raise"``, an error; ``"alarm"``, an alarm
        with an infinite score, whatever the model, ``watch`` or the detector raised. ``Observation.problem`` says what.

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.KNN(k=1).fit([[0, 0], [0, 1], [1, 0]])
    >>> monitor = sf.monitors.Monitor(detector, threshold=2.0, on_error="alarm")
    >>> monitor.step([4, 4]).alarm
    True
    >>> monitor.alarms([[0, 0.5], [4, 4], [float("nan"), 0]])
    array([False,  True,  True])

    """

    detector: Detector
    threshold: float
    watch: Callable[[Any], Watched] | None = None
    name: str = "monitor"
    on_error: OnError = "raise"

    def __post_init__(self) -> None:
        validate.kind(self.detector, Detector, where=self.name, name="detector", example="Mahalanobis()")
        limit = validate.number(self.threshold, where=self.name, name="threshold", finite=False)
        object.__setattr__(self, "threshold", limit)
        validate.choice(self.on_error, ("raise", "alarm"), where=self.name, name="on_error")
        if self.watch is not None and not callable(self.watch):
            raise self._wrong("watch must be a function of a batch of inputs", repr(self.watch))

    def step(self, x: Any, prediction: Any = None) -> Observation:
        """Look at one input as it comes."""
        if self.on_error == "raise":
            return self._looked(x, prediction)
        try:
            return self._looked(x, prediction)
        except Exception as error:  # Whatever went wrong, the input was not seen to be usual.
            return Observation(np.inf, True, prediction, f"{type(error).__name__}: {error}")

    def observe(self, inputs: Any, predictions: ArrayLike | None = None) -> list[Observation]:
        """Look at many inputs, each as ``step`` does."""
        rows: Any = inputs if isinstance(inputs, ForwardPass) else list(inputs)
        answers = [None] * len(rows) if predictions is None else list(np.asarray(predictions))
        validate.same_length(self.name, inputs=np.empty(len(rows)), predictions=np.empty(len(answers)))
        return [self.step(_one(rows, i), answer) for i, answer in enumerate(answers)]

    def scores(self, inputs: Any, predictions: ArrayLike | None = None) -> FloatArray:
        """The detector's scores of many inputs; infinite where an input that cannot be scored is an alarm."""
        return self._judged(inputs, predictions)[0]

    def alarms(self, inputs: Any, predictions: ArrayLike | None = None) -> NDArray[np.bool_]:
        """Which of many inputs raise an alarm."""
        return self._judged(inputs, predictions)[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write detector and threshold to a file (.npz) that holds no code; ``watch`` is not in it."""
        from surefoot.monitors.detectors.base import save_detector

        said = {"threshold": repr(self.threshold), "name": self.name}
        save_detector(self.detector, path, monitor=said | ({} if self.on_error == "raise" else {"on_error": "alarm"}))

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
            on_error = said.get("on_error", "raise")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InvalidInput(
                "the file holds a detector without a threshold", where=str(path), remedy="Use Detector.load."
            ) from error
        return cls(detector, threshold, watch, name, on_error)

    def _looked(self, x: Any, prediction: Any) -> Observation:
        if self.watch is not None:
            seen, answers = self._watched(np.asarray(x)[None])
            x = seen if isinstance(seen, ForwardPass) else seen[0]
            prediction = None if answers is None else np.asarray(answers)[0]
        elif prediction is None and isinstance(x, ForwardPass) and x.predictions is not None:
            prediction = np.asarray(x.predictions)[0]
        score = self.detector.score_one(x, prediction)
        return Observation(score, score > self.threshold, prediction)

    def _judged(self, inputs: Any, predictions: ArrayLike | None) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Scores and alarms of all inputs together; where that fails and is an alarm, of one after the other."""
        if self.on_error == "raise":
            scores = self._scored(inputs, predictions)
            return scores, scores > self.threshold
        try:
            scores = self._scored(inputs, predictions)
        except Exception:  # Which of them it was shows when they are looked at one by one.
            seen = self.observe(inputs, predictions)
            return np.array([each.score for each in seen]), np.array([each.alarm for each in seen], dtype=bool)
        return scores, scores > self.threshold

    def _scored(self, inputs: Any, predictions: ArrayLike | None) -> FloatArray:
        if self.watch is not None:
            inputs, predictions = self._watched(inputs)
        return self.detector.decision_function(inputs, predictions)

    def _watched(self, batch: Any) -> tuple[Any, Any]:
        """What ``watch`` shows, a row an input, and the predictions."""
        assert self.watch is not None
        found = getattr(self.watch, "forward_pass", self.watch)(batch)
        if isinstance(found, ForwardPass):
            if len(found) != len(batch):
                raise self._wrong("watch must give one row an input", f"{len(found)} for {len(batch)}")
            return found, found.predictions
        if not isinstance(found, tuple) or len(found) != 2:
            raise self._wrong("watch must give features and predictions", type(found).__name__)
        for what, given in zip(("features", "predictions"), found, strict=True):
            if given is not None and len(given) != len(batch):
                raise self._wrong(f"watch must give one row of {what} an input", f"{len(given)} for {len(batch)}")
        return found

    def _wrong(self, problem: str, found: str) -> InvalidInput:
        remedy = "Return a ForwardPass, or (features, predictions), or (features, None)."
        return InvalidInput(problem, where=self.name, found=found, remedy=remedy)


def _one(rows: Any, number: int) -> Any:
    """A row; of a forward pass, the pass of that row."""
    return rows[number : number + 1] if isinstance(rows, ForwardPass) else rows[number]
