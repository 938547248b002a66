"""ONNX and tflite models as parts of a system."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters import onnx_model, tflite_model
from surefoot.adapters.files import file_digest
from surefoot.core import InvalidInput
from surefoot.metrics.distances import Distance
from surefoot.monitors.features import OnnxFeatures
from surefoot.monitors.features.watch import Pool
from surefoot.systems.graph.identity import version_of
from surefoot.systems.graph.module import Answer, Module

Decode = Callable[[Any], Any]
File = str | os.PathLike[str]


def onnx_module(
    name: str,
    path: File,
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "vector",
    takes: Mapping[str, str] | None = None,
    layer: str | None = None,
    pool: Pool = "flatten",
    decode: Decode | None = None,
    distance: str | Distance | None = None,
) -> Module:
    """An ONNX model of one input and one output; ``layer`` names a node or tensor that features are read from."""
    return _module(name, _Onnx(_one(name, path, inputs), decode, layer, pool), inputs, gives, takes, distance)


def tflite_module(
    name: str,
    path: File,
    inputs: Mapping[str, str],
    *,
    gives: str | Mapping[str, str] = "vector",
    takes: Mapping[str, str] | None = None,
    decode: Decode | None = None,
    distance: str | Distance | None = None,
) -> Module:
    """A TensorFlow Lite model of one input and one output; quantised numbers are made plain."""
    return _module(name, _Tflite(_one(name, path, inputs), decode), inputs, gives, takes, distance)


def _module(
    name: str,
    run: _File,
    inputs: Mapping[str, str],
    gives: str | Mapping[str, str],
    takes: Mapping[str, str] | None,
    distance: str | Distance | None,
) -> Module:
    run.opened  # noqa: B018, a file that cannot be read is told now, not in the middle of a study
    version = version_of([file_digest(run.path), type(run).__name__, run.decode])
    return Module(name, run, inputs, takes or {}, gives, None, distance, version)


def _one(name: str, path: File, inputs: Mapping[str, str]) -> Path:
    where = f"module {name!r}"
    if len(inputs) != 1:
        remedy = "Wrap a model of several inputs in a Python function."
        raise InvalidInput("a model file takes one input", where=where, found=", ".join(inputs), remedy=remedy)
    if not Path(path).is_file():
        raise InvalidInput("the model file is missing", where=where, found=str(path))
    return Path(path)


@dataclass(eq=False)
class _File:
    """A model file, opened anew in every process."""

    path: Path
    decode: Decode | None
    layer: str | None = None
    pool: Pool = "flatten"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "opened"}

    @cached_property
    def opened(self) -> Any:
        """The model, ready to run."""
        raise NotImplementedError

    def __call__(self, **inputs: Any) -> Any:
        (batch,) = inputs.values()
        features, answers = self._answers(np.asarray(batch))
        outputs = answers if self.decode is None else self.decode(answers)
        return outputs if features is None else Answer(outputs, features)

    def _answers(self, batch: Any) -> tuple[Any, Any]:
        return None, self.opened.answers(batch)


class _Onnx(_File):
    @cached_property
    def opened(self) -> Any:
        loaded = onnx_model.load(self.path)
        return loaded if self.layer is None else OnnxFeatures(loaded.source, self.layer, pool=self.pool)

    def _answers(self, batch: Any) -> tuple[Any, Any]:
        if self.layer is None:
            return super()._answers(batch)
        found: tuple[Any, Any] = self.opened.both(batch)
        return found


class _Tflite(_File):
    @cached_property
    def opened(self) -> Any:
        return tflite_model.load(self.path)
