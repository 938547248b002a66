"""The step that turns a metric into an opinion, discounted by what is known of calibration and coverage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import opinions
from surefoot.adapters import Tested
from surefoot.bounds.assumption_tests import IDENTICAL
from surefoot.bounds.statement import FIXED_SIZE, INDEPENDENT, REPRESENTATIVE, approximate
from surefoot.core import Artefact, Assumption, Estimate, Evidence, InvalidInput, Table, validate
from surefoot.documents import counted
from surefoot.opinions import CombinationCoverage, Link, Opinion, chain_steps, t_way_coverage
from surefoot.opinions.opinion import EstimateKind
from surefoot.project.components import as_text
from surefoot.project.definition import Conditions
from surefoot.project.registry import step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    BaseRate,
    CalibratedBy,
    Calibration,
    Coverage,
    Discounting,
    Level,
    Metric,
    Positive,
    PriorWeight,
    Ways,
)
from surefoot.project.steps.test_data import (
    brier_losses,
    drift,
    examined,
    independence,
    require_probabilities,
    scope_of,
)
from surefoot.project.tasks.judging import refuse_classes

METRICS = ("recall", "precision", "specificity", "accuracy", "f1")
ASSUMED = (INDEPENDENT, IDENTICAL, FIXED_SIZE, REPRESENTATIVE)
ONLY_DOUBT = "Use the step binomial_bound where a level must hold."


@step
def metric_opinion(
    tested: Tested,
    *,
    conditions: Conditions = Conditions(),  # noqa: B008
    metric: Metric,
    positive: Positive = None,
    calibration: Calibration = True,
    calibrated_by: CalibratedBy = "brier",
    coverage: Coverage = True,
    ways: Ways = 2,
    level: Level = 0.95,
    prior_weight: PriorWeight = 2.0,
    base_rate: BaseRate = 0.5,
    how: Discounting = "uncertainty",
) -> Evidence:
    """A metric as an opinion, discounted by calibration and coverage.

    Herd and Burton, "Can you trust your ML metrics?", SAC 2024. Gives the metric itself, such as `recall` (credible,
    except for f1), and what a chain of doubts leaves of it, such as `trusted recall` (heuristic).
    """
    validate.level(level, where=tested.component)
    options = {"prior_weight": prior_weight, "base_rate": base_rate}
    positive = None if metric == "accuracy" else positive
    outcomes = _Outcomes.of(tested, metric, positive)
    primary = outcomes.opinion(**options)
    trusts = [calibration_trust(tested, positive, calibrated_by, **options)] if calibration else []
    trusts.append(coverage_trust(tested, conditions, coverage, ways, **options))
    links = [item.link for item in trusts if item.link]
    chain = Chain(metric, level, trusts, chain_steps(primary, *links, how=how))
    return Evidence(outcomes.estimates(chain), tables=chain.tables(), artefacts=chain.artefacts())


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """The rows that a metric counts, and which of them went well."""

    metric: str
    rows: Tested
    good: NDArray[np.bool_]
    scope: str

    @classmethod
    def of(cls, tested: Tested, metric: str, positive: str | None) -> _Outcomes:
        validate.choice(metric, METRICS, where=tested.component, name="metric")
        if metric == "accuracy":
            return cls(metric, tested, ~tested.failed, scope_of(tested))
        refuse_classes(tested, f"metric: {metric}")
        if positive is None:
            raise InvalidInput(
                f"{metric} is about one class",
                where=tested.component,
                remedy=f"Say which one with positive: {tested.classes[-1]}.",
            )
        counted, good, what = _counted(tested, metric, positive)
        return cls(metric, tested.where(counted, what), good[counted], scope_of(tested, positive))

    def opinion(self, **options: float) -> Opinion:
        went_well, did_not = int(self.good.sum()), int((~self.good).sum())
        if self.metric == "f1":
            return opinions.f1(went_well, did_not, 0, **options)
        return getattr(opinions, self.metric)(went_well, did_not, **options)

    def estimates(self, chain: Chain) -> tuple[Estimate, ...]:
        checks = {
            INDEPENDENT.id: independence(self.rows, self.good),
            IDENTICAL.id: drift(~self.good, self.rows.labels),
        }
        found = [self._plain(chain.steps[0])]
        if len(chain.steps) > 1:
            found.append(self._trusted(chain))
        return tuple(examined(estimate, checks) for estimate in found)

    def _plain(self, opinion: Opinion) -> Estimate:
        assumed = [replace(a, scope=self.scope) for a in ASSUMED]
        exact = self.metric != "f1"
        kind: EstimateKind = "credible" if exact else "heuristic"
        found = opinion.to_estimate(quantity=self.metric, scope=self.scope, assumptions=assumed, kind=kind)
        counts = {"positive": int(self.good.sum()), "negative": int((~self.good).sum())} if exact else {}
        return replace(found, details={**found.details, **counts})

    def _trusted(self, chain: Chain) -> Estimate:
        further = [item.assumption for item in chain.trusts if item.assumption]
        found = chain.steps[-1].to_estimate(
            quantity=f"trusted {self.metric}",
            scope=self.scope,
            assumptions=[replace(a, scope=self.scope) for a in (*ASSUMED, *further)],
        )
        details = {**found.details, "uncertainties": chain.uncertainties()}
        return replace(found, details=details, caveats=(approximate("A discounted opinion", ONLY_DOUBT),))


def _counted(tested: Tested, metric: str, positive: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_], str]:
    """Rows that count, and rows that are right; a tie of the positive class for the highest score counts as wrong."""
    number = tested.class_number(positive)
    is_positive = tested.labels == number
    found = is_positive & ~tested.failed
    claimed = ~is_positive & (tested.scores[:, number] >= tested.scores.max(axis=1))
    return {
        "recall": (is_positive, found, f"of class {positive!r}"),
        "specificity": (~is_positive, ~claimed, f"of another class than {positive!r}"),
        "precision": (found | claimed, found, f"that were answered {positive!r}"),
        "f1": (is_positive | claimed, found, f"of class {positive!r} or answered so"),
    }[metric]


# What discounts a metric: how good the forecasts are, and how much of the operating conditions the rows show.

NOT_COVERED = Assumption("covered-conditions", "The test data cover the operating conditions.")
COMPLETE = Assumption("complete-conditions", "The table of operating conditions names all that matters.")
STATED = Assumption("stated-coverage", "The stated coverage of the operating conditions is right.")
NO_PROBABILITIES = "Say calibration: false, or let the component give probabilities."


@dataclass(frozen=True)
class Trust:
    """A link of the chain, where there is one, and what comes with it."""

    link: Link | None
    note: str = ""
    assumption: Assumption | None = None
    table: Table | None = None


def calibration_trust(tested: Tested, positive: str | None, by: str, *, prior_weight: float, base_rate: float) -> Trust:
    """Trust in the forecasts of all rows: of the positive class, or of all classes where none is named."""
    require_probabilities(tested, "calibration", NO_PROBABILITIES)
    validate.choice(by, ("brier", "ece"), where=tested.component, name="measure of calibration")
    measure = _brier if by == "brier" else _expected_error
    opinion = measure(tested, positive, prior_weight, base_rate)
    name = "squared error of the forecasts" if by == "brier" else "expected calibration error"
    return Trust(Link("calibration", "model", opinion), f"{name} of {counted(len(tested), 'row')}")


def coverage_trust(
    tested: Tested,
    conditions: Conditions,
    asked: bool | Mapping[Any, int],
    ways: int,
    *,
    prior_weight: float,
    base_rate: float,
) -> Trust:
    """Trust in the data set: stated, measured on the table of operating conditions, or none."""
    options = {"prior_weight": prior_weight, "base_rate": base_rate}
    if isinstance(asked, Mapping):
        total = validate.count(asked.get("total"), where="coverage", name="total", at_least=1)
        covered = validate.count(asked.get("covered"), where="coverage", name="covered")
        opinion = opinions.coverage(covered, total, **options)
        return Trust(Link("coverage", "data", opinion), f"{covered:,} of {total:,}, as stated", STATED)
    if not asked or not conditions.odd:
        return Trust(None, assumption=NOT_COVERED)
    found = measured_coverage(tested, conditions.odd, ways)
    note = f"{found.covered:,} of {found.total:,} combinations of {counted(found.strength, 'dimension')}"
    return Trust(Link("coverage", "data", found.opinion(**options)), note, COMPLETE, missing(found))


def _brier(tested: Tested, positive: str | None, prior_weight: float, base_rate: float) -> Opinion:
    if positive is None:
        errors = brier_losses(tested)
        return opinions.score(1 - errors.mean(), errors.size, prior_weight=prior_weight, base_rate=base_rate)
    forecast, outcome = _forecast(tested, positive)
    return opinions.brier(forecast, outcome, prior_weight=prior_weight, base_rate=base_rate)


def _expected_error(tested: Tested, positive: str | None, prior_weight: float, base_rate: float) -> Opinion:
    if positive is None:
        confidence, correct = tested.scores.max(axis=1), ~tested.failed
    else:
        confidence, correct = _forecast(tested, positive)
    return opinions.expected_calibration_error(confidence, correct, prior_weight=prior_weight, base_rate=base_rate)


def _forecast(tested: Tested, positive: str) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    number = tested.class_number(positive)
    return tested.scores[:, number], tested.labels == number


# A chain of doubts as tables and figures.


@dataclass(frozen=True)
class Chain:
    """A metric's opinion and what is left of it after each link."""

    metric: str
    level: float
    trusts: Sequence[Trust]
    steps: tuple[Opinion, ...]

    def tables(self) -> dict[str, Table]:
        """The opinions of the chain, what discounted them, and what the data do not cover."""
        found = {"chain": self._opinions(), "trust": self._trust()}
        return found | {f"missing {t.link.name}": t.table for t in self.trusts if t.link and t.table and t.table.rows}

    def artefacts(self) -> dict[str, Artefact]:
        """Intervals of the chain, and its opinions in their triangle."""
        label = f"{self.metric}, with the two-sided interval of probability {100 * self.level:.10g}%"
        rows = [(name, low, value, high) for name, (value, low, high) in self._spreads().items()]
        triangle = parameters.triangle(dict(zip(self._names, self.steps, strict=True)))
        return {"chain": parameters.intervals(rows, label), "opinions": triangle}

    def uncertainties(self) -> dict[str, float]:
        """Uncertainty of the metric and after each link."""
        return {name: float(step.uncertainty) for name, step in zip(self._names, self.steps, strict=True)}

    @property
    def _names(self) -> list[str]:
        return [self.metric, *(f"after {trust.link.name}" for trust in self.trusts if trust.link)]

    def _opinions(self) -> Table:
        spreads = self._spreads()
        rows = [(name, *_masses(step), *spreads[name]) for name, step in zip(self._names, self.steps, strict=True)]
        ends = [f"{side} end (two-sided at {100 * self.level:.10g}%)" for side in ("lower", "upper")]
        return Table(("opinion", "belief", "disbelief", "uncertainty", "probability", *ends), tuple(rows))

    def _trust(self) -> Table:
        rows = [(t.link.name, t.link.layer, *_masses(t.link.opinion), t.note) for t in self.trusts if t.link]
        return Table(("trust", "layer", "belief", "disbelief", "uncertainty", "from"), tuple(rows))

    def _spreads(self) -> dict[str, tuple[float, float, float]]:
        """Probability and interval after each link."""
        ends = [tuple(map(float, step.interval(self.level))) for step in self.steps]
        middles = [float(step.probability) for step in self.steps]
        return {name: (middle, *end) for name, middle, end in zip(self._names, middles, ends, strict=True)}  # type: ignore[misc]


