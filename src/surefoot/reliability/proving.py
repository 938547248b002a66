"""Branch and bound: one answer proved for a whole box, or for all pieces that it is cut into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.box_proofs import proves
from surefoot.reliability.network_reading import REMEDY, WHERE
from surefoot.reliability.networks import Network

OPEN = -1
"""The answer of a box for which none is proved."""
BLOCKS = (64, 8)
"""Boxes in a row that are first looked at as one: on a grid they are neighbours."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Parts of boxes, and the number of the box each belongs to."""

    box: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray

    def __len__(self) -> int:
        return len(self.box)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Pieces:
        return Pieces(self.box[chosen], self.lower[chosen], self.upper[chosen])

    @property
    def middle(self) -> FloatArray:
        """A point inside each piece."""
        return self.lower + (self.upper - self.lower) / 2

    def halves(self, influence: FloatArray) -> Pieces:
        """Both halves of each piece, cut across the side along which the network changes most."""
        across = np.arange(len(self)), ((self.upper - self.lower) * influence).argmax(axis=1)
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[across] = upper[across] = self.middle[across]
        corners = np.concatenate([self.lower, lower]), np.concatenate([upper, self.upper])
        return Pieces(np.tile(self.box, 2), *corners)


def proved_answers(
    network: Network, lower: FloatArray, upper: FloatArray, *, splits: int, method: str
) -> NDArray[np.int64]:
    """The answer in each box where it is proved to be the only one, else ``OPEN``.

    A box is cut until all its pieces are proved, a piece has another answer in its middle, or ``splits`` cuts lie
    behind it.
    """
    answers = _proved_in_blocks(network, lower, upper, method)
    left = np.flatnonzero(answers == OPEN)
    pieces = Pieces(left, lower[left], upper[left])
    answers[left] = network.decide(pieces.middle)
    for cuts in range(splits + 1):
        pieces = pieces[~proves(network, pieces.lower, pieces.upper, answers[pieces.box], method=method)]
        if cuts == splits or not len(pieces):
            break
        pieces = pieces.halves(network.influence)
        answers[pieces.box[network.decide(pieces.middle) != answers[pieces.box]]] = OPEN
        pieces = pieces[answers[pieces.box] != OPEN]
    answers[pieces.box] = OPEN
    return answers


def _proved_in_blocks(network: Network, lower: FloatArray, upper: FloatArray, method: str) -> NDArray[np.int64]:
    """Answers of boxes that are proved together with their neighbours, by the box around them all."""
    answers = np.full(len(lower), OPEN)
    for size in BLOCKS:
        starts = np.arange(0, len(lower), size)
        starts = starts[answers[starts] == OPEN]
        block = np.minimum(starts[:, None] + np.arange(size), len(lower) - 1)
        around = Pieces(starts, lower[block].min(axis=1), upper[block].max(axis=1))
        found = network.decide(around.middle)
        proved = proves(network, around.lower, around.upper, found, method=method)
        answers[block[proved]] = found[proved, None]
    return answers


def require_same_answers(
    network: Network, decide: Callable[[FloatArray], NDArray[np.int64]], points: FloatArray
) -> None:
    """The model decides as its layers say, wherever these are proved clear of rounding."""
    answers = network.decide(points)
    suspects = np.flatnonzero(answers != decide(points))
    wrong = suspects[proves(network, points[suspects], points[suspects], answers[suspects], method="interval")]
    if wrong.size:
        raise InvalidInput(
            "the model does not answer as its layers say",
            where=WHERE,
            found=f"class number {answers[wrong[0]]} only by its layers, at {points[wrong[0]].tolist()}",
            remedy=f"Number classes in the order of the model's outputs, and leave out what changes them. {REMEDY}",
        )
