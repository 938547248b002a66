"""A case for people who read text: an outline in Markdown, every node once, and a flowchart in Mermaid."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Literal

from surefoot.case.drawings.boxes import amount, number_lines
from surefoot.case.evaluation import SIGNS, Assessed, Evaluation, for_the_case, standing_word
from surefoot.case.extensions import relation_in
from surefoot.case.formats.fields import stated_words
from surefoot.case.formats.sacm_document import encoded
from surefoot.case.model import Case, Node, Notation, word
from surefoot.case.parts import tagged
from surefoot.core.canonical import thaw
from surefoot.documents import flow, hyphenated, shortened, visible

SHORT_DIGEST = 12
_LEADS = {
    "supported_by": "",
    "in_context_of": "beside it: ",
    "confidence": "with confidence by ",
    "challengers": "challenged by ",
}
_INDENT = "  "


def markdown(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    tag: str | None = None,
    cut: Mapping[str, int] | None = None,
) -> str:
    """The case as an outline; with a tag only the nodes that carry it and those above them.

    ``cut`` says of nodes how many below them were left out. A node that is met again is a link to its first place, and
    below twelve levels the outline goes on under a heading of its own.
    """
    shown = case if tag is None else tagged(case, tag)
    return "\n".join([*_Outline(shown, evaluation, notation or case.notation, cut or {}).lines(tag), ""])


class _Outline:
    def __init__(self, case: Case, evaluation: Evaluation | None, notation: Notation, cut: Mapping[str, int]) -> None:
        self.case, self.notation, self.cut = case, notation, cut
        self.assessed = evaluation.nodes if evaluation else {}
        self.sections = outline(case)
        again = {item.id for section in self.sections for item in section.items if item.again}
        stood_for = {case.resolved(node.id) for node in case if node.of}
        below = {section.below for section in self.sections if section.below}
        self.linked = again | (stood_for & set(case.nodes)) | below

    def lines(self, tag: str | None) -> Iterator[str]:
        yield f"# {plain(self.case.name) or 'Assurance case'}"
        if self.case.description:
            yield from ("", plain(self.case.description))
        if tag is not None:
            yield from ("", f"Only what carries the tag {plain(tag)}, and what is above it.")
        if self.assessed:
            doubts = "; of doubts ✓ refuted, ✗ standing" if self.case.challengers else ""
            yield from ("", f"✓ supported, ○ not shown, ✗ contradicted{doubts}.")
        modules = {section.module for section in self.sections}
        for section in self.sections:
            yield from self._heading(section, several=len(modules) > 1 or "" not in modules)
            yield ""
            yield from map(self._item, section.items)

    def _heading(self, section: Section, *, several: bool) -> Iterator[str]:
        if section.below:
            yield from ("", f"### {anchor('below', section.below)}Below {linked(section.below)}")
        elif several:
            known = self.case.modules.get(section.module)
            name = (known.name if known else "") or section.module
            yield from ("", f"## Module {plain(name)}" if name else "## Main module")
            if known and known.brief:
                yield from ("", plain(known.brief))

    def _item(self, item: Item) -> str:
        many = f"{plain(item.many)} times: " if item.many else ""
        lead = f"{_INDENT * item.depth}- {_LEADS[item.relation]}{many}"
        node = self.case.nodes.get(item.id)
        if node is None:
            return f"{lead}**{plain(item.id)}** is not in this case."
        if item.again:
            return f"{lead}see {self._word(node)} {linked(node.id)}"
        found = self.assessed.get(node.id)
        standing = for_the_case(self.case, node, found)
        sign = f"{SIGNS[standing]} " if standing else ""
        place = anchor("n", node.id) if node.id in self.linked else ""
        head = f"{lead}{place}{sign}**{self._word(node)} {plain(node.id)}** {plain(node.text)}"
        more = [*self._facts(node, found), *([f"goes on [below]({target('below', node.id)})"] if item.goes_on else [])]
        return " · ".join([head.rstrip(), *more])

    def _word(self, node: Node) -> str:
        return word(node, self.notation, self.case.stands_for(node))

    def _facts(self, node: Node, found: Assessed | None) -> Iterator[str]:
        said = standing_word(node, found)
        if found and said:
            yield f"*{said}*"
            if found.why:
                yield plain(found.why)
        yield from (plain(line) for line in number_lines(node, found))
        yield from (mark for mark in self._marks(node) if mark != said)
        if node.rests_on:
            digest = f", digest {plain(node.digest[:SHORT_DIGEST])}" if node.digest else ""
            yield f"rests on {plain(node.rests_on)}{digest}"
        elif node.digest:
            yield f"digest {plain(node.digest[:SHORT_DIGEST])}"
        if node.stated is not None:
            yield from map(plain, stated_words(node.stated))
        if node.url:
            yield plain(node.url, address=True)
        if node.note:
            yield plain(node.note)
        for key, value in thaw(node.attributes).items():
            yield f"{plain(key)}: {plain(value if isinstance(value, str) else flow(value))}"
        if self.cut.get(node.id):
            yield f"… {self.cut[node.id]:,} more below"
        if node.tags:
            yield f"tags: {', '.join(map(plain, node.tags))}"

    def _marks(self, node: Node) -> Iterator[str]:
        if node.block:
            yield node.block
        if node.combining != "all":
            yield "independent legs" if node.combining == "legs" else "by deduction"
        for choice in node.choice:
            yield f"choose {amount(choice)}: {', '.join(map(plain, choice.among))}"
        if node.of:
            resolved = self.case.resolved(node.id)
            yield f"stands for {linked(resolved) if resolved != node.id else plain(node.of)}"
        yield from map(plain, of_relations(node))
        if node.by_contract:
            yield "to be supported by a contract"
        for name in ("undeveloped", "uninstantiated", "public"):
            if getattr(node, name):
                yield name
        if node.defeated:
            yield "eliminated" if node.kind == "defeater" else "defeated"


def of_relations(node: Node) -> Iterator[str]:
    """What is said of its relations: claim points on them, those that are defeated, those that it challenges.

    >>> from surefoot.case import ClaimPoint, Node
    >>> list(of_relations(Node("G1", "claim", "Safe", ("S1",), claim_points={"ACP1": ClaimPoint(("S1",), "G9")})))
    ['claim point ACP1 on S1, argued by G9']
    """
    for name, point in node.claim_points.items():
        argued = f", argued by {point.argued_by}" if point.argued_by else ""
        yield f"claim point {name} on {', '.join(point.on) or 'itself'}{argued}"
    if node.defeated_relations:
        yield f"relation to {', '.join(node.defeated_relations)} defeated"
    challenged = [each for each in node.challenges if relation_in(each)]
    if challenged:
        yield f"challenges {', '.join(challenged)}"


# Text that stays text in Markdown, and links inside the document.

_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#|~&$])")
_AT_THE_START = re.compile(r"^(\s*(?:\d+(?=[.)](?:\s|$))|(?=[=+-])))(.)")
_LINKED = re.compile(r"(@|#|:|\bwww|\bGH)(?=\S)", re.IGNORECASE)
_NO_LINK = "\u200b"
"""Sites turn names, numbers and addresses into links even where punctuation is escaped."""
_ADDRESS = re.compile(r"https?://[A-Za-z0-9./?&=%~:@!$',;+-]+(?:#[A-Za-z0-9./?&=%~:@!$',;+-]*)?")


def plain(text: str, *, address: bool = False) -> str:
    r"""Text without markup, table cell, mention or link; an address that is harmless stays one where asked for.

    >>> plain("a*b <script>")
    'a\\*b \\<script\\>'
    """
    if address and _ADDRESS.fullmatch(text):
        return f"<{text}>"
    escaped = _PUNCTUATION.sub(r"\\\1", visible(text).strip())
    return _LINKED.sub(rf"\1{_NO_LINK}", _AT_THE_START.sub(r"\1\\\2", escaped))


def anchor(prefix: str, identity: str) -> str:
    """A place that links lead to."""
    return f'<a id="{encoded(prefix, identity)}"></a>'


def target(prefix: str, identity: str) -> str:
    """The address of that place."""
    return f"#{encoded(prefix, identity)}"


def linked(identity: str) -> str:
    """A node's id as a link to its first place."""
    return f"[{plain(identity)}]({target('n', identity)})"


