"""Weights of rows for another operation than the one that brought them, stated or learnt, and the profile they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Check, Diagnostic, InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.input_arrays import as_rows
from surefoot.profile.kde.estimator import KDE, Rule

COLLAPSED_SHARE = 0.1
FEW_ROWS = 30


@runtime_checkable
class Weighting(Protocol):
    """How much more often rows come in operation than in the data.

    See Also
    --------
    density_ratio : Gives one, with an example.
    StatedWeights : Is one.

    """

    @property
    def weights(self) -> FloatArray:
        """Weight of each row of the data, with mean 1."""
        ...

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What not to trust."""
        ...

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Weights of other rows, on the scale of those of the data."""
        ...

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, one a row and each with mean 1; None where they are certain."""
        ...


@dataclass(frozen=True, eq=False)
class StatedWeights:
    """Weights given row by row; ``StatedWeights.of`` checks them and gives them mean 1.

    Parameters
    ----------
    weights
        One a row, with mean 1.
    uncertainty
        Relative standard deviation of each weight, one for all or one for each, as a lognormal factor independent from
        row to row; or draws of the weights, one a row.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.profile.StatedWeights.of([1.0, 3.0]).weights.tolist()
    [0.5, 1.5]

    """

    weights: FloatArray
    uncertainty: FloatArray

    @classmethod
    def of(cls, weights: ArrayLike, uncertainty: ArrayLike | None = None) -> StatedWeights:
        """Checked and with mean 1.

        Parameters
        ----------
        weights, uncertainty
            As for the class; weights need not have mean 1.

        Returns
        -------
        StatedWeights
            Checked.

        """
        where = "StatedWeights"
        values = unit_mean(validate.vector(weights, where=where, name="weights"), where=where)
        spread = validate.numbers(0.0 if uncertainty is None else uncertainty, where=where, name="uncertainty")
        if spread.shape not in ((), values.shape) and spread.shape[1:] != values.shape:
            raise InvalidInput(
                "uncertainty must be one number, one for each row, or draws with one column for each row",
                where=where,
                found=f"shape {spread.shape} for {values.size} rows",
            )
        if (spread < 0).any():
            raise InvalidInput("uncertainty must be at least 0", where=where, found=f"{spread.min():g}")
        return cls(values, spread if spread.ndim < 2 else unit_mean(spread, where=where))

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """A warning where few rows carry most weight."""
        return collapse(self.weights)

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Undefined: nothing says what other rows weigh."""
        raise Undefined(
            "weights were stated for the rows of the data only",
            where="StatedWeights.weigh",
            found=f"{np.shape(points)[:1]} other rows",
            remedy="Use expert_weights or density_ratio, which weigh any row.",
        )

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, None where they are certain."""
        if not self.uncertainty.any():
            return None
        if self.uncertainty.ndim == 2:
            return self.uncertainty[rng.integers(len(self.uncertainty), size=count)]
        sigma = np.sqrt(np.log1p(self.uncertainty**2))
        factors = np.exp(sigma * rng.standard_normal((count, self.weights.size)) - sigma**2 / 2)
        return unit_mean(self.weights * factors, where="StatedWeights")


def effective_rows(weights: ArrayLike) -> float:
    """Number of equally weighted rows worth as much: sum(w)^2 / sum(w^2).

    Parameters
    ----------
    weights
        At least 0, not all 0.

    Returns
    -------
    float
        Between 1 and their number.

    References
    ----------
    Kish (1965), "Survey sampling".

    Examples
    --------
    >>> import surefoot as sf
    >>> round(sf.profile.effective_rows([1, 1, 2]), 3)
    2.667

    """
    values = unit_mean(validate.vector(weights, where="effective_rows", name="weights"), where="effective_rows")
    return float(values.size / np.mean(values**2))


def collapse(weights: FloatArray) -> tuple[Diagnostic, ...]:
    """A warning where few rows carry most of the weight."""
    worth = effective_rows(weights)
    if worth >= min(max(COLLAPSED_SHARE * weights.size, FEW_ROWS), weights.size / 2):
        return ()
    return (
        Diagnostic(
            "weights-estimated",
            f"The weights of {weights.size:,} rows are worth {worth:.1f} rows of equal weight, "
            f"the largest is {weights.max():.3g} times the mean.",
            hint="Collect data where operation is and the data are not.",
        ),
    )


