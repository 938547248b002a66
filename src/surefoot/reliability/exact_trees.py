"""The exact share of each answer of a tree ensemble inside boxes, without sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.box_splitting import OPEN, Integers, Pieces, answered_pieces, most_pieces
from surefoot.reliability.local import EXACT, PROVED, Boxes, LocalProblem, LocalRisk, Progress, cell_estimator
from surefoot.reliability.tree_ensembles import Ensemble
from surefoot.reliability.tree_readers import WHERE, read_ensemble
from surefoot.reliability.within import Within

Decide = Callable[[FloatArray], NDArray[np.int64]]
LARGEST_BATCH = 1 << 16
MOST_BATCHES = 64
"""Every batch carries the model to its worker, so many boxes make larger batches instead of more."""
WITNESSES = 32
"""Pieces of each answer on which the model itself is asked."""


@cell_estimator("exact_trees")
@dataclass(frozen=True)
class ExactTrees:
    """Shares of answers computed from the thresholds of trees, forests, bagged and boosted trees of scikit-learn.

    The trees divide the inputs into boxes of one answer each, so that the share of an answer in a cell is a sum of
    volumes. A cell is cut only where the answer can change (Tornblom and Nadjm-Tehrani 2020, "Formal verification of
    input-output mappings of tree ensembles"; bounds below nodes as in Devos, Meert and Davis 2021, "Versatile
    verification of tree ensembles"). The shares are those of what the model answers, up to a set of measure zero:
    inputs are rounded to single precision where scikit-learn does, and an answer that hangs on the rounding of a sum,
    such as a tie, is asked of the model. Thresholds behind scalers are exact up to double precision.
    """

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem."""
        ensemble = read_ensemble(problem.model)
        count = len(problem.boxes)
        _require_same_features(ensemble, problem.boxes)
        size = max(min(most_pieces(ensemble), LARGEST_BATCH), -(-count // MOST_BATCHES))
        shares_in = partial(
            _shares_in,
            ensemble=ensemble,
            boxes=problem.boxes,
            within=problem.within,
            decide=problem.decide,
            classes=problem.classes,
        )
        told = progress and (lambda done, _: progress(min(done * size, count), count))
        batches = executor.map(shares_in, list(problem.slices(size)), seed=seed, progress=told)
        shares = np.concatenate([np.empty((0, problem.classes)), *(found for found, _ in batches)])
        how = np.concatenate([np.empty(0, np.uint8), *(kind for _, kind in batches)])
        labels = LocalRisk.voted(problem.labels, shares)
        return LocalRisk(shares, labels, np.zeros(count, np.int64), how)


def _require_same_features(ensemble: Ensemble, boxes: Boxes) -> None:
    if ensemble.features != boxes.dimensions:
        raise InvalidInput(
            f"the model takes {ensemble.features} features",
            where=WHERE,
            found=f"boxes with {boxes.dimensions}",
            remedy="Give the domain for the features that the model was trained on.",
        )


def _shares_in(
    chosen: slice,
    rng: np.random.Generator,
    *,
    ensemble: Ensemble,
    boxes: Boxes,
    within: Within,
    decide: Decide,
    classes: int,
) -> tuple[FloatArray, NDArray[np.uint8]]:
    """Shares of answers in a batch of boxes, and how they were found."""
    numbered = _Numbering(decide)
    shares = np.zeros((chosen.stop - chosen.start, classes))
    answered = np.zeros(shares.shape, dtype=bool)
    for start in range(chosen.start, chosen.stop, most_pieces(ensemble)):
        lower, upper = boxes.corners(slice(start, min(start + most_pieces(ensemble), chosen.stop)))
        for pieces, answers in answered_pieces(ensemble, lower, upper):
            parts = within.share(lower[pieces.box], upper[pieces.box], pieces.lower, pieces.upper)
            place = (pieces.box + start - chosen.start) * classes + numbered(pieces, answers)
            np.add.at(shares.reshape(-1), place, parts)
            answered.reshape(-1)[place] = True
    proved = answered.sum(axis=1) == 1
    shares[proved] = answered[proved]
    return shares, np.where(proved, PROVED, EXACT).astype(np.uint8)


class _Numbering:
    """Numbers of classes for answers of trees, learnt from the model itself on a few pieces of each answer."""

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.known: dict[int, int] = {}

    def __call__(self, pieces: Pieces, answers: Integers) -> Integers:
        if not len(pieces):
            return answers
        if answers[0] == OPEN:
            return self.decide(pieces.middle)
        counts = np.bincount(answers)
        for answer in set(np.flatnonzero(counts).tolist()) - set(self.known):
            self.known[answer] = self._learnt(pieces[np.flatnonzero(answers == answer)])
        return np.array([self.known.get(answer, OPEN) for answer in range(len(counts))])[answers]

    def _learnt(self, pieces: Pieces) -> int:
        some = np.linspace(0, len(pieces) - 1, min(len(pieces), WITNESSES)).astype(int)
        numbers = np.unique(self.decide(pieces[some].middle))
        if len(numbers) > 1:
            raise InvalidInput(
                "the model does not answer as its trees do",
                where=WHERE,
                found=f"classes number {numbers.tolist()} where all trees together answer one",
                remedy="Use MonteCarlo(), or give the fitted ensemble itself, without what changes its answers.",
            )
        return int(numbers[0])
