"""What is at stake at each input: returns with an alarm and without, in units that were drawn independently.

``Stakes`` holds the safety and mission returns of each row if the monitor keeps quiet and if it raises an alarm, beside
those of the ideal function (MON, section II-A); ``Returns`` what given alarms made of it; ``Sweep`` what units are
worth at many thresholds. Rows belong to units (``Sampled``) and returns have stated ranges (``Basis``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.dependence import DISTANT_ROWS, INDEPENDENT_GROUPS
from surefoot.bounds.statement import INDEPENDENT
from surefoot.core import Assumption, InvalidInput, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray

WHERE = "returns"
Function = Callable[..., Any]
"""A return function: of predictions, alarms, truths and context, each with a row an input, a number for each row."""
Range = tuple[float, float]
NAMES_OF_UNITS = "biuUS"
"""Kinds of arrays that name units: numbers and text."""
return_function: Registry[Callable[..., Any]] = Registry("return function", "surefoot.monitors.returns", facts=("of",))
"""Registers a function that says what is at stake, by its own name.

``of="answers"``: of predictions and truths, ``of="marks"``: of one mark a row; project files can name these. All take
the words of ``Rows``, such as ``units``.
"""


class Rows(TypedDict, total=False):
    """Those words of ``Basis`` that a return function does not settle itself."""

    units: NDArray[Any] | None
    weights: Any
    unit: str
    name: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled(ABC):
    """Rows, in units that were drawn independently of each other.

    ``units`` says which rows belong together, such as the frames of an episode: units are drawn independently, rows
    within one are not. ``weights`` says how often a row stands for operation (an operational profile), in any unit.
    Units that are blocks of a sequence are ``touching``: neighbours may share a burst, every second one is independent.
    """

    units: NDArray[Any] | None = None
    weights: FloatArray | None = None
    touching: bool = False
    """Whether units are blocks of a sequence, numbered in its order, of which neighbours are not independent."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows there are."""

    @cached_property
    def unit_numbers(self) -> NDArray[np.int64]:
        """The number of each row's unit."""
        if self.units is None:
            return np.arange(self.rows, dtype=np.int64)
        return np.unique(self.units, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def unit_count(self) -> int:
        """How many independent units there are."""
        return int(self.unit_numbers.max()) + 1

    @property
    def independent(self) -> bool:
        """Whether every row is a trial of its own, and all weigh the same."""
        return self.weights is None and self.unit_count == self.rows and not self.touching

    @property
    def overlap(self) -> int:
        """How many units at most are worth one independent one.

        A mean over blocks of which every second one is independent is the mean of two such means, and spreads no more
        than that of half as many independent blocks, in variance (Cauchy and Schwarz) and in every convex function
        (Hoeffding 1963, section 5d).
        """
        return 2 if self.touching else 1

    @property
    def assumed(self) -> Assumption:
        """What is taken to be independent: rows, units, or rows at least a block apart."""
        if self.touching:
            return DISTANT_ROWS
        return INDEPENDENT if self.weights is None and self.unit_count == self.rows else INDEPENDENT_GROUPS

    @property
    def row_weights(self) -> FloatArray:
        """The weight of each row, 1 where none is stated."""
        return np.ones(self.rows) if self.weights is None else self.weights

    def unit_sums(self, values: FloatArray) -> FloatArray:
        """Weighted sum over the rows of each unit."""
        weighed = values if self.weights is None else values * self.weights
        if self.units is None:
            return weighed
        return np.asarray(np.bincount(self.unit_numbers, weighed, minlength=self.unit_count), dtype=np.float64)

    def unit_means(self, values: FloatArray) -> FloatArray:
        """Mean over the rows of each unit, whatever they weigh; ``values`` are rows x figures."""
        if self.units is None:
            return values
        sums = np.zeros((self.unit_count, values.shape[1]))
        np.add.at(sums, self.unit_numbers, values)
        return np.asarray(sums / np.bincount(self.unit_numbers)[:, None])

    def check_sample(self, where: str) -> None:
        """Check units and weights, one a row."""
        if self.units is not None:
            object.__setattr__(self, "units", _checked_units(self.units, self.rows, where))
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked_weights(self.weights, self.rows, where))


