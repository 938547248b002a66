"""TensorFlow Lite models through LiteRT, with quantised inputs and outputs made into plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.batches import cast, fitted, in_batches_of
from surefoot.adapters.model import LoadedModel, loading
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.documents import printable

# The quantisation that the format prescribes for the output of softmax and logistic.
PROBABILITY_SCALE = 1 / 256


def load(path: Path) -> LoadedModel:
    """Open a model with one input and one output."""
    litert = require("ai_edge_litert.interpreter", extra="tflite", purpose="A tflite model")
    name = printable(path.name)
    with loading(name, None):
        interpreter = litert.Interpreter(model_content=path.read_bytes())
        interpreter.allocate_tensors()
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    if len(inputs) != 1 or len(outputs) != 1:
        text = f"{name} has {len(inputs)} inputs and {len(outputs)} outputs, and only one of each can be used."
        raise DiagnosticsError.of("model-unreadable", text, where=name, hint="Wrap it in a Python function.")
    quantised = _is_quantised_probability(outputs[0])
    run = _runner(interpreter, inputs[0], outputs[0], name)
    return LoadedModel(
        (lambda rows: _summing_to_one(run(rows))) if quantised else run, name, "probability" if quantised else None
    )


def _runner(interpreter: Any, taken: Any, given: Any, name: str) -> Callable[[NDArray[Any]], NDArray[Any]]:
    sizes = taken["shape_signature"] if len(taken["shape_signature"]) else taken["shape"]
    batch, *shape = (int(size) if size >= 0 else None for size in sizes)

    def run(inputs: NDArray[Any]) -> NDArray[Any]:
        rows = _quantised(fitted(inputs, shape, where=name), taken, name)
        if list(interpreter.get_input_details()[0]["shape"]) != list(rows.shape):
            interpreter.resize_tensor_input(taken["index"], rows.shape, strict=True)
            interpreter.allocate_tensors()
        interpreter.set_tensor(taken["index"], rows)
        interpreter.invoke()
        return _dequantised(interpreter.get_tensor(given["index"]), given)

    return in_batches_of(batch, run)


def _quantised(rows: NDArray[Any], taken: Any, name: str) -> NDArray[Any]:
    """Rows in the model's type; data of exactly that integer type are taken to be quantised already."""
    scale, zero = taken["quantization"]
    dtype = np.dtype(taken["dtype"])
    if rows.dtype == dtype or not scale:
        return cast(rows, dtype, where=name)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(cast(rows, np.float64, where=name) / scale) + zero, limits.min, limits.max).astype(dtype)


def _dequantised(answer: NDArray[Any], given: Any) -> NDArray[Any]:
    scale, zero = given["quantization"]
    return (answer.astype(np.float32) - np.float32(zero)) * np.float32(scale) if scale else answer


def _is_quantised_probability(given: Any) -> bool:
    scale, zero = given["quantization"]
    return bool(scale == PROBABILITY_SCALE and zero == np.iinfo(given["dtype"]).min)


def _summing_to_one(answer: NDArray[Any]) -> NDArray[Any]:
    """Undo the rounding of each entry to 1/256; a single column needs no sum."""
    total = answer.sum(axis=-1, keepdims=True)
    return answer if answer.ndim < 2 or answer.shape[1] == 1 else answer / np.where(total > 0, total, 1)
