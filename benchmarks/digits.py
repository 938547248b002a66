"""The perceptron and the digits that balls are measured on: 784-256-10, trained for two passes over MNIST."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from surefoot.adapters import LoadedModel, as_model, load_model
from surefoot.datasets import mnist
from surefoot.reliability.rare_events.problem import BallProblem, Balls

SIZES = (784, 256, 10)
PASSES, BATCH = 2, 128
BACKWARD = 2
"""Forward passes that a backward one counts for."""


@dataclass(frozen=True, eq=False)
class DigitWorld:
    """A trained network, the test digits as rows of 784 features, and their true classes."""

    network: nn.Module
    inputs: NDArray[np.float32]
    labels: NDArray[np.int64]

    @classmethod
    def of(cls) -> DigitWorld:
        """The same on every machine of a kind: one thread, a fixed seed."""
        digits = mnist()
        network = _trained(_rows(digits.train_images), digits.train_labels)
        return cls(network, _rows(digits.test_images), digits.test_labels)

    @property
    def right(self) -> NDArray[np.int64]:
        """Rows that the network classifies as it should."""
        with torch.no_grad():
            answers = self.network(torch.from_numpy(self.inputs)).argmax(1).numpy()
        return np.flatnonzero(answers == self.labels)

    def rows(self, chosen: NDArray[np.int64]) -> DigitWorld:
        """The same network with other rows; a row may come several times."""
        return replace(self, inputs=self.inputs[chosen], labels=self.labels[chosen])

    def problem(self, radius: float, model: LoadedModel | None = None) -> BallProblem:
        """All rows as balls, in which any other class is a failure."""
        balls = Balls(self.inputs, radius, (SIZES[0],))
        model = model or as_model(self.network, output="logit")
        return BallProblem(model, balls, self.labels, ~np.eye(SIZES[-1], dtype=bool))

    def as_onnx(self, path: Path) -> LoadedModel:
        """The same network, without gradients."""
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        ends = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, size])
            for name, size in (("inputs", SIZES[0]), ("scores", SIZES[-1]))
        ]
        weights = [
            numpy_helper.from_array(w.numpy(), name)
            for w, name in zip(self.network.state_dict().values(), "abcd", strict=True)
        ]
        nodes = [
            helper.make_node("Gemm", ["inputs", "a", "b"], ["hidden"], transB=1),
            helper.make_node("Relu", ["hidden"], ["active"]),
            helper.make_node("Gemm", ["active", "c", "d"], ["scores"], transB=1),
        ]
        graph = helper.make_graph(nodes, "perceptron", ends[:1], ends[1:], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return load_model(path=path.name, output="logit", folder=path.parent)


class Calls:
    """How many inputs a network was asked about, a backward pass counted as two forward ones."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _network: nn.Module, inputs: tuple[Any, ...]) -> None:
        """Count the inputs of one call."""
        (rows,) = inputs
        self.count += len(rows) * (1 + BACKWARD * rows.requires_grad)


@contextmanager
def counted(network: nn.Module) -> Iterator[Calls]:
    """Count what the network is asked meanwhile, by anyone in this process."""
    calls = Calls()
    hook = network.register_forward_pre_hook(calls)
    try:
        yield calls
    finally:
        hook.remove()


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for torch meanwhile."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _rows(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    return images.reshape(len(images), -1).astype(np.float32) / 255


def _trained(inputs: NDArray[np.float32], labels: NDArray[np.int64]) -> nn.Module:
    with torch.random.fork_rng(), threads(1):
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(*SIZES[:2]), nn.ReLU(), nn.Linear(*SIZES[1:]))
        optimiser = torch.optim.Adam(network.parameters())
        x, y = torch.from_numpy(inputs), torch.from_numpy(labels)
        for _ in range(PASSES):
            for batch in torch.randperm(len(x)).split(BATCH):
                _step(optimiser, nn.functional.cross_entropy(network(x[batch]), y[batch]))
    return network.eval()


def _step(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
