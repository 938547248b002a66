"""Names of registered things as parameters of steps: what is registered is what a project file may write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import signature
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from surefoot.core import validate
from surefoot.core.registry import Entry, Registry, Unloadable


class NameOf:
    """In the annotation of a parameter: the name of something registered, of which the facts are true.

    ``also`` are words beside the names, such as ``auto``.
    """

    def __init__(self, registry: Registry[Any], *also: str, **facts: Any) -> None:
        self.registry, self.also, self.facts = registry, also, facts

    @property
    def words(self) -> tuple[str, ...]:
        """What a project file may write."""
        return (*self.also, *self.registry.names(**self.facts))

    def choice(self, word: str, *, where: str, name: str) -> str:
        """A word that a project file may write, or the name of what was defined here; a slip gets a suggestion."""
        return word if self._knows(word) else validate.choice(word, self.words, where=where, name=name)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._checked)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: Any) -> dict[str, Any]:
        return {"enum": list(self.words), "type": "string"}

    def _knows(self, word: Any) -> bool:
        return isinstance(word, str) and (word in self.also or self.registry.knows(word, **self.facts))

    def _checked(self, word: Any) -> str:
        if not self._knows(word):
            *most, last = map(repr, self.words)
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(most)} or {last}" if most else last})
        return str(word)

    def described(self, *text: str) -> str:
        """A description of the parameter, with a word on those names that it leaves out."""
        said = " ".join(text)
        entries = self.registry.entries(**self.facts).items()
        return " ".join([said, *(f"`{name}`: {_summary(entry)}" for name, entry in entries if f"`{name}`" not in said)])


def named_entries(fields: Mapping[str, FieldInfo], parameters: Mapping[str, Any]) -> Iterator[tuple[str, Entry[Any]]]:
    """The kind and the entry of everything that parameters name."""
    for name, about in fields.items():
        value = parameters.get(name)
        for each in value if isinstance(value, list) else [value]:
            for place in _places(about.annotation, *about.metadata):
                if isinstance(each, str) and place.registry.knows(each):
                    yield place.registry.kind, place.registry.find(each)


def made_with(make: Callable[..., Any], offered: Mapping[str, Any]) -> Any:
    """What a class or function makes of those of the offered arguments that it takes."""
    return make(**{name: value for name, value in offered.items() if name in signature(make).parameters})


def _places(annotation: Any, *metadata: Any) -> Iterator[NameOf]:
    yield from (each for each in metadata if isinstance(each, NameOf))
    for inner in get_args(annotation):
        yield from _places(inner, *getattr(inner, "__metadata__", ()))


def _summary(entry: Entry[Any]) -> str:
    try:
        return entry.summary
    except Unloadable as error:
        return str(error)
