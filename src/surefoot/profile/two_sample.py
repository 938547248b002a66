"""Whether two sets of rows follow one distribution (Assumption 2 of RAM: the data represent operation)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import Check, validate
from surefoot.core.assumption import Status
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_rows

SIGNIFICANCE = 0.01
LARGE_SHARE = 0.55
"""A smaller share of pairs told apart does not contradict."""
BLIND_SHARE = 0.8
"""Where not even this share would be noticed, nothing was checked."""
MOST_ROWS = 1500
PERMUTATIONS = 999
POWER_QUANTILE = float(special.ndtri(1 - SIGNIFICANCE) + special.ndtri(0.8))
_AT_ONCE = 250


def representativeness(sample: ArrayLike, reference: ArrayLike, *, seed: int = 0) -> Check:
    """Whether labelled or test rows follow the distribution of operational rows.

    Energy distance (Szekely and Rizzo, 2013) of normal scores of the features, with a p-value by 999 permutations,
    exact whatever the distribution. Scores come from the ranks of both sets together, so units, outliers and ties do
    not matter. It sees any difference, given enough rows; of more than 1,500 rows, that many are drawn with the seed.

    The effect size is a share of pairs, 0.5 for equal distributions and 1 for separate ones: one row of each set is
    drawn, and the one that lies closer to the reference than to the sample, itself left out, is taken for the
    reference's. A contradiction needs a p-value below 0.01 and more than 0.55 of pairs told apart. Too few rows to
    notice even 0.8 are no support.
    """
    where = "representativeness"
    rng = np.random.default_rng(validate.seed(seed, where=where))
    theirs = as_rows(reference, where=where, name="reference", at_least=2)
    ours = as_rows(sample, where=where, name="sample", at_least=2, columns=theirs.shape[1])
    used = _drawn(ours, rng), _drawn(theirs, rng)
    scores, first = normal_scores(np.concatenate(used)), len(used[0])
    distances = _distances(scores)
    energy, permuted = _energies(distances, first, rng)
    p = (1 + int((permuted >= energy * (1 - 1e-12)).sum())) / (1 + PERMUTATIONS)
    share, detectable = told_apart(distances, first), _detectable(first, len(scores) - first)
    feature, gap = _most_different(scores, first)
    figures = {
        "rows_sample": len(ours),
        "rows_reference": len(theirs),
        "rows_used_sample": first,
        "rows_used_reference": len(scores) - first,
        "p_value": p,
        "significance": SIGNIFICANCE,
        "energy_coefficient": _coefficient(distances, first),
        "share_told_apart": share,
        "share_detectable": detectable,
        "most_different_feature": feature,
        "its_distance": gap,
        "seed": seed,
    }
    status = _status(p, share, detectable)
    return Check(status, _words(status, len(ours), len(theirs), share, detectable), figures, share)


def normal_scores(rows: FloatArray) -> FloatArray:
    """Each feature's ranks as quantiles of a normal distribution; equal values share a score."""
    from scipy.stats import rankdata

    scores = special.ndtri((rankdata(rows, axis=0) - 0.5) / len(rows))
    return np.asarray(scores)


def told_apart(distances: FloatArray, first: int) -> float:
    """Share of pairs, one row of each set, that nearness to the two sets tells apart; ties count half."""
    second = len(distances) - first
    to_first, to_second = distances[:, :first].sum(axis=1), distances[:, first:].sum(axis=1)
    others = np.full(len(distances), float(first)), np.full(len(distances), float(second))
    others[0][:first] -= 1
    others[1][first:] -= 1
    leaning = to_first / others[0] - to_second / others[1]
    order = np.sort(leaning[:first])
    below = np.searchsorted(order, leaning[first:], side="left") + np.searchsorted(order, leaning[first:], side="right")
    return float(below.mean() / (2 * first))


def _drawn(rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    return rows if len(rows) <= MOST_ROWS else rows[rng.choice(len(rows), MOST_ROWS, replace=False)]


def _distances(scores: FloatArray) -> FloatArray:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(scores, scores))


def _energies(distances: FloatArray, first: int, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """Energy distance of the sets, and of sets of the same sizes drawn from all rows.

    With a vector s of 1/m for the first set and -1/n for the second, it is -s'Ds.
    """
    total = len(distances)
    signs = np.where(np.arange(total) < first, 1 / first, -1 / (total - first))
    found = -float(signs @ distances @ signs)
    permuted = np.empty(PERMUTATIONS)
    for start in range(0, PERMUTATIONS, _AT_ONCE):
        stop = min(start + _AT_ONCE, PERMUTATIONS)
        drawn = rng.permuted(np.tile(signs, (stop - start, 1)), axis=1)
        permuted[start:stop] = -np.einsum("ij,ij->i", drawn @ distances, drawn)
    return found, permuted


def _coefficient(distances: FloatArray, first: int) -> float:
    """Energy distance over twice the mean distance between the sets, in [0, 1]."""
    within, between = (
        distances[:first, :first].mean() + distances[first:, first:].mean(),
        distances[:first, first:].mean(),
    )
    return float(np.clip(1 - within / (2 * between), 0, 1)) if between > 0 else 0.0


def _detectable(first: int, second: int) -> float:
    """Share of pairs told apart that a rank test at 1% notices with probability 0.8."""
    error = np.sqrt((first + second + 1) / (12 * first * second))
    return float(min(1.0, 0.5 + POWER_QUANTILE * error))


def _most_different(scores: FloatArray, first: int) -> tuple[int, float]:
    """The feature with the largest Kolmogorov-Smirnov distance, and that distance."""
    gaps = [_gap(np.sort(column[:first]), np.sort(column[first:])) for column in scores.T]
    return int(np.argmax(gaps)), float(max(gaps))


def _gap(one: FloatArray, other: FloatArray) -> float:
    at = np.concatenate([one, other])
    shares = [np.searchsorted(side, at, side="right") / side.size for side in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def _status(p: float, share: float, detectable: float) -> Status:
    if p < SIGNIFICANCE and share > LARGE_SHARE:
        return "contradicted"
    return "unchecked" if detectable > BLIND_SHARE else "supported"


def _words(status: Status, ours: int, theirs: int, share: float, detectable: float) -> str:
    looked = f"{ours:,} rows compared with {theirs:,} of operation by their energy distance"
    ends: dict[Any, str] = {
        "contradicted": f"they differ: {share:.0%} of pairs can be told apart",
        "supported": f"no difference found; {detectable:.0%} of pairs told apart would have been noticed",
        "unchecked": "too few to notice a difference",
    }
    return f"{looked}; {ends[status]}"
