"""Read the signature of a step, and refuse what a project file could not fill in."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from surefoot.core import InvalidInput
from surefoot.project.definition import EvidenceSource


def parameters_of(name: str, function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a step, each with its annotation as an object."""
    where = f"step {name!r}"
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except Exception as error:
        raise InvalidInput(
            "the signature of the step cannot be read",
            where=where,
            found=f"{type(error).__name__}: {error}",
            remedy="Import what the annotations name where the function is defined.",
        ) from error
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidInput(
                "a step names each of its parameters",
                where=where,
                found=str(parameter),
                remedy="A decorator keeps the names with functools.wraps.",
            )
        if parameter.name in EvidenceSource.model_fields or parameter.name.startswith("_"):
            raise InvalidInput("a parameter of a step needs another name", where=where, found=repr(parameter.name))
    return parameters


def field_of(parameter: inspect.Parameter) -> tuple[Any, Any]:
    """Annotation and default, as pydantic takes them."""
    annotation = Any if parameter.annotation is parameter.empty else parameter.annotation
    return annotation, ... if parameter.default is parameter.empty else parameter.default


def model_of(name: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    """A pydantic model whose schema exists, because whatever a file can say has one."""
    config = ConfigDict(extra="forbid", allow_inf_nan=False, protected_namespaces=())
    try:
        with warnings.catch_warnings():
            # A parameter may be called like a method of pydantic's, such as copy.
            warnings.simplefilter("ignore")
            model = create_model(name, __config__=config, **fields)  # type: ignore[call-overload]
            model.model_json_schema()
    except Exception as error:
        raise InvalidInput(
            "a parameter of the step has a type that no project file can write",
            where=f"step {name!r}",
            found=str(error).partition("\n")[0],
            remedy="Use numbers, texts, lists, mappings, Literal or pydantic models.",
        ) from error
    return model
