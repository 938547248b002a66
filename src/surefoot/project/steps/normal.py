"""The steps for classifiers with normal margins: the single-valued bound of NRB, and the exact one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from surefoot import bounds
from surefoot.adapters import Tested
from surefoot.core import Check, Estimate, Evidence, InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.project.steps import figures
from surefoot.project.steps.checks import drift, examined, independence
from surefoot.project.steps.parameters import Level, OfClass, Scale, Undesired
from surefoot.project.steps.rows import Sets, margins_of, scope_of


def normal_score(tested: Tested, *, of: OfClass = None, undesired: Undesired = None, scale: Scale = None) -> Evidence:
    """Single-valued risk bound of a classifier with normal margins; holds on average, without a level.

    Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers". Gives `failure probability`; a target
    counts its bound where its `kinds` name `expectation`.
    """
    margins = _Margins.of(tested, of, undesired, scale)
    return margins.evidence(bounds.normal_score(margins.values, check=False, scope=margins.scope))


def normal_bound(
    tested: Tested, *, level: Level = 0.95, of: OfClass = None, undesired: Undesired = None, scale: Scale = None
) -> Evidence:
    """Exact confidence bound of the risk of a classifier with normal margins.

    Misses with exactly the stated probability where margins are normal and independent, and can be far below one over
    the number of rows. Gives `failure probability`.
    """
    margins = _Margins.of(tested, of, undesired, scale)
    return margins.evidence(bounds.normal_exact(margins.values, level=level, check=False, scope=margins.scope))


@dataclass(frozen=True, eq=False)
class _Margins:
    """The margins of the chosen rows."""

    tested: Tested
    values: FloatArray
    scope: str

    @classmethod
    def of(cls, tested: Tested, of: str | None, undesired: Sets, scale: str | None) -> _Margins:
        if tested.output == "label":
            raise InvalidInput(
                "margins are distances between scores, and this component gives labels only",
                where=tested.component,
                remedy="Let it give scores (method: decision_function or predict_proba), or use binomial_bound.",
            )
        chosen = tested.of_class(of)
        return cls(chosen, _values(chosen, undesired, scale), scope_of(chosen, of=of, undesired=undesired))

    def evidence(self, estimate: Estimate) -> Evidence:
        failed = self.values <= 0
        normality = bounds.normality(self.values)
        checks = {
            "normal-margins": normality,
            "independent-samples": independence(self.tested, failed),
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