# The order in which an outline shows the nodes of a case: each once, no deeper than twelve levels.

LEVELS = 12
Under = Literal["supported_by", "in_context_of", "confidence", "challengers"]


@dataclass
class Item:
    """One line of an outline."""

    id: str
    depth: int
    relation: Under
    again: bool = False
    """Its place is elsewhere: met before, or in another module."""
    goes_on: bool = False
    """What is below it stands in a section of its own."""
    many: str = ""
    """How many there will be of it, in a pattern."""


@dataclass
class Section:
    """Items under one heading: of a module, or of what is below a node."""

    module: str
    below: str = ""
    items: list[Item] = field(default_factory=list)


def outline(case: Case) -> list[Section]:
    """The main module first, then the others as they were written."""
    seen: set[str] = set()
    of_module: dict[str, list[Node]] = {"": []}
    for node in case:
        of_module.setdefault(node.module, []).append(node)
    found: list[Section] = []
    for module, nodes in of_module.items():
        if nodes:
            found += _module(case, module, nodes, seen)
    return found


def _module(case: Case, module: str, nodes: list[Node], seen: set[str]) -> list[Section]:
    tops = [node for node in nodes if not _above(case, node)]
    first = Section(module)
    found, waiting = [first], deque[Section]()
    # Nodes on a circle are below each other; whichever comes first begins.
    for node in (*tops, *nodes):
        if node.id not in seen:
            _fill(case, first, [Item(node.id, 0, "supported_by")], seen, waiting)
    while waiting:
        section = waiting.popleft()
        found.append(section)
        _fill(case, section, list(_below(case, case[section.below], 0)), seen, waiting)
    return found