def unit_mean(weights: FloatArray, *, where: str) -> FloatArray:
    """Weights over their mean along the last axis."""
    largest = weights.max(axis=-1, keepdims=True, initial=0)
    if (weights < 0).any() or (largest == 0).any():
        raise InvalidInput(
            "weights must be at least 0 and not all 0",
            where=where,
            found=f"between {weights.min():g} and {weights.max():g}",
        )
    scaled = weights / largest
    return np.asarray(scaled / scaled.mean(axis=-1, keepdims=True))


# The ratio of two densities, learnt from rows of both.

WHERE = "density_ratio"
FEATURES = ("linear", "quadratic", "rbf")
RBF_CENTRES = 100
MOST_NEWTON_FEATURES = 300
LARGE_IMBALANCE = 0.1
SIGNIFICANT_SCORE = 3.0


def density_ratio(
    X_from: ArrayLike,
    X_to: ArrayLike,
    *,
    features: str = "quadratic",
    penalty: float = 1.0,
    folds: int = 5,
    draws: int = 50,
    seed: int = 0,
) -> DensityRatio:
    """Weights that give rows of ``X_from`` the distribution of ``X_to``.

    A logistic regression tells the two sets apart; its odds are proportional to the ratio of the densities.

    Parameters
    ----------
    X_from, X_to
        Rows of the data, and of operation.
    features
        ``"linear"``; ``"quadratic"``, exact between normal distributions; ``"rbf"`` for ratios of any shape.
    penalty
        Strength of the regularisation.
    folds
        Each row is weighed by a classifier that did not see its fold.
    draws
        Number of bootstrapped classifiers that give the uncertainty.
    seed
        Of folds and draws.

    Returns
    -------
    DensityRatio
        Weights with mean 1, and how uncertain they are.

    References
    ----------
    Bickel, Brueckner and Scheffer (2009).

    Examples
    --------
    >>> import numpy as np, surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> ratio = sf.profile.density_ratio(rng.normal(size=(200, 1)), rng.normal(1.0, size=(200, 1)), draws=0)
    >>> bool(ratio.weigh([[2.0]]) > ratio.weigh([[0.0]]))
    True

    """
    validate.choice(features, FEATURES, where=WHERE, name="features")
    folds = validate.count(folds, where=WHERE, name="folds", at_least=2)
    draws = validate.count(draws, where=WHERE, name="draws")
    C = 1 / validate.positive(penalty, where=WHERE, name="penalty")
    rng = np.random.default_rng(validate.seed(seed, where=WHERE))
    first = as_rows(X_from, where=WHERE, name="X_from", at_least=2 * folds)
    second = as_rows(X_to, where=WHERE, name="X_to", at_least=2 * folds, columns=first.shape[1])
    rows, target = np.concatenate([first, second]), np.repeat([0, 1], [len(first), len(second)])
    fitted = _feature_map(features, len(rows), int(rng.integers(2**31))).fit(rows)
    table = fitted.transform(rows)
    whole = _coefficients(table, target, C)
    parts = _folds(target, folds, rng)
    by_fold = np.stack([_coefficients(table[parts != k], target[parts != k], C) for k in range(folds)])
    again = [_coefficients(table, target, C, _resampled(target, rng)) - whole for _ in range(draws)]
    held_out = np.take_along_axis(_logits(table, by_fold), parts[:, None], axis=1)[:, 0]
    return DensityRatio(
        first,
        second,
        fitted,
        held_out[: len(first)],
        (float(held_out.min()), float(held_out.max())),
        by_fold,
        np.array(again).reshape(draws, table.shape[1] + 1),
    )


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """Density of the second set over density of the first, at any row, from classifiers that tell them apart.

    Each row of the data is weighed by a classifier that did not see it. Draws of the weights add to the logarithm
    what the classifiers of bootstrapped rows differ by from that of all rows.

    See Also
    --------
    density_ratio : Gives one, with an example.

    """

    points: FloatArray
    """Rows of the first set."""
    target: FloatArray
    """Rows of the second set."""
    map: Any
    """From rows to features of the classifiers."""
    held_out: FloatArray
    """Logarithm of the ratio at each row of the first set, by a classifier that did not see it."""
    limits: tuple[float, float]
    """Smallest and largest of these among all rows; no other row goes beyond."""
    folds: FloatArray
    """Coefficients of the classifiers, the constant last, one classifier a row."""
    resampled: FloatArray
    """Their differences from the classifier of all rows, for bootstrapped rows."""

    def __repr__(self) -> str:
        return f"DensityRatio({len(self.points):,} rows to {len(self.target):,}, worth {self.effective_rows:.1f} rows)"

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each row of the first set, with mean 1."""
        return _from_logs(self.held_out)

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted rows worth as much."""
        return effective_rows(self.weights)

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """That weights were learnt, and a warning where few rows carry most of them."""
        learnt = (
            f"The weights were learnt from {len(self.points):,} rows of data and {len(self.target):,} of operation."
        )
        return (Diagnostic("weights-estimated", learnt, "note"), *collapse(self.weights))

    def weigh(self, points: ArrayLike, labels: ArrayLike | None = None) -> FloatArray:
        """Weights of other rows, on the scale of those of the data; labels do not matter."""
        rows = as_rows(points, where="DensityRatio.weigh", name="points", columns=self.points.shape[1])
        logs = np.clip(_logits(self.map.transform(rows), self.folds).mean(axis=1), *self.limits)
        top = self.held_out.max()
        return np.asarray(np.exp(logs - top) / np.exp(self.held_out - top).mean())

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of the data, one a row; None where nothing was resampled."""
        if not len(self.resampled):
            return None
        chosen = self.resampled[rng.integers(len(self.resampled), size=count)]
        return _from_logs(self.held_out + _logits(self.map.transform(self.points), chosen).T)

    def balance(self) -> Check:
        """Whether weighted means of the features, and of their squares, agree with those of the second set.

        The effect size is the largest difference in standard deviations; a contradiction needs 0.1 (Stuart, 2010) and
        three standard errors.
        """
        centre, spread = self.target.mean(axis=0), self.target.std(axis=0)
        used = spread > 0
        ours, theirs = (_moments((rows - centre)[:, used] / spread[used]) for rows in (self.points, self.target))
        plain, weighted = (_differences(w, ours, theirs) for w in (np.ones(len(ours)), self.weights))
        gaps, errors = weighted
        off = (gaps > LARGE_IMBALANCE) & (gaps > SIGNIFICANT_SCORE * errors)
        figures = {"before": float(plain[0].max(initial=0)), "after": float(gaps.max(initial=0))}
        method = f"weighted means and squares of {int(used.sum())} features compared with those of operation"
        return Check("contradicted" if off.any() else "supported", method, figures, figures["after"])


def _feature_map(features: str, rows: int, seed: int) -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    if features == "rbf":
        return make_pipeline(StandardScaler(), Nystroem(n_components=min(RBF_CENTRES, rows), random_state=seed))
    degree = 2 if features == "quadratic" else 1
    return make_pipeline(StandardScaler(), PolynomialFeatures(degree, include_bias=False), StandardScaler())


def _coefficients(
    table: FloatArray, target: NDArray[np.int64], C: float, times: FloatArray | None = None
) -> FloatArray:
    from sklearn.linear_model import LogisticRegression

    solver = "newton-cholesky" if table.shape[1] <= MOST_NEWTON_FEATURES else "lbfgs"
    found = LogisticRegression(C=C, solver=solver, max_iter=1000).fit(table, target, sample_weight=times)
    return np.append(found.coef_[0], found.intercept_)


def _logits(table: FloatArray, coefficients: FloatArray) -> FloatArray:
    return np.asarray(table @ coefficients[:, :-1].T + coefficients[:, -1])


def _folds(target: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    parts = np.empty(target.size, dtype=np.int64)
    for side in (0, 1):
        at = np.flatnonzero(target == side)
        parts[at] = rng.permutation(np.arange(at.size) % folds)
    return parts


def _resampled(target: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """How often each row is drawn with replacement from its own set."""
    sizes = np.bincount(target)
    return np.concatenate([rng.multinomial(n, np.full(n, 1 / n)) for n in sizes]).astype(float)


def _from_logs(logs: FloatArray) -> FloatArray:
    return unit_mean(np.exp(logs - logs.max(axis=-1, keepdims=True)), where=WHERE)


def _moments(rows: FloatArray) -> FloatArray:
    return np.concatenate([rows, rows**2], axis=1)


def _differences(weights: FloatArray, ours: FloatArray, theirs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Differences of means in standard deviations of the second set, with their standard errors."""
    spread = np.where(theirs.std(axis=0) > 0, theirs.std(axis=0), 1.0)
    mean = weights @ ours / weights.sum()
    error = np.sqrt(((weights[:, None] * (ours - mean)) ** 2).sum(axis=0)) / weights.sum()
    total = np.sqrt(error**2 + theirs.var(axis=0) / len(theirs))
    return np.abs(mean - theirs.mean(axis=0)) / spread, total / spread


