"""Distance and density detectors: many queries, and one at a time, against their peers."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

import numpy as np
from dnn_tip import surprise
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import gaussian_kde
from sklearn.covariance import EmpiricalCovariance, LedoitWolf
from sklearn.neighbors import NearestNeighbors

from benchmarks.harness import Row, best_of
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.detectors.density import KernelDensity
from surefoot.monitors.detectors.mahalanobis import Mahalanobis
from surefoot.monitors.detectors.neighbours import KNN
from surefoot.monitors.detectors.surprise import DSA, LSA

ROWS, FEATURES, QUERIES, CLASSES = 10_000, 128, 10_000, 10
PEER_QUERIES, ONES, K = 50, 300, 10
Scores = Callable[[FloatArray, NDArray[np.int64]], FloatArray]


@dataclass(frozen=True)
class Peer:
    """How a peer fits, and how the fitted one scores."""

    name: str
    fitted: Callable[[FloatArray, NDArray[np.int64]], Scores]


def measure() -> list[Row]:
    """Rows for each detector and peer: all queries at once, then one at a time."""
    cases: list[tuple[Detector, list[Peer]]] = [
        (DSA(), [Peer("scipy cdist", _defined_distances), Peer("dnn-tip", _tip_distances)]),
        (LSA(), [Peer("scipy gaussian_kde", _scipy_likelihoods), Peer("dnn-tip", _tip_likelihoods)]),
        (Mahalanobis("class", shrinkage=0), [Peer("scikit-learn EmpiricalCovariance", _of_own_class)]),
        (Mahalanobis("tied"), [Peer("scikit-learn LedoitWolf", _of_nearest_class)]),
        (Mahalanobis("relative"), [Peer("scikit-learn LedoitWolf", _relative)]),
        (KNN(K), [Peer("scikit-learn NearestNeighbors", _neighbours)]),
        (KernelDensity(), [Peer("scipy gaussian_kde", _scipy_density)]),
    ]
    rows, labels = _data(1)
    queries, answers = _data(2)
    fitted = [
        (detector.fit(rows, labels), peer, peer.fitted(rows, labels)) for detector, peers in cases for peer in peers
    ]
    many = [_many(detector, peer, scores, queries, answers) for detector, peer, scores in fitted]
    return [*many, *(_one(detector, peer, scores, queries, answers) for detector, peer, scores in fitted)]


def _data(seed: int) -> tuple[FloatArray, NDArray[np.int64]]:
    rng, centres = np.random.default_rng(seed), np.random.default_rng(0).normal(size=(CLASSES, FEATURES))
    labels = rng.integers(CLASSES, size=ROWS)
    return centres[labels] + rng.normal(size=(ROWS, FEATURES)), labels


def _many(detector: Detector, peer: Peer, scores: Scores, queries: FloatArray, answers: NDArray[np.int64]) -> Row:
    found = detector.decision_function(queries, answers)
    seconds = best_of(lambda: detector.decision_function(queries, answers), repeats=5)
    some = slice(PEER_QUERIES)
    theirs = scores(queries[some], answers[some])
    peer_seconds = best_of(lambda: scores(queries[some], answers[some]), repeats=2) * QUERIES / PEER_QUERIES
    gap = np.max(np.abs(found[some] / theirs - 1))
    note = f"{seconds / QUERIES * 1e6:.1f} microseconds a query; largest relative difference {gap:.0e}; peer on "
    note += f"{PEER_QUERIES} queries, scaled"
    task = f"{detector} at {QUERIES:,} queries, {ROWS:,} x {FEATURES} features"
    return Row(task, seconds, peer.name, peer_seconds, note)


def _one(detector: Detector, peer: Peer, scores: Scores, queries: FloatArray, answers: NDArray[np.int64]) -> Row:
    def ours() -> None:
        for query, answer in zip(queries[:ONES], answers[:ONES], strict=True):
            detector.score_one(query, answer)

    seconds = best_of(ours) / ONES
    peer_seconds = best_of(lambda: scores(queries[:1], answers[:1]), repeats=5)
    return Row(f"{detector}.score_one", seconds, peer.name, peer_seconds, f"mean of {ONES} rows; peer: a batch of one")


def _defined_distances(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    def score(queries: FloatArray, answers: NDArray[np.int64]) -> FloatArray:
        found = np.empty(len(queries))
        for number in np.unique(answers):
            chosen, own = answers == number, rows[labels == number]
            distances = cdist(queries[chosen], own)
            apart = cdist(own[distances.argmin(axis=1)], rows[labels != number]).min(axis=1)
            found[chosen] = distances.min(axis=1) / apart
        return found

    return score


def _scipy_likelihoods(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    densities = [gaussian_kde(rows[labels == number].T) for number in range(CLASSES)]
    return _each(lambda number, some: -densities[number].logpdf(some.T))


def _scipy_density(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    density = gaussian_kde(rows.T)
    return lambda queries, answers: -density.logpdf(queries.T)


def _of_own_class(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    gaussians = [EmpiricalCovariance().fit(rows[labels == number]) for number in range(CLASSES)]
    return _each(lambda number, some: gaussians[number].mahalanobis(some))


def _of_nearest_class(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    means = np.array([rows[labels == number].mean(axis=0) for number in range(CLASSES)])
    shared = LedoitWolf(assume_centered=True).fit(rows - means[labels])
    return lambda queries, answers: np.min([shared.mahalanobis(queries - mean) for mean in means], axis=0)


def _relative(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    nearest, whole = _of_nearest_class(rows, labels), LedoitWolf().fit(rows)
    return lambda queries, answers: nearest(queries, answers) - whole.mahalanobis(queries)


def _neighbours(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    index = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(rows)
    return lambda queries, answers: index.kneighbors(queries)[0][:, -1]


def _each(score: Callable[[int, FloatArray], FloatArray]) -> Scores:
    def scores(queries: FloatArray, answers: NDArray[np.int64]) -> FloatArray:
        found = np.empty(len(queries))
        for number in np.unique(answers):
            found[answers == number] = score(int(number), queries[answers == number])
        return found

    return scores


def _tip_distances(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    return _quietly(surprise.DSA(rows, labels))


def _tip_likelihoods(rows: FloatArray, labels: NDArray[np.int64]) -> Scores:
    with _quiet():
        return _quietly(surprise.MultiModalSA.build_by_class(rows, labels, lambda some, _: surprise.LSA(some)))


def _quietly(scores: Scores) -> Scores:
    def score(queries: FloatArray, answers: NDArray[np.int64]) -> FloatArray:
        with _quiet():
            return scores(queries, answers)

    return score


@contextmanager
def _quiet() -> Iterator[None]:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:80} {row.seconds:9.6f} s  {row.ratio:8.1f} times {row.peer}  {row.note}")
