"""``Reconstruction``: inputs that a given autoencoder cannot rebuild are strange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.model import running
from surefoot.adapters.torch_model import forward
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.magnitudes import bounded
from surefoot.monitors.features.batches import array_of
from surefoot.profile.slicing import slices

Function = Callable[[NDArray[Any]], Any]


@dataclass(eq=False)
class Reconstruction(Detector, name="reconstruction", beside=("autoencoder",)):
    """The mean squared error of an autoencoder that was trained elsewhere.

    ``autoencoder`` is a function from a batch of inputs to one of the same shape, or a torch module, which is run in
    evaluation mode. No file holds it: hand it over again with ``Detector.load(path, autoencoder=...)``.
    """

    autoencoder: Any
    batch: int = 256
    """The inputs that it is given at once."""
    takes = "inputs"

    def __post_init__(self) -> None:
        self.batch = validate.count(self.batch, where=self.name, name="batch", at_least=1)
        if not callable(self.autoencoder):
            raise InvalidInput(
                "autoencoder must be a function of a batch, or a torch module",
                where=self.name,
                found=repr(self.autoencoder),
            )

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        self._errors(rows[: self.batch])
        return {}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return np.concatenate([self._errors(rows[part]) for part in slices(len(rows), self.batch)])

    def _errors(self, rows: NDArray[Any]) -> FloatArray:
        with running("autoencoder", None):
            answer = _function(self.autoencoder)(rows.copy())
        given = array_of(answer) if hasattr(answer, "detach") else answer
        rebuilt = validate.numbers(given, where=self.name, name="what the autoencoder returns")
        if rebuilt.shape != rows.shape:
            raise InvalidInput(
                "the autoencoder must return the shape it is given",
                where=self.name,
                found=f"{rebuilt.shape} for {rows.shape}",
            )
        difference = bounded(rows) - bounded(rebuilt)
        return np.square(difference).reshape(len(rows), -1).mean(axis=1)


def _function(autoencoder: Any) -> Function:
    """A torch module is known by its methods, so that torch need not be there for any other function."""
    return forward(autoencoder) if hasattr(autoencoder, "state_dict") else autoencoder
