"""Torch modules as plain layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import LOGISTIC, RELU, TANH
from surefoot.reliability.network_reading import network_of, unreadable
from surefoot.reliability.networks import Affine, Layer, Network

LAYERS: dict[str, tuple[Layer, ...]] = {
    "ReLU": (RELU,),
    "Tanh": (TANH,),
    "Sigmoid": (LOGISTIC,),
    "Identity": (),
    "Flatten": (),
    "Dropout": (),
}
PRODUCTS = {"highest": 0.0, "high": 2.0**-10, "medium": 2.0**-7}
"""Spacing of the numbers that products of matrices may be rounded to, by torch's setting."""


def torch_network(module: Any) -> Network:
    """The layers of a sequence of linear layers and activations, in evaluation mode."""
    parts = list(_parts(module))
    if parts and _is(parts[-1], "Softmax", "LogSoftmax"):
        _require_over_classes(parts.pop())
    elif parts and _is(parts[-1], "Sigmoid") and _outputs(parts) == 1:
        parts.pop()
    layers = [layer for part in parts for layer in _layers(part)]
    if not layers or not isinstance(layers[0], Affine):
        raise unreadable(f"a {type(module).__name__} that does not begin with a linear layer")
    return network_of(layers, _Arithmetic.of(module))


@dataclass(frozen=True)
class _Arithmetic:
    """The coarsest of the floating-point types of a module, as far as bounds need it."""

    eps: float
    tiny: float
    max: float

    @classmethod
    def of(cls, module: Any) -> _Arithmetic:
        import torch

        kinds = [torch.finfo(parameter.dtype) for parameter in module.parameters()]
        products = PRODUCTS[torch.get_float32_matmul_precision()]
        spacing = max(products, *(kind.eps for kind in kinds))
        return cls(spacing, max(kind.tiny for kind in kinds), min(kind.max for kind in kinds))


def _parts(module: Any) -> Iterator[Any]:
    """The layers of nested sequences, in order."""
    if not _is(module, "Sequential"):
        yield module
        return
    for part in module.children():
        yield from _parts(part)


def _is(part: Any, *names: str) -> bool:
    """Whether a module computes what these do: a subclass with another ``forward`` does not."""
    from torch import nn

    kinds = [getattr(nn, name) for name in names]
    return any(isinstance(part, kind) and type(part).forward is kind.forward for kind in kinds)


def _layers(part: Any) -> tuple[Layer, ...]:
    if _is(part, "Linear"):
        weight = _array(part.weight)
        return (Affine(weight, np.zeros(len(weight)) if part.bias is None else _array(part.bias)),)
    for name, layers in LAYERS.items():
        if _is(part, name) and getattr(part, "start_dim", 1) == 1:
            return layers
    raise unreadable(f"the layer {part!r}")


def _outputs(parts: list[Any]) -> int:
    return next((int(part.out_features) for part in reversed(parts) if _is(part, "Linear")), 0)


def _require_over_classes(softmax: Any) -> None:
    if softmax.dim not in (1, -1):
        raise unreadable(f"{softmax!r}, which is not taken over the classes")


def _array(tensor: Any) -> FloatArray:
    return np.asarray(tensor.detach().double().cpu().numpy())
