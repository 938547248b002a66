"""How often the single-valued bound of NRB lies below the true risk, computed instead of simulated.

The bound falls in the observed ratio mean/sd, so it lies below the true risk exactly where the ratio exceeds a
critical one, and sqrt(N) mean/sd follows a noncentral t distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from surefoot.bounds.assumption_tests import (
    IDENTICAL,
    INDEPENDENT,
    NORMAL,
    assumption_checks,
    checked_rows,
    plain_array,
    standardised,
)
from surefoot.bounds.dependence import INDEPENDENT_GROUPS, one_of_each_group
from surefoot.bounds.score_function import (
    HALF,
    Constants,
    checked_sizes,
    chi2_lower,
    curve,
    minimise,
    noncentral_t_upper,
    score_bound,
    t_upper,
)
from surefoot.bounds.score_function import TINY as NORMAL_MINIMUM_TINY
from surefoot.bounds.statement import FAILURE_PROBABILITY, ORDER_FIRST, REPRESENTATIVE, About, bound, remedy, state
from surefoot.core import (
    Assumption,
    Bound,
    BoundFamily,
    Diagnostic,
    Estimate,
    InvalidInput,
    Kind,
    Provenance,
    Side,
    array_digest,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

CHUNK = 1 << 12
STEPS = 50
LOWEST_RATIO = -38.0
LOWEST_LOG_U, HIGHEST_LOG_U = -14.0, float(np.log(38.0))


def normal_score_violation(ratio: ArrayLike, n: ArrayLike) -> FloatArray:
    """Probability that the minimum of g_N lies below the true risk Phi(-ratio), for ``n`` normal margins.

    ``ratio`` is the true mu/sigma, broadcast with ``n``. One minus the result is the coverage of ``normal_score``.
    A risk below the smallest normal double, at ratios above 37.5, is never undercut: no smaller bound is given.

    >>> float(normal_score_violation(1.0, 100).round(6))
    0.000143
    """
    ratio, sizes = checked_sizes(ratio, n, where="normal_score_violation")
    flat, result = (ratio.ravel(), sizes.ravel()), np.empty(ratio.size)
    for start in range(0, ratio.size, CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = _violation(flat[0][part], flat[1][part])
    return result.reshape(ratio.shape)


def critical_ratio(risk: ArrayLike, n: ArrayLike) -> FloatArray:
    """The mean/sd above which the minimum of g_N is below ``risk``.

    Bisection on log u along the curve of stationary points (``normal_minimum``), where g falls as u grows.
    """
    risk, sizes = checked_sizes(risk, n, where="critical_ratio", name="risk")
    if ((risk < 0) | (risk > 1)).any():
        raise InvalidInput(
            "risk must lie in [0, 1]", where="critical_ratio", found=f"{risk[(risk < 0) | (risk > 1)].flat[0]:g}"
        )
    constants, target = Constants.of(sizes), np.minimum(risk, HALF)
    low, high = np.full(risk.shape, LOWEST_LOG_U), np.full(risk.shape, HIGHEST_LOG_U)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = _bound_on_curve(np.exp(middle), constants) > target
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return curve(np.exp(high), constants).ratio


def _bound_on_curve(u: FloatArray, k: Constants) -> FloatArray:
    point = curve(u, k)
    return special.ndtr(-u) + t_upper(k.df, point.t) + chi2_lower(k.df, k.df * np.exp(-point.y))


def _violation(ratio: FloatArray, n: FloatArray) -> FloatArray:
    root, risk = np.sqrt(n), special.ndtr(-ratio)
    result, possible = np.zeros(ratio.size), (risk >= NORMAL_MINIMUM_TINY) & (ratio > LOWEST_RATIO)
    if possible.any():
        ratio, n, root, risk = ratio[possible], n[possible], root[possible], risk[possible]
        result[possible] = noncentral_t_upper(root * critical_ratio(risk, n), n - 1, root * ratio)
    return result


# The exact confidence bound of Phi(-mu/sigma), which g_N of NRB approximates.

TOLERANCE = 1e-13
TINY = float(np.finfo(float).tiny)
ALMOST_ONE = 1 - float(np.finfo(float).epsneg)


@dataclass(frozen=True)
class NoncentralTBound(BoundFamily, tag="noncentral-t"):
    """Limits of Phi(-mu/sigma) from the ratio mean/sd of ``n`` normal margins, exact at every level.

    sqrt(n) mean/sd follows a noncentral t distribution with n - 1 degrees of freedom and
    noncentrality sqrt(n) mu/sigma (Johnson and Welch, Biometrika 31, 1940). The upper limit is the
    risk at which a ratio as large as the one seen has probability ``1 - level``.
    """

    ratio: float
    n: int
    side: Side
    kind: Kind = "confidence"

    def __post_init__(self) -> None:
        validate.choice(self.side, ("upper", "lower"), where="NoncentralTBound", name="side")
        validate.choice(self.kind, ("confidence",), where="NoncentralTBound", name="kind")
        validate.numbers(self.ratio, where="NoncentralTBound", name="ratio")
        validate.count(self.n, where="NoncentralTBound", name="n", at_least=2)

    def limit_at(self, level: float) -> float:
        # No limit is rounded to a certainty: neither to a risk of at most 0 nor to one of at least 1.
        if self.side == "upper":
            return max(float(special.ndtr(-ratio_lower_limit(self.ratio, self.n, level))), TINY)
        # Mirrored margins have mirrored limits.
        return min(float(special.ndtr(ratio_lower_limit(-self.ratio, self.n, level))), ALMOST_ONE)


@bound
def normal_exact(
    margins: ArrayLike,
    *,
    level: float,
    groups: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    check: bool = True,
    seed: int = 0,
    quantity: str = FAILURE_PROBABILITY,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Risk Phi(-mu/sigma) of a classifier with normal margins, with exact bounds at every level.

    The one-sided tolerance limit of a normal distribution, solved for its content (Owen, "A survey of
    properties and applications of the noncentral t-distribution", Technometrics 10, 1968). Where margins are normal
    and independent the bound misses with probability exactly ``1 - level``. ``level`` is the one to show. With
    ``groups`` one margin of each is looked at, as by ``normal_score``.
    """
    where = "normal_exact"
    level = validate.level(level, where=where)
    sample = MarginSample.of(margins, rows, groups, seed=seed, where=where)
    summary = MarginSummary.of(sample.margins)
    assumptions = sample.assumptions(check=check)
    return state(
        About(quantity, unit, scope),
        summary.risk,
        [NoncentralTBound(summary.ratio, summary.n, "upper"), NoncentralTBound(summary.ratio, summary.n, "lower")],
        assumptions=assumptions,
        caveats=contradictions(assumptions),
        details={"level": level, **summary.to_dict(), **sample.details},
        provenance=sample.provenance(where, level=level, check=check),
    )


