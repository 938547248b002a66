"""Torch modules as networks of plain layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from surefoot.reliability.activations import Activation
from surefoot.reliability.network_reading import network_of, unreadable
from surefoot.reliability.networks import Layer, Network
from surefoot.reliability.torch_layers import is_a, read_part
from surefoot.reliability.windows import Shape

PRODUCTS = {"highest": 0.0, "high": 2.0**-10, "medium": 2.0**-7}
"""Spacing of the numbers that factors of products of matrices may be rounded to, by torch's setting."""
FAST = PRODUCTS["high"]
"""The same for convolutions on a GPU, which use tensor cores unless told otherwise."""


def torch_network(module: Any, shape: Shape | None = None) -> Network:
    """The layers of a sequence of layers of weights, pools and activations, in evaluation mode.

    ``shape`` is that of one input; a model that begins with a linear layer needs none.
    """
    parts = list(_parts(module))
    if parts and is_a(parts[-1], "Softmax", "LogSoftmax"):
        _require_over_classes(parts.pop())
    layers: list[Layer] = []
    for part in parts:
        read, shape = read_part(part, shape)
        layers += read
    if not layers or isinstance(layers[0], Activation):
        raise unreadable(f"a {type(module).__name__} that does not begin with a linear layer")
    if shape is None or len(shape) != 1:
        raise unreadable(f"a model whose outputs have the shape {shape}")
    if shape == (1,) and is_a(parts[-1], "Sigmoid"):
        layers.pop()
    return network_of(layers, _Arithmetic.of(module))


@dataclass(frozen=True)
class _Arithmetic:
    """The coarsest of the floating-point types of a module, as far as bounds need it."""

    eps: float
    tiny: float
    max: float
    factors: float

    @classmethod
    def of(cls, module: Any) -> _Arithmetic:
        import torch

        kinds = [torch.finfo(weight.dtype) for weight in module.parameters() if weight.is_floating_point()]
        if not kinds:
            raise unreadable("a model without weights")
        eps, tiny, largest = zip(*((kind.eps, kind.tiny, kind.max) for kind in kinds), strict=True)
        fast = any(weight.is_cuda for weight in module.parameters()) and FAST
        return cls(max(eps), max(tiny), min(largest), max(fast, PRODUCTS[torch.get_float32_matmul_precision()]))


def _parts(module: Any) -> Iterator[Any]:
    """The layers of nested sequences, in order."""
    if not is_a(module, "Sequential"):
        yield module
        return
    for part in module.children():
        yield from _parts(part)


def _require_over_classes(softmax: Any) -> None:
    if softmax.dim not in (1, -1):
        raise unreadable(f"{softmax!r}, which is not taken over the classes")
