"""Which names of a tree a file defines, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from surefoot.faulttree.formats.mef.finishing import CONTAINER
from surefoot.faulttree.formats.mef.nearest import nearest_expansion
from surefoot.faulttree.formats.mef.places import Places, identifier, is_identifier
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups import CommonCause, Expansion, FactorModel
from surefoot.faulttree.quantities import Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


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
