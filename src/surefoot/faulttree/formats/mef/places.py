"""Where each name of a tree stands in a file, and how it is referred to from elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from surefoot.documents import Findings
from surefoot.faulttree.formats.mef.draft import Names, Scope
from surefoot.faulttree.formats.plain import TREE

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")
"""The names that every reader of Open-PSA takes; the format allows letters of other scripts, tools differ."""
_OTHERS = re.compile(r"[^A-Za-z0-9_]+")


def is_identifier(text: str) -> bool:
    """Whether Open-PSA takes it as a name."""
    return bool(_IDENTIFIER.fullmatch(text))


def identifier(text: str) -> str:
    """The nearest name that Open-PSA takes."""
    if is_identifier(text):
        return text
    found = _OTHERS.sub("_", text)
    return found if is_identifier(found) else f"_{found}"


@dataclass(frozen=True)
class Place:
    """The container of a name, its identifier there, and whether it is known by its path only."""

    container: str
    identifier: str
    private: bool

    @property
    def path(self) -> str:
        """How it is referred to from everywhere."""
        return f"{self.container}.{self.identifier}"


@dataclass
class Places:
    """The places of one namespace; ``main`` is the fault tree that takes what has no other container."""

    main: str
    trees: frozenset[str]
    places: dict[str, Place] = field(default_factory=dict)
    _names: Names = field(default_factory=Names)
    _numbers: Counter[str] = field(default_factory=Counter)

    def put(self, name: str, container: str | None = None, *, flat: bool = False) -> None:
        """Give a name its place: that of its path, in a container, or in the main tree."""
        path, _, last = name.rpartition(".")
        if path and not flat and self._is_container(path) and is_identifier(last) and self._is_free(f"{path}.{last}"):
            self._set(name, Place(path, last, private=True))
            return
        home = container if container is not None and self._is_container(container) else self.main
        self._set(name, Place(home, self._free_identifier(identifier(name), home), private=False))

    def _free_identifier(self, wish: str, home: str) -> str:
        """The wish, or the wish with the next number."""
        found = wish
        while found in self._names.public or not self._is_free(f"{home}.{found}"):
            self._numbers[wish] += 1
            found = f"{wish}_{self._numbers[wish]}"
        return found

    def reference(self, name: str, container: str) -> str:
        """What a definition in a container writes to refer to a name."""
        place = self.places[name]
        if not place.private and self._names.find(place.identifier, _scope(container)) == name:
            return place.identifier
        return place.path

    def _set(self, name: str, place: Place) -> None:
        self.places[name] = place
        self._names.paths[place.path] = name
        if not place.private:
            self._names.public[place.identifier] = name

    def _is_free(self, path: str) -> bool:
        return path not in self._names.paths

    def _is_container(self, path: str) -> bool:
        """A container named like a fault tree further in would hide that tree."""
        tree, *inner = path.split(".")
        return all(map(is_identifier, (tree, *inner))) and not self.trees.intersection(inner)


def _scope(path: str) -> Scope:
    return Scope(path, private=False, findings=Findings("", TREE))
