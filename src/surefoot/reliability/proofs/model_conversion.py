"""Classifiers of scikit-learn and torch as networks of plain layers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefoot.adapters import LoadedModel
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.reliability.proofs.layers import (
    LOGISTIC,
    MOST_PRODUCTS,
    OUTSIDE,
    RELU,
    TANH,
    Activation,
    LeakyRelu,
    MaxPool,
    Pair,
    Shape,
    Windows,
    convolution,
    mean_pool,
)
from surefoot.reliability.proofs.linear_bounds import LARGEST, Affine, Layer, Linear, Network, Scaling

WHERE = "Interval"
REMEDY = "Use MonteCarlo, which needs no more than the model's answers."
HIDDEN: dict[str, tuple[Layer, ...]] = {"relu": (RELU,), "tanh": (TANH,), "logistic": (LOGISTIC,), "identity": ()}
PRODUCTS = {"highest": 0.0, "high": 2.0**-10, "medium": 2.0**-7}
"""Spacing of the numbers that factors of products of matrices may be rounded to, by torch's setting."""
FAST = PRODUCTS["high"]
"""The same for convolutions on a GPU, which use tensor cores unless told otherwise."""
Read = tuple[tuple[Layer, ...], Shape | None]
"""Layers, and the shape of what they give; None where only the next layer tells."""


def read_network(model: Any, shape: tuple[int, ...] | None = None) -> Network:
    """The layers of a perceptron, a convolutional network or a linear classifier, with scalers before it.

    Parameters
    ----------
    model
        An estimator or pipeline of scikit-learn, a ``torch.nn.Sequential``, a ``LoadedModel`` made of one, or a method
        of one.
    shape
        Of one input, such as (1, 28, 28); networks take and bound flattened rows.

    Returns
    -------
    Network
        With the weights in double precision, and the arithmetic that the model uses.

    Raises
    ------
    InvalidInput
        Where the model, or a part of it, is not understood.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.linear_model import LogisticRegression
    >>> inputs = np.random.default_rng(0).random((200, 2))
    >>> model = LogisticRegression().fit(inputs, inputs.sum(axis=1) > 1)
    >>> network = sf.reliability.read_network(model)
    >>> network.inputs, network.outputs, network.decide(np.array([[0.9, 0.8]]))
    (2, 2, array([1]))

    """
    source = _source(model)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.nn.Module):
        return torch_network(source, shape)
    network = _estimator_network(source)
    if shape is not None and int(np.prod(shape)) != network.inputs:
        raise unreadable(f"inputs of shape {shape} for a model that takes {network.inputs} features")
    return network


def _source(model: Any) -> Any:
    """The object behind a loaded model or a method."""
    if isinstance(model, LoadedModel):
        return _source(model.function if model.source is None else model.source)
    return getattr(model, "__self__", model)


def unreadable(found: str) -> InvalidInput:
    """The error for a model, or a part of it, whose inside is not understood."""
    problem = "only perceptrons, small convolutional networks and linear classifiers can be proved"
    return InvalidInput(problem, where=WHERE, found=found, remedy=REMEDY)


def network_of(layers: Sequence[Layer], kind: Any) -> Network:
    """A network of checked layers; a single score s of the second class becomes (0, s).

    ``kind`` describes the model's floating-point type, as ``numpy.finfo`` and ``torch.finfo`` do.
    """
    for layer in (layer for layer in layers if isinstance(layer, Linear)):
        if not (np.isfinite(layer.numbers).all() and np.isfinite(layer.offset).all()):
            raise unreadable("weights that are NaN or infinite")
    network = Network(
        tuple(layers),
        unit=float(kind.eps) / 2,
        factors=getattr(kind, "factors", 0.0),
        smallest=float(kind.tiny),
        largest=min(LARGEST, float(kind.max) / 4),
    )
    if network.outputs > 1:
        return network
    return replace(network, layers=(*layers, Affine(np.array([[0.0], [1.0]]), np.zeros(2))))


# Estimators and pipelines of scikit-learn.


def _estimator_network(model: Any) -> Network:
    from sklearn.pipeline import Pipeline

    steps = [part for _, part in model.steps] if isinstance(model, Pipeline) else [model]
    before = [part for part in steps[:-1] if part not in (None, "passthrough")]
    layers = [*map(_scaling, before), *_classifier(steps[-1])]
    coarsest = min((layer.weight.dtype for layer in layers if isinstance(layer, Affine)), key=lambda t: t.itemsize)
    return network_of([_doubled(layer) for layer in layers], np.finfo(coarsest))