def _fill(case: Case, section: Section, items: list[Item], seen: set[str], waiting: deque[Section]) -> None:
    stack = items[::-1]
    while stack:
        item = stack.pop()
        section.items.append(item)
        node = case.nodes.get(item.id)
        if node is None:
            continue
        item.again = item.id in seen or node.module != section.module
        if item.again:
            continue
        seen.add(item.id)
        below = list(_below(case, node, item.depth + 1))
        item.goes_on = bool(below) and item.depth + 1 >= LEVELS
        if item.goes_on:
            waiting.append(Section(section.module, node.id))
        else:
            stack += reversed(below)


def _below(case: Case, node: Node, depth: int) -> Iterator[Item]:
    many = node.multiplicity
    for each in dict.fromkeys(node.supported_by):
        yield Item(each, depth, "supported_by", many=many.get(each, ""))
    for each in dict.fromkeys(node.in_context_of):
        yield Item(each, depth, "in_context_of", many=many.get(each, ""))
    yield from (Item(each, depth, "confidence") for each in node.confidence)
    yield from (Item(each, depth, "challengers") for each in case.challengers.get(node.id, ()))


def _above(case: Case, node: Node) -> bool:
    """Whether something in its module has it below."""
    above = (*case.parents[node.id], *(each for each in case.challenged(node) if each in case))
    return any(case[each].module == node.module and each != node.id for each in above)


# A case as a Mermaid flowchart, which GitHub and many editors draw.
#
# Shapes tell the kind, a colour, a border and a sign the standing. Texts are quoted, and every character that could
# mean something to Mermaid, Markdown or HTML is an entity code, so that text stays text.

