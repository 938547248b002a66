"""Families of frozen dataclasses that write a ``type`` tag and are read back by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from surefoot.core.canonical import freeze, reading, thaw, unthaw
from surefoot.core.errors import InvalidInput

HEADER = re.compile(r'^class [^:]*\btag="([\w-]+)"', re.MULTILINE)


class Tagged:
    """Base of a family; a direct subclass is the family's root, deeper ones register by tag."""

    tag: ClassVar[str]
    _members: ClassVar[dict[str, type[Tagged]]]

    def __init_subclass__(cls, *, tag: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Tagged in cls.__bases__:
            cls._members = {}
        if tag is not None:
            cls.tag = tag
            cls._members[tag] = cls

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, with the tag under ``type``."""
        values = {f.name: getattr(self, f.name) for f in fields(cast(Any, self))}
        return {"type": self.tag} | {name: _plain(value) for name, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        found = data.get("type") if isinstance(data, Mapping) else data
        member = _defined(cls, found) if isinstance(found, str) else None
        if member is None:
            raise InvalidInput(
                f"unknown {cls.__name__} type",
                found=repr(found),
                remedy=f"Known are {', '.join(sorted(cls._members))}.",
            )
        values = {name: value for name, value in data.items() if name != "type"}
        known = {f.name for f in fields(cast(Any, member))}
        needed = {f.name for f in fields(cast(Any, member)) if f.default is MISSING and f.default_factory is MISSING}
        if not needed <= set(values) <= known:
            raise InvalidInput(f"{found} needs the fields {sorted(known)}", found=sorted(map(str, values)))
        with reading(cls.__name__):
            return cast(Self, member(**{name: cls._read(value) for name, value in values.items()}))

    @classmethod
    def _read(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and "type" in value:
            return _root_of(value["type"]).from_dict(value)
        if isinstance(value, list | tuple):
            return tuple(cls._read(item) for item in value)
        return unthaw(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Tagged):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return thaw(freeze(value))


def _root_of(tag: str) -> type[Tagged]:
    for root in Tagged.__subclasses__():
        if _defined(root, tag):
            return root
    raise InvalidInput("unknown type in recorded data", found=repr(tag))


def _defined(root: type[Tagged], tag: str) -> type[Tagged] | None:
    """The member of a family; one that nothing has loaded yet is found by the header of its class."""
    if tag not in root._members and tag in _homes():
        import_module(_homes()[tag])
    return root._members.get(tag)


@cache
def _homes() -> dict[str, str]:
    """Modules of ours that define members, by tag."""
    top = Path(__file__).parents[1]
    return {
        tag: ".".join((top.name, *path.relative_to(top).with_suffix("").parts))
        for path in top.rglob("*.py")
        for tag in HEADER.findall(path.read_text(encoding="utf-8"))
    }
