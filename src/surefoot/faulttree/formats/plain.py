"""A fault tree as plain data, the same for YAML and JSON.

Whatever belongs to a gate or event stands with it; labels and attributes of other things have sections of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from surefoot.documents import Kind
from surefoot.faulttree.formats.formulas import formula_data
from surefoot.faulttree.formats.shorthand import written, written_value

if TYPE_CHECKING:
    from surefoot.faulttree.formula import Formula
    from surefoot.faulttree.groups import CommonCause
    from surefoot.faulttree.model import FaultTree
    from surefoot.faulttree.quantities import Quantity

TREE = Kind(
    "tree-syntax",
    named=dict.fromkeys(("gates", "events", "houses", "parameters"), "tree-duplicate"),
    beginning="Export it again.",
    flatter="Give inner formulas names.",
)
MARK, VERSION = "surefoot-tree", 1
SECTIONS = ("gates", "events", "houses", "groups", "parameters", "labels", "attributes")
LEFT_OUT = "left out"
KEYS = (MARK, "name", "top", LEFT_OUT, *SECTIONS)
LABEL, COMPONENT, ATTRIBUTES, STATE = "label", "component", "attributes", "state"
BESIDES = (LABEL, COMPONENT, ATTRIBUTES)


class Described(Protocol):
    """What has the sections of a tree."""

    @property
    def gates(self) -> Mapping[str, Formula]: ...
    @property
    def events(self) -> Mapping[str, Quantity | None]: ...
    @property
    def houses(self) -> Mapping[str, bool]: ...
    @property
    def groups(self) -> tuple[CommonCause, ...]: ...
    @property
    def parameters(self) -> Mapping[str, Quantity]: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def attributes(self) -> Mapping[str, Mapping[str, str]]: ...


def plain_data(tree: FaultTree) -> dict[str, Any]:
    """Everything that the tree says, section by section; empty ones are left out."""
    left_out = {LEFT_OUT: list(tree.left_out)} if tree.left_out else {}
    return {MARK: VERSION, "name": tree.name, "top": tree.top, **left_out, **sections(tree)}


def sections(tree: Described) -> dict[str, Any]:
    """The sections that are not empty, of a tree or of what trees are made from."""
    about = _About(tree)
    placed = {*tree.gates, *tree.events, *tree.houses}
    found: dict[str, dict[str, Any]] = {
        "gates": {name: formula_data(formula) | about.of(name) for name, formula in tree.gates.items()},
        "events": {name: _event(quantity, about.of(name)) for name, quantity in tree.events.items()},
        "houses": {name: _house(state, about.of(name)) for name, state in tree.houses.items()},
        "groups": {group.name: _group(group) for group in tree.groups},
        "parameters": {name: written_value(quantity.to_dict()) for name, quantity in tree.parameters.items()},
        "labels": {name: text for name, text in tree.labels.items() if name not in placed},
        "attributes": {name: dict(said) for name, said in tree.attributes.items() if name not in placed},
    }
    return {name: section for name, section in found.items() if section}


class _About:
    """Labels and attributes of what has a place of its own."""

    def __init__(self, tree: Described) -> None:
        self.labels, self.attributes = tree.labels, tree.attributes

    def of(self, name: str) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if name in self.labels:
            said[LABEL] = self.labels[name]
        if name in self.attributes:
            said |= _attributes(self.attributes[name])
        return said


def _attributes(said: Mapping[str, str]) -> dict[str, Any]:
    component = {COMPONENT: said[COMPONENT]} if COMPONENT in said else {}
    others = {key: value for key, value in said.items() if key != COMPONENT}
    return component | ({ATTRIBUTES: others} if others or not component else {})


def _event(quantity: Quantity | None, about: dict[str, Any]) -> Any:
    from surefoot.faulttree.quantities import Quantity

    if quantity is None:
        return about or None
    data = quantity.to_dict()
    return written(data, Quantity) | about if about else written_value(data)


def _house(state: bool, about: dict[str, Any]) -> Any:
    return {STATE: state} | about if about else state


def _group(group: Any) -> dict[str, Any]:
    from surefoot.faulttree.groups import CommonCause

    return written(group.to_dict(), CommonCause, without=("name",))
