"""What a step for monitors judges: scores of detectors, what is at stake at each row, and the threshold.

Scores are those of a detector on what a component answers, takes or computes, or a column of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Frame, Tested
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import closest
from surefoot.monitors.detectors.base import DETECTORS, Detector
from surefoot.monitors.returns.classification import severity as severity_returns
from surefoot.monitors.returns.classification import threats as threat_returns
from surefoot.monitors.returns.stakes import Stakes, return_function
from surefoot.monitors.thresholds import Choice, by_availability, by_hazard, grid_of
from surefoot.project.steps.test_data import (
    Columns,
    Encoding,
    Sets,
    failures,
    framed,
    in_blocks,
    known_groups,
    scores_as_tested,
    touching,
)
from surefoot.project.tasks.judging import refuse_classes

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
    columns: Columns | None = None
    """Which columns of a frame are features, and how they become numbers."""

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
        detector.fit(view(usual, detector), names[scores_as_tested(usual, self.tested, name="fit").argmax(axis=1)])
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

    def _outputs(self, rows: Tested | Data, detector: Detector) -> NDArray[Any]:
        if self.tested.output == "label":
            raise self._wrong(f"detector: {detector.name} needs scores", "Let the component give scores, not labels.")
        if detector.takes == "logits" and self._gives_probabilities:
            raise self._wrong(f"detector: {detector.name} needs logits", LOGITS)
        return scores_as_tested(rows, self.tested, name="fit")

    def _inputs(self, rows: Tested | Data, detector: Detector) -> NDArray[Any]:
        if rows.inputs is None:
            raise self._wrong(f"detector: {detector.name} needs inputs", "Name the columns under inputs.")
        if isinstance(rows.inputs, Frame) or self.columns is not None:
            return self._numbers(rows)
        if detector.takes == "images":
            return rows.inputs
        found = rows.inputs if self.features is None else self.features(rows.inputs)
        return found.reshape(len(found), -1)

    def _numbers(self, rows: Tested | Data) -> NDArray[Any]:
        """Columns of a frame as numbers, encoded as the rows to learn from are."""
        component = self.tested.component
        learned = framed(rows if self.fit is None else self.fit, where=component)
        encoding = Encoding.of(learned, self.columns, where="fit" if self.fit else "on")
        return encoding(framed(rows, where=component), where="fit" if rows is self.fit else "on")

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


# What is at stake at each tested row: errors, threats or errors of different severity.

Severities = Mapping[str, Mapping[str, float]] | None


@dataclass(frozen=True, eq=False)
class AtStake:
    """What an alarm should detect, and which rows belong together."""

    tested: Tested
    detects: str
    threat: str | None
    severity: Severities
    undesired: Sets
    groups: str
    strata: str | None = None
    """The attribute by which rows were drawn."""

    @property
    def drawn_by(self) -> NDArray[Any] | None:
        """The stratum of each row; None where rows were drawn together."""
        if self.strata is None:
            return None
        known = validate.choice(self.strata, self.tested.attributes, where=self.tested.component, name="attribute")
        return np.asarray(self.tested.attributes[known])

    @property
    def within(self) -> NDArray[np.int64]:
        """Rows that may be expected to be alike: of one class, all threats or none, of one stratum."""
        parts = [self.tested.labels]
        if self.threat is not None:
            parts.append(_numbers(column(self.tested, self.threat, "threat")))
        if self.drawn_by is not None:
            parts.append(_numbers(self.drawn_by))
        return np.unique(np.stack(parts), axis=1, return_inverse=True)[1].ravel().astype(np.int64)

    def stakes(self) -> Stakes:
        """The returns of each tested row, with an alarm and without."""
        self._check()
        found = self._at_stake()
        return found if found.units is None else replace(found, touching=touching(self.tested))

    def _at_stake(self) -> Stakes:
        if self.severity is not None:
            return self._by_severity(self.severity)
        if self.detects == "errors":
            return threat_returns(failures(self.tested, self.undesired), **self._rows, name="errors")
        if self._of_marks:
            marks = column(self.tested, self.threat or "", "threat")
            return return_function.get(self.detects)(marks, **self._rows, name=self.detects)
        refuse_classes(self.tested, f"detects: {self.detects}")
        names = np.asarray(self.tested.classes)
        answers, truths = names[self.tested.predictions], names[self.tested.labels]
        return return_function.get(self.detects)(answers, truths, **self._rows)

    @property
    def _of_marks(self) -> bool:
        return return_function.facts_of(return_function.find(self.detects)).get("of") == "marks"

    @property
    def _rows(self) -> dict[str, Any]:
        if self.groups == "check" and self.tested.places is None:
            return {}
        unit = "block" if in_blocks(self.tested) else "group"
        return {"units": _numbers(known_groups(self.tested)), "unit": unit}

    def _by_severity(self, severity: Mapping[str, Mapping[str, float]]) -> Stakes:
        names = np.asarray(self.tested.classes)
        stated: dict[str, Mapping[str, float]] = {name: {} for name in self.tested.classes} | dict(severity)
        for name in (*severity, *(answer for row in severity.values() for answer in row)):
            self.tested.class_number(name)
        matrix = {true: {answer: row.get(answer, 0.0) for answer in names.tolist()} for true, row in stated.items()}
        return severity_returns(names[self.tested.predictions], names[self.tested.labels], matrix, **self._rows)

    def _check(self) -> None:
        if self._of_marks != (self.threat is not None):
            raise self._wrong("threat: names the attribute that marks threats, and goes with detects: threats")
        if self.severity is not None:
            refuse_classes(self.tested, "severity:")
        if self.severity is not None and (self.detects != "errors" or self.undesired is not None):
            raise self._wrong("severity: goes with detects: errors, and without undesired:")
        if self.undesired is not None and self.detects != "errors":
            raise self._wrong("undesired: goes with detects: errors")

    def _wrong(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.tested.component)


def _numbers(groups: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(groups, return_inverse=True)[1].astype(np.int64)


def parts_of(stakes: Stakes, share: float, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows that choose the threshold, and those that judge it: whole units, drawn at random.

    Of blocks that touch the first ones choose and the others judge, but for the one between; of those that choose every
    second one does, because what is promised of a threshold is promised for independent units.
    """
    if not stakes.touching:
        chooses = calibration_rows(stakes, share, seed)
        return chooses, ~chooses
    numbers, units = stakes.unit_numbers, stakes.unit_count
    count = min(max(round(share * units), 3), units - 3)
    return (numbers < count) & (numbers % 2 == 0), numbers > count