def _masses(opinion: Opinion) -> tuple[float, float, float]:
    return float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty)


# How much of the operating conditions the test rows show.

LARGEST_CODE = 2**62
MOST_MISSING = 20
Odd = Mapping[str, Sequence[Any]]


def measured_coverage(tested: Tested, odd: Odd, ways: int) -> CombinationCoverage:
    """Combinations of values of ``ways`` dimensions of the table that occur; rows outside the table show none."""
    lacking = [name for name in odd if name not in tested.attributes]
    if lacking:
        raise InvalidInput(
            "dimensions of the operating conditions are no attributes of the data",
            where=tested.component,
            found=", ".join(lacking),
            remedy="Name their columns under attributes, state the coverage, or say coverage: false.",
        )
    return t_way_coverage(_distinct_rows(tested, odd), odd, min(ways, len(odd)))


def missing(coverage: CombinationCoverage) -> Table:
    """Combinations that no row shows, at most ``MOST_MISSING`` of them."""
    rows = [(", ".join(f"{name} = {as_text(value)}" for name, value in cell.items()),) for cell in coverage.missing]
    if len(rows) > MOST_MISSING:
        rows = [*rows[:MOST_MISSING], (f"and {len(rows) - MOST_MISSING:,} more",)]
    return Table(("combination that no row shows",), tuple(rows))


