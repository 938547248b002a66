"""The case as an outline: every node once, under the first that it belongs to; again only as a link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from surefoot.case.case import Case
from surefoot.case.evaluation import Assessed, Evaluation
from surefoot.case.node import Node
from surefoot.case.notation import word
from surefoot.report import case_words as words

Relation = Literal["", "beside", "against", "module"]
"""To the node above: it holds it up, stands beside it, speaks against it, or is the module it stands for."""
PREFIX = "case-node-"
DEEPEST = 40
"""Lists are nested no deeper, because browsers end nesting at a few hundred; further nodes name the one above them."""
DIGITS = 8
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class Link:
    """From a node to another place of the page."""

    words: str
    fragment: str


@dataclass(frozen=True)
class Row:
    """One line of the outline, with everything there is to say of the node."""

    fragment: str
    id: str
    text: str
    depth: int = 0
    again: bool = False
    """Whether this is only a link to the node's first place."""
    relation: Relation = ""
    up: str = ""
    """Fragment of the node above, where the lists do not tell it."""
    opens: bool = False
    closes: int = 0
    """How many lists end after it."""
    kind: str = ""
    called: tuple[str, str] = ("", "")
    """In CAE and in GSN."""
    standing: str = ""
    standing_words: str = ""
    undeveloped: bool = False
    number: str = ""
    opinion: str = ""
    belief: int = 0
    disbelief: int = 0
    reason: str = ""
    marks: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    url: str = ""
    address: str = ""
    """The url where it may become a link."""
    digest: str = ""


def fragments(case: Case) -> dict[str, str]:
    """For each node its place on the page: what a browser can find, no two the same."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for identity in case.nodes:
        plain = _UNSAFE.sub("-", identity)
        name, place = plain, 1
        while name in taken:
            place += 1
            name = f"{plain}-{place}"
        taken.add(name)
        found[identity] = f"{PREFIX}{name}"
    return found


def outline(evaluation: Evaluation, case: Case, anchors: Mapping[str, str]) -> tuple[Row, ...]:
    """All rows in the order they are read."""
    places = fragments(case)
    told: set[str] = set()
    rows = []
    for identity, relation, depth, above in _walk(case):
        row = Row(places[identity], identity, "", min(depth, DEEPEST), identity in told, relation)
        if depth > DEEPEST:
            row = replace(row, up=places[above])
        rows.append(row if row.again else _full(row, case, case[identity], evaluation.nodes.get(identity), anchors))
        told.add(identity)
    return tuple(_nested(rows))


def _walk(case: Case) -> Iterator[tuple[str, Relation, int, str]]:
    """Node, relation, depth and the node above, from the top down; what nothing leads to comes last."""
    seen: set[str] = set()
    for start in (*(top.id for top in case.tops), *case.nodes):
        stack: list[tuple[str, Relation, int, str]] = [(start, "", 0, "")] if start not in seen else []
        while stack:
            found = stack.pop()
            identity, _, depth, _ = found
            yield found
            if identity not in seen:
                seen.add(identity)
                below = list(_below(case, case[identity]))
                stack += [(each, relation, depth + 1, identity) for each, relation in reversed(below)]


def _below(case: Case, node: Node) -> Iterator[tuple[str, Relation]]:
    """What stands beside the node, holds it up and speaks against it, as far as it is there."""
    groups: list[tuple[tuple[str, ...], Relation]] = [
        (node.in_context_of, "beside"),
        (node.supported_by, ""),
        ((case.resolved(node.id),), "module"),
        (case.challengers.get(node.id, ()), "against"),
    ]
    told = {node.id}
    for ids, relation in groups:
        for identity in ids:
            if identity in case and identity not in told:
                told.add(identity)
                yield identity, relation


def _nested(rows: list[Row]) -> Iterator[Row]:
    for row, following in zip(rows, [*(each.depth for each in rows), 0][1:], strict=True):
        yield replace(row, opens=following > row.depth, closes=max(0, row.depth - following))


def _full(row: Row, case: Case, node: Node, assessed: Assessed | None, anchors: Mapping[str, str]) -> Row:
    claimed = assessed if node.kind not in words.UNASSESSED else None
    address = words.web_address(node.url)
    return replace(
        row,
        text=node.text,
        kind=node.kind,
        called=(word(node, "cae"), word(node, "gsn")),
        standing=words.standing(node, assessed),
        standing_words=words.standing_words(node, assessed, challenged=node.id in case.challengers),
        undeveloped=node.undeveloped,
        number=words.number_words(node, assessed),
        opinion=words.opinion_words(claimed) if claimed else "",
        belief=round(100 * float(claimed.opinion.belief)) if claimed else 0,
        disbelief=round(100 * float(claimed.opinion.disbelief)) if claimed else 0,
        reason=words.reason(claimed),
        marks=words.marks(case, node),
        tags=node.tags,
        links=tuple(_links(node, anchors)),
        url=node.url,
        address=address,
        digest=_digest(node, assessed),
    )


def _links(node: Node, anchors: Mapping[str, str]) -> Iterator[Link]:
    """To the evidence with its tables and figures, and to the check of an assumption."""
    step = node.rests_on.partition(".")[0]
    if node.rests_on:
        yield Link(f"evidence {node.rests_on}", anchors.get(node.rests_on, anchors.get(step, "")))
    if node.assumption:
        yield Link(f"check of {node.assumption}", anchors.get(node.assumption, ""))


def _digest(node: Node, assessed: Assessed | None) -> str:
    estimate = assessed.estimate if assessed else None
    return (node.digest or (estimate.digest if estimate else ""))[:DIGITS]
