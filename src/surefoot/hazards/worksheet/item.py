"""What deviations are looked for in: nodes of a system, and flows between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from surefoot.core.canonical import FrozenMap
from surefoot.core.errors import InvalidInput


@dataclass(frozen=True)
class Item:
    """A node, or a flow where ``source`` and ``target`` name nodes.

    ``parameters`` maps each process parameter or attribute to its guide words. ``learned`` marks an item whose values
    come from machine learning.

    >>> flow = Item("objects", source="detection", target="planning", parameters={"data value": ("no value",)})
    >>> flow.kind
    'flow'
    """

    name: str
    source: str = ""
    target: str = ""
    learned: bool = False
    description: str = ""
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidInput("an item needs a name", where="Item")
        if bool(self.source) != bool(self.target):
            raise InvalidInput(
                "a flow needs both ends",
                where=f"item {self.name!r}",
                found=f"from {self.source!r} to {self.target!r}",
                remedy="Name two nodes, or none for a node.",
            )
        words = {name: tuple(dict.fromkeys(given)) for name, given in self.parameters.items()}
        object.__setattr__(self, "parameters", FrozenMap(words))

    @property
    def kind(self) -> str:
        """``node`` or ``flow``."""
        return "flow" if self.source else "node"
