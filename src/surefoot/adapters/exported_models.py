"""Models that another program exported: ONNX through onnxruntime, and TensorFlow Lite through LiteRT."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.frames import Frame, is_frame
from surefoot.adapters.labels import TextColumn, is_unicode
from surefoot.adapters.model import LoadedModel, cast, fitted, in_batches_of, loading
from surefoot.adapters.python_models import class_names
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.errors import require
from surefoot.documents import listed, printable, quoted

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
TEXT = "tensor(string)"
FLAT: tuple[list[int], ...] = ([1], [])
"""Shapes of a row of one column."""
TYPE_WORDS = {TEXT: "text"}
FLOATS = ("tensor(float)", "tensor(double)", "tensor(float16)")
MAPS = ("seq(map(int64,tensor(float)))", "seq(map(string,tensor(float)))")
ERRORS_ONLY = 3
FIELDS: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
}
"""The fields of each ONNX message that lead to tensors, by the numbers of onnx.proto."""
KEY, VALUE, TEXTS = 1, 2, 9
GRAPH, INITIALISER, GRAPH_INPUT = 7, 5, 11
NAME_IN = {INITIALISER: 8, GRAPH_INPUT: 1}
"""Graphs of older versions list their weights among their inputs."""
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
MOST_BITS = 64
PROBABILITY_SCALE = 1 / 256
"""The quantisation that TensorFlow Lite prescribes for the output of softmax and logistic."""


def load_onnx(path: Path) -> LoadedModel:
    """Open a model with one input, or with one for each column of a table, and one output of scores."""
    if len(onnx_inputs(path)) > 1:
        columns = ColumnSession(_content(path), printable(path.name))
        known = _class_labels(path) or columns.classes
        return LoadedModel(columns, columns.name, classes=known, source=columns, features=columns.names)
    session = Session(_content(path), printable(path.name))
    batched = in_batches_of(session.batch, session)
    return LoadedModel(batched, session.name, classes=_map_keys(session), source=session, takes="array")


def load_tflite(path: Path) -> LoadedModel:
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
        (lambda rows: _summing_to_one(run(rows))) if quantised else run,
        name,
        "probability" if quantised else None,
        takes="array",
    )


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
        opened = _opened(self.content, self.name, self.threads)
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


@dataclass(frozen=True, eq=False)
class ColumnSession:
    """A model with an input for each column of a table, as skl2onnx writes pipelines over frames."""

    content: str | bytes
    name: str
    threads: int = 0
    opened: Any = field(init=False, repr=False)
    types: Mapping[str, str] = field(init=False, repr=False)
    """Of each input, by the name of its column."""
    batch: int | None = field(init=False, repr=False)
    given: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        opened = _opened(self.content, self.name, self.threads)
        taken = opened.get_inputs()
        odd = [f"{i.name} {i.type} {i.shape}" for i in taken if i.type not in (*TYPES, TEXT) or i.shape[1:] not in FLAT]
        if odd:
            raise _unusable(
                f"of several inputs each must take one column of a table; there are {listed(odd)}", self.name
            )
        batch = taken[0].shape[0] if taken[0].shape and isinstance(taken[0].shape[0], int) else None
        object.__setattr__(self, "opened", opened)
        object.__setattr__(self, "types", {each.name: each.type for each in taken})
        object.__setattr__(self, "batch", batch)
        object.__setattr__(self, "given", _output(opened, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnSession, (_alone(self.content), self.name, 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it takes."""
        return tuple(self.types)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes of a model that answers with a mapping a row; a row of nothing tells them."""
        if self.given.type not in MAPS:
            return ()
        nothing = {
            name: np.array([""], dtype=object) if kind == TEXT else np.zeros(1) for name, kind in self.types.items()
        }
        with suppress(Exception):
            return class_names(self._answer(nothing)[0])
        # An encoder may refuse what it does not know; then somebody lists the classes.
        return ()

    def check(self, frame: Frame) -> None:
        """Each input gets a column of its type, with a value in each row where it cannot say that there is none."""
        DiagnosticsError.raise_if_any(
            Diagnostic(code, text, "error", self.name, hint)
            for name, kind in self.types.items()
            for code, text, hint in self._problems(frame, name, kind)
        )

    def __call__(self, inputs: Any) -> NDArray[Any]:
        """Scores of a batch: a frame with these columns, or an array of numbers with as many."""
        columns = self._columns(inputs)
        run = in_batches_of(self.batch, lambda rows: self._scores({name: c[rows] for name, c in columns.items()}))
        return run(np.arange(len(inputs)))

    def _columns(self, inputs: Any) -> dict[str, NDArray[Any]]:
        if is_frame(inputs):
            frame = Frame(inputs, self.name)
            texts = (name for name, kind in self.types.items() if kind == TEXT)
            found = {name: np.asarray(_texts(frame.column(name)), dtype=object) for name in texts}
            return {name: found[name] if name in found else frame.numbers(name) for name in self.types}
        rows = np.asarray(inputs)
        if rows.ndim != 2 or rows.shape[1] != len(self.types):
            text = (
                f"the model takes the columns {listed(self.names)}, and the data have rows of shape {rows.shape[1:]}."
            )
            raise DiagnosticsError.of("data-type", text, where=self.name, hint="Give a table with these columns.")
        return dict(zip(self.types, rows.T, strict=True))

    def _scores(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        answer = self._answer(columns)
        return _columns(answer) if self.given.type in MAPS else np.asarray(answer)

    def _answer(self, columns: Mapping[str, NDArray[Any]]) -> Any:
        fed = {
            name: (column if kind == TEXT else cast(column, TYPES[kind], where=f"{self.name}: input {name}"))
            for (name, kind), column in zip(self.types.items(), columns.values(), strict=True)
        }
        shapes = {each.name: each.shape for each in self.opened.get_inputs()}
        rows = {name: column.reshape(-1, *shapes[name][1:]) for name, column in fed.items()}
        return self.opened.run([self.given.name], rows)[0]

    def _problems(self, frame: Frame, name: str, kind: str) -> Iterator[tuple[str, str, str]]:
        wanted = {TEXT: "text", "tensor(bool)": "truth values"}.get(kind, "numbers")
        numeric = frame.is_numeric(name)
        if (kind == TEXT and not frame.is_text(name)) or (kind != TEXT and not numeric):
            value = f"{frame.series(name).dtype}"
            text = f"column {quoted(name)} is {value}, and the input of this name takes {wanted} ({kind})."
            yield "data-type", text, f"Of a file write types: {{{printable(name)}: {TYPE_WORDS.get(kind, 'number')}}}."
        elif kind not in FLOATS and (missing := np.flatnonzero(frame.missing(name))).size:
            text = f"column {quoted(name)} has no value in row {missing[0]} ({missing.size} such rows)"
            hint = "Fill it, or export the model with an input of floating-point numbers or a value for none."
            yield "data-missing-values", f"{text}, and the input of this name takes {wanted} ({kind}).", hint
        elif kind not in (*FLOATS, TEXT):
            values = frame.numbers(name)
            with np.errstate(invalid="ignore"):
                odd = np.flatnonzero(values.astype(TYPES[kind]) != values)
            if odd.size:
                text = f"column {quoted(name)} has {values[odd[0]]:g} in row {odd[0]} ({odd.size} such rows)"
                yield "data-type", f"{text}, which does not fit into the input of this name ({kind}).", ""


def _texts(column: NDArray[Any] | TextColumn) -> NDArray[Any]:
    return column.texts() if isinstance(column, TextColumn) else column.astype(str)


def _opened(content: str | bytes, name: str, threads: int) -> Any:
    runtime = require("onnxruntime", extra="onnx", purpose="An ONNX model")
    options = runtime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    options.intra_op_num_threads = threads
    with loading(name, None):
        return runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _content(path: Path) -> str | bytes:
    """The path, by which weights in a second file are found, unless onnxruntime cannot open such a path."""
    return str(path) if is_unicode(str(path)) else path.read_bytes()


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
    raise _unusable(f"it must take one array of numbers, or a column an input; it takes {found}", name)


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


def onnx_inputs(path: Path) -> tuple[str, ...]:
    """Names of the inputs of a graph, without loading it; none where the file is no graph."""
    if not path.stat().st_size:
        return ()
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        try:
            graphs = [part[1:] for part in _parts(content, 0, len(content)) if part[0] == GRAPH]
            parts = [part for graph in graphs for part in _parts(content, *graph)]
            names = {
                number: [_first_text(content, low, high, NAME_IN[number]) for n, low, high in parts if n == number]
                for number in NAME_IN
            }
        except (ValueError, IndexError):
            return ()
    return tuple(name for name in names[GRAPH_INPUT] if name not in names[INITIALISER])


def _class_labels(path: Path) -> tuple[str, ...]:
    """Names of the classes, where the last step of the graph is a classifier that names them."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        try:
            found = {tuple(names) for names in _listed_classes(content, "model", 0, len(content)) if names}
        except (ValueError, IndexError):
            return ()
    return found.pop() if len(found) == 1 else ()


