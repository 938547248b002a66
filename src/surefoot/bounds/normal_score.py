"""Bounds of a classifier's risk from normally distributed margins: NRB, and the budget it grew from.

NRB: Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers". The risk is
P(Z <= 0) = Phi(-mu / sigma) for margins Z that follow a normal distribution (Eqn. (4)).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.checks import IDENTICAL, INDEPENDENT, NORMAL, assumption_checks, checked_rows, standardised
from surefoot.bounds.groups import INDEPENDENT_GROUPS, one_of_each_group
from surefoot.bounds.margins import checked_mode, checked_scores, mode_margins
from surefoot.bounds.normal_function import score_bound
from surefoot.bounds.normal_minimum import minimise
from surefoot.bounds.plain import plain_array
from surefoot.bounds.remedies import remedy
from surefoot.bounds.statement import FAILURE_PROBABILITY, ORDER_FIRST, REPRESENTATIVE, About, bound, state
from surefoot.core import Assumption, Bound, Diagnostic, Estimate, InvalidInput, Provenance, array_digest, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

NO_CONFIDENCE = 1.0
ROW_OF_GROUP = Assumption(
    "row-of-group", "Operation meets a group at random and then one of its rows, so that large groups weigh no more."
)


@dataclass(frozen=True)
class MarginSummary:
    """What the normal-score bounds use of the margins; ``sd`` has n - 1 in its denominator."""

    n: int
    mean: float
    sd: float
    ratio: float
    failures: int

    @classmethod
    def of(cls, margins: FloatArray) -> MarginSummary:
        """Summarise a vector of margins."""
        # Scaling first keeps the squares of very large or very small margins in range.
        scale = float(np.abs(margins).max())
        mean, sd = float((margins / scale).mean()), float((margins / scale).std(ddof=1))
        return cls(margins.size, mean * scale, sd * scale, mean / sd, int((margins <= 0).sum()))

    @property
    def risk(self) -> float:
        """Phi(-mean/sd): NRB, Eqn. (4) with the estimates in place of the parameters."""
        return float(special.ndtr(-self.ratio))

    def to_dict(self) -> dict[str, float]:
        """Plain values for an estimate's details."""
        return {"n": self.n, "mean": self.mean, "sd": self.sd, "ratio": self.ratio, "failures": self.failures}


@dataclass(frozen=True, eq=False)
class MarginSample:
    """The margins a bound may look at: all of them, or one of each group, with what they were taken from."""

    margins: FloatArray
    rows: NDArray[Any] | None
    data: Mapping[str, str]
    seed: int | None = None
    details: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, margins: ArrayLike, rows: ArrayLike | None, groups: ArrayLike | None, *, seed: int, where: str
    ) -> MarginSample:
        """Checked, and drawn where there are groups."""
        values = validate.vector(margins, where=where, name="margins", at_least=3)
        table = checked_rows(rows, values, where=where)
        data = {"margins": array_digest(values)} | ({} if table is None else {"rows": array_digest(table)})
        if groups is None:
            return cls(checked_margins(values, where=where), table, data)
        labels = np.asarray(groups)
        validate.same_length(where, margins=values, groups=labels)
        drawn = one_of_each_group(labels, seed=seed)
        chosen = checked_margins(values[drawn], where=f"{where}, one margin of each group")
        data["groups"] = array_digest(plain_array(labels, where=where, name="groups"))
        counts = {"groups": drawn.size, "rows": values.size}
        return cls(chosen, None if table is None else table[drawn], data, seed, counts)

    def assumptions(self, *, check: bool) -> tuple[Assumption, ...]:
        """What a normal-score bound assumes, checked or merely stated."""
        stated = (NORMAL, INDEPENDENT, IDENTICAL, REPRESENTATIVE)
        found = assumption_checks(self.margins, self.rows) if check else stated
        if self.seed is None:
            return found
        apart = tuple(replace(INDEPENDENT_GROUPS, check=a.check) if a.id == INDEPENDENT.id else a for a in found)
        return (*apart, ROW_OF_GROUP, ORDER_FIRST)

    def provenance(self, method: str, **params: object) -> Provenance:
        """Where a normal-score bound comes from."""
        return Provenance(f"bounds.{method}", params, data=self.data, seed=self.seed)


@dataclass(frozen=True)
class ScoreBudget:
    """A total risk shared among an unlucky mean (gamma), an unlucky spread (eta) and the classifier itself."""

    total: float
    gamma: float
    eta: float
    classifier: float

    @property
    def rest(self) -> float:
        """What gamma and eta leave of the total."""
        return self.total - self.gamma - self.eta

    @property
    def fits(self) -> bool:
        """Whether the classifier's part fits into the rest."""
        return self.classifier <= self.rest


