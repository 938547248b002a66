"""The exact share of each answer of a tree ensemble inside boxes, without sampling.

All trees are descended for many boxes at once, each as far as the whole box goes one way. Bounds on the leaf values
below the nodes reached then tell which class wins, or else the box is cut at one of those nodes (branch and bound).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import (
    EXACT,
    PROVED,
    Boxes,
    LocalProblem,
    LocalRisk,
    Progress,
    Within,
    cell_estimator,
)
from surefoot.reliability.proofs.tree_ensembles import WHERE, Ensemble, read_ensemble

Integers = NDArray[np.int64]
Decide = Callable[[FloatArray], NDArray[np.int64]]
OPEN = -1
"""The answer where bounds do not tell which class wins."""
WORK = 1 << 21
"""Node values looked at together, which bounds memory."""
BLOCK = 8
"""Boxes in a row that are first looked at as one, and rows of such blocks."""
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
    volumes. A cell is cut only where the answer can change. The shares are those of what the model answers, up to a
    set of measure zero: inputs are rounded to single precision where scikit-learn does, and an answer that hangs on
    the rounding of a sum, such as a tie, is asked of the model. Thresholds behind scalers are exact up to double
    precision.

    References
    ----------
    Tornblom and Nadjm-Tehrani (2020), "Formal verification of input-output mappings of tree ensembles"; bounds below
    nodes as in Devos, Meert and Davis (2021), "Versatile verification of tree ensembles".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> inputs = np.random.default_rng(0).random((300, 2))
    >>> labels = (inputs[:, 0] > 0.5).astype(int)
    >>> model = DecisionTreeClassifier(random_state=0).fit(inputs, labels)
    >>> found = sf.reliability.assess_cells(
    ...     model, inputs, labels, side=0.1, domain=(0, 1), profile=sf.profile.KDE(0.1),
    ...     estimator=sf.reliability.ExactTrees())
    >>> found.cells["trials"].max()
    np.int64(0)

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


# Boxes cut along the thresholds of trees, only where and as far as the answer depends on it.


@dataclass(frozen=True, eq=False)
class Pieces:
    """Parts of boxes: the box each belongs to, its corners, and the node of each tree that all of it has reached."""

    box: Integers
    lower: FloatArray
    upper: FloatArray
    nodes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.box)

    def __getitem__(self, chosen: NDArray[np.bool_] | Integers | slice) -> Pieces:
        return Pieces(self.box[chosen], self.lower[chosen], self.upper[chosen], self.nodes[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Pieces]) -> Pieces:
        """The pieces of all parts."""
        columns = zip(*((part.box, part.lower, part.upper, part.nodes) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    @property
    def middle(self) -> FloatArray:
        """A point inside each piece."""
        return self.lower + (self.upper - self.lower) / 2


Lot = tuple[Pieces, Integers]


def most_pieces(ensemble: Ensemble) -> int:
    """How many pieces are looked at together; no more boxes than that may be asked for at once."""
    return max(1, WORK // (len(ensemble.roots) * ensemble.bounds.shape[1]))


def answered_pieces(ensemble: Ensemble, lower: FloatArray, upper: FloatArray) -> Iterator[Lot]:
    """Lots of pieces with their answers; together they fill all boxes.

    Each piece has one answer throughout. In the lots of pieces whose scores are too close to tell it, all answers
    are ``OPEN``.
    """
    answers, rest = _whole_boxes(ensemble, lower, upper)
    settled = np.flatnonzero(answers != OPEN)
    nodes = np.broadcast_to(ensemble.roots, (len(settled), len(ensemble.roots)))
    yield Pieces(settled, lower[settled], upper[settled], nodes), answers[settled]
    yield from _cut(ensemble, rest)


def _whole_boxes(ensemble: Ensemble, lower: FloatArray, upper: FloatArray) -> tuple[Integers, Pieces]:
    """Answers of boxes that need no cut, found for whole blocks of boxes where possible; and the open boxes."""
    count, missing = len(lower), ((0, -len(lower) % BLOCK**3), (0, 0))
    low, high = np.pad(lower, missing, mode="edge"), np.pad(upper, missing, mode="edge")
    answers = np.full(len(low), OPEN)
    blocks = np.arange(len(low) // BLOCK**3)
    nodes = np.tile(ensemble.roots, (len(blocks), 1))
    for size in (BLOCK**2, BLOCK, 1):
        pieces = _opened(blocks, nodes, low, high, size)
        found = _advance(ensemble, pieces)
        answers.reshape(-1, size)[pieces.box] = found[:, None]
        pieces = pieces[found == OPEN]
        blocks, nodes = pieces.box, pieces.nodes
    return answers[:count], pieces[pieces.box < count]


def _opened(blocks: Integers, nodes: NDArray[np.int32], lower: FloatArray, upper: FloatArray, size: int) -> Pieces:
    """The smaller blocks, of ``size`` boxes each, inside blocks that have reached nodes."""
    inner = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    low = lower.reshape(-1, size, lower.shape[1])[inner].min(axis=1)
    high = upper.reshape(-1, size, upper.shape[1])[inner].max(axis=1)
    return Pieces(inner, low, high, np.repeat(nodes, BLOCK, axis=0))


def _cut(ensemble: Ensemble, boxes: Pieces) -> Iterator[Lot]:
    limit, waiting, close = most_pieces(ensemble), [boxes], []
    while waiting:
        pieces = waiting.pop()
        answers = _advance(ensemble, pieces)
        is_open, is_cut = answers == OPEN, ensemble.span[pieces.nodes].max(axis=1) > 0
        yield pieces[~is_open], answers[~is_open]
        close.append(pieces[is_open & ~is_cut])
        halves = _halves(ensemble, pieces[is_open & is_cut])
        waiting += [halves[start : start + limit] for start in range(0, len(halves), limit)]
        if not waiting or sum(map(len, close)) >= limit:
            together = Pieces.joined(close)
            close.clear()
            yield together, np.full(len(together), OPEN)


def _halves(ensemble: Ensemble, pieces: Pieces) -> Pieces:
    """Each piece cut in two at the node whose leaves differ most."""
    rows = np.arange(len(pieces))
    node = pieces.nodes[rows, ensemble.span[pieces.nodes].argmax(axis=1)]
    places = rows, ensemble.feature[node]
    lower, upper = pieces.lower.copy(), pieces.upper.copy()
    lower[places] = upper[places] = ensemble.threshold[node]
    left = Pieces(pieces.box, pieces.lower, upper, pieces.nodes)
    right = Pieces(pieces.box, lower, pieces.upper, pieces.nodes)
    return Pieces.joined([left, right])


def _advance(ensemble: Ensemble, pieces: Pieces) -> Integers:
    """Descend all trees as far as whole pieces go, in place; the answers that the nodes reached leave possible."""
    _descend(ensemble, pieces)
    bounds = np.einsum("ijk->ik", ensemble.bounds.take(pieces.nodes, axis=0))
    low, high = np.split(bounds, 2, axis=1)
    return _winner(low, high, ensemble.tolerance)


def _descend(ensemble: Ensemble, pieces: Pieces) -> None:
    lower, upper, nodes = pieces.lower.reshape(-1), pieces.upper.reshape(-1), pieces.nodes.reshape(-1)
    active = np.flatnonzero(ensemble.span[nodes] > 0)
    corner = active // len(ensemble.roots) * pieces.lower.shape[1]
    at = nodes[active]
    while active.size:
        threshold, place = ensemble.threshold[at], corner + ensemble.feature[at]
        goes_left = upper[place] <= threshold
        moves = goes_left | (lower[place] >= threshold)
        at = np.where(goes_left, ensemble.left[at], ensemble.right[at])[moves]
        active, corner = active[moves], corner[moves]
        nodes[active] = at


def _winner(low: FloatArray, high: FloatArray, tolerance: float) -> Integers:
    """The class that is ahead of all others wherever the scores lie between bounds, or ``OPEN``."""
    if low.shape[1] == 1:
        return np.where(low[:, 0] > tolerance, 1, np.where(high[:, 0] < -tolerance, 0, OPEN))
    rows, winner = np.arange(len(low)), low.argmax(axis=1)
    rivals = high.copy()
    rivals[rows, winner] = -np.inf
    return np.where(low[rows, winner] - rivals.max(axis=1) > tolerance, winner, OPEN)