def _listed_classes(content: mmap.mmap, message: str, start: int, end: int) -> Iterator[list[str]]:
    if message == "attribute":
        parts = [*_parts(content, start, end)]
        if any(number == KEY and content[low:high].startswith(b"classlabels_") for number, low, high in parts):
            yield [content[low:high].decode() for number, low, high in parts if number == TEXTS]
        return
    for number, low, high in _parts(content, start, end):
        if FIELDS[message].get(number) in ("graph", "node", "attribute"):
            yield from _listed_classes(content, FIELDS[message][number], low, high)


def _first_text(content: mmap.mmap, start: int, end: int, number: int) -> str:
    found = (content[low:high] for field, low, high in _parts(content, start, end) if field == number)
    return next(found, b"").decode("utf-8", "surrogateescape")


def weight_files(path: Path) -> tuple[str, ...]:
    """Locations of external weights, as the model names them; none where the file is no graph.

    They are read from the graph without loading it: an ONNX file is a protocol buffer, of which only the fields that
    lead to the ``external_data`` of a tensor are followed.
    """
    if not path.stat().st_size:
        return ()
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return _found(content)


def _found(content: mmap.mmap) -> tuple[str, ...]:
    with suppress(ValueError, IndexError, RecursionError):
        return tuple(sorted(set(_locations(content, "model", 0, len(content)))))
    return ()


def _locations(content: mmap.mmap, message: str, start: int, end: int) -> Iterator[str]:
    if message == "entry":
        entry = {number: content[low:high] for number, low, high in _parts(content, start, end)}
        if entry.get(KEY) == b"location":
            yield entry.get(VALUE, b"").decode("utf-8", "surrogateescape")
        return
    for number, low, high in _parts(content, start, end):
        if number in FIELDS[message]:
            yield from _locations(content, FIELDS[message][number], low, high)


def _parts(content: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of each field that has a length; numbers are passed over."""
    while start < end:
        tag, start = _varint(content, start)
        kind = tag & 7
        if kind == LENGTH:
            length, start = _varint(content, start)
            if start + length > end:
                raise ValueError("a field is longer than what holds it")
            yield tag >> 3, start, start + length
            start += length
        elif kind == VARINT:
            _, start = _varint(content, start)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            start += 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError("no protocol buffer")


def _varint(content: mmap.mmap, start: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, MOST_BITS, 7):
        byte = content[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
    raise ValueError("a number of more than 64 bits")


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