@lru_cache(maxsize=4096)
def ratio_lower_limit(ratio: float, n: int, level: float) -> float:
    """Lower confidence limit of mu/sigma: the mu/sigma at which a ratio this large has probability ``1 - level``."""
    from scipy.optimize import brentq

    root = math.sqrt(n)
    z = float(special.ndtri(level))

    def excess(candidate: float) -> float:
        tail = noncentral_t_upper(root * ratio, n - 1, root * candidate)
        # As a normal quantile the tail is nearly linear in the candidate.
        return float(special.ndtri(np.clip(tail, TINY, ALMOST_ONE))) + z

    step = (1 + abs(z)) * math.hypot(1 / root, ratio / math.sqrt(2 * (n - 1)))
    low, high = ratio - step, ratio + step
    while excess(low) > 0:
        low -= high - low
    while excess(high) < 0:
        high += high - low
    return float(brentq(excess, low, high, xtol=TOLERANCE, rtol=TOLERANCE))


# Bounds of a classifier's risk from normally distributed margins: NRB, and the budget it grew from.
#
# NRB: Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers". The risk is
# P(Z <= 0) = Phi(-mu / sigma) for margins Z that follow a normal distribution (Eqn. (4)).

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


# Margins of a classifier: how far its best acceptable score is ahead of its best undesired one.

