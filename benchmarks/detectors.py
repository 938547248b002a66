"""Distance and density detectors: fitted, asked about many rows and about one at a time, against their peers.

Usage: python -m benchmarks.detectors [--rows N] [--queries N] [--ones N]
"""

from __future__ import annotations

import argparse
import io
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

import faiss
import numpy as np
from dnn_tip import surprise
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import gaussian_kde
from sklearn.covariance import EmpiricalCovariance, LedoitWolf
from sklearn.neighbors import NearestNeighbors

from benchmarks.harness import Row, in_turn, one_core
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.detectors.density import KernelDensity, Mahalanobis
from surefoot.monitors.detectors.nearest_neighbours import KNN
from surefoot.monitors.detectors.surprise_adequacy import DSA, LSA

ROWS, QUERIES, FEATURES, CLASSES = 10_000, 10_000, 128, 10
ONES, K = 100, 10
ROUNDS = 5
MANY = 60_000
"""Fitted rows, as many as MNIST has, at which neighbours are timed too."""
GROWTH = (1_000, 10_000, 60_000)
"""Fitted rows among which the neighbours of a single row are looked for, by processor time."""
Labels = NDArray[np.int64]
Scores = Callable[[FloatArray, Labels], FloatArray]


@dataclass(frozen=True)
class Peer:
    """How a peer fits, and how the fitted one scores."""

    name: str
    fitted: Callable[[FloatArray, Labels], Scores]
    most: int | None = None
    """Queries that both sides are asked at once, where all would take this peer too long."""


@dataclass(frozen=True)
class Work:
    """Rows to fit to with their labels, and rows to score with the model's answers; the same for both sides."""

    rows: FloatArray
    labels: Labels
    queries: FloatArray
    answers: Labels

    @classmethod
    def of(cls, rows: int, queries: int) -> Work:
        """Gaussian classes."""
        return cls(*_drawn(rows, seed=1), *_drawn(queries, seed=2))


def cases() -> list[tuple[Detector, Peer]]:
    """Each detector beside each peer that computes the same score."""
    return [
        (DSA(), Peer("scipy cdist", _defined_distances)),
        (DSA(), Peer("dnn-tip", _tip_distances, most=1_000)),
        (LSA(), Peer("scipy gaussian_kde", _scipy_likelihoods)),
        (LSA(), Peer("dnn-tip", _tip_likelihoods)),
        (Mahalanobis("class", shrinkage=0), Peer("scikit-learn EmpiricalCovariance", _of_own_class)),
        (Mahalanobis("tied"), Peer("scikit-learn LedoitWolf", _of_nearest_class)),
        (Mahalanobis("relative"), Peer("scikit-learn LedoitWolf", _relative)),
        *((KNN(K), peer) for peer in neighbour_peers()),
        (KernelDensity(), Peer("scipy gaussian_kde", _scipy_density)),
    ]


def neighbour_peers() -> list[Peer]:
    """Who else finds the nearest rows without approximation; faiss in single precision, ours decides in double."""
    return [
        Peer("scikit-learn NearestNeighbors", _neighbours),
        Peer("faiss IndexFlatL2, single precision", _faiss_neighbours),
    ]


def measure(rows: int = ROWS, queries: int = QUERIES, ones: int = ONES) -> list[Row]:
    """Rows for each detector and peer: all queries at once, then one at a time, both sides whole and on one core."""
    work, larger = Work.of(rows, queries), Work.of(MANY, queries)
    with one_core():
        many = [_many(detector, peer, work) for detector, peer in cases()]
        one = [_one(detector, peer, work, ones) for detector, peer in cases()]
        neighbours = [each for peer in neighbour_peers() for each in _neighbours_among(peer, larger, ones)]
        grown = [_grown(peer, count, ones) for peer in neighbour_peers() for count in GROWTH]
    return [*many, *one, *neighbours, *grown]


def _drawn(count: int, seed: int) -> tuple[FloatArray, Labels]:
    rng, centres = np.random.default_rng(seed), np.random.default_rng(0).normal(size=(CLASSES, FEATURES))
    labels = rng.integers(CLASSES, size=count)
    return centres[labels] + rng.normal(size=(count, FEATURES)), labels


def _many(detector: Detector, peer: Peer, work: Work) -> Row:
    queries, answers = work.queries[: peer.most], work.answers[: peer.most]
    theirs, found = peer.fitted(work.rows, work.labels), {}
    detector.fit(work.rows, work.labels)

    def ours_scores() -> None:
        found["ours"] = detector.decision_function(queries, answers)

    def their_scores() -> None:
        found["theirs"] = theirs(queries, answers)

    timed = in_turn(
        lambda: detector.fit(work.rows, work.labels),
        ours_scores,
        lambda: peer.fitted(work.rows, work.labels),
        their_scores,
    )
    gap = np.max(np.abs(found["ours"] / found["theirs"] - 1))
    fit, score, peer_fit, peer_score = timed.seconds
    note = (
        f"fit {fit:.2g} s against {peer_fit:.2g} s, scores {score:.2g} s against {peer_score:.2g} s "
        f"({peer_score / score:.2g} times); largest relative difference {gap:.0e}; one core, {timed}"
    )
    task = f"{detector}: fit {len(work.rows):,} rows, score {len(queries):,}, {FEATURES} features"
    return Row(task, fit + score, peer.name, peer_fit + peer_score, note)


