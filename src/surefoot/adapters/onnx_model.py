"""ONNX models through onnxruntime."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.batches import cast, fitted, in_batches_of
from surefoot.adapters.model import LoadedModel, loading
from surefoot.adapters.objects import class_names
from surefoot.adapters.onnx_weights import weight_files
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.documents import listed, printable

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
    session = Session(_content(path), printable(path.name))
    batched = in_batches_of(session.batch, session)
    return LoadedModel(batched, session.name, classes=_map_keys(session), source=session)


@dataclass(frozen=True, eq=False)
class Session:
    """A model opened in this process; where it is sent to another one, it is opened anew there, with one thread."""

    content: str | bytes
    """The model itself, or its path."""
    name: str
    threads: int = 0
    """0 stands for as many as there are cores."""
    opened: Any = field(init=False, repr=False)
    taken: Any = field(init=False, repr=False)
    given: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        runtime = require("onnxruntime", extra="onnx", purpose="An ONNX model")
        options = runtime.SessionOptions()
        options.log_severity_level = ERRORS_ONLY
        options.intra_op_num_threads = self.threads
        with loading(self.name, None):
            opened = runtime.InferenceSession(self.content, options, providers=["CPUExecutionProvider"])
        object.__setattr__(self, "opened", opened)
        object.__setattr__(self, "taken", _input(opened, self.name))
        object.__setattr__(self, "given", _output(opened, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Session, (_alone(self.content), self.name, 1)

    @property
    def batch(self) -> int | None:
        """How many rows the model takes at a time; None where it takes any number."""
        return self._sizes[0]

    @property
    def _sizes(self) -> list[int | None]:
        return [size if isinstance(size, int) else None for size in self.taken.shape] or [None]

    def __call__(self, inputs: NDArray[Any]) -> NDArray[Any]:
        """Scores of a batch."""
        rows = cast(fitted(inputs, self._sizes[1:], where=self.name), TYPES[self.taken.type], where=self.name)
        (answer,) = self.opened.run([self.given.name], {self.taken.name: rows})
        return _columns(answer) if self.given.type in MAPS else np.asarray(answer)


def _content(path: Path) -> str | bytes:
    """The path, by which weights in a second file are found, unless onnxruntime cannot open such a path."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return path.read_bytes()
    return str(path)


def _alone(content: str | bytes) -> str | bytes:
    """The model itself where it is in one file; the path, absolute, where it has weights in a second one."""
    if isinstance(content, bytes):
        return content
    path = Path(content).absolute()
    return str(path) if weight_files(path) else path.read_bytes()


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


def _map_keys(session: Session) -> tuple[str, ...]:
    """Class names of a model that answers with a mapping a row; zeros as inputs tell them."""
    taken, given = session.taken, session.given
    batch, *sizes = taken.shape or [None]
    if given.type not in MAPS or not all(isinstance(size, int) for size in sizes):
        return ()
    zeros = np.zeros((batch if isinstance(batch, int) else 1, *sizes), TYPES[taken.type])
    with loading(session.name, None):
        (answer,) = session.opened.run([given.name], {taken.name: zeros})
    return class_names(answer[0])


def _unusable(why: str, name: str) -> DiagnosticsError:
    hint = "Wrap it in a Python function and name that as module:name."
    return DiagnosticsError.of("model-unreadable", f"{name} cannot be used as it is: {why}.", where=name, hint=hint)
