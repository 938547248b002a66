"""Dense autoencoders: trained with torch, kept as arrays, run with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from surefoot.core.extras import require
from surefoot.core.validate import FloatArray


class Layer(NamedTuple):
    """A matrix of inputs x outputs, and what is added to each output: arrays, or tensors during training."""

    weight: Any
    bias: Any


class Training(NamedTuple):
    """How long and how fast to train."""

    epochs: int
    batch: int
    learning_rate: float
    seed: int


def trained(rows: FloatArray, hidden: Sequence[int], how: Training) -> list[Layer]:
    """The layers of an autoencoder of these rows, by Adam (Kingma and Ba 2015) on the mean squared error."""
    torch = require("torch", extra="torch", purpose="Training an autoencoder")
    rng = np.random.default_rng(how.seed)
    widths = [rows.shape[1], *hidden, *reversed(hidden[:-1]), rows.shape[1]]
    layers = [_drawn(torch, rng, before, after) for before, after in pairwise(widths)]
    data = torch.from_numpy(rows.astype(np.float32))
    optimiser = torch.optim.Adam([tensor for layer in layers for tensor in layer], lr=how.learning_rate)
    for _ in range(how.epochs):
        for chosen in torch.from_numpy(rng.permutation(len(rows))).split(how.batch):
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(_forward(torch.relu, data[chosen], layers), data[chosen]).backward()
            optimiser.step()
    return [Layer(*(tensor.detach().numpy() for tensor in layer)) for layer in layers]


def rebuilt(rows: FloatArray, layers: Sequence[Layer]) -> FloatArray:
    """The rows as the autoencoder gives them back."""
    return _forward(lambda values: np.maximum(values, 0.0), rows, layers)


def _forward(rectified: Any, values: Any, layers: Sequence[Layer]) -> Any:
    for layer in layers[:-1]:
        values = rectified(values @ layer.weight + layer.bias)
    return values @ layers[-1].weight + layers[-1].bias


def _drawn(torch: Any, rng: np.random.Generator, before: int, after: int) -> Layer:
    """First weights for rectified units (He, Zhang, Ren and Sun 2015)."""
    weight = (rng.standard_normal((before, after)) * np.sqrt(2.0 / before)).astype(np.float32)
    return Layer(torch.from_numpy(weight).requires_grad_(), torch.zeros(after, requires_grad=True))
