"""A case while it is being written: nodes are added once, and what two places say of one node is united."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from surefoot.case.case import Case, Module
from surefoot.case.node import Block, Kind, Node
from surefoot.case.templates.aspects import role_of
from surefoot.case.templates.ingredients import Ingredients, step_of
from surefoot.case.templates.standards import tags
from surefoot.core import Assumption, Estimate, digest
from surefoot.documents import sentence, significant

RELATIONS = ("supported_by", "in_context_of", "challenges")
WORST = ("contradicted", "unchecked", "supported")


@dataclass(frozen=True)
class _Assumed:
    """The node of an assumption, and the worst that a check found."""

    identity: str
    status: str

    @property
    def contradicted(self) -> bool:
        return self.status == "contradicted"


class Draft:
    """Nodes by id in the order they were written."""

    def __init__(self, ingredients: Ingredients) -> None:
        self.ingredients = ingredients
        self.nodes: dict[str, Node] = {}
        self.modules: dict[str, Module] = {}
        self._assumed: dict[tuple[str, str, str], _Assumed] = {}

    def add(self, identity: str, kind: Kind, text: str, **fields: Any) -> str:
        """Add a node, or unite its relations with those of the one that is there; gives the id."""
        node = Node(identity, kind, text, **fields)
        before = self.nodes.get(identity)
        self.nodes[identity] = node if before is None else _united(before, node)
        return identity

    def relate(self, identity: str, **relations: Iterable[str]) -> None:
        """Add relations to a node that is there."""
        node = self.nodes[identity]
        more = {name: _both(getattr(node, name), ids) for name, ids in relations.items()}
        self.nodes[identity] = replace(node, undeveloped=False, **more)  # type: ignore[arg-type]

    def split(self, identity: str) -> None:
        """Name the block of an argument by what it rests on: several parts, or the claim made precise by one."""
        node = self.nodes[identity]
        block: Block = "decomposition" if len(node.supported_by) > 1 else "concretion"
        self.nodes[identity] = replace(node, block=block)

    def module(self, name: str, brief: str) -> str:
        """Open a module; gives its name."""
        self.modules.setdefault(name, Module(name, brief))
        return name

    def side_claims(self, reference: str, assumptions: Iterable[Assumption], *, module: str = "") -> tuple[str, ...]:
        """A side-claim for each assumption of a result.

        The same assumption about the same thing is one node wherever it appears, and stands as the worst check says.
        Only where one result contradicts what another does not are there two, so that neither verdict is overruled.
        """
        return tuple(dict.fromkeys(self._side_claim(reference, each, module) for each in assumptions))

    def _side_claim(self, reference: str, assumption: Assumption, module: str) -> str:
        stated = (assumption.id, assumption.text, assumption.scope)
        known = self._assumed.get(stated)
        if known is None:
            identity = self._unused(assumption)
        elif known.contradicted != (assumption.status == "contradicted"):
            identity = f"{known.identity}@{step_of(reference)}"
        elif WORST.index(assumption.status) >= WORST.index(known.status):
            return known.identity
        else:
            identity = known.identity
        if known is None or identity == known.identity:
            self._assumed[stated] = _Assumed(identity, assumption.status)
        named = f"{assumption.id}[{assumption.scope}]" if assumption.scope else assumption.id
        return self.add(
            identity,
            "side-claim",
            sentence(assumption.text),
            rests_on=reference,
            assumption=named,
            module=module,
            tags=tags(role_of(assumption.id, self.ingredients.conditions)),
            note=_looked_at(assumption),
        )

    def _unused(self, assumption: Assumption) -> str:
        scope = f"[{assumption.scope}]" if assumption.scope else ""
        identity = f"assumption.{assumption.id}{scope}"
        return f"{identity}.{digest(assumption.text)[:8]}" if identity in self.nodes else identity

    def evidence(self, reference: str, estimate: Estimate, text: str, note: str = "", *, module: str = "") -> str:
        """What was measured: one node for one result, wherever it is used."""
        return self.add(
            f"evidence.{reference}",
            "evidence",
            text,
            rests_on=reference,
            digest=estimate.digest,
            module=module,
            note=note,
            tags=tags("verification"),
        )

    def case(self, name: str) -> Case:
        """The finished case; what other modules refer to is public."""
        away = {
            below
            for node in self.nodes.values()
            for below in node.related
            if below in self.nodes and self.nodes[below].module != node.module
        }
        away |= {node.of.rpartition("/")[2] for node in self.nodes.values() if "/" in node.of}
        nodes = {key: replace(node, public=True) if key in away else node for key, node in self.nodes.items()}
        return Case(nodes, name=name, modules=self.modules)


def _looked_at(assumption: Assumption) -> str:
    check = assumption.check
    if check is None:
        return ""
    size = "" if check.effect is None else f" Size of the departure: {significant(check.effect)}."
    return f"Looked at: {check.method}.{size}"


def _united(before: Node, node: Node) -> Node:
    more: dict[str, Any] = {name: _both(getattr(before, name), getattr(node, name)) for name in RELATIONS}
    return replace(node, **more, module=before.module, tags=_both(before.tags, node.tags), rests_on=node.rests_on)


def _both(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
