"""Claims, arguments and evidence (CAE): the skeleton of an assurance case.

A claim is supported by an argument, an argument by claims and evidence; side-claims say why the argument is
valid and rest on checks (paper RAM, section 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

from surefoot.core import InvalidInput, validate
from surefoot.core.canonical import reading

Kind = Literal["claim", "argument", "evidence", "side-claim"]
Standing = Literal["supported", "open", "contradicted"]


@dataclass(frozen=True)
class Node:
    """One box: what it says, how it stands, and what holds it up.

    ``reference`` leads to what was measured (``step.quantity``); ``note`` is a figure or a reason.
    """

    id: str
    kind: Kind
    text: str
    standing: Standing = "open"
    note: str = ""
    reference: str = ""
    children: tuple[Node, ...] = ()

    def __post_init__(self) -> None:
        validate.choice(self.kind, get_args(Kind), where=f"case node {self.id!r}", name="kind")
        validate.choice(self.standing, get_args(Standing), where=f"case node {self.id!r}", name="standing")
        if not self.id or not self.text:
            raise InvalidInput("a node of a case needs an id and a text", where="case", found=repr(self.id))

    def walk(self) -> Iterator[Node]:
        """The node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        own = {name: getattr(self, name) for name in ("id", "kind", "text", "standing", "note", "reference")}
        return own | {"children": [child.to_dict() for child in self.children]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("case"):
            children = tuple(cls.from_dict(child) for child in data["children"])
            return cls(**{**data, "children": children})


@dataclass(frozen=True)
class Case:
    """A top claim with all that holds it up, and the context in which it is made."""

    top: Node
    context: tuple[str, ...] = field(default=())

    def nodes(self) -> Iterator[Node]:
        """Every node, parents first."""
        return self.top.walk()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"top": self.top.to_dict(), "context": list(self.context)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("case"):
            return cls(Node.from_dict(data["top"]), tuple(data["context"]))
