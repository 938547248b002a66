"""Features of a model's inner layers, together with its answer, for detectors that look inside.

``TorchFeatures`` reads a layer of a torch module, ``OnnxFeatures`` a tensor of an ONNX graph; both are what
``Monitor`` calls a ``watch``. Algorithm 1 of paper SYS (Wang et al. 2022, section 3.2) starts with them. May import
``core`` and ``adapters``; torch, onnx and onnxruntime where they are used.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import as_model
from surefoot.adapters.exported_models import ERRORS_ONLY, MAPS, TYPES, Session
from surefoot.adapters.model import cast, fitted, loading, running
from surefoot.adapters.python_models import alone_with, forward
from surefoot.core import DiagnosticsError, InvalidInput, validate
from surefoot.core.errors import require
from surefoot.documents import printable
from surefoot.monitors.detectors.base import ForwardPass

__all__ = ["OnnxFeatures", "TorchFeatures", "layer_features"]
Pool = Literal["flatten", "mean"] | Callable[[NDArray[Any]], ArrayLike]
Predict = Callable[[NDArray[Any]], ArrayLike]
View = Callable[[NDArray[Any]], NDArray[Any]]
Run = tuple[NDArray[Any], NDArray[Any]]
Answers = Literal["logits", "probabilities"]


def layer_features(model: Any, layer: str, *, pool: Pool = "flatten", batch: int = 256) -> View:
    """A function from inputs to features of a layer of a model that ``adapters`` has loaded: torch or ONNX."""
    loaded = as_model(model)
    if isinstance(loaded.source, Session):
        return OnnxFeatures(loaded.source, layer, pool=pool, batch=batch).features
    if hasattr(loaded.source, "named_modules"):
        return TorchFeatures(loaded.source, layer, pool=pool, batch=batch).features
    remedy = "Use a torch module or an ONNX graph, or compute features by a function of your own."
    raise InvalidInput("the model has no layers to look into", where=loaded.name, remedy=remedy)


class Features(ABC):
    """Features of a layer and the model's answer, in one pass over the inputs."""

    def __init__(
        self,
        name: str,
        *,
        pool: Pool,
        batch: int,
        classes: Sequence[Any] | None,
        predict: Predict | None,
        answers: Answers,
    ) -> None:
        if not callable(pool):
            validate.choice(pool, ("flatten", "mean"), where=name, name="pool")
        self.name = name
        self.pool = pool
        self.batch = validate.count(batch, where=name, name="batch", at_least=1)
        self.classes = None if classes is None else np.asarray(classes)
        self.predict = predict
        self.answers = validate.choice(answers, ("logits", "probabilities"), where=name, name="answers")

    def __call__(self, inputs: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Features, one row an input, and predictions: the class whose score is highest."""
        features, scores = self.both(inputs)
        return features, self._predictions(scores)

    def forward_pass(self, inputs: ArrayLike) -> ForwardPass:
        """Inputs, features, answers and predictions of one pass: what a ``Monitor`` shows its detector."""
        features, scores = self.both(inputs)
        predictions = self._predictions(scores)
        shown: Any = {self.answers: scores}
        return ForwardPass(features, inputs=np.asarray(inputs), predictions=predictions, **shown)

    def features(self, inputs: ArrayLike) -> NDArray[Any]:
        """Features, one row an input."""
        return self.both(inputs)[0]

    def scores(self, inputs: ArrayLike) -> NDArray[Any]:
        """What the model answers, unchanged."""
        return self.both(inputs)[1]

    @abstractmethod
    def _run(self, rows: NDArray[Any]) -> Run:
        """What the layer and the model answer for a batch."""

    def both(self, inputs: ArrayLike) -> Run:
        """Features, one row an input, and what the model answers, unchanged."""
        parts = [self._pooled(rows) for rows in batches_of(inputs, self.batch, where=self.name)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _pooled(self, rows: NDArray[Any]) -> Run:
        layer, answer = self._run(rows)
        features = pooled(layer, self.pool)
        for what, array in (("features", features), ("answers", answer)):
            if array.ndim == 0 or len(array) != len(rows):
                text = f"{what} of shape {array.shape} for {len(rows)} inputs: the first axis must be the inputs."
                hint = "Name another layer, or give pool= as a function that puts inputs first."
                raise DiagnosticsError.of("model-output", text, where=self.name, hint=hint)
        return features, answer

    def _predictions(self, scores: NDArray[Any]) -> NDArray[Any]:
        if self.predict is not None:
            return np.asarray(self.predict(scores))
        columns = scores.shape[1] if scores.ndim == 2 else 1
        if scores.ndim > 2 or (columns == 1 and self.classes is not None):
            remedy = "Say how scores become predictions, for example predict=lambda scores: scores[:, 0] > 0."
            raise InvalidInput(
                "needs a column of scores a class", where=self.name, found=f"{scores.shape}", remedy=remedy
            )
        if columns == 1:
            return scores.reshape(-1)
        return self._named(scores.argmax(axis=1), columns)

    def _named(self, numbers: NDArray[np.int64], columns: int) -> NDArray[Any]:
        if self.classes is None:
            return numbers
        if self.classes.shape != (columns,):
            found = f"{self.classes.size} for {columns} columns"
            raise InvalidInput("classes must have one entry a column of scores", where=self.name, found=found)
        return np.asarray(self.classes[numbers])


def pooled(layer: NDArray[Any], pool: Pool) -> NDArray[Any]:
    """One row an input: all values, or the mean over all axes after the second (places of a map, channels first)."""
    if callable(pool):
        return np.asarray(pool(layer))
    if layer.ndim < 2:
        return layer.reshape(-1, 1)
    if pool == "mean" and layer.ndim > 2:
        return np.asarray(layer.mean(axis=tuple(range(2, layer.ndim))))
    return layer.reshape(len(layer), -1)


class TorchFeatures(Features):
    """Features of a named layer and the module's answer, from one forward pass in evaluation mode.

    A layer that gives several tensors counts with its first; one that is called several times, with its last call.

    Parameters
    ----------
    module
        A torch module.
    layer
        The name of one of its ``layers``.
    pool
        Makes one row of what the layer gives for an input: ``"flatten"`` takes all values, ``"mean"`` the mean over the
        places of a map with channels first, and a function of the array does as it likes.
    batch
        The inputs that it is given at once.
    classes
        Names of the columns of the answer.
    predict
        Turns answers into predictions where they are not a column of scores a class.
    answers
        What the model answers: ``"logits"``, or ``"probabilities"`` where a softmax comes last.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> import surefoot as sf
    >>> module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
    >>> watch = sf.monitors.TorchFeatures(module, "1")
    >>> features, predictions = watch(np.zeros((5, 2), dtype=np.float32))
    >>> features.shape, predictions.shape
    ((5, 3), (5,))

    """

    @validate.arguments
    def __init__(
        self,
        module: Any,
        layer: str,
        *,
        pool: Pool = "flatten",
        batch: int = 256,
        classes: Sequence[Any] | None = None,
        predict: Predict | None = None,
        answers: Answers = "logits",
    ) -> None:
        super().__init__("TorchFeatures", pool=pool, batch=batch, classes=classes, predict=predict, answers=answers)
        self.module, self.layer = module, layer
        self._part = layer_named(module, layer, where=self.name)

    def __repr__(self) -> str:
        return f"TorchFeatures({type(self.module).__name__}, {self.layer!r})"

    @staticmethod
    def layers(module: Any) -> list[str]:
        """Names of the layers of a module, in its order."""
        return layer_names(torch_module(module, where="TorchFeatures"))

    def _run(self, rows: NDArray[Any]) -> Run:
        seen: list[NDArray[Any]] = []

        def keep(part: Any, taken: Any, given: Any) -> None:
            seen[:] = [array_of(first_tensor(given))]

        with alone_with(self.module), hooked(self._part, keep), running(type(self.module).__name__, None):
            answer = array_of(first_tensor(forward(self.module)(rows)))
        if not seen:
            remedy = "Name a layer that is called."
            raise InvalidInput(
                "the layer does not run in a forward pass", where=self.name, found=self.layer, remedy=remedy
            )
        return seen[0], answer


@contextmanager
def hooked(part: Any, keep: Callable[..., None]) -> Iterator[None]:
    """See what a layer gives, for a while."""
    hook = part.register_forward_hook(keep)
    try:
        yield
    finally:
        hook.remove()


class OnnxFeatures(Features):
    """Features of a node and the model's answer, from one run of the graph.

    The tensor is declared as an output of a copy of the graph in memory; the file stays as it is. A graph made for a
    fixed number of rows is given that many.

    Parameters
    ----------
    model
        A file, or a ``Session`` that ``adapters`` has opened.
    node
        The name of a node, whose first output counts, or of a tensor.
    pool, batch, classes, predict
        As in ``TorchFeatures``.
    answers
        As there; without it ``"probabilities"`` where the graph ends in a softmax or names the classes.

    See Also
    --------
    TorchFeatures : The same for a torch module, with an example.

    """

    @validate.arguments
    def __init__(
        self,
        model: str | os.PathLike[str] | Session,
        node: str,
        *,
        pool: Pool = "flatten",
        batch: int = 256,
        classes: Sequence[Any] | None = None,
        predict: Predict | None = None,
        answers: Answers | None = None,
    ) -> None:
        plain = _session(model)
        super().__init__(
            plain.name,
            pool=pool,
            batch=plain.batch or batch,
            classes=classes,
            predict=predict,
            answers=answers or _answers_of(plain),
        )
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


def _answers_of(plain: Session) -> Answers:
    """Probabilities where a softmax makes the answer, or where it names the classes, as classifiers do."""
    last = [part.op_type for part in _read(plain).graph.node if plain.given.name in part.output]
    return "probabilities" if plain.given.type in MAPS or last == ["Softmax"] else "logits"


def _tensor_of(graph: Any, node: str, where: str) -> str:
    """The tensor of a name: its own, or that of the node which makes it."""
    made = {name: name for part in graph.node for name in part.output if name}
    by_node = {part.name: part.output[0] for part in graph.node if part.name and part.output}
    known = by_node | made
    return known[validate.choice(node, known, where=where, name="node")]


# Batches and tensors as arrays, and the layers of a torch module.


def batches_of(inputs: ArrayLike, batch: int, *, where: str) -> Iterator[NDArray[Any]]:
    """Inputs, some rows at a time."""
    rows = validate.array(inputs, where=where, name="inputs")
    size = validate.count(batch, where=where, name="batch", at_least=1)
    if rows.ndim == 0 or not len(rows):
        raise InvalidInput("needs at least one input", where=where, found=f"shape {rows.shape}")
    return (rows[start : start + size] for start in range(0, len(rows), size))


def array_of(tensor: Any) -> NDArray[Any]:
    """A tensor, wherever it lies, as an array of its own."""
    detached = tensor.detach().cpu()
    wide = detached.float() if str(detached.dtype) == "torch.bfloat16" else detached
    return np.array(wide.numpy())


def layer_names(module: Any, *, leaves: bool = False) -> list[str]:
    """Names of the layers of a module, in its order; ``leaves`` leaves out those that hold others."""
    return [name for name, part in module.named_modules() if name and not (leaves and any(part.children()))]


def layer_named(module: Any, name: str, *, where: str) -> Any:
    """The layer of a name; a misspelling gets a suggestion."""
    known = layer_names(torch_module(module, where=where))
    return module.get_submodule(validate.choice(name, known, where=where, name="layer"))


def torch_module(module: Any, *, where: str) -> Any:
    """A torch module, as it is."""
    if not hasattr(module, "named_modules"):
        found = type(module).__name__
        raise InvalidInput("needs a torch module", where=where, found=found, remedy="Give a torch.nn.Module.")
    return module


def first_tensor(answer: Any) -> Any:
    """The tensor in an answer: its logits where it names them, else the first of a tuple, a list or a mapping."""
    named = getattr(answer, "logits", answer)
    items = list(named.values()) if isinstance(named, Mapping) else named
    if isinstance(items, list | tuple):
        tensors = [item for item in items if hasattr(item, "detach")]
        items = tensors[0] if tensors else items
    if not hasattr(items, "detach"):
        raise InvalidInput("a layer must answer with a tensor", where="layer", found=type(answer).__name__)
    return items
