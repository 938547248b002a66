"""Weights that turn data of one distribution into another: the ratio of two densities, learnt from rows of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Check, Diagnostic, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_rows
from surefoot.profile.weighting import collapse, effective_rows, unit_mean

WHERE = "density_ratio"
FEATURES = ("linear", "quadratic", "rbf")
RBF_CENTRES = 100
MOST_NEWTON_FEATURES = 300
LARGE_IMBALANCE = 0.1
SIGNIFICANT_SCORE = 3.0


@dataclass(frozen=True, eq=False)
class DensityRatio:
    """Density of the second set over density of the first, at any row, from classifiers that tell them apart.

    Each row of the data is weighed by a classifier that did not see it. Draws of the weights add to the logarithm
    what the classifiers of bootstrapped rows differ by from that of all rows.
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

    A logistic regression tells the two sets apart; its odds are proportional to the ratio of the densities (Bickel,
    Brueckner and Scheffer, 2009). ``features``: ``"linear"``; ``"quadratic"``, exact between normal distributions;
    ``"rbf"`` for ratios of any shape. ``draws`` bootstrapped classifiers give the uncertainty.
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
