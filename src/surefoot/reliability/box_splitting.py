"""Boxes cut along the thresholds of trees, only where and as far as the answer depends on it.

All trees are descended for many boxes at once, each as far as the whole box goes one way. Bounds on the leaf values
below the nodes reached then tell which class wins, or else the box is cut at one of those nodes (branch and bound).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.tree_ensembles import Ensemble

Integers = NDArray[np.int64]
OPEN = -1
"""The answer where bounds do not tell which class wins."""
WORK = 1 << 21
"""Node values looked at together, which bounds memory."""
BLOCK = 8
"""Boxes in a row that are first looked at as one, and rows of such blocks."""


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
