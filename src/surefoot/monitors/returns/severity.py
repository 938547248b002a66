"""``severity``: wrong answers that are not equally bad (MON, section III-A, after Salay, Angus and Czarnecki 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput
from surefoot.monitors.returns.answers import answers_and_truths
from surefoot.monitors.returns.basis import WHERE, Range
from surefoot.monitors.returns.pairs import Pairs, by_class, by_pair
from surefoot.monitors.returns.rows import Rows
from surefoot.monitors.returns.stakes import Stakes, return_function


@return_function
def severity(
    predictions: ArrayLike,
    truths: ArrayLike,
    matrix: Pairs | ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    alarm_severity: Mapping[Any, float] | float = 0.0,
    mission: Mapping[Any, float] | float = 1.0,
    safety_range: Range | None = None,
    mission_range: Range | None = None,
    **rows: Unpack[Rows],
) -> Stakes:
    """What is at stake where each true class answered as another has its own severity.

    ``matrix`` maps true class to answered class to severity, or is an array with a row a true class, in the order of
    ``classes`` (0, 1, ... where not stated). A right answer has severity 0, so the ideal function meets no hazard. An
    alarm replaces the severity by ``alarm_severity``: 0, or that of what it sets off, such as braking, for all or by
    true class. An alarm on a right answer costs the ``mission`` that much, for all or by true class.

    Returns are 1 less the severity, and 1 less the cost, in units of the largest that is stated. With a range they are
    the upper end of the range less the severity, or the cost, in units as stated.
    """
    answered, true = answers_and_truths(predictions, truths)
    quiet, alarm = by_pair(matrix, classes, answered, true), by_class(alarm_severity, true, "alarm_severity")
    if not max(quiet.largest, alarm.largest) > 0:
        raise InvalidInput("some severity must be above 0", where=WHERE, remedy="State which wrong answers are bad.")
    cost = by_class(mission, true, "mission")
    lost = np.where(answered == true, cost.rows, 0.0)
    top, unit = _scale(safety_range, max(quiet.largest, alarm.largest))
    mission_top, mission_unit = _scale(mission_range, cost.largest or 1.0)
    words: Rows = {"name": "severe errors", **rows}
    return Stakes(
        top - quiet.rows / unit,
        top - alarm.rows / unit,
        np.full(true.size, top),
        np.full(true.size, mission_top),
        mission_top - lost / mission_unit,
        safety_range=safety_range or (0.0, 1.0),
        mission_range=mission_range or (0.0, 1.0),
        **words,
    )


def _scale(stated: Range | None, largest: float) -> tuple[float, float]:
    """The return without any loss, and the loss that counts as 1."""
    return (1.0, largest) if stated is None else (float(stated[1]), 1.0)
