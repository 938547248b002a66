"""Classifiers of scikit-learn and torch as plain layers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surefoot.adapters import LoadedModel
from surefoot.core import InvalidInput
from surefoot.reliability.activations import LOGISTIC, RELU, TANH
from surefoot.reliability.networks import LARGEST, Affine, Layer, Linear, Network, Scaling

WHERE = "Interval"
REMEDY = "Use MonteCarlo, which needs no more than the model's answers."
HIDDEN: dict[str, tuple[Layer, ...]] = {"relu": (RELU,), "tanh": (TANH,), "logistic": (LOGISTIC,), "identity": ()}


def read_network(model: Any, shape: tuple[int, ...] | None = None) -> Network:
    """The layers of a perceptron, a convolutional network or a linear classifier, with scalers before it.

    The model is an estimator or pipeline of scikit-learn, a ``torch.nn.Sequential``, a ``LoadedModel`` made of one, or
    a method of one. ``shape`` is that of one input, such as (1, 28, 28); networks take and bound flattened rows.
    """
    source = _source(model)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(source, torch.nn.Module):
        from surefoot.reliability.torch_reading import torch_network

        return torch_network(source, shape)
    network = _estimator_network(source)
    if shape is not None and int(np.prod(shape)) != network.inputs:
        raise unreadable(f"inputs of shape {shape} for a model that takes {network.inputs} features")
    return network


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


def _source(model: Any) -> Any:
    """The object behind a loaded model or a method."""
    if isinstance(model, LoadedModel):
        return _source(model.function if model.source is None else model.source)
    return getattr(model, "__self__", model)


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
