"""Torch modules: built by the project's own function, with weights from safetensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.model import LoadedModel, loading
from surefoot.adapters.modules import ProjectModules
from surefoot.core import DiagnosticsError
from surefoot.core.extras import require
from surefoot.documents import printable

_LOCKS: WeakKeyDictionary[Any, RLock] = WeakKeyDictionary()
_LOCKING = Lock()


def load(factory: str, weights: Path, modules: ProjectModules) -> LoadedModel:
    """Build the module and load its weights, all of them and no others."""
    torch = require("torch", extra="torch", purpose="A torch model")
    safetensors = require("safetensors.torch", extra="torch", purpose="A torch model")
    build = modules.find(factory, code="model-unreadable")
    with loading(factory, modules.folder), modules.active():
        module = build()
    if not isinstance(module, torch.nn.Module):
        text = f"{factory} returned a {type(module).__name__}, which is no torch module."
        raise DiagnosticsError.of("model-unreadable", text, where=factory)
    with loading(printable(weights.name), modules.folder):
        safetensors.load_model(module, _utf8(weights), strict=True)
    return LoadedModel(forward(module), factory, usual="logit", folder=modules.folder, source=module)


def forward(module: Any) -> Callable[[NDArray[Any]], Any]:
    """A function of arrays that runs a module in evaluation mode, without gradients."""
    import torch

    def run(inputs: NDArray[Any]) -> Any:
        with torch.no_grad(), evaluating(module):
            answer = module(as_tensor(inputs, module))
        return getattr(answer, "logits", answer)

    return run


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """Keep a module in evaluation mode for a while, to itself: other threads wait."""
    with alone_with(module):
        training = [part for part in module.modules() if part.training]
        if training:
            module.eval()
        try:
            yield
        finally:
            for part in training:
                part.training = True


def alone_with(module: Any) -> RLock:
    """The lock of a module: its mode, and hooks on its layers, belong to one thread at a time."""
    with _LOCKING:
        return _LOCKS.setdefault(module, RLock())


def as_tensor(inputs: NDArray[Any], module: Any) -> Any:
    """Inputs where the weights are; in their type, unless they are indices."""
    import torch

    tensor = torch.from_numpy(np.require(inputs, requirements=("C", "W")))
    weight = next((p for p in module.parameters() if p.is_floating_point()), None)
    if weight is None:
        return tensor
    is_index = tensor.dtype in (torch.int32, torch.int64)
    return tensor.to(device=weight.device, dtype=None if is_index else weight.dtype)


def _utf8(path: Path) -> str:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        text = "safetensors cannot open a file whose path is not UTF-8."
        raise DiagnosticsError.of("model-unreadable", text, where=printable(path.name), hint="Rename it.") from error
    return str(path)