Undesired = Mapping[int, Collection[int]] | Sequence[Collection[int]] | Callable[[int], Collection[int]]


def margins(scores: ArrayLike, labels: ArrayLike, undesired: Undesired | None = None) -> FloatArray:
    """Margin Z of each row: NRB (Guenther and Liggesmeyer), Eqn. (2).

    Z is the largest score outside U(y) minus the largest score inside U(y), the undesired answers for
    the true label y. A margin of 0 or less is a failure: where scores tie, the behaviour is unknown and
    counts as undesired.

    ``scores`` has one row a sample and one column a class; ``labels`` are column numbers from 0.
    ``undesired`` gives U(y) by label, as a mapping, a sequence or a function; without it every wrong
    class is undesired, and the label itself never is. A score of -inf marks a class that cannot be
    chosen, and a margin may be infinite; a difference of two equal infinities is an error.

    >>> margins([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], [0, 1]).round(6).tolist()
    [0.5, -0.1]
    >>> margins([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], [0, 1], {0: {2}, 1: {0}}).round(6).tolist()
    [0.6, 0.1]
    """
    table, classes = checked_scores(scores, labels, where="margins")
    result = np.empty(len(table))
    for label in np.unique(classes).tolist():
        rows = np.flatnonzero(classes == label)
        inside = _undesired_columns(undesired, label, table.shape[1])
        part = table[rows]
        best, worst = _best(part, ~inside), _best(part, inside)
        _require_defined(best, worst, rows)
        result[rows] = best - worst
    return result


def mode_margins(scores: ArrayLike, labels: ArrayLike, mode: tuple[int, int]) -> FloatArray:
    """Margins for the failure mode c_t -> c_f: rows of label c_t only, with U(c_t) = {c_f} (NRB, section 2.3)."""
    table, classes = checked_scores(scores, labels, where="mode_margins")
    true, failed = checked_mode(mode, table.shape[1])
    rows = classes == true
    if not rows.any():
        raise InvalidInput(
            f"no row has the label {true}",
            where=f"failure mode {true} -> {failed}",
            found=f"labels {np.unique(classes).tolist()}",
            remedy="Choose a mode whose true class occurs in the test data.",
        )
    return margins(table[rows], classes[rows], {true: {failed}})


def checked_scores(scores: ArrayLike, labels: ArrayLike, *, where: str) -> tuple[FloatArray, NDArray[np.intp]]:
    """Scores as a table without NaN and labels as its column numbers."""
    table = validate.numbers(scores, where=where, name="scores", finite=False)
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] < 2:
        raise InvalidInput(
            "scores must be a table of at least one row and two classes",
            where=where,
            found=f"shape {table.shape}",
            remedy="Give one column a class; a single decision value d becomes np.column_stack([-d, d]) / 2.",
        )
    first = _first(labels)
    if isinstance(first, str):
        raise InvalidInput(
            "labels must be column numbers of scores, not text",
            where=where,
            found=repr(first),
            remedy="Map them in the order of the columns, from 0: np.searchsorted(model.classes_, labels).",
        )
    classes = validate.vector(labels, where=where, name="labels")
    validate.same_length(where, scores=table, labels=classes)
    outside = np.flatnonzero((classes != np.floor(classes)) | (classes < 0) | (classes >= table.shape[1]))
    if outside.size:
        raise InvalidInput(
            f"labels must be whole numbers from 0 to {table.shape[1] - 1}, the columns of scores",
            where=where,
            found=f"{classes[outside[0]]:g} at index {outside[0]} ({outside.size} outside in all)",
            remedy="Map the labels to column numbers, counting from 0.",
        )
    return table, classes.astype(np.intp)


