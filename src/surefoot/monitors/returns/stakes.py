"""``Stakes``: what is at stake at each input, with an alarm and without; ``Returns``: what a monitor made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.basis import WHERE, Basis
from surefoot.monitors.returns.functions import Function, as_rows, called


@dataclass(frozen=True, eq=False, repr=False)
class Returns(Basis):
    """Returns of each row: of model with monitor, of the model alone, and of the ideal function (MON, Eqns. 7 to 9)."""

    safety_monitored: FloatArray
    safety_alone: FloatArray
    safety_ideal: FloatArray
    mission_monitored: FloatArray
    mission_alone: FloatArray
    alarms: NDArray[np.bool_] | None = None
    """Which rows raised an alarm, where a row is one decision."""

    def __post_init__(self) -> None:
        self.check(
            safety_monitored="safety",
            safety_alone="safety",
            safety_ideal="safety",
            mission_monitored="mission",
            mission_alone="mission",
        )
        if self.alarms is not None:
            object.__setattr__(self, "alarms", as_alarms(self.alarms, self.rows))

    @classmethod
    def of(cls, safety: Function, mission: Function, *, alarms: ArrayLike, **options: Any) -> Returns:
        """Returns under a pair of functions, each called as ``f(predictions, alarms, truths, context)`` on all rows.

        The model alone is the same with a monitor that never alarms; the ideal function answers the truth, and is
        worth the better of alarm and none, since no function does better (MON, section II-A). ``options`` are those
        of ``Stakes.of``.
        """
        return Stakes.of(safety, mission, **options).under(alarms)

    @property
    def gains(self) -> FloatArray:
        """Safety gained at each row."""
        return self.safety_monitored - self.safety_alone

    @property
    def residuals(self) -> FloatArray:
        """Hazard left at each row."""
        return self.safety_ideal - self.safety_monitored

    @property
    def hazards(self) -> FloatArray:
        """Hazard of the model alone at each row: what is gained and what is left."""
        return self.safety_ideal - self.safety_alone

    @property
    def costs(self) -> FloatArray:
        """Mission lost at each row."""
        return self.mission_alone - self.mission_monitored


class Arms(NamedTuple):
    """A figure of each row if the monitor raises an alarm there, and if it keeps quiet."""

    alarm: FloatArray
    quiet: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Stakes(Basis):
    """Returns of each row if the monitor keeps quiet and if it raises an alarm, and of the ideal function.

    A row is one decision: an input. From here every alarm, and so every threshold, is worth something.
    """

    safety_quiet: FloatArray
    safety_alarm: FloatArray
    safety_ideal: FloatArray
    mission_quiet: FloatArray
    mission_alarm: FloatArray

    def __post_init__(self) -> None:
        self.check(
            safety_quiet="safety",
            safety_alarm="safety",
            safety_ideal="safety",
            mission_quiet="mission",
            mission_alarm="mission",
        )

    @classmethod
    def of(
        cls,
        safety: Function,
        mission: Function,
        *,
        predictions: Any,
        truths: Any,
        context: Any = None,
        ideal: Function | None = None,
        **basis: Any,
    ) -> Self:
        """What is at stake under a pair of functions, each called as ``f(predictions, alarms, truths, context)``.

        Functions get arrays that they cannot change, of objects where predictions are neither numbers nor text.
        ``ideal(truths, context)`` is the safety return of the ideal function, where it is not the better of alarm and
        none for an answer that is the truth.
        """
        truths = as_rows(truths, "truths")
        rows = len(truths)
        predictions = as_rows(predictions, "predictions", rows)
        quiet, alarm = (as_rows(np.full(rows, said), "alarms") for said in (False, True))
        if ideal is None:
            best = np.maximum(
                *(called(safety, "safety", rows, truths, said, truths, context) for said in (quiet, alarm))
            )
        else:
            best = called(ideal, "ideal", rows, truths, context)
        return cls(
            called(safety, "safety", rows, predictions, quiet, truths, context),
            called(safety, "safety", rows, predictions, alarm, truths, context),
            best,
            called(mission, "mission", rows, predictions, quiet, truths, context),
            called(mission, "mission", rows, predictions, alarm, truths, context),
            **basis,
        )

    def under(self, alarms: ArrayLike) -> Returns:
        """What these alarms make of it."""
        said = as_alarms(alarms, self.rows)
        return Returns(
            np.where(said, self.safety_alarm, self.safety_quiet),
            self.safety_quiet,
            self.safety_ideal,
            np.where(said, self.mission_alarm, self.mission_quiet),
            self.mission_quiet,
            said,
            **self.basis(),
        )

    @property
    def gains(self) -> Arms:
        """Safety gained at each row."""
        return Arms(self.safety_alarm - self.safety_quiet, np.zeros(self.rows))

    @property
    def residuals(self) -> Arms:
        """Hazard left at each row; with the monitor quiet that of the model alone."""
        return Arms(self.safety_ideal - self.safety_alarm, self.safety_ideal - self.safety_quiet)

    @property
    def costs(self) -> Arms:
        """Mission lost at each row."""
        return Arms(self.mission_quiet - self.mission_alarm, np.zeros(self.rows))

    @property
    def hazardous(self) -> NDArray[np.bool_]:
        """Rows at which the model alone falls short of the ideal: what an alarm should detect."""
        return self.safety_quiet < self.safety_ideal

    def weighted(self, weights: ArrayLike) -> Self:
        """The same rows, each standing for so much of operation."""
        return replace(self, weights=validate.vector(weights, where=WHERE, name="weights"))

    def scaled(self) -> Self:
        """In units of the widest difference that can occur, so that gains lie in [-1, 1] (MON, section II-B)."""
        safety, mission = self.safety_width, self.mission_width
        return replace(
            self,
            safety_quiet=self.safety_quiet / safety,
            safety_alarm=self.safety_alarm / safety,
            safety_ideal=self.safety_ideal / safety,
            mission_quiet=self.mission_quiet / mission,
            mission_alarm=self.mission_alarm / mission,
            safety_range=(self.safety_range[0] / safety, self.safety_range[1] / safety),
            mission_range=(self.mission_range[0] / mission, self.mission_range[1] / mission),
        )


def as_alarms(alarms: ArrayLike, rows: int, *, name: str = "alarms") -> NDArray[np.bool_]:
    """Alarms, or other flags, as booleans, one a row."""
    said = np.asarray(alarms)
    if said.shape != (rows,):
        raise InvalidInput(f"{name} must be one a row", where=WHERE, found=f"shape {said.shape} for {rows} rows")
    if said.dtype.kind == "b":
        return said
    if said.dtype.kind in "iuf" and np.isin(said, (0, 1)).all():
        return said.astype(bool)
    raise InvalidInput(f"{name} must be true or false, 0 or 1", where=WHERE, found=f"an array of {said.dtype}")


return_function: Registry[Callable[..., Any]] = Registry("return function", "surefoot.monitors.returns", facts=("of",))
"""Registers a function that says what is at stake, by its own name.

``of="answers"``: of predictions and truths, ``of="marks"``: of one mark a row; project files can name these. All take
the words of ``Rows``, such as ``units``.
"""
