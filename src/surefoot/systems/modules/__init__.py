"""Modules of many kinds: torch, ONNX, tflite, and programs of any language; a Python function is a ``Module`` itself.

Each function here makes a ``Module``. Weights and files are part of its version, so that recordings notice a change.
May import ``core``, ``adapters``, ``monitors`` and ``systems.graph``; each library is imported where it is used.
"""

from surefoot.systems.modules.of_model import onnx_module, tflite_module
from surefoot.systems.modules.of_process import process_module
from surefoot.systems.modules.of_torch import torch_module

__all__ = ["onnx_module", "process_module", "tflite_module", "torch_module"]
