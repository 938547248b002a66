"""Torch modules as parts of a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any

from surefoot.adapters.torch_model import as_tensor, evaluating
from surefoot.core import InvalidInput
from surefoot.core.extras import require
from surefoot.metrics.distances import Distance
from surefoot.monitors.features.batches import array_of
from surefoot.monitors.features.layers import first_tensor, layer_named
from surefoot.monitors.features.torch_layer import hooked
from surefoot.monitors.features.watch import Pool, pooled
from surefoot.monitors.uncertainty.dropout import dropout_on
from surefoot.monitors.uncertainty.dropping import dropping, rate_name
from surefoot.systems.graph.module import Answer, Module
from surefoot.systems.modules.shapes import as_given

Decode = Callable[[Any], Any]
_SHAKING = Lock()
"""Torch has one random state in a process, so that one module draws at a time."""


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
    ``rate`` where one is stated, or forced after the layers named by ``dropout``; a module without any has none.
    """
    require("torch", extra="torch", purpose="A torch module")
    if layer is not None:
        layer_named(net, layer, where=f"module {name!r}")
    run = _Run(net, layer, pool, decode, gives)
    shaken = _Shaken(run, rate, dropout) if noisy and _drops(net, rate, dropout) else None
    return Module(name, run, inputs, takes or {}, gives, shaken, distance, version)


def _drops(net: Any, rate: float | None, dropout: str | Sequence[str] | None) -> bool:
    """Whether the module has dropout; what is said of it is checked now, not in the middle of a study."""
    if rate is None and dropout is None:
        return any(rate_name(part) for part in net.modules())
    dropping(net, rate, [dropout] if isinstance(dropout, str) else dropout)
    return True


@dataclass(eq=False)
class _Run:
    net: Any
    layer: str | None
    pool: Pool
    decode: Decode | None
    gives: str | Mapping[str, str]

    def __call__(self, **inputs: Any) -> Answer:
        import torch

        with torch.no_grad(), evaluating(self.net):
            return self.forward(inputs)

    def forward(self, inputs: Mapping[str, Any]) -> Answer:
        seen: list[Any] = []

        def keep(part: Any, taken: Any, given: Any) -> None:
            seen[:] = [array_of(first_tensor(given))]

        with nullcontext() if self.layer is None else hooked(self.net.get_submodule(self.layer), keep):
            answer = self.net(*(as_tensor(values, self.net) for values in inputs.values()))
        outputs = as_given(array_of(first_tensor(answer)), self.gives) if self.decode is None else self.decode(answer)
        return Answer(outputs, self._features(seen))

    def _features(self, seen: list[Any]) -> Any:
        if self.layer is None:
            return None
        if not seen:
            remedy = "Name a layer that is called."
            raise InvalidInput("does not run in a forward pass", where=f"layer {self.layer!r}", remedy=remedy)
        return pooled(seen[0], self.pool)


@dataclass(eq=False)
class _Shaken:
    run: _Run
    rate: float | None
    layer: str | Sequence[str] | None

    def __call__(self, seed: int, **inputs: Any) -> Answer:
        with _SHAKING, dropout_on(self.run.net, seed=seed, rate=self.rate, layer=self.layer):
            return self.run.forward(inputs)
