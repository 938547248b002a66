"""Whether a class wins in a whole box: by the cheapest bounds first, and dearer ones where they can help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import Range
from surefoot.reliability.margin_bounds import Margins, by_intervals, by_plane, by_planes, in_batches, in_corners
from surefoot.reliability.networks import Network

PATIENCE = 64
"""Boxes that linear bounds are tried on before they are given up."""


def proves(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    *,
    method: str = "linear",
    rivals: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Whether the class of each box beats its rivals everywhere inside: all other classes, unless they are named."""
    boxes = _boxes(network, lower, upper, classes, rivals)
    proved = boxes.proved_by_intervals()
    left = np.flatnonzero(~proved)
    if method == "linear":
        proved[left] = boxes.some(left).proved_by_planes()
    return proved


def provable(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    *,
    method: str = "linear",
    patience: int = PATIENCE,
    rivals: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """As ``proves``, but linear bounds are given up after ``patience`` boxes without a proof.

    These are spread evenly over the boxes that intervals leave open. So what is proved may depend on all boxes that
    are asked for together; what is not proved is not refuted either.
    """
    boxes = _boxes(network, lower, upper, classes, rivals)
    proved = boxes.proved_by_intervals()
    left = np.flatnonzero(~proved)
    first = np.unique(np.linspace(0, len(left) - 1, min(patience, len(left))).astype(int))
    for chosen in (left[first], np.delete(left, first)):
        if method == "linear":
            proved[chosen] = boxes.some(chosen).proved_by_planes()
        if not proved[chosen].any():
            break
    return proved


@dataclass(frozen=True, eq=False)
class _Boxes:
    network: Network
    box: Range
    classes: NDArray[np.int64]
    rivals: NDArray[np.bool_]

    def some(self, chosen: NDArray[np.int64]) -> _Boxes:
        box = Range(self.box.lower[chosen], self.box.upper[chosen])
        return _Boxes(self.network, box, self.classes[chosen], self.rivals[chosen])

    def proved_by_intervals(self) -> NDArray[np.bool_]:
        return self._clear(self._margins(by_intervals, self.network.outputs))

    def proved_by_planes(self) -> NDArray[np.bool_]:
        """By one plane for each margin, then by planes for all layers, unless the class loses in some corner."""
        if not self.network.tail:
            return np.zeros(len(self.classes), dtype=bool)
        proved = self._clear(self._margins(by_plane, self.network.outputs))
        if self.network.inner:
            left = self.some(np.flatnonzero(~proved))
            proved[~proved] = left._proved_layer_by_layer()
        return proved

    def _proved_layer_by_layer(self) -> NDArray[np.bool_]:
        hopeful = self._clear(self._margins(in_corners, self.network.outputs))
        left = self.some(np.flatnonzero(hopeful))
        hopeful[hopeful] = left._clear(left._margins(by_planes, max(self.network.outputs, self.network.inner)))
        return hopeful

    def _margins(self, find: Margins, rows: int) -> FloatArray:
        return in_batches(find, self.network, self.box, self.classes, rows=rows)

    def _clear(self, margins: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(((margins > self.network.tie) | ~self.rivals).all(axis=1))


def _boxes(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    rivals: NDArray[np.bool_] | None,
) -> _Boxes:
    others = classes[:, None] != np.arange(network.outputs)
    return _Boxes(network, Range(lower, upper), classes, others if rivals is None else rivals)