WIDTH, LONGEST = 26, 400
"""Characters of a line, a little less than Mermaid takes before it wraps itself, and of a text."""
_BOX, _ROUND, _STADIUM, _DOUBLE, _HEXAGON = ("[", "]"), ("(", ")"), ("([", "])"), ("[[", "]]"), ("{{", "}}")
_ALIKE = {"sub-case": _DOUBLE, "contract": _DOUBLE, "defeater": _HEXAGON, "context": _STADIUM}
SHAPES = {
    "cae": _ALIKE | {"claim": _ROUND, "side-warrant": _ROUND, "justification": _ROUND, "argument": _BOX}
    | {"evidence": ("[(", ")]")},
    "gsn": _ALIKE | {"goal": _BOX, "strategy": ("[/", "/]"), "solution": ("((", "))"), "assumption": _ROUND}
    | {"justification": _ROUND, "away goal": _DOUBLE, "module": _DOUBLE, "away solution": ("((", "))")}
    | {"away context": _STADIUM, "away assumption": _ROUND, "away justification": _ROUND},
}  # fmt: skip
"""Brackets by what a node is called."""
CLASSES = {
    "supported": "fill:#d9ecf7,stroke:#0072b2,stroke-width:2px,color:#17212b",
    "not shown": "fill:#fff4d6,stroke:#8a5a00,stroke-width:2px,stroke-dasharray:6 4,color:#17212b",
    "contradicted": "fill:#fbe0d5,stroke:#a63603,stroke-width:4px,color:#17212b",
    "plain": "fill:#ffffff,stroke:#55616e,color:#17212b",
    "missing": "fill:#ffffff,stroke:#55616e,stroke-dasharray:2 3,color:#55616e",
}
_LETTERS = {"assumption": "A", "justification": "J"}
_CODED = re.compile(
    r"[!-+/:-@\[-`{-~]|(?<![A-Za-z0-9])[-.]|(?<=[0-9])[.]|[-.](?![A-Za-z0-9])|(?<=directio)n(?=\s)",
    re.IGNORECASE,
)
"""Punctuation, unless it stands inside a word, and a word that Mermaid takes for its own in any place."""
_DRAWN = re.compile(r"\$(?=\$)|(?<=fa):(?=fa)|(?<=fa[bklrs]):(?=fa)|\ufb02(?=\xb0)|\xb6(?=\xdf)", re.IGNORECASE)
"""The beginnings of formulas, icons and Mermaid's own marks of entities, which it looks for in decoded text."""
_NOT_ID = re.compile("[^A-Za-z0-9]")


def mermaid(
    case: Case,
    *,
    evaluation: Evaluation | None = None,
    notation: Notation | None = None,
    cut: Mapping[str, int] | None = None,
) -> str:
    """The case as a flowchart from the top down; with an evaluation also how each node stands.

    ``cut`` says of nodes how many below them were left out.
    """
    used = notation or case.notation
    assessed = evaluation.nodes if evaluation else {}
    lines = ["flowchart TD"]
    for module in dict.fromkeys(["", *(node.module for node in case)]):
        inner = [_node(case, node, used, assessed.get(node.id), cut or {}) for node in case if node.module == module]
        lines += _subgraph(case, module, inner) if module else [f"  {line}" for line in inner]
    named = ((*node.below, *case.challenged(node)) for node in case)
    missing = dict.fromkeys(each for ids in named for each in ids if each not in case)
    lines += [f'  {_id(each)}["{_label([each, "not in this case"])}"]' for each in missing]
    lines += [f"  {line}" for node in case for line in _edges(case, node)]
    return "\n".join([*lines, *_classes(case, assessed, list(missing)), ""])


def _subgraph(case: Case, module: str, inner: list[str]) -> list[str]:
    known = case.modules.get(module)
    title = _label([(known.name if known else "") or module])
    # Mermaid turns frames sideways unless each says its direction.
    inside = ["direction TB", *inner]
    return [f'  subgraph {_id(module, "m")}["{title}"]', *(f"    {line}" for line in inside), "  end"]


