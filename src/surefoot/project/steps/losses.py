"""The steps that bound the mean of losses in [0, 1], whatever their distribution, and the risk of normal margins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.adapters import Tested
from surefoot.bounds.assumption_tests import IDENTICAL, INDEPENDENT
from surefoot.bounds.dependence import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.core import Check, Estimate, Evidence, InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.project.plan import made_with
from surefoot.project.registry import step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    LOSS_METHODS,
    MOST_LINES,
    Groups,
    Level,
    Loss,
    LossMethod,
    MaxGroupSize,
    OfClass,
    Scale,
    Undesired,
    limit,
)
from surefoot.project.steps.test_data import (
    Sets,
    brier_losses,
    drift,
    drift_of_groups,
    examined,
    failures,
    independence,
    known_groups,
    margins_of,
    of_truth,
    require_probabilities,
    scope_of,
)

QUANTITIES = {
    "failure": FAILURE_PROBABILITY,
    "brier": "expected Brier loss",
    "absolute": "expected absolute error",
}
MANY_ROWS = 1_000_000


@step
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

    Gives `failure probability`, `expected Brier loss` or `expected absolute error`.
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
        found = bounds.grouped(values, known_groups(chosen), max_group_size=max_group_size, seed=seed, **about)
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
        (examined(found, checks, also=[IDENTICAL]),), tables={"losses": _by_class(chosen, values)}, artefacts=shown
    )


def _losses(tested: Tested, loss: str, undesired: Sets) -> FloatArray:
    if loss == "failure":
        return failures(tested, undesired).astype(float)
    if undesired is not None:
        raise InvalidInput("undesired: belongs to loss: failure", where=tested.component, found=f"loss: {loss}")
    require_probabilities(tested, f"loss: {loss}", "Use loss: failure, or let the component give probabilities.")
    return brier_losses(tested) if loss == "brier" else np.clip(1 - of_truth(tested), 0, 1)


def _bound(losses: FloatArray, method: str, seed: int, **about: Any) -> Estimate:
    LOSS_METHODS.choice(method, where=about["scope"], name="method")
    return made_with(partial(bounds.bound.get(method), losses, **about), {"seed": seed})


def _by_class(tested: Tested, losses: FloatArray) -> Table:
    sizes, sums = np.bincount(tested.labels), np.bincount(tested.labels, losses)
    present = np.flatnonzero(sizes)
    worst = np.sort(present[np.argsort(-(sums / np.maximum(sizes, 1))[present], kind="stable")][:MOST_LINES])
    rows = [(tested.classes[n], int(sizes[n]), float(sums[n] / sizes[n])) for n in worst]
    return Table(("true class", "rows", "mean loss"), (("all rows", losses.size, float(losses.mean())), *rows))


# The steps for classifiers with normal margins: the single-valued bound of NRB, and the exact one.


@step
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
    group, drawn with the seed. Gives `failure probability`; a target counts its bound where its `kinds` name
    `expectation`.
    """
    margins = _Margins.of(tested, of, undesired, scale, groups, seed)
    return margins.evidence(bounds.normal_score(margins.every, check=False, scope=margins.scope, **margins.by_group))


@step
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
    the number of rows. `groups: use` looks at one row of each group, drawn with the seed. Gives `failure probability`.
    """
    margins = _Margins.of(tested, of, undesired, scale, groups, seed)
    options = {"level": level, "check": False, "scope": margins.scope, **margins.by_group}
    return margins.evidence(bounds.normal_exact(margins.every, **options))


@dataclass(frozen=True, eq=False)
class _Margins:
    """The margins of the chosen rows, and of those that are looked at: with groups, one of each."""

    tested: Tested
    values: FloatArray
    scope: str
    every: FloatArray
    by_group: Mapping[str, Any]

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
        looked = np.isin(np.arange(values.size), bounds.one_of_each_group(known, seed=seed))
        return cls(chosen.where(looked, "of any group"), values[looked], scope, values, {"groups": known, "seed": seed})

    def evidence(self, estimate: Estimate) -> Evidence:
        failed = self.values <= 0
        normality = bounds.normality(self.values)
        checks = {
            "normal-margins": normality,
            INDEPENDENT.id: None if self.by_group else independence(self.tested, failed),
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
