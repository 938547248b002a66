"""The two notations: what each kind of node is called in CAE and in GSN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from surefoot.case.node import Node

Notation = Literal["cae", "gsn"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)
CAE = {
    "claim": "claim",
    "argument": "argument",
    "evidence": "evidence",
    "side-claim": "side-claim",
    "justification": "justification",
    "context": "context",
    "sub-case": "sub-case",
    "contract": "contract",
    "defeater": "defeater",
}
GSN = {
    "claim": "goal",
    "argument": "strategy",
    "evidence": "solution",
    "side-claim": "assumption",
    "justification": "justification",
    "context": "context",
    "sub-case": "away goal",
    "contract": "contract",
    "defeater": "defeater",
}


def word(node: Node, notation: Notation) -> str:
    """What the node is called; a side-claim that something holds up is a goal in GSN.

    >>> from surefoot.case.node import Node
    >>> word(Node("A1", "argument", "Over all hazards"), "gsn")
    'strategy'
    """
    if notation == "cae":
        return CAE[node.kind]
    if node.kind == "side-claim" and (node.supported_by or node.undeveloped):
        return "goal"
    if node.kind == "sub-case" and "/" not in node.of:
        return "module"
    return GSN[node.kind]