def _doubled(layer: Layer) -> Layer:
    if isinstance(layer, Affine):
        return Affine(layer.weight.astype(np.float64), layer.offset.astype(np.float64))
    return layer


def _scaling(scaler: Any) -> Scaling:
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

    known = isinstance(scaler, MaxAbsScaler | MinMaxScaler | RobustScaler | StandardScaler)
    if not known or getattr(scaler, "clip", False):
        raise unreadable(f"the step {scaler!r} before the classifier")
    ones, zeros = np.ones(scaler.n_features_in_), np.zeros(scaler.n_features_in_)
    if isinstance(scaler, MinMaxScaler):
        return Scaling(ones * scaler.scale_, zeros + scaler.min_)
    factor = ones if scaler.scale_ is None else 1 / np.asarray(scaler.scale_, dtype=float)
    centre = getattr(scaler, "mean_" if isinstance(scaler, StandardScaler) else "center_", None)
    moved = getattr(scaler, "with_mean", True) and centre is not None
    return Scaling(factor, -np.asarray(centre, dtype=float) * factor if moved else zeros)


def _classifier(model: Any) -> list[Layer]:
    from sklearn.linear_model._base import LinearClassifierMixin
    from sklearn.neural_network import MLPClassifier

    if isinstance(model, MLPClassifier) and hasattr(model, "coefs_"):
        return _perceptron(model)
    if isinstance(model, LinearClassifierMixin) and hasattr(model, "coef_") and _keeps_order(model):
        weight = np.atleast_2d(model.coef_)
        return [Affine(weight, np.broadcast_to(model.intercept_, len(weight)))]
    fitted = any(hasattr(model, name) for name in ("coefs_", "coef_", "classes_"))
    raise unreadable(f"{model!r}" if fitted or not hasattr(model, "fit") else f"{model!r}, not fitted")


def _perceptron(model: Any) -> list[Layer]:
    if model.out_activation_ == "logistic" and model.n_outputs_ > 1:
        raise unreadable("a perceptron for several labels at once")
    layers: list[Layer] = []
    for weight, offset in zip(model.coefs_, model.intercepts_, strict=True):
        layers += [Affine(weight.T, offset), *HIDDEN[model.activation]]
    return layers[: len(layers) - len(HIDDEN[model.activation])]


def _keeps_order(model: Any) -> bool:
    """Whether the most probable class has the largest score: probabilities of one class against the rest saturate."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression

    if len(model.classes_) == 2 or not hasattr(model, "predict_proba"):
        return True
    against_rest = getattr(model, "multi_class", "") == "ovr" or getattr(model, "solver", "") == "liblinear"
    return isinstance(model, LinearDiscriminantAnalysis | LogisticRegression) and not against_rest


# Sequences of torch.


def torch_network(module: Any, shape: Shape | None = None) -> Network:
    """The layers of a sequence of layers of weights, pools and activations, in evaluation mode.

    ``shape`` is that of one input; a model that begins with a linear layer needs none.
    """
    parts = list(_parts(module))
    if parts and is_a(parts[-1], "Softmax", "LogSoftmax"):
        softmax = parts.pop()
        if softmax.dim not in (1, -1):
            raise unreadable(f"{softmax!r}, which is not taken over the classes")
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


def is_a(part: Any, *names: str) -> bool:
    """Whether a module computes what these do: one with another ``forward``, or with hooks, does not."""
    from torch import nn

    kinds = [getattr(nn, name) for name in names]
    same = any(isinstance(part, kind) and type(part).forward is kind.forward for kind in kinds)
    return same and not (part._forward_hooks or part._forward_pre_hooks)


def read_part(part: Any, shape: Shape | None) -> Read:
    """The layers that a module stands for on inputs of a shape."""
    for name, read in READERS.items():
        if is_a(part, name):
            return read(part, shape)
    raise unreadable(f"the layer {part!r}")


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


def _padding(part: Any) -> tuple[Pair, Pair]:
    if part.padding == "valid":
        return (0, 0), (0, 0)
    if part.padding == "same":
        totals = [step * (size - 1) for step, size in zip(part.dilation, part.kernel_size, strict=True)]
        return (totals[0] // 2, -(-totals[0] // 2)), (totals[1] // 2, -(-totals[1] // 2))
    rows, columns = _pair(part.padding)
    return (rows, rows), (columns, columns)


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