def checked_mode(mode: tuple[int, int], columns: int) -> tuple[int, int]:
    """A failure mode as two different column numbers, the true class and the one it is taken for."""
    where = "failure mode"
    try:
        true, failed = mode
    except (TypeError, ValueError) as error:
        problem = "a failure mode is a pair of classes, the true one and the one it is taken for"
        raise InvalidInput(problem, where=where, found=repr(mode), remedy="Use for example (0, 1).") from error
    pair = _column(true, columns, where), _column(failed, columns, where)
    if pair[0] == pair[1]:
        raise InvalidInput("the true class is no failure", where=where, found=repr(mode))
    return pair


def _first(labels: ArrayLike) -> object:
    try:
        return next(iter(labels), None)  # type: ignore[arg-type]
    except TypeError:
        return None


def _undesired_columns(undesired: Undesired | None, label: int, columns: int) -> NDArray[np.bool_]:
    where = f"undesired classes of label {label}"
    if undesired is None:
        chosen = set(range(columns)) - {label}
    else:
        chosen = {_column(c, columns, where) for c in _entries(_lookup(undesired, label, where), where)}
    if not 0 < len(chosen) < columns:
        raise InvalidInput(
            f"{'every' if chosen else 'no'} class is undesired, so the margin does not exist",
            where=where,
            found=f"{len(chosen)} of {columns} classes",
            remedy="Leave at least one class in and one out, or remove the rows of this label.",
        )
    if label in chosen:
        remedy = "Leave it out: a right answer is no failure."
        raise InvalidInput("the label is undesired for itself", where=where, found=sorted(chosen), remedy=remedy)
    inside = np.zeros(columns, dtype=bool)
    inside[list(chosen)] = True
    return inside


def _column(value: object, columns: int, where: str) -> int:
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or number not in range(columns):
        remedy = f"Name columns from 0 to {columns - 1}."
        raise InvalidInput("unknown class", where=where, found=repr(number), remedy=remedy)
    return int(number)


def _entries(chosen: object, where: str) -> Collection[object]:
    scalar = isinstance(chosen, str | bytes | Mapping) or getattr(chosen, "ndim", 1) == 0
    if scalar or not isinstance(chosen, Iterable):
        raise InvalidInput(
            "undesired classes are a collection of column numbers",
            where=where,
            found=repr(chosen),
            remedy="Use for example {1, 2}.",
        )
    return list(chosen)


def _lookup(undesired: Undesired, label: int, where: str) -> object:
    if callable(undesired):
        return undesired(label)
    if isinstance(undesired, str | bytes) or not isinstance(undesired, Mapping | Sequence | np.ndarray):
        raise InvalidInput(
            "undesired sets are a mapping, a sequence or a function of the label",
            where=where,
            found=repr(undesired),
            remedy="Use for example {0: {1, 2}, 1: {0}}.",
        )
    try:
        return undesired[label]
    except (KeyError, IndexError) as error:
        known = list(undesired) if isinstance(undesired, Mapping) else f"{len(undesired)} labels"
        raise InvalidInput(
            "the label occurs but has no undesired set",
            where=where,
            found=f"sets for {known}",
            remedy="Say which classes are undesired for every label that occurs.",
        ) from error


def _best(scores: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    """Largest score of each row; column by column, because there are far more rows than columns."""
    return reduce(np.maximum, scores[:, chosen].T)


def _require_defined(best: FloatArray, worst: FloatArray, rows: NDArray[np.intp]) -> None:
    clash = np.flatnonzero(np.isinf(best) & (best == worst))
    if clash.size:
        raise InvalidInput(
            "the margin is a difference of two equal infinities",
            where="margins",
            found=f"best scores {best[clash[0]]} inside and outside the undesired set at row {rows[clash[0]]} "
            f"({clash.size} such rows)",
            remedy="Give finite scores to at least one side.",
        )
