"""Fault trees as Open-PSA files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any

from surefoot.core.canonical import FrozenMap
from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, Refused
from surefoot.faulttree.common_cause import CommonCause, Expansion, FactorModel
from surefoot.faulttree.formats.assembly import TREE
from surefoot.faulttree.formats.mef.definitions import MODELS
from surefoot.faulttree.formats.mef.elements import EXACT, Names, Scope, element, escaped_json, is_safe
from surefoot.faulttree.formats.mef.expressions import (
    expression,
    nearest_expansion,
    plain_formula,
    plain_group,
    plain_quantity,
    require_shallow,
)
from surefoot.faulttree.formats.mef.reader import CONTAINER
from surefoot.faulttree.formats.native import formula_data
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


def write_mef(tree: FaultTree) -> str:
    """A model in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008) that ``read_mef`` reads back as it was.

    What the format has no words for is written as the nearest that it has, with the exact words as JSON in an
    attribute ``surefoot`` beside it: names that are no identifiers, priority-and, counts, measured estimates.
    """
    try:
        lines = Document(tree).lines()
    except Refused as error:
        raise DiagnosticsError.of(error.code, error.text, hint=error.hint) from error
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *element("opsa-mef", {}, lines), ""])


MODEL_NAMES = {model: name for name, model in MODELS.items()}


class Document:
    """Collects definitions container by container."""

    def __init__(self, tree: FaultTree) -> None:
        self.tree, self.layout = tree, Layout(tree)
        self.inside: dict[str, list[str]] = defaultdict(list)
        self.words = Words(tree, self.layout)

    def lines(self) -> list[str]:
        """The fault trees, the main one first."""
        for name, formula in self.layout.gates.items():
            self._gate(name, formula)
        for name, state in self.tree.houses.items():
            value = element("constant", {"value": str(state).lower()})
            self._define("define-house-event", name, self.layout.events, value)
        for name, quantity in self.layout.basic.items():
            self._quantity("define-basic-event", name, self.layout.events, quantity)
        for name, quantity in self.layout.parameters.items():
            self._quantity("define-parameter", name, self.layout.shared, quantity)
        for group in self.layout.known:
            self._group(group)
        trees = dict.fromkeys([self.layout.main, *(path.partition(".")[0] for path in self.inside)])
        described = {self.layout.main: description(None, None, self._whole())}
        return [line for tree in trees for line in self._container(tree, described.get(tree, []))]

    def _container(self, path: str, described: list[str]) -> list[str]:
        tag = "define-component" if "." in path else "define-fault-tree"
        below = f"{path}."
        inner = dict.fromkeys(
            below + other.removeprefix(below).partition(".")[0] for other in self.inside if other.startswith(below)
        )
        nested = [line for each in inner for line in self._container(each, [])]
        name = path.rpartition(".")[2]
        return element(tag, {"name": name}, [*described, *self.inside.get(path, []), *nested])

    def _gate(self, name: str, formula: Formula) -> None:
        require_shallow(name, formula)
        plain = plain_formula(formula)
        require_shallow(name, plain)
        exact = {} if plain == formula else {"formula": formula_data(formula)}
        refer = partial(self._reference, container=self.layout.events.places[name].container)
        lines = refer(plain.inputs[0]) if plain.kind == "pass" else refer(plain)
        self._define("define-gate", name, self.layout.events, lines, exact)

    def _reference(self, item: str | bool | Formula, container: str) -> list[str]:
        if isinstance(item, bool):
            return element("constant", {"value": str(item).lower()})
        if isinstance(item, str):
            return element(self._kind(item), {"name": self.layout.events.reference(item, container)})
        counts = {"min": item.minimum, "max": item.maximum}
        numbers = {key: str(value) for key, value in counts.items() if value is not None}
        inner = [line for each in item.inputs for line in self._reference(each, container)]
        return element(item.kind, numbers, inner)

    def _kind(self, name: str) -> str:
        if name in self.tree.houses:
            return "house-event"
        return "gate" if name in self.layout.gates else "basic-event"

    def _quantity(self, tag: str, name: str, places: Places, quantity: Quantity | None) -> None:
        if quantity is None:
            self._define(tag, name, places, [])
            return
        plain = plain_quantity(quantity, self.layout.parameters)
        exact = {} if plain == quantity else {"quantity": quantity.to_dict()}
        self._define(tag, name, places, self._expression(plain, places.places[name].container), exact)

    def _expression(self, quantity: Quantity, container: str) -> list[str]:
        return expression(quantity, partial(self.layout.shared.reference, container=container))

    def _group(self, group: FactorModel) -> None:
        plain = plain_group(group, self.layout.parameters)
        places, main = self.layout.events.places, self.layout.main
        names = [places[member].identifier for member in group.members]
        exact = {} if plain == group and names == list(group.members) else {"group": group.to_dict()}
        levels = plain.factor_levels
        factors = [
            line
            for level, factor in zip(levels, plain.given, strict=True)
            for line in element("factor", {"level": str(level)}, self._expression(factor, main))
        ]
        members = [line for name in names for line in element("basic-event", {"name": name})]
        inner = [
            *element("members", {}, members),
            *element("distribution", {}, self._expression(plain.distribution, main)),
            *element("factors", {}, factors),
        ]
        model = {"model": MODEL_NAMES[type(group)]}
        self._define("define-CCF-group", group.name, self.layout.grouped, inner, exact, model)

    def _define(
        self,
        tag: str,
        name: str,
        places: Places,
        inner: list[str],
        exact: Mapping[str, Any] = FrozenMap(),
        more: Mapping[str, str] = FrozenMap(),
    ) -> None:
        place = places.places[name]
        head, described = self.words.definition(tag, name, place, exact)
        self.inside[place.container] += element(tag, {**head, **more}, [*described, *inner])

    def _whole(self) -> dict[str, Any]:
        """What is said of the tree as a whole, and of names that have no definition."""
        found: dict[str, Any] = {"top": self.tree.top}
        if self.layout.main != self.tree.name:
            found["name"] = self.tree.name
        if self.layout.foreign:
            found["groups"] = [group.to_dict() for group in self.layout.foreign]
            found["order"] = [group.name for group in self.tree.groups]
        if self.layout.bare:
            found["bare"] = list(self.layout.bare)
        if self.tree.left_out:
            found["left out"] = list(self.tree.left_out)
        return found | self.words.rest()


# Which names of a tree a file defines, and where.


@dataclass
class Layout:
    """Names of events and parameters with their places, and the groups that Open-PSA knows or does not know."""

    tree: FaultTree
    main: str = ""
    known: list[FactorModel] = field(default_factory=list)
    foreign: list[CommonCause] = field(default_factory=list)
    derived: list[Expansion] = field(default_factory=list)

    def __post_init__(self) -> None:
        tree = self.tree
        self.main = identifier(tree.name)
        self.known = [group for group in tree.groups if isinstance(group, FactorModel)]
        self.foreign = [group for group in tree.groups if not isinstance(group, FactorModel)]
        self.derived = [nearest_expansion(group, tree.parameters) for group in self.foreign]
        members = {member for group in tree.groups for member in group.members}
        self.bare = {name: None for name in tree.events if name in members}
        self.events = self._places([*tree.gates, *tree.houses, *self._basic()], flat=members)
        self.shared = self._places([*tree.parameters, *(n for part in self.derived for n in part.parameters)])
        self.grouped = self._places([group.name for group in self.known], flat={g.name for g in self.known})

    def _basic(self) -> Iterable[str]:
        members = dict.fromkeys(member for group in self.known for member in group.members)
        derived = [name for part in self.derived for name in (*part.gates, *part.events)]
        return dict.fromkeys([*(n for n in self.tree.events if n not in self.bare), *members, *derived])

    def _places(self, names: Iterable[str], flat: Iterable[str] = ()) -> Places:
        """Plain names first, so that they keep their identifiers."""
        names, level = list(names), set(flat)
        said = self.tree.attributes
        containers = {name: said[name][CONTAINER] for name in names if CONTAINER in said.get(name, {})}
        paths = [*containers.values(), *(name for name in names if "." in name)]
        places = Places(self.main, frozenset([self.main, *(path.partition(".")[0] for path in paths)]))
        for name in sorted(names, key=lambda n: (not is_identifier(n), "." not in n)):
            places.put(name, containers.get(name), flat=name in level)
        return places

    @cached_property
    def gates(self) -> Mapping[str, Formula]:
        """Gates of the tree and those in place of groups that Open-PSA does not know."""
        return {**self.tree.gates, **{n: f for part in self.derived for n, f in part.gates.items()}}

    @cached_property
    def basic(self) -> Mapping[str, Quantity | None]:
        """Basic events, likewise; members of groups are defined by their groups."""
        own = {name: quantity for name, quantity in self.tree.events.items() if name not in self.bare}
        return {**own, **{n: q for part in self.derived for n, q in part.events.items()}}

    @cached_property
    def parameters(self) -> Mapping[str, Quantity]:
        """Parameters, likewise."""
        return {**self.tree.parameters, **{n: q for part in self.derived for n, q in part.parameters.items()}}


# Where each name of a tree stands in a file, and how it is referred to from elsewhere.

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


# Labels and attributes of a tree: those that go with a definition, and the rest.

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
        due = key not in self.told and name not in self.derived
        said = self.tree.attributes.get(key) if due else None
        label = self.tree.labels.get(key) if due else None
        unit = (said or {}).get("unit") if tag == "define-parameter" else None
        head = {"name": place.identifier}
        head |= {"role": "private"} if place.private else {}
        head |= {"unit": unit} if unit in UNITS else {}
        elsewhere = {} if place.private or place.container == self.layout.main else {CONTAINER: place.container}
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


def _without(said: Mapping[str, str] | None, told: Mapping[str, str]) -> dict[str, str] | None:
    """The attributes that are still to be told; None where there are none."""
    if said is None:
        return None
    left = {key: value for key, value in said.items() if told.get(key) != value}
    return left if left or not said else None


# Labels and attributes as elements, with what XML or Open-PSA cannot hold as JSON.


def description(label: str | None, said: Mapping[str, str] | None, exact: Mapping[str, Any]) -> list[str]:
    """The lines of a label and of attributes."""
    plain = {
        key: value for key, value in (said or {}).items() if is_identifier(key) and key != EXACT and is_safe(value)
    }
    others = {key: value for key, value in (said or {}).items() if key not in plain}
    own = dict(exact)
    if label is not None and not (is_safe(label) and label == label.strip()):
        own["label"] = label
    if others or (said is not None and not said):
        own["attributes"] = others
    shown = plain | ({EXACT: escaped_json(own)} if own else {})
    lines = [] if label is None or "label" in own else [f"<label>{escape(label, quote=False)}</label>"]
    items = [line for key, value in shown.items() for line in element("attribute", {"name": key, "value": value})]
    return lines + (element("attributes", {}, items) if items else [])
