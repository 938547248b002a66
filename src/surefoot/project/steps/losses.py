"""The steps that bound the mean of losses in [0, 1], whatever their distribution, and the risk of normal margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot import bounds, metrics
from surefoot.adapters import Tested
from surefoot.bounds.assumption_tests import IDENTICAL, INDEPENDENT
from surefoot.bounds.dependence import DISTANT_ROWS, INDEPENDENT_GROUPS, bursts_beyond
from surefoot.bounds.statement import EXPECTED_LOSS, FAILURE_PROBABILITY, ORDER_FIRST
from surefoot.core import (
    Assumption,
    Check,
    Estimate,
    Evidence,
    InvalidInput,
    Scaled,
    SquareRoot,
    Table,
    bound_after,
    validate,
)
from surefoot.core.validate import FloatArray
from surefoot.project.plan import made_with
from surefoot.project.registry import meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    LOSS_METHODS,
    MOST_LINES,
    ErrorUnit,
    Groups,
    LargestError,
    Level,
    Loss,
    LossMethod,
    MaxGroupSize,
    Measure,
    ObjectSizes,
    OfClass,
    Overlap,
    Scale,
    ShareBelow,
    Undesired,
    limit,
)
from surefoot.project.steps.test_data import (
    Sets,
    bounded_by_group,
    brier_losses,
    drift,
    drift_of_groups,
    examined,
    failures,
    independence,
    known_groups,
    margins_of,
    of_kind,
    of_truth,
    read_in_blocks_to_use,
    require_probabilities,
    scope_of,
    touching,
)

QUANTITIES = {
    "failure": FAILURE_PROBABILITY,
    "brier": "expected Brier loss",
    "absolute": "expected absolute error",
    "task": EXPECTED_LOSS,
}
MANY_ROWS = 1_000_000


@step
@meaning(2, when=read_in_blocks_to_use)
def loss_bound(
    tested: Tested,
    *,
    level: Level = 0.95,
    loss: Loss = "failure",
    method: LossMethod = None,
    of: OfClass = None,
    undesired: Undesired = None,
    groups: Groups = "check",
    max_group_size: MaxGroupSize = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the mean loss of a row, whatever the distribution of losses.

    Gives `failure probability`, `expected Brier loss`, `expected absolute error` or `expected loss`.
    """
    validate.choice(loss, QUANTITIES, where=tested.component, name="loss")
    chosen = tested.of_class(of)
    values = _losses(chosen, loss, undesired)
    about: dict[str, Any] = {
        "level": level,
        "quantity": QUANTITIES[loss],
        "scope": scope_of(chosen, of=of, undesired=undesired),
    }
    compared = values > 0 if loss == "failure" else values
    if groups == "use":
        known = known_groups(chosen)
        found = bounded_by_group(chosen, values, known, max_group_size=max_group_size, seed=seed, **about)
        checks = {IDENTICAL.id: drift_of_groups(compared, chosen)}
    elif chosen.places is not None:
        if method is not None:
            raise InvalidInput("rows: sequence has its own method", where=chosen.component, found=f"method: {method}")
        found = bounds.sequence(values, block=chosen.block, positions=chosen.places, **about)
        checks = {IDENTICAL.id: drift_of_groups(compared, chosen)}
    else:
        checks = {IDENTICAL.id: drift(compared, chosen.labels)}
        usual = "betting" if values.size <= MANY_ROWS else "empirical_bernstein"
        found = _bound(values, method or usual, seed, **about)
        checks["independent-losses"] = checks["same-mean"] = independence(chosen, values)
    upper = limit(found, "upper", level)
    shown = {} if loss == "failure" else {"losses": parameters.losses(values, found.value, upper, level=level)}
    return Evidence(
        (of_kind(examined(found, checks, also=[IDENTICAL]), chosen),),
        tables={"losses": _by_class(chosen, values)},
        artefacts=shown,
    )


def _losses(tested: Tested, loss: str, undesired: Sets) -> FloatArray:
    if loss == "failure":
        return failures(tested, undesired).astype(float)
    if undesired is not None:
        raise InvalidInput("undesired: belongs to loss: failure", where=tested.component, found=f"loss: {loss}")
    if loss == "task":
        return _of_task(tested)
    require_probabilities(tested, f"loss: {loss}", "Use loss: failure, or let the component give probabilities.")
    return brier_losses(tested) if loss == "brier" else np.clip(1 - of_truth(tested), 0, 1)


def _of_task(tested: Tested) -> FloatArray:
    if tested.losses is None:
        needed = {"regression": "state largest_error: of the component", "custom": "name loss: of the component"}
        raise InvalidInput(
            "loss: task needs losses between 0 and 1",
            where=tested.component,
            found=f"task: {tested.task}, of which a failure loses 1",
            remedy=f"Use loss: failure, or {needed.get(tested.task, 'choose another task')}.",
        )
    return np.asarray(tested.losses, dtype=float)


