"""Bounds of a classifier's risk from normally distributed margins.

NRB: Guenther and Liggesmeyer, "Single-valued Risk Bound for Normal Classifiers". The risk is P(Z <= 0) =
Phi(-mu / sigma) for margins Z that follow a normal distribution (Eqn. (4)): the single-valued bound, the budget it grew
from, and the exact bound beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
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
    standardised,
)
from surefoot.bounds.class_margins import checked_mode, checked_scores, mode_margins
from surefoot.bounds.dependence import INDEPENDENT_GROUPS, checked_labels, checked_positions
from surefoot.bounds.score_function import TINY, minimise, noncentral_t_upper, score_bound
from surefoot.bounds.statement import (
    FAILURE_PROBABILITY,
    ORDER_FIRST,
    REPRESENTATIVE,
    About,
    bound,
    plain_array,
    remedy,
    state,
)
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

NO_CONFIDENCE = 1.0
ROW_OF_GROUP = Assumption(
    "row-of-group", "Operation meets a group at random and then one of its rows, so that large groups weigh no more."
)


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

    The value is Phi(-mean/sd). The bound holds on average over data sets: no confidence is attached, a ``Target``
    counts it only when its ``kinds`` name "expectation", and ``normal_exact`` is the answer with a level.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    groups
        Labels of rows that resemble each other, such as pictures of one film. One row of each group is looked at, so
        that margins are independent again: the risk of a row of a group, both drawn at random.
    rows
        Feature rows, one a margin, in which to look for duplicates.
    check
        Whether to check the assumptions; they are stated unchecked otherwise.
    seed
        Draws the row of each group.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        ``details["bound"]`` is the global minimum of g_N (Eqn. (15)) and ``details["gamma"]``, ``details["eta"]`` the
        error probabilities that reach it; where no minimum below 0.5 exists the bound is 1 and both are None.

    References
    ----------
    NRB, Eqns. (4), (15) and Algorithm 1.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> found = sf.bounds.normal_score(np.random.default_rng(0).normal(2.0, 1.0, 500))
    >>> bool(found.value < found.details["bound"] < 0.1)
    True

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
    """``normal_score`` for failure modes c_t -> c_f, each with scope "c_t -> c_f".

    Parameters
    ----------
    scores
        One row a sample, one column a class.
    labels
        Column numbers of the true classes.
    modes
        Pairs of the true class and the one it is taken for; all pairs of a class that occurs and another one without.
    check
        Whether to check the assumptions; they are stated unchecked otherwise.
    quantity, unit
        What the estimates are about, in your words.

    Returns
    -------
    tuple of Estimate
        One for each mode.

    References
    ----------
    NRB, section 2.3.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> scores = np.random.default_rng(0).normal([3.0, 0.0], 1.0, (200, 2))
    >>> [found.scope for found in sf.bounds.normal_score_by_mode(scores, np.zeros(200))]
    ['0 -> 1']

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


# Rows whose margins are independent.


def one_of_each_group(groups: ArrayLike, *, seed: int = 0) -> NDArray[np.intp]:
    """Numbers of rows, one drawn at random from each group, in the order of the rows.

    Whatever rows of one group have in common, these are independent where groups are, and alike where groups are.

    Parameters
    ----------
    groups
        A label for each row.
    seed
        Draws the row of each group.

    Returns
    -------
    ndarray
        Numbers of the rows.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.one_of_each_group(["film", "photo", "film"], seed=0).size
    2

    """
    where = "one_of_each_group"
    labels = checked_labels(groups, where=where)
    order = np.random.default_rng(validate.seed(seed, where=where)).permutation(labels.size)
    _, first = np.unique(labels[order], return_index=True)
    return np.sort(order[first])


@validate.arguments
def distant_rows(positions: ArrayLike, *, block: int, seed: int = 0) -> NDArray[np.intp]:
    """Numbers of rows of a sequence that are at least a block apart, as many as fit behind a first one.

    The first is the first row at or behind a place drawn among those of the first block. Where bursts last no longer
    than a block these rows are independent, and every place of a sequence without gaps is as likely as any other.

    Parameters
    ----------
    positions
        Places of the rows in the sequence, whole numbers in rising order.
    block
        For how many rows a burst can last.
    seed
        Draws where the first row is looked for.

    Returns
    -------
    ndarray
        Numbers of the rows, in their order.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rows = sf.bounds.distant_rows(np.arange(20), block=5)
    >>> rows.size, np.diff(rows).tolist()
    (4, [5, 5, 5])

    """
    where = "distant_rows"
    length = validate.count(block, where=where, name="block", at_least=1)
    places = checked_positions(positions, np.zeros(np.size(positions)))
    start = places[0] + int(np.random.default_rng(validate.seed(seed, where=where)).integers(length))
    chosen = []
    row = int(np.searchsorted(places, min(start, places[-1])))
    while row < places.size:
        chosen.append(row)
        row = int(np.searchsorted(places, places[row] + length))
    return np.asarray(chosen, dtype=np.intp)


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


@dataclass(frozen=True)
class ScoreBudget:
    """A total risk shared among an unlucky mean (gamma), an unlucky spread (eta) and the classifier itself.

    See Also
    --------
    normal_score_budget : Gives one, with an example.

    """

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


def normal_score_budget(margins: ArrayLike, total: float, *, gamma: float, eta: float) -> ScoreBudget:
    """Whether a total risk is kept with fixed shares gamma and eta for the two estimated parameters.

    The confidence levels are chosen first, and the classifier's part Phi(nu(gamma, eta)) must fit into what they leave.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    total
        The risk of all parts together.
    gamma, eta
        Probabilities of an unlucky mean and of an unlucky spread.

    Returns
    -------
    ScoreBudget
        The parts; ``fits`` says whether the total is kept.

    References
    ----------
    Braband and Schaebe (2020), Dependability 20(4).

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> margins = np.random.default_rng(0).normal(4.0, 1.0, 500)
    >>> sf.bounds.normal_score_budget(margins, 0.01, gamma=0.003, eta=0.003).fits
    True

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


# The exact confidence bound of Phi(-mu/sigma), which g_N of NRB approximates.

TOLERANCE = 1e-13
ALMOST_ONE = 1 - float(np.finfo(float).epsneg)


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

    The one-sided tolerance limit of a normal distribution, solved for its content. Where margins are normal and
    independent the bound misses with probability exactly ``1 - level``.

    Parameters
    ----------
    margins
        How far the best acceptable score of each row is ahead of its best undesired one; see ``margins``.
    level
        Confidence of the bound to show; other levels can be asked for as well.
    groups
        Labels of rows that resemble each other; one margin of each group is looked at, as by ``normal_score``.
    rows
        Feature rows, one a margin, in which to look for duplicates.
    check
        Whether to check the assumptions; they are stated unchecked otherwise.
    seed
        Draws the row of each group.
    quantity, unit, scope
        What the estimate is about, in your words.

    Returns
    -------
    Estimate
        The risk with its bounds.

    References
    ----------
    Owen (1968), "A survey of properties and applications of the noncentral t-distribution", Technometrics 10.

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> found = sf.bounds.normal_exact(np.random.default_rng(0).normal(2.0, 1.0, 500), level=0.95)
    >>> bool(found.value < found.upper(0.95) < 0.05)
    True

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