# The profile that weights make of another one.


class Reweighted:
    """The profile whose points are those of a fitted density, weighted for another operation.

    Parameters
    ----------
    kde
        A fitted density.
    weights
        From ``expert_weights`` or ``density_ratio``, made for the points of the density; or numbers, one for each
        point.
    uncertainty
        Of the numbers, as in ``StatedWeights``.

    Examples
    --------
    >>> import surefoot as sf
    >>> kde = sf.profile.KDE(0.5).fit([[0.0], [1.0]])
    >>> sf.profile.Reweighted(kde, [1.0, 3.0]).cell_mass([[-9.0]], [[0.5]]).round(3).tolist()
    [0.329]

    """

    def __init__(self, kde: KDE, weights: Weighting | ArrayLike, *, uncertainty: ArrayLike | None = None) -> None:
        self.weighting = _weighting(weights, uncertainty)
        if len(self.weighting.weights) != len(kde.points):
            raise InvalidInput(
                "weights and points of the density differ in number",
                where="Reweighted",
                found=f"{len(self.weighting.weights):,} weights for {len(kde.points):,} points",
                remedy="Make the weights for the data that the density was fitted to.",
            )
        self.kde = kde

    def __repr__(self) -> str:
        return f"Reweighted({self.kde!r}, worth {self.effective_rows:.1f} of {len(self.points):,} rows)"

    @cached_property
    def weighted(self) -> KDE:
        """The density with its weights."""
        return self.kde.fit(self.kde.points, weights=self.weighting.weights)

    @property
    def points(self) -> FloatArray:
        """The data that the profile was made from."""
        return self.kde.points

    @property
    def weights(self) -> FloatArray:
        """Weight of each point, 1 on average."""
        return self.weighting.weights

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted points worth as much."""
        return effective_rows(self.weights)

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """What not to trust about the weights."""
        return self.weighting.caveats

    def score_samples(self, Q: ArrayLike) -> FloatArray:
        """Logarithm of the density."""
        return self.weighted.score_samples(Q)

    def density(self, Q: ArrayLike) -> FloatArray:
        """The density."""
        return self.weighted.density(Q)

    def variance(self, Q: ArrayLike) -> FloatArray:
        """Variance of the density over samples of points, weights held fixed."""
        return self.weighted.variance(Q)

    def cell_mass(self, lower: ArrayLike, upper: ArrayLike) -> FloatArray:
        """Mass of boxes, one a row."""
        return self.weighted.cell_mass(lower, upper)

    def grid_mass(self, edges: Sequence[FloatArray], *, rule: Rule = "exact") -> FloatArray:
        """Mass in each cell."""
        return self.weighted.grid_mass(edges, rule=rule)

    def grid_variance(
        self, edges: Sequence[FloatArray], *, rule: Rule = "exact", size: int | None = None
    ) -> FloatArray:
        """Variance of the mass in each cell over samples of points, weights held fixed."""
        return self.weighted.grid_variance(edges, rule=rule, size=size)

    def contributions(self, edges: Sequence[FloatArray], values: FloatArray, *, rule: Rule = "exact") -> FloatArray:
        """For each point, the sum of cell values weighted by its kernel's mass in the cells, without its own weight."""
        return self.weighted.contributions(edges, values, rule=rule)

    def weigh(self, points: ArrayLike, labels: NDArray[Any] | None = None) -> FloatArray:
        """Weight of further points, drawn as the profile's own were."""
        return self.weighting.weigh(points, labels)

    def weight_draws(self, count: int, rng: np.random.Generator) -> FloatArray | None:
        """Draws of the weights of all points; None where they are certain."""
        return self.weighting.weight_draws(count, rng)


def _weighting(weights: Weighting | ArrayLike, uncertainty: ArrayLike | None) -> Weighting:
    if not isinstance(weights, Weighting):
        return StatedWeights.of(weights, uncertainty)
    if uncertainty is not None:
        raise InvalidInput("these weights know their uncertainty", where="Reweighted", found="uncertainty beside them")
    return weights
