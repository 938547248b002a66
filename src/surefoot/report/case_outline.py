"""The case as an outline: every node once, under the first that it belongs to; again only as a link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from surefoot.case.drawings.boxes import shape_of
from surefoot.case.evaluation import Assessed, Evaluation, speaks_against
from surefoot.case.formats.markdown_mermaid import of_relations
from surefoot.case.model import GIVEN, STANDING_IN, Case, Node, word
from surefoot.case.wording import on_stated, surely
from surefoot.core import Bound, Estimate
from surefoot.core.canonical import thaw
from surefoot.documents import flow, percent, shortened, significant
from surefoot.drawing.shapes import Shape
from surefoot.report.wording import at_level, bound_at, level_words, named, origin, rounded

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
    shapes: tuple[Shape, Shape] = ("soft", "soft")
    """The same: the shape that pictures of the case give it."""
    foreign: str = ""
    """What it stands for in another module, named in its lower part."""
    defeated: bool = False
    public: bool = False
    by_contract: bool = False
    on_relation: tuple[str, ...] = ()
    """Of the relation to the node above: ``point`` where claim points are on it, ``crossed`` where it is defeated."""
    doubts: str = ""
    """Of what speaks against a relation of the node above: the fragment of where that leads."""
    standing: str = ""
    standing_words: str = ""
    undeveloped: bool = False
    number: str = ""
    surely: str = ""
    """How surely its targets hold together, or why there is no number."""
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


def outline(
    evaluation: Evaluation, case: Case, anchors: Mapping[str, str], cut: Mapping[str, int] | None = None
) -> tuple[Row, ...]:
    """All rows in the order they are read."""
    places = fragments(case)
    told: set[str] = set()
    rows = []
    for identity, relation, depth, above in _walk(case):
        row = Row(places[identity], identity, "", min(depth, DEEPEST), identity in told, relation)
        doubted = _doubted(case, above, identity) if relation == "against" else None
        on_relation = tuple(_on_relation(case, above, identity))
        row = replace(row, on_relation=on_relation, doubts=places[doubted] if doubted else "")
        if depth > DEEPEST:
            row = replace(row, up=places[above])
        rows.append(row if row.again else _full(row, case, case[identity], evaluation, anchors, cut))
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


def _on_relation(case: Case, above: str, identity: str) -> Iterator[str]:
    """What is said of the relation between two nodes."""
    if above:
        ids = {identity, case.resolved(identity)}
        if any(ids.intersection(point.on) for point in case[above].claim_points.values()):
            yield "point"
        if ids.intersection(case[above].defeated_relations):
            yield "crossed"


def _doubted(case: Case, above: str, identity: str) -> str | None:
    """Where the relation leads that a node speaks against, of those of the node above."""
    found = (case.relation(each) for each in case[identity].challenges)
    ends = (relation.target for relation in found if relation is not None and relation.source == above)
    below = case[above].below
    return next((each for end in ends for each in below if each in case and end in (each, case.resolved(each))), None)


def _below(case: Case, node: Node) -> Iterator[tuple[str, Relation]]:
    """What stands beside the node, holds it up and speaks against it, as far as it is there."""
    groups: list[tuple[tuple[str, ...], Relation]] = [
        (node.in_context_of, "beside"),
        (node.supported_by, ""),
        (node.confidence, "beside"),
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


def _full(
    row: Row,
    case: Case,
    node: Node,
    evaluation: Evaluation,
    anchors: Mapping[str, str],
    cut: Mapping[str, int] | None,
) -> Row:
    assessed = evaluation.nodes.get(node.id)
    claimed = assessed if node.kind not in UNASSESSED else None
    address = web_address(node.url)
    called = word(node, "gsn", case.stands_for(node))
    return replace(
        row,
        text=node.text,
        kind=node.kind,
        called=(word(node, "cae"), called),
        shapes=(shape_of(node, "cae"), shape_of(node, "gsn", called=called)),
        foreign=node.of if node.kind in STANDING_IN else "",
        defeated=node.defeated,
        public=node.public,
        by_contract=node.by_contract,
        standing=standing(case, node, assessed),
        standing_words=standing_words(case, node, assessed),
        undeveloped=node.undeveloped,
        number=number_words(node, assessed),
        surely=surely(evaluation, node.id) if node.kind in ARGUED else "",
        reason=reason(claimed),
        marks=marks(case, node, (cut or {}).get(node.id, 0)),
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


# What the chapter on the case says of one node, in words.

SIGNS = {"supported": "✓", "not shown": "?", "contradicted": "✕"}
ARGUED = ("claim", "sub-case", "contract")
"""Kinds of which is said how surely they hold."""
UNASSESSED = GIVEN
"""Kinds of which nothing is claimed, so that they do not stand or fall."""
SHOWN_LEVEL = 0.95
LONGEST_REASON = 240
_OF_DOUBTS = {"supported": "contradicted", "not shown": "not shown", "contradicted": "supported"}


def standing(case: Case, node: Node, assessed: Assessed | None) -> str:
    """How it stands; of a doubt how the case stands against it: well where it is eliminated, badly where it holds."""
    if assessed is None or node.kind in UNASSESSED:
        return ""
    if speaks_against(case, node):
        return "supported" if node.defeated else _OF_DOUBTS[assessed.standing]
    return assessed.standing


def standing_words(case: Case, node: Node, assessed: Assessed | None) -> str:
    """Sign and word of how it stands; of a checked assumption what the check says, which proves nothing."""
    if node.kind in UNASSESSED:
        return ""
    if assessed is None:
        return "not assessed"
    word = found = standing(case, node, assessed)
    if speaks_against(case, node):
        word = {"supported": "eliminated", "not shown": "not eliminated", "contradicted": "the doubt holds"}[found]
    if node.kind == "side-claim" and node.assumption and node.id not in case.challengers:
        word = {"supported": "not contradicted", "not shown": "not checked"}.get(word, word)
    return f"{SIGNS[found]} {word}"


def number_words(node: Node, assessed: Assessed | None) -> str:
    """The number that a claim states with the bound that was shown, or what evidence measured."""
    if node.number is not None:
        return f"Claims {_claimed(node)}; {_shown(assessed)}."
    if assessed is not None and assessed.estimate is not None:
        return _measured(assessed.estimate)
    return ""


def _claimed(node: Node) -> str:
    assert node.number is not None
    target, level = node.number.target, node.number.strict_level
    strict = f" ({percent(level)} over all looks)" if level is not None else ""
    limit = f"{target.relation} {significant(target.limit)} {target.counted}"
    return f"{node.number.quantity} {limit} at level {percent(target.level)}{strict}"


def _shown(assessed: Assessed | None) -> str:
    verdict = assessed.verdict if assessed else None
    if verdict is None:
        return "no number speaks about it"
    if verdict.bound is None:
        return f"{verdict.status}, no bound counts"
    by = f", on what is stated ({', '.join(verdict.answered_by)} answers for it)" if verdict.answered_by else ""
    return f"{verdict.status}, {_bound(verdict.bound)}{by}"


def _measured(estimate: Estimate) -> str:
    level = estimate.details.get("level", SHOWN_LEVEL)
    found = (bound_at(family, level) for family in estimate.bounds)
    bounds = "".join(f", {_bound(bound, estimate)}" for bound in found if bound is not None)
    told = f"{origin(estimate)}: {named(estimate)} {significant(estimate.value)} {estimate.unit}{bounds}."
    return " ".join(filter(None, (told, on_stated(estimate))))


def _bound(bound: Bound, estimate: Estimate | None = None) -> str:
    known = f" ({level_words(bound, estimate)})" if estimate else f" ({at})" if (at := at_level(bound)) else ""
    return f"{bound.side} bound {rounded(bound)}{known}"


def reason(assessed: Assessed | None) -> str:
    """What decided, no longer than a few lines."""
    return shortened(assessed.why, LONGEST_REASON) if assessed else ""


def marks(case: Case, node: Node, cut: int = 0) -> str:
    """What else is known of it, short."""
    found = [
        f"{node.block} argument" if node.block else "",
        {"legs": "any one of these suffices", "deduction": "by deduction"}.get(node.combining, ""),
        "undeveloped" if node.undeveloped else "",
        "to be supported by a contract" if node.by_contract else "",
        "still to be instantiated" if node.uninstantiated else "",
        "the challenge won" if node.defeated and node.kind != "defeater" else "",
        f"in module {node.module}" if node.module else "",
        f"stands for {node.of}" if node.of else "",
        "is challenged" if node.id in case.challengers else "",
        *(f"{count} of {below}" for below, count in node.multiplicity.items()),
        *(f"{each.least} to {each.most} of {', '.join(each.among)}" for each in node.choice),
        *of_relations(node),
        f"answered for by {node.stated.by}" if node.stated and node.stated.by else "",
        *(f"{key}: {value if isinstance(value, str) else flow(value)}" for key, value in thaw(node.attributes).items()),
        node.note,
        f"… {cut:,} more below" if cut else "",
    ]
    return "; ".join(text for text in found if text)


def web_address(url: str) -> str:
    """The address where it is one of the web, which alone may become a link; else nothing."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else ""
