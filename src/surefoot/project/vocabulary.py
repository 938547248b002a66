"""The keys that a model knows at each place, for suggestions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from surefoot.documents import Keys

_COLLECTIONS = (dict, list, tuple, Mapping, Sequence)


def keys_at(model: type[BaseModel], path: Keys) -> tuple[str, ...]:
    """The keys that are known where ``path`` leads.

    >>> from surefoot.project.definition import Definition
    >>> keys_at(Definition, ("system",))
    ('name', 'description', 'hazard')
    """
    kind: Any = model
    for key in path:
        kind = _inside(kind, key)
    found = _model_in(kind)
    return tuple(found.model_fields) if found else ()


def bare(kind: Any) -> Iterator[Any]:
    """The members of a union, or the type itself, without annotations."""
    if get_origin(kind) is Annotated:
        yield from bare(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for member in get_args(kind):
            yield from bare(member)
    else:
        yield kind


def _inside(kind: Any, key: str | int) -> Any:
    model = _model_in(kind)
    if model and key in model.model_fields:
        return model.model_fields[str(key)].annotation
    return next((get_args(option)[-1] for option in bare(kind) if get_origin(option) in _COLLECTIONS), None)


def _model_in(kind: Any) -> type[BaseModel] | None:
    return next((option for option in bare(kind) if isinstance(option, type) and issubclass(option, BaseModel)), None)
