"""``Autoencoder``: rows that a small autoencoder, trained on usual ones, cannot rebuild are strange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.dense import Layer, Training, rebuilt, trained
from surefoot.monitors.detectors.magnitudes import bounded, divisor, ratio
from surefoot.profile.slicing import slices

AT_ONCE = 1 << 20
"""Numbers in the widest layer that are held at once."""


class Network(NamedTuple):
    """What standardises rows, and the layers that rebuild them."""

    centre: FloatArray
    spread: FloatArray
    layers: list[Layer]


@dataclass(eq=False)
class Autoencoder(Detector, name="autoencoder"):
    """The mean squared error with which a dense autoencoder rebuilds standardised rows.

    ``hidden`` are the widths of the encoder's rectified layers, the last one the code; the decoder mirrors them. It is
    trained with torch in single precision, and scored without torch. The seed settles first weights and batches.
    """

    hidden: Sequence[int] = (64, 16)
    epochs: int = 50
    batch: int = 64
    learning_rate: float = 1e-3
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.hidden, str) or not isinstance(self.hidden, Sequence) or not len(self.hidden):
            raise InvalidInput(
                "hidden must be widths of layers", where=self.name, found=repr(self.hidden), remedy="Use (64, 16)."
            )
        self.hidden = tuple(validate.count(n, where=self.name, name="hidden", at_least=1) for n in self.hidden)
        self.epochs = validate.count(self.epochs, where=self.name, name="epochs", at_least=1)
        self.batch = validate.count(self.batch, where=self.name, name="batch", at_least=1)
        self.learning_rate = validate.positive(self.learning_rate, where=self.name, name="learning_rate")
        self.seed = validate.seed(self.seed, where=self.name)

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        values = bounded(rows)
        centre = values.mean(axis=0)
        spread = divisor(values.std(axis=0), np.abs(values).max(axis=0))
        how = Training(self.epochs, self.batch, self.learning_rate, self.seed)
        layers = trained((values - centre) / spread, self.hidden, how)
        if not all(np.isfinite(layer.weight).all() for layer in layers):
            raise InvalidInput(
                "training diverged", where=self.name, found=f"learning_rate {self.learning_rate:g}", remedy="Lower it."
            )
        arrays = {f"{part}_{n}": array for n, layer in enumerate(layers) for part, array in layer._asdict().items()}
        return {"centre": centre, "spread": spread, **arrays}

    def _prepared(self, learned: Learned) -> Network:
        layers = [
            Layer(learned[f"weight_{n}"].astype(np.float64), learned[f"bias_{n}"].astype(np.float64))
            for n in range(2 * len(self.hidden))
        ]
        return Network(learned["centre"], learned["spread"], layers)

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Network) -> FloatArray:
        widest = max(rows.shape[1], *self.hidden)
        return np.concatenate([_errors(rows[part], ready) for part in slices(len(rows), max(1, AT_ONCE // widest))])


def _errors(rows: NDArray[Any], network: Network) -> FloatArray:
    standard = ratio(bounded(rows) - network.centre, network.spread)
    return np.square(bounded(rebuilt(standard, network.layers)) - standard).mean(axis=1)
