"""Layers of a torch module: their names, and the tensor in what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.core import InvalidInput, validate


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