def _bound(losses: FloatArray, method: str, seed: int, **about: Any) -> Estimate:
    LOSS_METHODS.choice(method, where=about["scope"], name="method")
    return made_with(partial(bounds.bound.get(method), losses, **about), {"seed": seed})


def _by_class(tested: Tested, losses: FloatArray) -> Table:
    sizes, sums = np.bincount(tested.labels), np.bincount(tested.labels, losses)
    present = np.flatnonzero(sizes) if tested.classifies else np.array([], dtype=int)
    worst = np.sort(present[np.argsort(-(sums / np.maximum(sizes, 1))[present], kind="stable")][:MOST_LINES])
    rows = [(tested.classes[n], int(sizes[n]), float(sums[n] / sizes[n])) for n in worst]
    return Table(("true class", "rows", "mean loss"), (("all rows", losses.size, float(losses.mean())), *rows))


# The step for numbers: how large errors are.

MEAN_ERROR, RMS_ERROR = "mean absolute error", "root mean squared error"


@step
def error_bound(
    tested: Tested,
    *,
    measure: Measure = "quantile",
    share: ShareBelow = 0.95,
    largest: LargestError = None,
    unit: ErrorUnit = "unit of the truth",
    level: Level = 0.95,
    of: OfClass = None,
    seed: int = 0,
) -> Evidence:
    """Bound of how large the errors of a regression are: a quantile, their mean, or the root of their mean square.

    A quantile needs nothing but independent rows (order statistics); the other two need the largest error that is
    possible, because a mean of unbounded errors has no bound. Of interval predictions the error is the distance of the
    truth from the interval. Gives `95% quantile of the absolute error`, `mean absolute error` or
    `root mean squared error`.
    """
    chosen = tested.of_class(of)
    errors = _errors(chosen)
    scope = scope_of(chosen, of=of)
    if measure == "quantile":
        quantity = f"{100 * share:g}% quantile of the absolute error"
        found = bounds.bound.get("quantile")(errors, share, level=level, quantity=quantity, unit=unit, scope=scope)
    else:
        found = _mean_error(chosen, errors, measure, largest, unit=unit, level=level, scope=scope, seed=seed)
    alike = independence(chosen, errors)
    checks = {"identical-distribution": drift(errors, chosen.labels), INDEPENDENT.id: alike, "same-mean": alike}
    columns = ("rows", "mean", "root mean square", *(f"{100 * q:g}% quantile" for q in QUANTILES), "largest")
    spread = np.quantile(errors, QUANTILES, method="inverted_cdf").tolist()
    row = (errors.size, float(errors.mean()), float(np.sqrt(np.mean(errors**2))), *spread, float(errors.max()))
    return Evidence(
        (examined(found, checks, also=[IDENTICAL]),),
        tables={"answers": parameters.answers(chosen), "absolute errors": Table(columns, (row,))},
    )


QUANTILES = (0.5, 0.9, 0.95, 0.99)


def _errors(tested: Tested) -> FloatArray:
    if tested.errors is None:
        raise InvalidInput(
            "error_bound is about errors of numbers",
            where=tested.component,
            found=f"task: {tested.task}",
            remedy="Use it with task: regression, and binomial_bound or loss_bound with any task.",
        )
    return np.asarray(tested.errors, dtype=float)


def _mean_error(
    tested: Tested, errors: FloatArray, measure: str, stated: float | None, *, unit: str, seed: int, **about: Any
) -> Estimate:
    """The mean of errors, or the root of the mean of their squares, as shares of the largest one."""
    largest = stated or tested.largest_error
    if largest is None:
        remedy = (
            "State largest:, an error that cannot be exceeded, such as the range of the truth; or bound a quantile."
        )
        raise InvalidInput(
            f"measure: {measure} needs the largest possible error", where=tested.component, remedy=remedy
        )
    if errors.max() > largest:
        raise InvalidInput(
            "an error is above the largest possible one",
            where=tested.component,
            found=f"{errors.max():g} in row {int(errors.argmax())}, and largest: {largest:g}",
            remedy="State an error that cannot be exceeded.",
        )
    squared = measure == "root mean square"
    shares = (errors / largest) ** (2 if squared else 1)
    quantity = RMS_ERROR if squared else MEAN_ERROR
    found = bounds.bound.get("betting")(shares, quantity=quantity, seed=seed, **about)
    maps = [*([SquareRoot()] if squared else []), Scaled(largest)]
    stated_limit = Assumption("largest-error", f"No error exceeds {largest:g}.", scope=found.scope)
    return replace(
        found,
        value=float(np.sqrt(shares.mean()) if squared else shares.mean()) * largest,
        unit=unit,
        bounds=tuple(bound_after(family, maps) for family in found.bounds),
        assumptions=(*found.assumptions, stated_limit),
        details={**found.details, "largest_error": largest, "mean_of_shares": found.value},
    )


