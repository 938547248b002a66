"""Where the value of a step's parameter comes from, read from its annotation."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, get_args, get_origin

from surefoot.adapters import Data, Tested
from surefoot.core import Estimate, Executor, InvalidInput, Model
from surefoot.project.asked import Asked
from surefoot.project.definition import Conditions
from surefoot.project.vocabulary import bare

PROVIDED = {
    Tested: "tested",
    Data: "data",
    Model: "model",
    Executor: "executor",
    Conditions: "conditions",
    Asked: "asked",
    Estimate: "one",
}
COMPONENT_ROLES = ("tested", "data", "model")
ESTIMATE_ROLES = ("one", "many", "list")
_MAPPINGS = (Mapping, dict)
_LISTS = (Sequence, Iterable, list, tuple)


def role_of(parameter: inspect.Parameter, *, where: str) -> str | None:
    """The role of a parameter; None for what the project file says in full."""
    if parameter.name == "seed":
        return "seed"
    options = [option for option in bare(parameter.annotation) if option is not NoneType]
    role = _role(options[0]) if len(options) == 1 else None
    if role is None and any(leaf is kind for leaf in _leaves(parameter.annotation) for kind in PROVIDED):
        raise InvalidInput(
            "a parameter of the step mixes what a project file says with what Surefoot provides",
            where=where,
            found=str(parameter),
            remedy="Annotate it as Estimate, Mapping[str, Estimate], list[Estimate], Tested, Data, Model or Executor.",
        )
    return role


def _role(kind: Any) -> str | None:
    provided = next((role for known, role in PROVIDED.items() if kind is known), None)
    inner = get_args(kind)
    if provided or Estimate not in inner:
        return provided
    if get_origin(kind) in _MAPPINGS and inner == (str, Estimate):
        return "many"
    return "list" if get_origin(kind) in _LISTS and inner in ((Estimate,), (Estimate, ...)) else None


def _leaves(kind: Any) -> Iterator[Any]:
    inner = get_args(kind)
    if not inner:
        yield kind
    for part in inner:
        yield from _leaves(part)
