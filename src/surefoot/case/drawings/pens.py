"""How nodes, lines and words of a case look.

Standings differ in colour, sign, word and strength of line, so that nobody has to tell green from red.
"""

from __future__ import annotations

from functools import cache

from surefoot.case.drawings.boxes import HEAD, NOTE, TEXT, TITLE, Edge, Words
from surefoot.case.node import Kind
from surefoot.case.words import NOT_CONTRADICTED
from surefoot.documents import hyphenated
from surefoot.drawing.scene import Letters, Pen

TONES = {"supported": "good", "not shown": "warn", "contradicted": "bad"}
CIRCLE = "M 5 0.9 C 7.3 0.9 9.1 2.7 9.1 5 C 9.1 7.3 7.3 9.1 5 9.1 C 2.7 9.1 0.9 7.3 0.9 5 C 0.9 2.7 2.7 0.9 5 0.9 Z"
SIGNS = {
    "supported": "M 0 5 L 3.2 8.4 L 9.6 1.4",
    "not shown": CIRCLE,
    "contradicted": "M 1 1 L 9 9 M 9 1 L 1 9",
}
LETTERS = {
    "head": Letters("head", HEAD, bold=True),
    "label": Letters("label", NOTE, "muted"),
    "says": Letters("says", TEXT),
    "note": Letters("note", NOTE, "muted"),
}
SMALL, TITLE_LETTERS = Letters("small", NOTE, "muted"), Letters("title", TITLE, bold=True)
LETTER, MODULE_NAME = Letters("letter", TEXT, bold=True), Letters("module-name", HEAD, "muted", bold=True)
MARK, SOLID = Pen("mark", "ink", "paper", 1.3), Pen("solid", "ink", "ink", 1.3)
DETAIL, FRAME = Pen("detail", "line-strong"), Pen("frame", "line-strong")
STRIKE = Pen("strike", "bad-strike", width=1.4)
REST, TICK = Pen("rest", "line-strong", "line", 0.6), Pen("tick", "ink", width=1.6)
BELIEF, DISBELIEF = Pen("belief", "none", "link"), Pen("disbelief", "none", "bad")


def standing_shown(words: Words) -> str:
    """The standing whose colour a node has; an assumption that is not contradicted has none."""
    return "" if words.word == NOT_CONTRADICTED else words.standing or ""


@cache
def box_pen(kind: Kind, standing: str = "", *, dashed: bool = False) -> Pen:
    """The outline of a node."""
    name = " ".join(filter(None, ("box", hyphenated(standing), "dashes" if dashed else "")))
    if standing:
        tone = TONES[standing]
        return Pen(name, tone, f"{tone}-tint", 2.4 if tone == "bad" else 1.4, dashed)
    if kind == "argument":
        return Pen(f"{name} argument", "muted", "subtle", 1.4, dashed)
    return Pen(name, "muted", "paper", 1.4, dashed)


@cache
def sign_pen(standing: str) -> Pen:
    """The sign of a standing."""
    return Pen(f"sign {hyphenated(standing)}".strip(), TONES.get(standing, "muted"), width=1.9, rounded=True)


@cache
def word_letters(standing: str) -> Letters:
    """The word for a standing."""
    return Letters(f"word {hyphenated(standing)}".strip(), HEAD, TONES.get(standing, "muted"), bold=True)


def edge_pen(edge: Edge) -> Pen:
    """The line of a relation."""
    return _edge_pen(edge.relation, edge.further, edge.back)


def tip_pen(edge: Edge) -> Pen:
    """Its arrowhead: hollow for what is beside, open for what challenges."""
    return _tip_pen(edge.relation, edge.further)


@cache
def _edge_pen(relation: str, further: bool, back: bool) -> Pen:
    name = " ".join(filter(None, ("edge", relation, "further" if further else "", "back" if back else "")))
    challenges = relation == "challenges"
    stroke = "bad" if challenges else "link" if further else "muted"
    return Pen(name, stroke, width=1.1 if further else 1.2, dashed=back or challenges)


@cache
def _tip_pen(relation: str, further: bool) -> Pen:
    if relation == "challenges":
        return Pen("tip challenges-tip vee", "bad", rounded=True)
    colour = "link" if further else "muted"
    hollow = relation == "in_context_of"
    name = " ".join(filter(None, ("tip", "further-tip" if further else "", "hollow" if hollow else "")))
    return Pen(name, colour, "paper" if hollow else colour, rounded=True)
