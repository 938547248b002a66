"""ONNX models through onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.batches import cast, fitted, in_batches_of
from surefoot.adapters.model import LoadedModel, loading
from surefoot.adapters.objects import class_names
from surefoot.adapters.wording import listed, shown
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require

TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
    "tensor(bool)": np.bool_,
}
FLOATS = ("tensor(float)", "tensor(double)", "tensor(float16)")
MAPS = ("seq(map(int64,tensor(float)))", "seq(map(string,tensor(float)))")
ERRORS_ONLY = 3


def load(path: Path) -> LoadedModel:
    """Open a model with one input and one output of scores."""
    runtime = require("onnxruntime", extra="onnx", purpose="An ONNX model")
    name = shown(path.name)
    options = runtime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    with loading(name, None):
        session = runtime.InferenceSession(_content(path), options, providers=["CPUExecutionProvider"])
    run = _runner(session, name)
    return LoadedModel(run, name, classes=_map_keys(session, name))


def _content(path: Path) -> str | bytes:
    """The path, by which weights in a second file are found, unless onnxruntime cannot open such a path."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.read_bytes()
    return str(path)


def _runner(session: Any, name: str) -> Callable[[NDArray[Any]], NDArray[Any]]:
    taken, given = _input(session, name), _output(session, name)
    batch, *shape = [size if isinstance(size, int) else None for size in taken.shape] or [None]
    dtype = TYPES[taken.type]

    def run(inputs: NDArray[Any]) -> NDArray[Any]:
        rows = cast(fitted(inputs, shape, where=name), dtype, where=name)
        (answer,) = session.run([given.name], {taken.name: rows})
        return _columns(answer) if given.type in MAPS else np.asarray(answer)

    return in_batches_of(batch, run)


def _input(session: Any, name: str) -> Any:
    inputs = session.get_inputs()
    if len(inputs) == 1 and inputs[0].type in TYPES:
        return inputs[0]
    found = listed([f"{i.name} {i.type}" for i in inputs]) or "none"
    raise _unusable(f"it must take one array of numbers; it takes {found}", name)


def _output(session: Any, name: str) -> Any:
    """The scores: the only floating-point output, or the one that skl2onnx calls probabilities."""
    outputs = session.get_outputs()
    scores = [output for output in outputs if output.type in (*FLOATS, *MAPS)]
    named = [output for output in scores if "probabilit" in output.name.lower()]
    for candidates in (scores, named, [] if scores else outputs):
        if len(candidates) == 1:
            return candidates[0]
    raise _unusable(f"it is not clear which output holds the scores: {listed([o.name for o in outputs])}", name)


def _columns(maps: list[dict[Any, float]]) -> NDArray[np.float32]:
    return np.asarray([list(row.values()) for row in maps], dtype=np.float32)


def _map_keys(session: Any, name: str) -> tuple[str, ...]:
    """Class names of a model that answers with a mapping a row; zeros as inputs tell them."""
    taken, given = _input(session, name), _output(session, name)
    batch, *sizes = taken.shape or [None]
    if given.type not in MAPS or not all(isinstance(size, int) for size in sizes):
        return ()
    zeros = np.zeros((batch if isinstance(batch, int) else 1, *sizes), TYPES[taken.type])
    with loading(name, None):
        (answer,) = session.run([given.name], {taken.name: zeros})
    return class_names(answer[0])


def _unusable(why: str, name: str) -> DiagnosticsError:
    hint = "Wrap it in a Python function and name that as module:name."
    return DiagnosticsError.of("model-unreadable", f"{name} cannot be used as it is: {why}.", where=name, hint=hint)