def _distinct_rows(tested: Tested, odd: Odd) -> list[dict[str, Any]]:
    """Each combination of values once, found without sorting rows of text."""
    places = [_places(tested.attributes[name], values) for name, values in odd.items()]
    inside = np.logical_and.reduce([place >= 0 for place in places])
    kept, shape = [place[inside] for place in places], tuple(len(values) for values in odd.values())
    if math.prod(shape) <= LARGEST_CODE:
        found = np.column_stack(np.unravel_index(np.unique(np.ravel_multi_index(kept, shape)), shape))
    else:
        found = np.unique(np.column_stack(kept), axis=0)
    return [{name: odd[name][place] for name, place in zip(odd, row, strict=True)} for row in found.tolist()]


def _places(column: NDArray[Any], values: Sequence[Any]) -> NDArray[np.int16]:
    """The number of each row's value in the list of values, -1 where it is not in the list."""
    found = np.full(len(column), -1, dtype=np.int16)
    for place, value in enumerate(values):
        found[_equal(column, value)] = place
    return found


def _equal(column: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """Files hold 1, 1.0 and "1" for the same value, so numbers are compared as numbers and the rest as text."""
    if column.dtype.kind in "biuf":
        return np.asarray(column == _number(value))
    same = np.asarray(column == as_text(value))
    return same | (column == value) | (column == _number(value)) if column.dtype.hasobject else same


def _number(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
