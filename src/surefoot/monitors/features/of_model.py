"""Features of a layer of whatever model has layers."""

from __future__ import annotations

from typing import Any

from surefoot.adapters import as_model
from surefoot.adapters.onnx_model import Session
from surefoot.core import InvalidInput
from surefoot.monitors.features.onnx_graph import OnnxFeatures
from surefoot.monitors.features.torch_layer import TorchFeatures
from surefoot.monitors.features.watch import Pool, View


def layer_features(model: Any, layer: str, *, pool: Pool = "flatten", batch: int = 256) -> View:
    """A function from inputs to features of a layer of a model that ``adapters`` has loaded: torch or ONNX."""
    loaded = as_model(model)
    if isinstance(loaded.source, Session):
        return OnnxFeatures(loaded.source, layer, pool=pool, batch=batch).features
    if hasattr(loaded.source, "named_modules"):
        return TorchFeatures(loaded.source, layer, pool=pool, batch=batch).features
    remedy = "Use a torch module or an ONNX graph, or compute features by a function of your own."
    raise InvalidInput("the model has no layers to look into", where=loaded.name, remedy=remedy)