# The step for detectors: average precision over all their confidences.

AP_OF: dict[str, Any] = {"AP50": 0.5, "AP75": 0.75, "mAP": "coco"}


@step
@meaning(2)
def average_precision(
    tested: Tested, *, overlap: Overlap = "AP50", objects: ObjectSizes = "all", seed: int = 0
) -> Evidence:
    """Average precision of a detector over all its confidences, as COCO has it.

    Boxes with any score count; of a segmentation, masks of objects. Its bounds are a jackknife over images and marked
    heuristic, so that a target must accept these; `loss_bound` with `loss: task` has a guaranteed bound of the mean
    share of its objects that an image has not found.
    Gives `average precision`.
    """
    if tested.scenes is None or tested.scenes.answers is None:
        found = f"task: {tested.task}"
        remedy = "Use task: detection, or a segmentation whose objects have a mask each."
        raise InvalidInput("average precision is about objects", where=tested.component, found=found, remedy=remedy)
    truth, answers = tested.scenes.mappings()
    sizes = "" if objects == "all" else f", {objects} objects"
    of: Literal["boxes", "masks"] = "boxes" if tested.scenes.truth.masks is None else "masks"
    named = f"{overlap}{' of masks' if of == 'masks' else ''}{sizes}"
    asked: dict[str, Any] = {"area": objects, "iou_of": of, "seed": seed, "scope": f"{tested.component}, {named}"}
    whole = metrics.average_precision(truth, answers, iou=AP_OF[overlap], **asked)
    estimate = replace(whole, quantity=AVERAGE_PRECISION, details={**whole.details, "overlap": overlap})
    summary = metrics.coco_summary(truth, answers, iou_of=of)
    lonely = Check("contradicted", f"{len(tested):,} images are a sequence") if tested.places is not None else None
    if lonely is None and tested.groups is not None and (groups := np.unique(tested.groups).size) < len(tested):
        lonely = Check("contradicted", f"{len(tested):,} images are in {groups:,} groups")
    return Evidence(
        (examined(estimate, {"images-resampled": lonely}),),
        tables={"COCO": Table(("measure", "value"), tuple(summary.items()))},
    )


AVERAGE_PRECISION = "average precision"


# The steps for classifiers with normal margins: the single-valued bound of NRB, and the exact one.


@step
@meaning(2, when=read_in_blocks_to_use)
def normal_score(
    tested: Tested,
    *,
    of: OfClass = None,
    undesired: Undesired = None,
    scale: Scale = None,
    groups: Groups = "check",
    seed: int = 0,
) -> Evidence:
    """Single-valued risk bound of a classifier with normal margins; holds on average, without a level.

    Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers". `groups: use` looks at one row of each
    group, drawn with the seed; of a sequence at rows a block apart. Gives `failure probability`; a target counts its
    bound where its `kinds` name `expectation`.
    """
    margins = _Margins.of(tested, of, undesired, scale, groups, seed)
    return margins.evidence(bounds.normal_score(margins.every, check=False, scope=margins.scope, **margins.by_group))


@step
@meaning(2, when=read_in_blocks_to_use)
def normal_bound(
    tested: Tested,
    *,
    level: Level = 0.95,
    of: OfClass = None,
    undesired: Undesired = None,
    scale: Scale = None,
    groups: Groups = "check",
    seed: int = 0,
) -> Evidence:
    """Exact confidence bound of the risk of a classifier with normal margins.

    Misses with exactly the stated probability where margins are normal and independent, and can be far below one over
    the number of rows. `groups: use` looks at one row of each group, drawn with the seed; of a sequence at rows a block
    apart. Gives `failure probability`.
    """
    margins = _Margins.of(tested, of, undesired, scale, groups, seed)
    options = {"level": level, "check": False, "scope": margins.scope, **margins.by_group}
    return margins.evidence(bounds.normal_exact(margins.every, **options))


