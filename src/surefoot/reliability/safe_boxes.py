"""Boxes of images in which a model is proved to give no undesired answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import as_model
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.box_proofs import PATIENCE, provable, proves
from surefoot.reliability.network_reading import read_network
from surefoot.reliability.networks import Network

ASKED = 64
"""Points at which a model is asked whether it answers as its layers say."""


def readable(model: Any, shape: tuple[int, ...]) -> bool:
    """Whether proofs can be tried for a model that takes inputs of this shape."""
    return _network(model, shape) is not None


def proved_safe(
    model: Any,
    shape: tuple[int, ...],
    lower: FloatArray,
    upper: FloatArray,
    undesired: NDArray[np.bool_],
    labels: NDArray[np.int64],
    *,
    method: str = "linear",
    patience: int = PATIENCE,
) -> NDArray[np.bool_]:
    """Whether no undesired answer is possible anywhere in each box: the true label beats all of them.

    Corners are rows of flattened features; row i of ``undesired`` says which answers are failures in box i. Nothing is
    proved for a model that cannot be read or does not answer as its layers say. See ``provable`` for ``patience``.
    """
    network = _network(model, shape)
    fits = network is not None and len(labels) > 0 and undesired.shape == (len(labels), network.outputs)
    if network is None or not fits or not _agrees(network, model, shape, lower, upper):
        return np.zeros(len(labels), dtype=bool)
    return provable(network, lower, upper, labels, method=method, patience=patience, rivals=undesired)


def _network(model: Any, shape: tuple[int, ...]) -> Network | None:
    try:
        return read_network(model, shape)
    except InvalidInput:
        return None


def _agrees(network: Network, model: Any, shape: tuple[int, ...], lower: FloatArray, upper: FloatArray) -> bool:
    """Whether the model scores as its layers say at some points where these are clear of rounding."""
    points = lower[:ASKED] + (upper - lower)[:ASKED] / 2
    answers, found = network.decide(points), as_model(model)(points.reshape(-1, *shape))
    differ = np.flatnonzero(answers != found.argmax(axis=1)) if found.ndim == 2 else np.empty(0, dtype=np.int64)
    return not proves(network, points[differ], points[differ], answers[differ], method="interval").any()