@bound
def normal_score(
    margins: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    check: bool = True,
    seed: int = 0,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Risk of a classifier with normal margins, and the single-valued bound of NRB, Algorithm 1.

    The value is Phi(-mean/sd). ``details["bound"]`` is the global minimum of g_N (Eqn. (15)) and
    ``details["gamma"]``, ``details["eta"]`` the error probabilities that reach it; where no minimum below 0.5
    exists the bound is 1 and both are None. The bound holds on average over data sets: no confidence is
    attached, a ``Target`` counts it only when its ``kinds`` name "expectation", and ``normal_exact`` is the
    answer with a level.

    ``groups`` are labels of rows that resemble each other, such as pictures of one film. One row of each group, drawn
    with ``seed``, is looked at, so that margins are independent again: the risk of a row of a group, both drawn at
    random. ``rows`` are feature rows, one a margin, in which to look for duplicates; ``check=False`` states the
    assumptions unchecked.
    """
    sample = MarginSample.of(margins, rows, groups, seed=seed, where="normal_score")
    summary = MarginSummary.of(sample.margins)
    minimum = minimise(summary.ratio, summary.n)
    bound, found = float(minimum.value), bool(minimum.exists)
    assumptions = sample.assumptions(check=check)
    levels = {name: float(getattr(minimum, name)) if found else None for name in ("gamma", "eta")}
    return state(
        About(quantity, unit, scope),
        summary.risk,
        [Bound(bound, "upper", NO_CONFIDENCE, "expectation")],
        assumptions=assumptions,
        caveats=[_expectation_only(), *([] if found else [_no_minimum(summary)]), *contradictions(assumptions)],
        details={"bound": bound, **levels, **summary.to_dict(), **sample.details},
        provenance=sample.provenance("normal_score", check=check),
    )


def normal_score_by_mode(
    scores: ArrayLike,
    labels: ArrayLike,
    modes: Iterable[tuple[int, int]] | None = None,
    *,
    check: bool = True,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
) -> tuple[Estimate, ...]:
    """``normal_score`` for failure modes c_t -> c_f, each with scope "c_t -> c_f" (NRB, section 2.3).

    Without ``modes``, all pairs of a class that occurs and another class.
    """
    table, classes = checked_scores(scores, labels, where="normal_score_by_mode")
    columns = table.shape[1]
    if modes is None:
        modes = [(int(t), f) for t in np.unique(classes) for f in range(columns) if f != t]
    elif not isinstance(modes, Iterable):
        raise InvalidInput("modes must be pairs of classes", where="normal_score_by_mode", found=repr(modes))
    return tuple(
        normal_score(
            mode_margins(table, classes, (true, failed)),
            check=check,
            quantity=quantity,
            unit=unit,
            scope=f"{true} -> {failed}",
        )
        for true, failed in (checked_mode(mode, columns) for mode in modes)
    )


def normal_score_budget(margins: ArrayLike, total: float, *, gamma: float, eta: float) -> ScoreBudget:
    """Whether a total risk is kept with fixed shares gamma and eta for the two estimated parameters.

    Braband and Schaebe (2020), Dependability 20(4): the confidence levels are chosen first and the
    classifier's part Phi(nu(gamma, eta)) must fit into what they leave of the total.
    """
    where = "normal_score_budget"
    total = validate.fraction(total, where=where, name="total")
    gamma = validate.fraction(gamma, where=where, name="gamma")
    eta = validate.fraction(eta, where=where, name="eta")
    summary = MarginSummary.of(checked_margins(margins, where=where))
    bound = float(score_bound(summary.ratio, summary.n, gamma, eta))
    if gamma + eta >= total:
        raise InvalidInput(
            "gamma and eta leave nothing of the total",
            where=where,
            found=f"{gamma:g} + {eta:g} of {total:g}",
            remedy="Give each a third of the total, for example.",
        )
    return ScoreBudget(total, gamma, eta, bound - gamma - eta)


def checked_margins(margins: ArrayLike, *, where: str) -> FloatArray:
    """At least three finite margins that are not all equal."""
    values = validate.vector(margins, where=where, name="margins", at_least=3)
    standardised(values, where=where)
    return values


def contradictions(assumptions: Iterable[Assumption]) -> list[Diagnostic]:
    """One caveat for each assumption that the data speak against."""
    return [
        Diagnostic(
            "assumption-contradicted",
            f"The data speak against this assumption: {a.text} ({a.check.method})",
            hint=remedy(a),
        )
        for a in assumptions
        if a.check and a.status == "contradicted"
    ]


def _expectation_only() -> Diagnostic:
    return Diagnostic(
        "expectation-only",
        "The bound replaces an expected value by one observation (NRB, Eqn. (14)); no confidence is attached.",
        hint="Use normal_exact where a level must be stated.",
    )


def _no_minimum(summary: MarginSummary) -> Diagnostic:
    return Diagnostic(
        "no-finite-minimum",
        f"g_N has no minimum below 0.5 for mean/sd = {summary.ratio:.4g} and N = {summary.n}, so the bound is 1.",
        hint="Collect more test data, or improve the classifier.",
    )