def _one(detector: Detector, peer: Peer, work: Work, ones: int) -> Row:
    detector.fit(work.rows, work.labels)
    theirs = peer.fitted(work.rows, work.labels)
    places = range(min(ones, len(work.queries)))

    def ours() -> None:
        for place in places:
            detector.score_one(work.queries[place], work.answers[place])

    def others() -> None:
        for place in places:
            theirs(work.queries[place : place + 1], work.answers[place : place + 1])

    detector.score_one(work.queries[0], work.answers[0])  # what is prepared once is prepared
    timed = in_turn(ours, others, enough=30.0)
    seconds, peer_seconds = (each / len(places) for each in timed.seconds)
    note = f"the same {len(places)} rows one after the other, both fitted before; one core, {timed}"
    return Row(f"{detector}.score_one, {len(work.rows):,} fitted rows", seconds, peer.name, peer_seconds, note)


def _grown(peer: Peer, rows: int, ones: int) -> Row:
    """One row at a time, in processor time, which a busy machine disturbs less."""
    work = Work.of(rows, ones)
    detector, theirs = KNN(K).fit(work.rows, work.labels), peer.fitted(work.rows, work.labels)
    ours: list[float] = []
    others: list[float] = []
    for _ in range(ROUNDS):
        for times, score in ((ours, detector.decision_function), (others, theirs)):
            start = time.process_time()
            for place in range(ones):
                score(work.queries[place : place + 1], work.answers[place : place + 1])
            times.append((time.process_time() - start) / ones)
    note = f"the same {ones} rows one after the other; processor time, one core, least of {ROUNDS}"
    return Row(f"{detector}, one row, {rows:,} fitted rows", min(ours), peer.name, min(others), note)


def _neighbours_among(peer: Peer, work: Work, ones: int) -> list[Row]:
    return [_many(KNN(K), peer, work), _one(KNN(K), peer, work, ones)]


def _defined_distances(rows: FloatArray, labels: Labels) -> Scores:
    def score(queries: FloatArray, answers: Labels) -> FloatArray:
        found = np.empty(len(queries))
        for number in np.unique(answers):
            chosen, own = answers == number, rows[labels == number]
            distances = cdist(queries[chosen], own)
            apart = cdist(own[distances.argmin(axis=1)], rows[labels != number]).min(axis=1)
            found[chosen] = distances.min(axis=1) / apart
        return found

    return score


def _scipy_likelihoods(rows: FloatArray, labels: Labels) -> Scores:
    densities = [gaussian_kde(rows[labels == number].T) for number in range(CLASSES)]
    return _each(lambda number, some: -densities[number].logpdf(some.T))


def _scipy_density(rows: FloatArray, labels: Labels) -> Scores:
    density = gaussian_kde(rows.T)
    return lambda queries, answers: -density.logpdf(queries.T)


def _of_own_class(rows: FloatArray, labels: Labels) -> Scores:
    gaussians = [EmpiricalCovariance().fit(rows[labels == number]) for number in range(CLASSES)]
    return _each(lambda number, some: gaussians[number].mahalanobis(some))


def _of_nearest_class(rows: FloatArray, labels: Labels) -> Scores:
    means = np.array([rows[labels == number].mean(axis=0) for number in range(CLASSES)])
    shared = LedoitWolf(assume_centered=True).fit(rows - means[labels])
    return lambda queries, answers: np.min([shared.mahalanobis(queries - mean) for mean in means], axis=0)


def _relative(rows: FloatArray, labels: Labels) -> Scores:
    nearest, whole = _of_nearest_class(rows, labels), LedoitWolf().fit(rows)
    return lambda queries, answers: nearest(queries, answers) - whole.mahalanobis(queries)


def _neighbours(rows: FloatArray, labels: Labels) -> Scores:
    index = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(rows)
    return lambda queries, answers: index.kneighbors(queries)[0][:, -1]


def _faiss_neighbours(rows: FloatArray, labels: Labels) -> Scores:
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows.astype(np.float32))
    return lambda queries, answers: np.sqrt(index.search(queries.astype(np.float32), K)[0][:, -1])


def _each(score: Callable[[int, FloatArray], FloatArray]) -> Scores:
    def scores(queries: FloatArray, answers: Labels) -> FloatArray:
        found = np.empty(len(queries))
        for number in np.unique(answers):
            found[answers == number] = score(int(number), queries[answers == number])
        return found

    return scores


def _tip_distances(rows: FloatArray, labels: Labels) -> Scores:
    return _quietly(surprise.DSA(rows, labels))


def _tip_likelihoods(rows: FloatArray, labels: Labels) -> Scores:
    with _quiet():
        return _quietly(surprise.MultiModalSA.build_by_class(rows, labels, lambda some, _: surprise.LSA(some)))


def _quietly(scores: Scores) -> Scores:
    def score(queries: FloatArray, answers: Labels) -> FloatArray:
        with _quiet():
            return scores(queries, answers)

    return score


@contextmanager
def _quiet() -> Iterator[None]:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser()
    for name, usual in (("rows", ROWS), ("queries", QUERIES), ("ones", ONES)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--growth", action="store_true", help="only one row at a time, as fitted rows grow")
    options = vars(parser.parse_args())
    if options.pop("growth"):
        with one_core():
            rows = [_grown(peer, count, options["ones"]) for peer in neighbour_peers() for count in GROWTH]
    else:
        rows = measure(**options)
    for row in rows:
        print(f"{row.task:100} {row.seconds:9.6f} s  {row.ratio:8.1f} times {row.peer}  {row.note}")


if __name__ == "__main__":
    main()
