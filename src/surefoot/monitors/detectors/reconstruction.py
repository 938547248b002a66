"""``Autoencoder`` and ``Reconstruction``: rows that an autoencoder, trained on usual ones, cannot rebuild are strange.

A dense autoencoder of our own is trained with torch, kept as arrays and run with numpy; one that was trained elsewhere
is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.model import running
from surefoot.adapters.python_models import forward
from surefoot.core import InvalidInput, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned, bounded, divisor, ratio
from surefoot.monitors.features import array_of
from surefoot.profile.input_arrays import slices

AT_ONCE = 1 << 20
"""Numbers in the widest layer that are held at once."""
Function = Callable[[NDArray[Any]], Any]


@dataclass(eq=False)
class Autoencoder(Detector, name="autoencoder"):
    """The mean squared error with which a dense autoencoder rebuilds standardised rows.

    It is trained with torch in single precision, and scored without torch.

    Parameters
    ----------
    hidden
        Widths of the encoder's rectified layers, the last one the code; the decoder mirrors them.
    epochs, batch, learning_rate
        How long, on how many rows at a time and how fast to train (Adam, Kingma and Ba 2015).
    seed
        Settles first weights and batches.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> line = np.linspace(-1, 1, 100)
    >>> rows = np.column_stack([line, line])
    >>> detector = sf.monitors.Autoencoder(hidden=(8, 1), epochs=40).fit(rows)
    >>> usual, strange = detector.decision_function([[0.5, 0.5], [1, -1]])
    >>> bool(usual < strange)
    True

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


class Network(NamedTuple):
    """What standardises rows, and the layers that rebuild them."""

    centre: FloatArray
    spread: FloatArray
    layers: list[Layer]


class Layer(NamedTuple):
    """A matrix of inputs x outputs, and what is added to each output: arrays, or tensors during training."""

    weight: Any
    bias: Any


def _errors(rows: NDArray[Any], network: Network) -> FloatArray:
    standard = ratio(bounded(rows) - network.centre, network.spread)
    return np.square(bounded(rebuilt(standard, network.layers)) - standard).mean(axis=1)


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


def _drawn(torch: Any, rng: np.random.Generator, before: int, after: int) -> Layer:
    """First weights for rectified units (He, Zhang, Ren and Sun 2015)."""
    weight = (rng.standard_normal((before, after)) * np.sqrt(2.0 / before)).astype(np.float32)
    return Layer(torch.from_numpy(weight).requires_grad_(), torch.zeros(after, requires_grad=True))


def rebuilt(rows: FloatArray, layers: Sequence[Layer]) -> FloatArray:
    """The rows as the autoencoder gives them back."""
    return _forward(lambda values: np.maximum(values, 0.0), rows, layers)


def _forward(rectified: Any, values: Any, layers: Sequence[Layer]) -> Any:
    for layer in layers[:-1]:
        values = rectified(values @ layer.weight + layer.bias)
    return values @ layers[-1].weight + layers[-1].bias


@dataclass(eq=False)
class Reconstruction(Detector, name="reconstruction", beside=("autoencoder",)):
    """The mean squared error of an autoencoder that was trained elsewhere.

    No file holds the autoencoder: hand it over again with ``Detector.load(path, autoencoder=...)``.

    Parameters
    ----------
    autoencoder
        A function from a batch of inputs to one of the same shape, or a torch module, which is run in evaluation mode.
    batch
        The inputs that it is given at once.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> detector = sf.monitors.Reconstruction(lambda inputs: np.clip(inputs, 0, 1)).fit([[0.2, 0.7]])
    >>> detector.decision_function([[0.3, 0.5], [0.3, 2.0]])
    array([0. , 0.5])

    """

    autoencoder: Any
    batch: int = 256
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
        given = self.autoencoder
        # A torch module is known by its methods, so that torch need not be there for any other function.
        function = forward(given) if hasattr(given, "state_dict") else given
        with running("autoencoder", None):
            answer = function(rows.copy())
        answer = array_of(answer) if hasattr(answer, "detach") else answer
        rebuilt = validate.numbers(answer, where=self.name, name="what the autoencoder returns")
        if rebuilt.shape != rows.shape:
            raise InvalidInput(
                "the autoencoder must return the shape it is given",
                where=self.name,
                found=f"{rebuilt.shape} for {rows.shape}",
            )
        difference = bounded(rows) - bounded(rebuilt)
        return np.square(difference).reshape(len(rows), -1).mean(axis=1)
