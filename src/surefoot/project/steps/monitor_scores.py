"""Scores of a monitor: of a detector on what a component answers, takes or computes, or of a column of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.documents import closest
from surefoot.monitors.detectors.base import DETECTORS, Detector

OUTPUTS = ("logits", "probabilities")
LOGITS = "Use max_softmax or doctor, or the step monitor_layer at the layer that gives logits."
MARKS = {
    "alarm": "Write 1 for an alarm and 0 for none; a score goes under score:, with a threshold.",
    "threat": "Write 1 for a threat and 0 for none.",
}
"""Keys whose columns say yes or no, and how."""
REPAIR = "Remove or repair such rows, and say so in the report."
View = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class DetectorScores:
    """A detector by its name, what it is made with, and rows to learn from."""

    tested: Tested
    fit: Data | None
    features: View | None = None
    """From inputs to features of a layer; without it inputs are the features."""

    def __post_init__(self) -> None:
        if self.fit is not None and self.fit.digest == self.tested.digests.get("data"):
            remedy = "Name another data set: what was learned cannot be judged on the same rows."
            raise self._wrong("fit: names the rows of on:", remedy)

    def of(self, name: str, options: Mapping[str, Any] | None = None) -> FloatArray:
        """The scores of all tested rows."""
        detector = self._made(name, options or {})
        view = self._outputs if detector.takes in OUTPUTS and self.features is None else self._inputs
        usual = self._usual(detector)
        names = np.asarray(self.tested.classes)
        detector.fit(view(usual, detector), names[self._answers(usual)])
        return detector.decision_function(view(self.tested, detector), names[self.tested.predictions])

    def of_all(self, names: Iterable[str]) -> dict[str, FloatArray]:
        """The scores of several detectors with their usual values."""
        return {name: self.of(name) for name in names}

    def _made(self, name: str, options: Mapping[str, Any]) -> Detector:
        kind = DETECTORS.get(name)
        known = [field.name for field in fields(cast(Any, kind))]
        on = {"on": "probabilities"} if "on" in known and self._gives_probabilities and not self.features else {}
        for unknown in sorted(set(options) - set(known)):
            meant = closest(unknown, known)
            hint = f"Did you mean {meant!r}? " if meant else ""
            takes = f"It takes {', '.join(known)}." if known else "It takes none."
            raise self._wrong(f"options: {name} has no {unknown!r}", f"{hint}{takes}")
        return kind(**{**on, **options})

    @property
    def _gives_probabilities(self) -> bool:
        return self.tested.output == "probability"

    def _usual(self, detector: Detector) -> Tested | Data:
        """Rows to learn from; a detector of outputs learns nothing but their number."""
        if self.fit is not None:
            return self.fit
        if detector.takes in OUTPUTS:
            return self.tested
        remedy = "Name a data set of usual inputs, such as those of the training."
        raise self._wrong(f"detector: {detector.name} needs fit:", remedy)

    def _answers(self, rows: Tested | Data) -> NDArray[Any]:
        """The class that each row is answered with, as a column of the tested rows' scores."""
        return np.asarray(self._columns(rows).argmax(axis=1))

    def _columns(self, rows: Tested | Data) -> NDArray[Any]:
        assert rows.scores is not None
        if tuple(rows.classes) == tuple(self.tested.classes):
            return rows.scores
        if set(rows.classes) != set(self.tested.classes):
            raise self._wrong("the rows of fit: have other classes", "List the classes of the component under classes.")
        return rows.scores[:, [rows.classes.index(name) for name in self.tested.classes]]

    def _outputs(self, rows: Tested | Data, detector: Detector) -> NDArray[Any]:
        if self.tested.output == "label":
            raise self._wrong(f"detector: {detector.name} needs scores", "Let the component give scores, not labels.")
        if detector.takes == "logits" and self._gives_probabilities:
            raise self._wrong(f"detector: {detector.name} needs logits", LOGITS)
        return self._columns(rows)

    def _inputs(self, rows: Tested | Data, detector: Detector) -> NDArray[Any]:
        if rows.inputs is None:
            raise self._wrong(f"detector: {detector.name} needs inputs", "Name the columns under inputs.")
        if detector.takes == "images":
            return rows.inputs
        found = rows.inputs if self.features is None else self.features(rows.inputs)
        return found.reshape(len(found), -1)

    def _wrong(self, problem: str, remedy: str) -> InvalidInput:
        return InvalidInput(problem, where=self.tested.component, remedy=remedy)


def column(tested: Tested, name: str, key: str) -> FloatArray:
    """A column of the data as numbers."""
    if name not in tested.attributes:
        raise InvalidInput(
            f"{key}: the data set has no attribute {name!r}",
            where=tested.component,
            found=", ".join(tested.attributes) or "no attributes",
            remedy="List it under attributes of the data set.",
        )
    values = np.asarray(tested.attributes[name])
    if values.dtype.kind not in "biuf":
        problem, found = f"{key}: {name!r} must be numbers", f"text such as {str(values.flat[0])!r}"
        raise InvalidInput(problem, where=tested.component, found=found, remedy=MARKS.get(key, ""))
    numbers = values.astype(float)
    odd = np.flatnonzero(~np.isin(numbers, (0, 1)) if key in MARKS else ~np.isfinite(numbers))
    if odd.size:
        raise InvalidInput(
            f"{key}: {name!r} must be {'0 or 1' if key in MARKS else 'finite'}",
            where=tested.component,
            found=f"{numbers[odd[0]]:g} in row {odd[0]} ({odd.size:,} such in all)",
            remedy=MARKS.get(key, REPAIR),
        )
    return numbers
