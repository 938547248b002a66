"""The step that turns a metric into an opinion and discounts it by what is known of calibration and coverage."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefoot import opinions
from surefoot.adapters import Tested
from surefoot.bounds.checks import IDENTICAL
from surefoot.bounds.statement import FIXED_SIZE, INDEPENDENT, REPRESENTATIVE, approximate
from surefoot.core import Estimate, Evidence, InvalidInput, validate
from surefoot.opinions import Opinion, chain_steps
from surefoot.opinions.opinion import EstimateKind
from surefoot.project.definition import Conditions
from surefoot.project.step import step
from surefoot.project.steps import trust
from surefoot.project.steps.chain import Chain
from surefoot.project.steps.checks import drift, examined, independence
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
from surefoot.project.steps.rows import scope_of

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
    trusts = [trust.calibration(tested, positive, calibrated_by, **options)] if calibration else []
    trusts.append(trust.coverage(tested, conditions, coverage, ways, **options))
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