@dataclass(frozen=True, eq=False)
class _Margins:
    """The margins of the chosen rows, and of those that are looked at: with groups one of each, or rows far apart.

    Blocks of a sequence touch, so that rows of two of them may be neighbours; rows a block apart are not.
    """

    tested: Tested
    values: FloatArray
    scope: str
    every: FloatArray
    by_group: Mapping[str, Any]
    block: int | None = None
    """How far the rows that are looked at lie apart, where these are rows of a sequence."""
    sequence: tuple[FloatArray, NDArray[np.int64]] | None = None
    """Failures of all chosen rows of a sequence, and the places of these."""
    seed: int = 0

    @classmethod
    def of(cls, tested: Tested, of: str | None, undesired: Sets, scale: str | None, groups: str, seed: int) -> _Margins:
        if tested.output == "label":
            raise InvalidInput(
                "margins are distances between scores, and this component gives labels only",
                where=tested.component,
                remedy="Let it give scores (method: decision_function or predict_proba), or use binomial_bound.",
            )
        chosen = tested.of_class(of)
        values, scope = _values(chosen, undesired, scale), scope_of(chosen, of=of, undesired=undesired)
        if validate.choice(groups, ("check", "use"), where=tested.component, name="use of groups") == "check":
            return cls(chosen, values, scope, values, {})
        known = known_groups(chosen)
        if touching(chosen):
            block = chosen.block
            if block is None:
                raise InvalidInput(
                    "rows of a sequence are independent where they are as far apart as a burst can last",
                    where=tested.component,
                    found="no block: in the data set",
                    remedy="State there how many rows can fail together, such as block: 50.",
                )
            places = np.asarray(chosen.places)
            rows = bounds.distant_rows(places, block=block, seed=seed)
            far = chosen.where(np.isin(np.arange(values.size), rows), "that are far apart")
            failed = np.asarray(values <= 0, dtype=np.float64)
            return cls(far, values[rows], scope, values[rows], {}, block, (failed, places), seed)
        looked = np.isin(np.arange(values.size), bounds.one_of_each_group(known, seed=seed))
        return cls(chosen.where(looked, "of any group"), values[looked], scope, values, {"groups": known, "seed": seed})

    def evidence(self, estimate: Estimate) -> Evidence:
        failed = self.values <= 0
        if self.block is not None:
            estimate = self._far_apart(estimate)
        normality = bounds.normality(self.values)
        checks = {
            "normal-margins": normality,
            INDEPENDENT.id: None if self.by_group or self.block else independence(self.tested, failed),
            INDEPENDENT_GROUPS.id: independence(self.tested, failed) if self.by_group else None,
            "identical-distribution": drift(self.values, self.tested.labels),
        }
        params = {name: value for name, value in estimate.provenance.params.items() if name != "check"}
        stated = replace(estimate, provenance=replace(estimate.provenance, params=params))
        return Evidence(
            (examined(stated, checks),),
            tables={"margins": self._by_class(), "normality": _tests(normality)},
            artefacts={"margins": parameters.margins(self.values, normality)},
        )

    def _far_apart(self, estimate: Estimate) -> Estimate:
        """Rows at least a block apart are independent if bursts last no longer than that."""
        assert self.block is not None
        assert self.sequence is not None
        apart = replace(DISTANT_ROWS, check=bursts_beyond(*self.sequence, self.block))
        stated = [apart if a.id == INDEPENDENT.id else a for a in estimate.assumptions]
        return replace(
            estimate,
            assumptions=tuple(replace(a, scope=estimate.scope) for a in (*stated, ORDER_FIRST)),
            details={**estimate.details, "block": self.block},
            provenance=replace(estimate.provenance, seed=self.seed),
        )

    def _by_class(self) -> Table:
        rows = [self._row("all rows", self.values)]
        present = np.unique(self.tested.labels)
        if 1 < present.size <= parameters.MOST_BARS:
            rows += [self._row(self.tested.classes[n], self.values[self.tested.labels == n]) for n in present]
        columns = ("rows", "of", "mean", "sd", "failures counted", "share counted", "share if normal")
        return Table(columns, tuple(rows))

    @staticmethod
    def _row(name: str, values: FloatArray) -> tuple[object, ...]:
        failed = int((values <= 0).sum())
        mean, sd = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
        expected = float(special.ndtr(-mean / sd)) if sd > 0 else None
        return name, values.size, mean, sd if sd > 0 else None, failed, failed / values.size, expected


def _values(tested: Tested, undesired: Sets, scale: str | None) -> FloatArray:
    if scale is not None:
        validate.choice(scale, ("log", "plain"), where=tested.component, name="scale")
    if (scale or ("log" if tested.output == "probability" else "plain")) == "plain":
        return margins_of(tested, undesired)
    if (tested.scores <= 0).any():
        raise InvalidInput(
            "a score of 0 or less has no logarithm",
            where=tested.component,
            found=f"{tested.scores.min():g} in {int((tested.scores <= 0).any(axis=1).sum())} rows",
            remedy="Let the component give decision values as scores, say scale: plain, or use binomial_bound.",
        )
    return margins_of(tested, undesired, np.log(tested.scores, dtype=float))


def _tests(normality: Check) -> Table:
    rows = [
        (name.replace("_", "-"), found["status"], found["statistic"], found["p_value"], found["n"])
        for name, found in normality.figures.items()
    ]
    return Table(("test", "status", "statistic", "p value", "rows"), tuple(rows))
