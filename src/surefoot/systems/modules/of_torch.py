"""Torch modules as parts of a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from surefoot.adapters.torch_model import as_tensor, evaluating
from surefoot.core.extras import require
from surefoot.metrics.distances import Distance
from surefoot.monitors.features.batches import array_of
from surefoot.monitors.features.layers import first_tensor, layer_named
from surefoot.monitors.features.torch_layer import hooked
from surefoot.monitors.features.watch import Pool, pooled
from surefoot.monitors.uncertainty.dropout import dropout_on
from surefoot.systems.graph.module import Answer, Module

Decode = Callable[[Any], Any]


def torch_module(
    name: str,
    net: Any,
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "vector",
    takes: Mapping[str, str] | None = None,
    layer: str | None = None,
    pool: Pool = "flatten",
    decode: Decode | None = None,
    rate: float | None = None,
    dropout: str | Sequence[str] | None = None,
    noisy: bool = True,
    distance: str | Distance | None = None,
    version: str = "",
) -> Module:
    """A torch module in evaluation mode; its inputs go to ``forward`` in the order of ``inputs``, as tensors.

    ``decode`` makes a batch of outputs of what ``forward`` gives; without it, the first tensor as an array. ``layer``
    is where features are read, made one row an item by ``pool``. Noisy passes switch dropout on: the module's own, at
    ``rate`` where one is stated, or forced after the layers named by ``dropout``.
    """
    require("torch", extra="torch", purpose="A torch module")
    part = None if layer is None else layer_named(net, layer, where=f"module {name!r}")
    run = _Run(net, part, pool, decode)
    shaken = _Shaken(run, rate, dropout) if noisy else None
    return Module(name, run, inputs, takes or {}, gives, shaken, distance, version)


@dataclass(eq=False)
class _Run:
    net: Any
    part: Any
    pool: Pool
    decode: Decode | None

    def __call__(self, **inputs: Any) -> Answer:
        import torch

        with torch.no_grad(), evaluating(self.net):
            return self.forward(inputs)

    def forward(self, inputs: Mapping[str, Any]) -> Answer:
        seen: list[Any] = []

        def keep(part: Any, taken: Any, given: Any) -> None:
            seen[:] = [array_of(first_tensor(given))]

        with nullcontext() if self.part is None else hooked(self.part, keep):
            answer = self.net(*(as_tensor(values, self.net) for values in inputs.values()))
        outputs = array_of(first_tensor(answer)) if self.decode is None else self.decode(answer)
        return Answer(outputs, pooled(seen[0], self.pool) if seen else None)


@dataclass(eq=False)
class _Shaken:
    run: _Run
    rate: float | None
    layer: str | Sequence[str] | None

    def __call__(self, seed: int, **inputs: Any) -> Answer:
        with dropout_on(self.run.net, seed=seed, rate=self.rate, layer=self.layer):
            return self.run.forward(inputs)
