"""Labels and attributes of a tree: those that go with a definition, and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surefoot.faulttree.formats.mef.description_text import description
from surefoot.faulttree.formats.mef.finishing import CONTAINER
from surefoot.faulttree.formats.mef.layout import Layout
from surefoot.faulttree.formats.mef.places import Place

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

UNITS = ("bool", "int", "float", "hours", "hours-1", "years", "years-1", "fit", "demands")


class Words:
    """What a tree says of its names, each told once."""

    def __init__(self, tree: FaultTree, layout: Layout) -> None:
        self.tree, self.layout = tree, layout
        self.told: set[str] = set()
        self.derived = {n for part in layout.derived for n in (*part.gates, *part.events, *part.parameters)}
        self.members = {member for group in tree.groups for member in group.members}

    def definition(
        self, tag: str, name: str, place: Place, exact: Mapping[str, Any]
    ) -> tuple[dict[str, str], list[str]]:
        """The attributes of a definition's element, and the lines of its description."""
        key = self._key(tag, name)
        said = self.tree.attributes.get(key) if self._is_due(name, key) else None
        label = self.tree.labels.get(key) if self._is_due(name, key) else None
        unit = (said or {}).get("unit") if tag == "define-parameter" else None
        head = {"name": place.identifier}
        head |= {"role": "private"} if place.private else {}
        head |= {"unit": unit} if unit in UNITS else {}
        elsewhere = {CONTAINER: place.container} if self._is_elsewhere(place) else {}
        shown = _without(said, elsewhere | ({"unit": unit} if unit in UNITS else {}))
        if name not in self.derived:
            self.told.add(key)
        full = place.path if place.private else place.identifier
        return head, description(label, shown, {**({} if full == name else {"name": name}), **exact})

    def rest(self) -> dict[str, Any]:
        """Labels and attributes of what has no definition of its own."""
        labels = {name: label for name, label in self.tree.labels.items() if name not in self.told}
        others = {name: dict(said) for name, said in self.tree.attributes.items() if name not in self.told}
        return ({"labels": labels} if labels else {}) | ({"others": others} if others else {})

    def _key(self, tag: str, name: str) -> str:
        tree = self.tree
        if tag != "define-parameter":
            return name
        taken = name in tree.gates or name in tree.events or name in tree.houses or name in self.members
        return f"parameter {name}" if taken else name

    def _is_due(self, name: str, key: str) -> bool:
        return key not in self.told and name not in self.derived

    def _is_elsewhere(self, place: Place) -> bool:
        return not place.private and place.container != self.layout.main


def _without(said: Mapping[str, str] | None, told: Mapping[str, str]) -> dict[str, str] | None:
    """The attributes that are still to be told; None where there are none."""
    if said is None:
        return None
    left = {key: value for key, value in said.items() if told.get(key) != value}
    return left if left or not said else None
