"""Modules of many kinds: torch, ONNX, tflite, and programs of any language; a Python function is a ``Module`` itself.

Each function here makes a ``Module``. Weights and files are part of its version, so that recordings notice a change.
May import ``core``, ``adapters``, ``monitors`` and ``systems.graph``; each library is imported where it is used.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import exported_models
from surefoot.adapters.exported_models import Session, weight_files
from surefoot.adapters.isolation import end_with_children
from surefoot.adapters.model import in_batches_of, running
from surefoot.adapters.project_code import file_digest
from surefoot.adapters.python_models import as_tensor, evaluating
from surefoot.core import InvalidInput, SurefootError, validate
from surefoot.core.errors import require
from surefoot.metrics.distances import Distance
from surefoot.monitors.features import OnnxFeatures, Pool, array_of, first_tensor, hooked, layer_named, pooled
from surefoot.monitors.uncertainty.passes import dropout_layers, dropout_on, rate_name
from surefoot.systems.graph.module import Answer, Module, version_of

__all__ = ["onnx_module", "process_module", "tflite_module", "torch_module"]
Decode = Callable[[Any], Any]
File = str | os.PathLike[str]
Gives = str | Mapping[str, str]
MOST_SAID = 400
_SHAKING = Lock()
"""Torch has one random state in a process, so that one module draws at a time."""


@validate.arguments
def torch_module(
    name: str,
    net: Any,
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "vector",
    takes: Mapping[str, str] | None = None,
    layer: str | None = None,
    pool: Pool = "flatten",
    decode: Decode | None = None,
    rate: float | None = None,
    dropout: str | Sequence[str] | None = None,
    noisy: bool = True,
    distance: str | Distance | None = None,
    version: str = "",
) -> Module:
    """A torch module in evaluation mode; its inputs go to ``forward`` in the order of ``inputs``, as tensors.

    Parameters
    ----------
    name, inputs, gives, takes, distance, version
        As for ``Module``.
    net
        The torch module.
    layer, pool
        Where features are read, and how they become one row an item.
    decode
        Makes a batch of outputs of what ``forward`` gives; without it, the first tensor as an array.
    rate, dropout
        Of noisy passes: the rate of the module's own dropout, or layers after which it is forced.
    noisy
        Whether there are noisy passes; a module without dropout has none.

    Returns
    -------
    Module
        For a ``System``.

    Examples
    --------
    >>> import torch
    >>> layer = torch_module("layer", torch.nn.Linear(2, 3), {"x": "points"})
    >>> layer.run(x=np.zeros((4, 2), dtype=np.float32)).outputs.shape
    (4, 3)

    """
    require("torch", extra="torch", purpose="A torch module")
    if layer is not None:
        layer_named(net, layer, where=f"module {name!r}")
    run = _Run(net, layer, pool, decode, gives)
    shaken = _Shaken(run, rate, dropout) if noisy and _drops(net, rate, dropout) else None
    return Module(name, run, inputs, takes or {}, gives, shaken, distance, version)


@dataclass(eq=False)
class _Run:
    net: Any
    layer: str | None
    pool: Pool
    decode: Decode | None
    gives: str | Mapping[str, str]

    def __call__(self, **inputs: Any) -> Answer:
        import torch

        with torch.no_grad(), evaluating(self.net):
            return self.forward(inputs)

    def forward(self, inputs: Mapping[str, Any]) -> Answer:
        seen: list[Any] = []

        def keep(part: Any, taken: Any, given: Any) -> None:
            seen[:] = [array_of(first_tensor(given))]

        with nullcontext() if self.layer is None else hooked(self.net.get_submodule(self.layer), keep):
            answer = self.net(*(as_tensor(values, self.net) for values in inputs.values()))
        outputs = as_given(array_of(first_tensor(answer)), self.gives) if self.decode is None else self.decode(answer)
        return Answer(outputs, self._features(seen))

    def _features(self, seen: list[Any]) -> Any:
        if self.layer is None:
            return None
        if not seen:
            remedy = "Name a layer that is called."
            raise InvalidInput("does not run in a forward pass", where=f"layer {self.layer!r}", remedy=remedy)
        return pooled(seen[0], self.pool)


def as_given(answers: NDArray[Any], gives: str | Mapping[str, str]) -> NDArray[Any]:
    """One number an item where a port gives numbers and the model a column of them; anything else as it is."""
    column = gives == "number" and answers.ndim > 1 and answers.size == len(answers)
    return answers.reshape(-1) if column else answers


@dataclass(eq=False)
class _Shaken:
    run: _Run
    rate: float | None
    layer: str | Sequence[str] | None

    def __call__(self, seed: int, **inputs: Any) -> Answer:
        with _SHAKING, dropout_on(self.run.net, seed=seed, rate=self.rate, layer=self.layer):
            return self.run.forward(inputs)


def _drops(net: Any, rate: float | None, dropout: str | Sequence[str] | None) -> bool:
    """Whether the module has dropout; what is said of it is checked now, not in the middle of a study."""
    if rate is None and dropout is None:
        return any(rate_name(part) for part in net.modules())
    dropout_layers(net, rate, [dropout] if isinstance(dropout, str) else dropout)
    return True


@validate.arguments
def onnx_module(
    name: str,
    path: File,
    inputs: Mapping[str, str],
    *,
    gives: Gives = "vector",
    takes: Mapping[str, str] | None = None,
    layer: str | None = None,
    pool: Pool = "flatten",
    decode: Decode | None = None,
    distance: str | Distance | None = None,
) -> Module:
    """An ONNX model of one input and one output.

    Parameters
    ----------
    name, inputs, gives, takes, distance
        As for ``Module``.
    path
        The model file.
    layer, pool
        A node or tensor that features are read from, and how they become one row an item.
    decode
        Makes a batch of outputs of what the model gives.

    Returns
    -------
    Module
        For a ``System``; weights and file are part of its version.

    See Also
    --------
    torch_module, process_module

    """
    run = _Onnx(_one(name, path, inputs), gives, decode, layer, pool)
    return _module(
        name, run, inputs, takes, distance, [run.path, *map(run.path.parent.joinpath, weight_files(run.path))]
    )


@dataclass(eq=False)
class _File(ABC):
    """A model file, opened anew in every process; one thread uses it at a time."""

    path: Path
    gives: Gives
    decode: Decode | None
    layer: str | None = None
    pool: Pool = "flatten"
    using: Any = field(default_factory=Lock, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("opened", "using")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, using=Lock())

    @cached_property
    def opened(self) -> Any:
        """The model, ready to run."""
        return self._open()

    @abstractmethod
    def _open(self) -> Any:
        """Open the file."""

    def __call__(self, **inputs: Any) -> Any:
        (batch,) = inputs.values()
        with self.using, running(self.path.name, None):
            features, answers = self._answers(np.asarray(batch))
        outputs = as_given(np.asarray(answers), self.gives) if self.decode is None else self.decode(answers)
        return outputs if features is None else Answer(outputs, features)

    def _answers(self, batch: Any) -> tuple[Any, Any]:
        return None, self.opened(batch)


class _Onnx(_File):
    def _open(self) -> Any:
        # One thread, so that the last bits of an answer do not depend on the number of cores.
        session = Session(str(self.path), self.path.name, threads=1)
        if self.layer is None:
            return in_batches_of(session.batch, session)
        return OnnxFeatures(session, self.layer, pool=self.pool)

    def _answers(self, batch: Any) -> tuple[Any, Any]:
        if self.layer is None:
            return super()._answers(batch)
        found: tuple[Any, Any] = self.opened.both(batch)
        return found


def _one(name: str, path: File, inputs: Mapping[str, str]) -> Path:
    where = f"module {name!r}"
    if len(inputs) != 1:
        remedy = "Wrap a model of several inputs in a Python function."
        raise InvalidInput("a model file takes one input", where=where, found=", ".join(inputs), remedy=remedy)
    if not Path(path).is_file():
        raise InvalidInput("the model file is missing", where=where, found=str(path))
    return Path(path).absolute()


def _module(
    name: str,
    run: _File,
    inputs: Mapping[str, str],
    takes: Mapping[str, str] | None,
    distance: str | Distance | None,
    files: list[Path],
) -> Module:
    run.opened  # noqa: B018, a file that cannot be read is told now, not in the middle of a study
    version = version_of([[file_digest(path) for path in files], type(run).__name__, run.decode, run.layer, run.pool])
    return Module(name, run, inputs, takes or {}, run.gives, None, distance, version)


@validate.arguments
def tflite_module(
    name: str,
    path: File,
    inputs: Mapping[str, str],
    *,
    gives: Gives = "vector",
    takes: Mapping[str, str] | None = None,
    decode: Decode | None = None,
    distance: str | Distance | None = None,
) -> Module:
    """A TensorFlow Lite model of one input and one output; quantised numbers are made plain.

    Parameters
    ----------
    name, inputs, gives, takes, distance
        As for ``Module``.
    path
        The model file.
    decode
        Makes a batch of outputs of what the model gives.

    Returns
    -------
    Module
        For a ``System``; the file is part of its version.

    See Also
    --------
    torch_module, process_module

    """
    run = _Tflite(_one(name, path, inputs), gives, decode)
    return _module(name, run, inputs, takes, distance, [run.path])


class _Tflite(_File):
    def _open(self) -> Any:
        return exported_models.load_tflite(self.path).function


@validate.arguments
def process_module(
    name: str,
    command: Sequence[str],
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "any",
    takes: Mapping[str, str] | None = None,
    timeout: float = 600,
    folder: str | os.PathLike[str] | None = None,
    distance: str | Distance | None = None,
    version: str = "",
) -> Module:
    """A program that answers items: one JSON object of inputs a line on its standard input, one answer a line back.

    An answer is a value, or an object of port to value where ``gives`` is one; ``{"error": "..."}`` is an item that it
    cannot answer. Arrays are nested lists. The program is started for each batch, without a shell, and ended with all
    that it started when the time is over. Files that the command names are part of the module's version.

    Parameters
    ----------
    name, inputs, gives, takes, distance
        As for ``Module``.
    command
        The program and its arguments.
    timeout
        Seconds for a batch.
    folder
        Where it runs.
    version
        To state where anything but the files of the command changes what the program answers.

    Returns
    -------
    Module
        For a ``System``.

    Examples
    --------
    >>> import sys
    >>> code = "import json, sys; [print(2 * json.loads(line)['x']) for line in sys.stdin]"
    >>> process_module("double", [sys.executable, "-c", code], {"x": "number"}, gives="number").run(x=[1, 2])
    [2, 4]

    """
    where = f"module {name!r}"
    if isinstance(command, str) or not command:
        remedy = "Give a list, such as ['python', 'recognise.py']."
        raise InvalidInput("a command is a list of words", where=where, found=repr(command), remedy=remedy)
    words, place = tuple(map(str, command)), Path(folder or Path.cwd()).absolute()
    _require_program(words[0], place, where)
    ports = None if isinstance(gives, str) else tuple(gives)
    run = _Process(where, words, validate.positive(timeout, where=where, name="timeout"), place, ports)
    files = {word: file_digest(place / word) for word in words if _is_file(place / word)}
    return Module(name, run, inputs, takes or {}, gives, None, distance, version or version_of([words, files]))


def _require_program(program: str, folder: Path, where: str) -> None:
    """The program is there: in the folder where it has a slash in its name, otherwise where programs are."""
    if not folder.is_dir():
        raise InvalidInput("there is no such folder", where=where, found=str(folder))
    if shutil.which(str(folder / program) if os.sep in program else program) is None:
        raise InvalidInput("there is no such program", where=where, found=program)


@dataclass(frozen=True)
class _Process:
    where: str
    command: tuple[str, ...]
    timeout: float
    folder: Path
    ports: tuple[str, ...] | None

    def __call__(self, **inputs: Any) -> Any:
        count = len(next(iter(inputs.values())))
        lines = [json.dumps({port: batch[i] for port, batch in inputs.items()}, default=_plain) for i in range(count)]
        # Other ends of lines that str.splitlines knows may stand within a JSON text.
        answers = [self._answer(line) for line in self._said("\n".join(lines) + "\n").split("\n") if line.strip()]
        if len(answers) != count:
            raise InvalidInput(f"{count} items need {count} lines", where=self.where, found=f"{len(answers)} lines")
        return answers if self.ports is None else {port: [_at(a, port) for a in answers] for port in self.ports}

    def _said(self, given: str) -> str:
        try:
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        except OSError as error:
            raise InvalidInput("the program does not start", where=self.where, found=str(error)) from error
        with process:
            out, err = self._communicated(process, given)
        if process.returncode:
            found = f"exit {process.returncode}: {err.strip()[-MOST_SAID:]}"
            raise InvalidInput("the program failed", where=self.where, found=found)
        return out

    def _communicated(self, process: subprocess.Popen[str], given: str) -> tuple[str, str]:
        try:
            return process.communicate(given, timeout=self.timeout)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                found = f"no answer in {self.timeout:g} s"
                raise InvalidInput("the program takes too long", where=self.where, found=found) from error
            if isinstance(error, UnicodeDecodeError):
                raise InvalidInput("the program must answer in UTF-8", where=self.where, found=str(error)) from error
            raise

    def _answer(self, line: str) -> Any:
        try:
            answer = json.loads(line)
        except ValueError as error:
            found = line[:MOST_SAID]
            raise InvalidInput("the program must answer with JSON lines", where=self.where, found=found) from error
        if isinstance(answer, dict) and set(answer) == {"error"}:
            return ProcessFailed(str(answer["error"]), where=self.where)
        return answer


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _at(answer: Any, port: str) -> Any:
    """What an answer has at a port; one that failed fails at every port, and one that has none there gives none."""
    if isinstance(answer, Exception):
        return answer
    return answer.get(port) if isinstance(answer, dict) else None


def _end(process: subprocess.Popen[str]) -> None:
    """End the program and all that it started, unless it was waited for and its number may be another's."""
    if process.returncode is None:
        end_with_children(process)


class ProcessFailed(SurefootError):
    """A program said that it cannot answer an item."""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A word of a command may be longer than any path.
        return False
