"""Torch's layers as plain ones, with the shape of what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.reliability.activations import LOGISTIC, RELU, TANH, Activation, LeakyRelu
from surefoot.reliability.convolutions import MOST_PRODUCTS, convolution, mean_pool
from surefoot.reliability.max_pool import MaxPool
from surefoot.reliability.network_reading import unreadable
from surefoot.reliability.networks import Affine, Layer, Scaling
from surefoot.reliability.windows import OUTSIDE, Pair, Shape, Windows

Read = tuple[tuple[Layer, ...], Shape | None]
"""Layers, and the shape of what they give; None where only the next layer tells."""


def read_part(part: Any, shape: Shape | None) -> Read:
    """The layers that a module stands for on inputs of a shape."""
    for name, read in READERS.items():
        if is_a(part, name):
            return read(part, shape)
    raise unreadable(f"the layer {part!r}")


def is_a(part: Any, *names: str) -> bool:
    """Whether a module computes what these do: one with another ``forward``, or with hooks, does not."""
    from torch import nn

    kinds = [getattr(nn, name) for name in names]
    same = any(isinstance(part, kind) and type(part).forward is kind.forward for kind in kinds)
    return same and not (part._forward_hooks or part._forward_pre_hooks)


def _nothing(part: Any, shape: Shape | None) -> Read:
    return (), shape


def _activation(layer: Activation) -> Callable[[Any, Shape | None], Read]:
    return lambda part, shape: ((layer,), shape)


def _leaky(part: Any, shape: Shape | None) -> Read:
    if not 0 <= part.negative_slope <= 1:
        raise unreadable(f"the layer {part!r}, whose slope is not between 0 and 1")
    return (LeakyRelu(float(part.negative_slope)),), shape


def _flatten(part: Any, shape: Shape | None) -> Read:
    if part.start_dim < 1:
        raise unreadable(f"the layer {part!r}, which does not keep inputs apart")
    if shape is None:
        return (), None
    last = part.end_dim - 1 if part.end_dim > 0 else len(shape) + part.end_dim
    first = part.start_dim - 1
    if first > last:
        return (), shape
    return (), (*shape[:first], int(np.prod(shape[first : last + 1])), *shape[last + 1 :])


def _unflatten(part: Any, shape: Shape | None) -> Read:
    sizes = tuple(part.unflattened_size)
    whole = shape is None or (len(shape) == 1 and int(np.prod(sizes)) == shape[0])
    if part.dim not in (1, -1) or not whole or min(sizes) < 1:
        raise _misplaced(part, shape)
    return (), sizes


def _linear(part: Any, shape: Shape | None) -> Read:
    weight = array(part.weight)
    if shape not in (None, (weight.shape[1],)):
        raise _misplaced(part, shape)
    return (Affine(weight, _bias(part)),), (len(weight),)


def _convolution(part: Any, shape: Shape | None) -> Read:
    shape = _image(part, shape)
    weight = array(part.weight)
    if part.padding_mode != "zeros" or shape[0] != part.in_channels:
        raise _misplaced(part, shape)
    windows = _windows(part, shape, part.dilation, _padding(part))
    if weight.size * np.prod(windows.shape[1:]) > MOST_PRODUCTS:
        raise unreadable(f"the layer {part!r}, with more than {MOST_PRODUCTS:,} products")
    layer = convolution(weight, _bias(part), windows, groups=part.groups)
    return (layer,), (len(weight), *windows.shape[1:])


def _padding(part: Any) -> tuple[Pair, Pair]:
    if part.padding == "valid":
        return (0, 0), (0, 0)
    if part.padding == "same":
        totals = [step * (size - 1) for step, size in zip(part.dilation, part.kernel_size, strict=True)]
        return (totals[0] // 2, -(-totals[0] // 2)), (totals[1] // 2, -(-totals[1] // 2))
    rows, columns = _pair(part.padding)
    return (rows, rows), (columns, columns)


def _mean_pool(part: Any, shape: Shape | None) -> Read:
    shape = _image(part, shape)
    if part.ceil_mode:
        raise _misplaced(part, shape)
    windows = _windows(part, shape, 1, _padding(part))
    inside = (windows.flat != OUTSIDE).sum(axis=1)
    kernel = windows.flat.shape[1]
    divisors = part.divisor_override or (kernel if part.count_include_pad else inside)
    return (mean_pool(windows, divisors),), windows.shape


def _adaptive_pool(part: Any, shape: Shape | None) -> Read:
    shape = _image(part, shape)
    asked = _pair(part.output_size)
    size = asked[0] or shape[1], asked[1] or shape[2]
    windows = Windows.adaptive(shape, size)
    return (mean_pool(windows, (windows.flat != OUTSIDE).sum(axis=1)),), windows.shape


def _max_pool(part: Any, shape: Shape | None) -> Read:
    shape = _image(part, shape)
    if part.ceil_mode or part.return_indices:
        raise _misplaced(part, shape)
    windows = _windows(part, shape, part.dilation, _padding(part))
    if (windows.flat == OUTSIDE).all(axis=1).any():
        raise _misplaced(part, shape)
    return (MaxPool(windows.flat, windows.inputs),), windows.shape


def _normalisation(part: Any, shape: Shape | None) -> Read:
    """Two scalings, because rounding depends on the mean and the bias, which may cancel out."""
    if part.running_mean is None or (shape is not None and shape[0] != part.num_features):
        raise _misplaced(part, shape)
    places = 1 if shape is None else int(np.prod(shape[1:]))
    factor = 1 / np.sqrt(array(part.running_var) + part.eps)
    if part.affine:
        factor = factor * array(part.weight)
    bias = array(part.bias) if part.affine else np.zeros_like(factor)
    offsets = -array(part.running_mean) * factor, bias
    pairs = zip((factor, np.ones_like(factor)), offsets, strict=True)
    layers = tuple(Scaling(np.repeat(scale, places), np.repeat(offset, places)) for scale, offset in pairs)
    return layers, shape or (part.num_features,)


READERS: dict[str, Callable[[Any, Shape | None], Read]] = {
    "Linear": _linear,
    "Conv2d": _convolution,
    "ReLU": _activation(RELU),
    "Tanh": _activation(TANH),
    "Sigmoid": _activation(LOGISTIC),
    "LeakyReLU": _leaky,
    "MaxPool2d": _max_pool,
    "AvgPool2d": _mean_pool,
    "AdaptiveAvgPool2d": _adaptive_pool,
    "BatchNorm1d": _normalisation,
    "BatchNorm2d": _normalisation,
    "Flatten": _flatten,
    "Unflatten": _unflatten,
    "Identity": _nothing,
    "Dropout": _nothing,
    "Dropout2d": _nothing,
}


def _windows(part: Any, shape: Shape, dilation: Any, padding: tuple[Pair, Pair]) -> Windows:
    kernel, stride, dilation = _pair(part.kernel_size), _pair(part.stride), _pair(dilation)
    for side, around, size, step in zip(shape[1:], padding, kernel, dilation, strict=True):
        if side + sum(around) < (size - 1) * step + 1:
            raise _misplaced(part, shape)
    return Windows.sliding(shape, kernel=kernel, stride=stride, padding=padding, dilation=dilation)


def _image(part: Any, shape: Shape | None) -> Shape:
    if shape is None:
        raise unreadable(f"the layer {part!r} of a model whose inputs have no known shape")
    if len(shape) != 3:
        raise _misplaced(part, shape)
    return shape


def _misplaced(part: Any, shape: Shape | None) -> Exception:
    return unreadable(f"the layer {part!r} for inputs of shape {shape}")


def _pair(value: Any) -> Pair:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def _bias(part: Any) -> FloatArray:
    return np.zeros(len(part.weight)) if part.bias is None else array(part.bias)


def array(tensor: Any) -> FloatArray:
    """A tensor on any device as numbers in double precision."""
    return np.asarray(tensor.detach().double().cpu().numpy())