def _checked_units(given: NDArray[Any], rows: int, where: str) -> NDArray[Any]:
    units = np.asarray(given)
    if units.shape != (rows,) or units.dtype.kind not in NAMES_OF_UNITS:
        found = f"{units.dtype} of shape {units.shape} for {rows} rows"
        raise InvalidInput("units must name one unit a row, by number or text", where=where, found=found)
    return units


def _checked_weights(given: FloatArray, rows: int, where: str) -> FloatArray:
    weights = validate.vector(given, where=where, name="weights")
    if weights.size != rows or (weights < 0).any() or not weights.sum() > 0:
        found = f"{weights.size} weights for {rows} rows, smallest {weights.min():g}"
        raise InvalidInput("weights must be at least 0, one a row, not all 0", where=where, found=found)
    return weights


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Basis(Sampled):
    """What all rows share; ranges hold every return that can occur, not only those seen."""

    unit: str = "input"
    """What one independent trial is called."""
    safety_range: Range = (0.0, 1.0)
    mission_range: Range = (0.0, 1.0)
    name: str = ""
    """What an alarm should detect, in a word or two."""
    two_valued: bool = False
    """Whether, by definition, every return is at an end of its range and an alarm never lowers safety."""

    def __repr__(self) -> str:
        what = f", {self.name}" if self.name else ""
        return f"{type(self).__name__}({self.rows:,} rows, {self.unit_count:,} independent{what})"

    def basis(self) -> dict[str, Any]:
        """The words of this class, to hand on."""
        return {field.name: getattr(self, field.name) for field in fields(Basis)}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.safety_ideal)  # type: ignore[attr-defined]

    @property
    def safety_width(self) -> float:
        """How far safety returns can lie apart: what a gain is at most."""
        return self.safety_range[1] - self.safety_range[0]

    @property
    def mission_width(self) -> float:
        """How far mission returns can lie apart."""
        return self.mission_range[1] - self.mission_range[0]

    def check(self, **kinds: str) -> None:
        """Check the arrays named, each ``safety`` or ``mission``, and what all rows share."""
        for end in ("safety_range", "mission_range"):
            object.__setattr__(self, end, _range(getattr(self, end), end))
        for name, kind in kinds.items():
            values = validate.vector(getattr(self, name), where=WHERE, name=name)
            _require_inside(values, getattr(self, f"{kind}_range"), name, kind)
            object.__setattr__(self, name, values)
        validate.same_length(WHERE, **{name: getattr(self, name) for name in kinds})
        self.check_sample(WHERE)

    def alternate(self) -> tuple[Self, NDArray[np.bool_]]:
        """Every second unit of those that touch, which are independent, and which rows these are."""
        rows = self.unit_numbers % 2 == 0 if self.touching else np.ones(self.rows, dtype=bool)
        return replace(self.chosen(rows), touching=False), rows

    def chosen(self, index: Any) -> Self:
        """Some of the rows."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        of_rows = {n: v[index] for n, v in values.items() if isinstance(v, np.ndarray) and len(v) == self.rows}
        return type(self)(**values | of_rows)


def _range(value: Any, name: str) -> Range:
    ends = validate.vector(value, where=WHERE, name=name, at_least=2)
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InvalidInput(f"{name} must be its smallest and its largest return", where=WHERE, found=repr(value))
    return float(ends[0]), float(ends[1])


def _require_inside(values: FloatArray, range: Range, name: str, kind: str) -> None:
    outside = np.flatnonzero((values < range[0]) | (values > range[1]))
    if outside.size:
        at = int(outside[0])
        raise InvalidInput(
            f"{name} must lie in the stated range {range[0]:g} to {range[1]:g}",
            where=WHERE,
            found=f"{values[at]:g} in row {at} ({outside.size} such in all)",
            remedy=f"State {kind}_range as it can be, not as it was seen, or mend the return function.",
        )


class Arms(NamedTuple):
    """A figure of each row if the monitor raises an alarm there, and if it keeps quiet."""

    alarm: FloatArray
    quiet: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Stakes(Basis):
    """Returns of each row if the monitor keeps quiet and if it raises an alarm, and of the ideal function.

    A row is one decision: an input. From here every alarm, and so every threshold, is worth something.

    Parameters
    ----------
    safety_quiet, safety_alarm, safety_ideal
        Safety of each row without an alarm, with one, and as it would be ideally.
    mission_quiet, mission_alarm
        What the mission is worth at each row, without an alarm and with one.
    units
        Which rows belong together, such as the frames of an episode; each row by itself where None.
    weights
        How much of operation a row stands for, in any unit.
    safety_range, mission_range
        The smallest and the largest return that can occur, seen or not.
    unit
        What one independent trial is called.
    touching
        Whether units are blocks of a sequence, numbered in its order, of which neighbours are not independent.
    name
        What an alarm should detect, in a word or two.
    two_valued
        Whether, by definition, every return is at an end of its range and an alarm never lowers safety.

    References
    ----------
    MON, section II-A.

    See Also
    --------
    surefoot.monitors.returns : Ready return functions such as ``errors``, ``severity`` and ``episodes``.

    Examples
    --------
    >>> import surefoot as sf
    >>> stakes = sf.monitors.Stakes([1, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 1, 0])
    >>> stakes.hazardous
    array([False,  True, False])
    >>> stakes.under([False, True, True]).gains
    array([0., 1., 0.])

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

        Parameters
        ----------
        safety, mission
            Give a return for each row.
        predictions, truths, context
            What the functions are called with.
        ideal
            ``ideal(truths, context)`` is the safety return of the ideal function, where it is not the better of alarm
            and none for an answer that is the truth.
        **basis
            ``units``, ``weights``, ranges and the other keywords of ``Stakes``.

        Returns
        -------
        Stakes
            Both arms of each row.

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
        """What these alarms make of it, as ``Returns``."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Returns(Basis):
    """Returns of each row: of model with monitor, of the model alone, and of the ideal function (MON, Eqns. 7 to 9).

    Parameters
    ----------
    safety_monitored, safety_alone, safety_ideal
        Safety of each row with the monitor, without it, and as it would be ideally.
    mission_monitored, mission_alone
        What the mission is worth at each row, with the monitor and without it.
    alarms
        Which rows raised an alarm, where a row is one decision.

    See Also
    --------
    Stakes : Says what the other keywords mean; ``Stakes.under`` makes returns.
    evaluate : What they are worth on average.

    Examples
    --------
    >>> import surefoot as sf
    >>> returns = sf.monitors.Returns([1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1])
    >>> returns.gains, returns.residuals
    (array([0., 1., 0.]), array([0., 0., 1.]))

    """

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


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """What each unit (a row) is worth at each threshold (a column): thresholds rise, so alarms become fewer.

    Units are exchangeable: an input, or an episode with all its frames, never one frame of it.

    Parameters
    ----------
    thresholds
        Rising.
    gains, residuals, costs
        Safety gained, hazard left and mission lost, units x thresholds.
    unit
        What a unit is called.
    safety_width, mission_width
        The largest residual hazard, and the largest cost, that a unit can have.
    name
        What an alarm should detect.

    Examples
    --------
    >>> import surefoot as sf
    >>> stakes = sf.monitors.returns.threats([0, 0, 1, 1])
    >>> sweep = sf.monitors.Sweep.of(stakes, scores=[0.1, 0.4, 0.3, 0.9], thresholds=[0.2, 0.5])
    >>> sweep.residuals.mean(axis=0)
    array([0.  , 0.25])

    """

    thresholds: FloatArray
    gains: FloatArray
    residuals: FloatArray
    costs: FloatArray
    unit: str = "input"
    safety_width: float = 1.0
    mission_width: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        thresholds = validate.numbers(self.thresholds, where="sweep", name="thresholds", finite=False)
        if thresholds.ndim != 1 or not thresholds.size or (np.diff(thresholds) <= 0).any():
            raise InvalidInput("thresholds must rise", where="sweep", found=f"shape {thresholds.shape}")
        object.__setattr__(self, "thresholds", thresholds)
        for name in ("gains", "residuals", "costs"):
            values = validate.numbers(getattr(self, name), where="sweep", name=name)
            if values.ndim != 2 or values.shape[1] != thresholds.size or not len(values):
                found = f"shape {values.shape} for {thresholds.size} thresholds"
                raise InvalidInput(f"{name} must be units x thresholds", where="sweep", found=found)
            object.__setattr__(self, name, values)
        validate.same_length("sweep", gains=self.gains, residuals=self.residuals, costs=self.costs)

    @classmethod
    def of(cls, stakes: Stakes, scores: ArrayLike, thresholds: ArrayLike) -> Self:
        """What a monitor with these scores is worth: the mean over the rows of each unit, at each threshold."""
        values = exchangeable_scores(stakes, scores, where="sweep")
        levels = validate.numbers(thresholds, where="sweep", name="thresholds", finite=False)
        said = values[:, None] > levels
        gains, residuals, costs = (
            stakes.unit_means(np.where(said, alarm[:, None], quiet[:, None]))
            for alarm, quiet in (stakes.gains, stakes.residuals, stakes.costs)
        )
        return cls(levels, gains, residuals, costs, stakes.unit, stakes.safety_width, stakes.mission_width, stakes.name)

    def __repr__(self) -> str:
        return f"Sweep({self.units:,} units, {self.thresholds.size:,} thresholds)"

    @property
    def units(self) -> int:
        """How many units there are."""
        return len(self.gains)


def as_rows(values: Any, name: str, rows: int | None = None) -> NDArray[Any]:
    """Predictions or truths as an array that no function can change: of numbers or text, otherwise of objects."""
    try:
        given = list(values) if not isinstance(values, np.ndarray) else values
    except TypeError as error:
        raise InvalidInput(f"{name} must be one a row", where=WHERE, found=repr(values)) from error
    if rows is not None and len(given) != rows:
        raise InvalidInput(
            f"{name} and truths must have the same length", where=WHERE, found=f"{len(given)} and {rows}"
        )
    if not isinstance(given, np.ndarray):
        given = _plain(given)
    seen = given.view()
    seen.flags.writeable = False
    return seen


def _plain(values: list[Any]) -> NDArray[Any]:
    if values and all(isinstance(value, str | bool | int | float | np.generic) for value in values):
        return np.asarray(values)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def called(function: Function, name: str, rows: int, *arguments: Any) -> FloatArray:
    """What a function returns for these rows."""
    found = validate.numbers(function(*arguments), where=WHERE, name=f"{name} returns")
    if found.shape not in ((), (rows,)):
        raise InvalidInput(
            f"the {name} function must return a number for each row", where=WHERE, found=f"shape {found.shape}"
        )
    return np.broadcast_to(found, (rows,)).copy()


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


def as_vectors(
    values: Sequence[ArrayLike],
    *,
    where: str,
    name: str,
    each: str,
    names: Sequence[Any] | None = None,
    at_least: int = 1,
) -> list[FloatArray]:
    """Vectors of any lengths, one for ``each`` episode or image; messages name the one that is wrong."""
    if isinstance(values, str) or not hasattr(values, "__len__") or any(map(np.isscalar, values)):
        remedy = f"Those of a single {each} are [values]."
        raise InvalidInput(f"{name} must hold a list for each {each}", where=where, remedy=remedy)
    if not len(values):
        raise InvalidInput(f"{name} must be of at least one {each}", where=where, found="none")
    known = range(len(values)) if names is None else names
    return [
        validate.vector(vector, where=where, name=f"{name} of {each} {which}", at_least=at_least)
        for which, vector in zip(known, values, strict=True)
    ]


def exchangeable_scores(stakes: Stakes, scores: ArrayLike, *, where: str) -> FloatArray:
    """Finite scores, one a row, of rows that weigh the same."""
    values = validate.vector(scores, where=where, name="scores")
    validate.same_length(where, scores=values, stakes=stakes.safety_quiet)
    if stakes.weights is not None:
        remedy = "Draw rows from operation instead of weighting them."
        raise InvalidInput("rows with weights are not exchangeable", where=where, remedy=remedy)
    if stakes.touching:
        remedy = "Choose on every second block: stakes, rows = stakes.alternate(), and scores[rows]."
        raise InvalidInput("blocks that touch are not exchangeable", where=where, remedy=remedy)
    return values


def per(unit: str) -> str:
    """The unit of a figure that is a mean over such trials."""
    return PER_DEMAND if unit == "input" else f"per {unit}"
