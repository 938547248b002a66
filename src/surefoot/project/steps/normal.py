"""The steps for classifiers with normal margins: the single-valued bound of NRB, and the exact one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.adapters import Tested
from surefoot.bounds.checks import INDEPENDENT
from surefoot.bounds.groups import INDEPENDENT_GROUPS
from surefoot.core import Check, Estimate, Evidence, InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.project.step import step
from surefoot.project.steps import figures
from surefoot.project.steps.checks import drift, examined, independence
from surefoot.project.steps.parameters import Groups, Level, OfClass, Scale, Undesired
from surefoot.project.steps.rows import Sets, known_groups, margins_of, scope_of


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
            artefacts={"margins": figures.margins(self.values, normality)},
        )

    def _by_class(self) -> Table:
        rows = [self._row("all rows", self.values)]
        present = np.unique(self.tested.labels)
        if 1 < present.size <= figures.MOST_BARS:
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
