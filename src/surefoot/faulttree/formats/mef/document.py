"""The elements of an Open-PSA file for a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from surefoot.core.canonical import FrozenMap
from surefoot.faulttree.formats.formulas import formula_data
from surefoot.faulttree.formats.mef.common_causes import MODELS
from surefoot.faulttree.formats.mef.description_text import description
from surefoot.faulttree.formats.mef.layout import Layout
from surefoot.faulttree.formats.mef.nearest import plain_group, plain_quantity
from surefoot.faulttree.formats.mef.nearest_formulas import plain_formula, require_shallow
from surefoot.faulttree.formats.mef.places import Places
from surefoot.faulttree.formats.mef.quantity_text import expression
from surefoot.faulttree.formats.mef.words import Words
from surefoot.faulttree.formats.mef.xml_text import element
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups import FactorModel
from surefoot.faulttree.quantities import Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

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
