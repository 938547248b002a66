"""``OnnxFeatures``: a tensor of an ONNX graph by its name, or by the name of the node that makes it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.batches import cast, fitted
from surefoot.adapters.model import loading, running
from surefoot.adapters.onnx_model import ERRORS_ONLY, MAPS, TYPES, Session
from surefoot.core import validate
from surefoot.core.extras import require
from surefoot.documents import printable
from surefoot.monitors.features.watch import Features, Pool, Predict, Run


class OnnxFeatures(Features):
    """Features of a node and the model's answer, from one run of the graph.

    ``model`` is a file or an opened ``Session``; ``node`` is the name of a node, whose first output counts, or of a
    tensor. The tensor is declared as an output of a copy of the graph in memory; the file stays as it is. A graph made
    for a fixed number of rows is given that many. The other options are those of ``TorchFeatures``.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Session,
        node: str,
        *,
        pool: Pool = "flatten",
        batch: int = 256,
        classes: Sequence[Any] | None = None,
        predict: Predict | None = None,
    ) -> None:
        plain = _session(model)
        super().__init__(plain.name, pool=pool, batch=plain.batch or batch, classes=classes, predict=predict)
        self.node, self.fixed = node, plain.batch
        self._taken, self._given = plain.taken, plain.given
        self._graph, self._tensor = with_output(plain, node)

    def __repr__(self) -> str:
        return f"OnnxFeatures({self.name!r}, {self.node!r})"

    @staticmethod
    def nodes(model: str | os.PathLike[str] | Session) -> list[str]:
        """Names of the tensors that nodes make, in the order of the graph."""
        return [name for made in _read(_session(model)).graph.node for name in made.output if name]

    def _run(self, rows: NDArray[Any]) -> Run:
        shape = [size if isinstance(size, int) else None for size in self._taken.shape[1:]]
        given = cast(fitted(rows, shape, where=self.name), TYPES[self._taken.type], where=self.name)
        missing = (self.fixed or 0) - len(given)
        filled = np.concatenate([given, np.repeat(given[-1:], missing, axis=0)]) if missing > 0 else given
        with running(self.name, None):
            answer, layer = self._graph.run([self._given.name, self._tensor], {self._taken.name: filled})
        scores = np.asarray([list(row.values()) for row in answer]) if self._given.type in MAPS else np.asarray(answer)
        if missing > 0:
            return np.asarray(layer)[: len(rows)], scores[: len(rows)]
        return np.asarray(layer), scores


def with_output(plain: Session, node: str) -> tuple[Any, str]:
    """The graph of a session opened with one more output, and the name of that."""
    model = _read(plain)
    tensor = _tensor_of(model.graph, node, plain.name)
    if tensor not in {output.name for output in model.graph.output}:
        model.graph.output.add().name = tensor
    runtime = require("onnxruntime", extra="onnx", purpose="An ONNX model")
    options = runtime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    options.intra_op_num_threads = plain.threads
    with loading(plain.name, None):
        opened = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return opened, tensor


def _session(model: str | os.PathLike[str] | Session) -> Session:
    return model if isinstance(model, Session) else Session(os.fspath(model), printable(Path(model).name))


def _read(plain: Session) -> Any:
    onnx = require("onnx", extra="onnx", purpose="Reading features from an ONNX graph")
    with loading(plain.name, None):
        return onnx.load_from_string(plain.content) if isinstance(plain.content, bytes) else onnx.load(plain.content)


def _tensor_of(graph: Any, node: str, where: str) -> str:
    """The tensor of a name: its own, or that of the node which makes it."""
    made = {name: name for part in graph.node for name in part.output if name}
    by_node = {part.name: part.output[0] for part in graph.node if part.name and part.output}
    known = by_node | made
    return known[validate.choice(node, known, where=where, name="node")]