def calibration_rows(stakes: Stakes, share: float, seed: int) -> NDArray[np.bool_]:
    """Whole units, drawn at random."""
    units = stakes.unit_count
    count = min(max(round(share * units), 1), units - 1)
    chosen = np.random.default_rng(seed).permutation(units)[:count]
    return np.isin(stakes.unit_numbers, chosen)


# The threshold of a monitor: stated, or chosen on calibration rows under a budget.

CALIBRATE, DELTA = 0.5, 0.1
GRID_SHARE = 0.2
"""Share of the calibration rows whose scores make the grid of thresholds, which the others then test."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Alarms of the rows that judge a monitor, and how its threshold came about."""

    rows: NDArray[np.bool_]
    """Which of the tested rows judge."""
    alarms: NDArray[np.bool_]
    threshold: float | None = None
    choice: Choice | None = None
    chosen_on: int = 0
    """How many rows chose the threshold."""


@dataclass(frozen=True)
class Budget:
    """What a project file says of the threshold."""

    where: str
    threshold: float | None
    availability: float | None
    hazard: float | None
    mode: str | None
    delta: float | None
    calibrate: float | None
    seed: int

    def __post_init__(self) -> None:
        stated = [name for name in ("threshold", "availability", "hazard") if getattr(self, name) is not None]
        if len(stated) != 1:
            raise InvalidInput(
                "says how the threshold comes about exactly once",
                where=self.where,
                found=" and ".join(f"{name}:" for name in stated) or "nothing",
                remedy="Give one of threshold:, availability: and hazard:, such as availability: 0.05.",
            )
        if self.threshold is not None and (self.mode, self.delta, self.calibrate) != (None, None, None):
            raise self._idle("mode:, delta: and calibrate: say how a threshold is chosen, and threshold: states it")
        if self.delta is not None and self.mode != "probability":
            raise self._idle("delta: goes with mode: probability")

    def _idle(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.where, remedy="Leave out what has no effect.")

    def judged(self, stakes: Stakes, scores: FloatArray) -> Judged:
        """Rows that judge, and their alarms."""
        if self.threshold is not None:
            return Judged(np.ones(scores.size, dtype=bool), scores > self.threshold, self.threshold)
        if stakes.unit_count < (8 if stakes.touching else 4):
            found, remedy = f"{stakes.unit_count} independent", "Add rows, or state threshold:."
            problem = "too few rows to choose a threshold on some of them and to judge it on others"
            raise InvalidInput(problem, where=self.where, found=found, remedy=remedy)
        chooses, judges = parts_of(stakes, self.calibrate or CALIBRATE, self.seed)
        choice = self.choice(replace(stakes.chosen(chooses), touching=False), scores[chooses])
        return Judged(judges, scores[judges] > choice.threshold, choice.threshold, choice, int(chooses.sum()))

    def choice(self, stakes: Stakes, scores: FloatArray) -> Choice:
        """The threshold that keeps the budget on calibration rows."""
        choose, budget = (by_hazard, self.hazard) if self.hazard is not None else (by_availability, self.availability)
        assert budget is not None
        if self.mode != "probability":
            return choose(stakes, scores, budget=budget, mode="expectation")
        grid = calibration_rows(stakes, GRID_SHARE, self.seed + 1)
        thresholds = grid_of(scores[grid])
        rest = stakes.chosen(~grid)
        return choose(
            rest, scores[~grid], budget=budget, mode="probability", delta=self.delta or DELTA, thresholds=thresholds
        )
