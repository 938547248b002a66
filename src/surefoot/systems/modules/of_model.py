"""ONNX and tflite models as parts of a system."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from surefoot.adapters import tflite_model
from surefoot.adapters.batches import in_batches_of
from surefoot.adapters.files import file_digest
from surefoot.adapters.model import running
from surefoot.adapters.onnx_model import Session
from surefoot.adapters.onnx_weights import weight_files
from surefoot.core import InvalidInput
from surefoot.metrics.distances import Distance
from surefoot.monitors.features import OnnxFeatures
from surefoot.monitors.features.watch import Pool
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.module import Answer, Module
from surefoot.systems.modules.shapes import as_given

Decode = Callable[[Any], Any]
File = str | os.PathLike[str]
Gives = str | Mapping[str, str]


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
    """An ONNX model of one input and one output; ``layer`` names a node or tensor that features are read from."""
    run = _Onnx(_one(name, path, inputs), gives, decode, layer, pool)
    return _module(
        name, run, inputs, takes, distance, [run.path, *map(run.path.parent.joinpath, weight_files(run.path))]
    )


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
    """A TensorFlow Lite model of one input and one output; quantised numbers are made plain."""
    run = _Tflite(_one(name, path, inputs), gives, decode)
    return _module(name, run, inputs, takes, distance, [run.path])


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


def _one(name: str, path: File, inputs: Mapping[str, str]) -> Path:
    where = f"module {name!r}"
    if len(inputs) != 1:
        remedy = "Wrap a model of several inputs in a Python function."
        raise InvalidInput("a model file takes one input", where=where, found=", ".join(inputs), remedy=remedy)
    if not Path(path).is_file():
        raise InvalidInput("the model file is missing", where=where, found=str(path))
    return Path(path).absolute()


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


class _Tflite(_File):
    def _open(self) -> Any:
        return tflite_model.load(self.path).function