def _node(case: Case, node: Node, notation: Notation, assessed: Assessed | None, cut: Mapping[str, int]) -> str:
    called = word(node, notation, case.stands_for(node))
    left, right = SHAPES[notation][called]
    standing = for_the_case(case, node, assessed)
    sign = f"{SIGNS[standing]} " if standing else ""
    said = [f"{sign}{node.id}, {called}", node.text, *number_lines(node, assessed), *_marks(node)]
    if assessed and standing:
        said += [each for each in (standing_word(node, assessed),) if each not in said]
    if cut.get(node.id):
        said.append(f"… {cut[node.id]:,} more below")
    if notation == "gsn" and called.removeprefix("away ") in _LETTERS:
        said.append(_LETTERS[called.removeprefix("away ")])
    return f'{_id(node.id)}{left}"{_label(said)}"{right}'


def _marks(node: Node) -> Iterator[str]:
    if node.block:
        yield node.block
    if node.combining != "all":
        yield "independent legs" if node.combining == "legs" else "by deduction"
    yield from (f"choose {amount(choice)}: {', '.join(choice.among)}" for choice in node.choice)
    if node.of:
        yield f"for {node.of}"
    yield from of_relations(node)
    if node.by_contract:
        yield "to be supported by a contract"
    if node.undeveloped:
        yield "◇ undeveloped"
    if node.uninstantiated:
        yield "△ uninstantiated"
    if node.public:
        yield "public"
    if node.defeated:
        yield "eliminated" if node.kind == "defeater" else "defeated"


def _edges(case: Case, node: Node) -> Iterator[str]:
    here = _id(node.id)
    marks: dict[str, list[str]] = {each: [said] for each, said in node.multiplicity.items() if said.strip()}
    for name, point in node.claim_points.items():
        for each in point.on:
            marks.setdefault(each, []).append(f"■ {name}")
    for each in node.defeated_relations:
        marks.setdefault(each, []).append("✕ defeated")
    many = {each: f'|"{_label(said)}"|' for each, said in marks.items()}
    yield from (f"{here} -->{many.get(each, '')} {_id(each)}" for each in dict.fromkeys(node.supported_by))
    yield from (f"{here} -.-o{many.get(each, '')} {_id(each)}" for each in dict.fromkeys(node.in_context_of))
    yield from (f'{here} -.->|"confidence"| {_id(each)}' for each in node.confidence)
    for challenged in dict.fromkeys(node.challenges):
        relation = case.relation(challenged)
        what = "" if relation is None else f'|"{_label([f"relation to {relation.target}"])}"|'
        yield f"{here} -.-x{what} {_id(challenged if relation is None else relation.source)}"


def _classes(case: Case, assessed: Mapping[str, Assessed], missing: list[str]) -> Iterator[str]:
    members: dict[str, list[str]] = {}
    for node in case:
        found = assessed.get(node.id)
        members.setdefault(for_the_case(case, node, found) or "plain", []).append(_id(node.id))
    members["missing"] = [_id(each) for each in missing]
    for name, ids in members.items():
        if ids:
            yield f"  classDef {hyphenated(name)} {CLASSES[name]}"
            yield f"  class {','.join(ids)} {hyphenated(name)}"


def _label(said: list[str]) -> str:
    """Lines of a label, wrapped."""
    shown = (shortened(visible(text), LONGEST) for text in said)
    return "<br/>".join(_coded(line) for text in shown for line in wrap(text, WIDTH) or [""] if line)


def _coded(text: str) -> str:
    return _CODED.sub(lambda found: f"#{ord(found[0])};", _DRAWN.sub("\\g<0>\u200b", text))


def _id(name: str, prefix: str = "n") -> str:
    return prefix + _NOT_ID.sub(lambda found: f"_{ord(found[0]):x}_", name)
