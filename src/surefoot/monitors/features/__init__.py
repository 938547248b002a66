"""Features of a model's inner layers, together with its answer, for detectors that look inside.

``TorchFeatures`` reads a layer of a torch module, ``OnnxFeatures`` a tensor of an ONNX graph; both are what
``Monitor`` calls a ``watch``. Algorithm 1 of paper SYS (Wang et al. 2022, section 3.2) starts with them. May import
``core`` and ``adapters``; torch, onnx and onnxruntime where they are used.
"""

from surefoot.monitors.features.of_model import layer_features
from surefoot.monitors.features.onnx_graph import OnnxFeatures
from surefoot.monitors.features.torch_layer import TorchFeatures

__all__ = ["OnnxFeatures", "TorchFeatures", "layer_features"]
