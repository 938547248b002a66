"""A case as a Mermaid flowchart, which GitHub and many editors draw.

Shapes tell the kind, a colour, a border and a sign the standing. Texts are quoted, and every character that could mean
something to Mermaid, Markdown or HTML is an entity code, so that text stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import wrap

from surefoot.case.case import Case
from surefoot.case.drawings.numbers import amount, number_lines, share
from surefoot.case.evaluation import Assessed, Evaluation
from surefoot.case.node import Node
from surefoot.case.notation import Notation, word
from surefoot.case.words import SIGNS, for_the_case, standing_word
from surefoot.documents import hyphenated, shortened, visible

WIDTH, LONGEST = 26, 400
"""Characters of a line, a little less than Mermaid takes before it wraps itself, and of a text."""
_BOX, _ROUND, _STADIUM, _DOUBLE, _HEXAGON = ("[", "]"), ("(", ")"), ("([", "])"), ("[[", "]]"), ("{{", "}}")
_ALIKE = {"sub-case": _DOUBLE, "contract": _DOUBLE, "defeater": _HEXAGON, "context": _STADIUM}
SHAPES = {
    "cae": _ALIKE | {"claim": _ROUND, "side-claim": _ROUND, "justification": _ROUND, "argument": _BOX}
    | {"evidence": ("[(", ")]")},
    "gsn": _ALIKE | {"goal": _BOX, "strategy": ("[/", "/]"), "solution": ("((", "))"), "assumption": _ROUND}
    | {"justification": _ROUND, "away goal": _DOUBLE, "module": _DOUBLE},
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


def mermaid(case: Case, *, evaluation: Evaluation | None = None, notation: Notation | None = None) -> str:
    """The case as a flowchart from the top down; with an evaluation also how each node stands."""
    used = notation or case.notation
    assessed = evaluation.nodes if evaluation else {}
    lines = ["flowchart TD"]
    for module in dict.fromkeys(["", *(node.module for node in case)]):
        inner = [_node(node, used, assessed.get(node.id)) for node in case if node.module == module]
        lines += _subgraph(case, module, inner) if module else [f"  {line}" for line in inner]
    missing = dict.fromkeys(each for node in case for each in node.related if each not in case)
    lines += [f'  {_id(each)}["{_label([each, "not in this case"])}"]' for each in missing]
    lines += [f"  {line}" for node in case for line in _edges(node)]
    return "\n".join([*lines, *_classes(case, assessed, list(missing)), ""])


def _subgraph(case: Case, module: str, inner: list[str]) -> list[str]:
    known = case.modules.get(module)
    title = _label([(known.name if known else "") or module])
    # Mermaid turns frames sideways unless each says its direction.
    inside = ["direction TB", *inner]
    return [f'  subgraph {_id(module, "m")}["{title}"]', *(f"    {line}" for line in inside), "  end"]


def _node(node: Node, notation: Notation, assessed: Assessed | None) -> str:
    called = word(node, notation)
    left, right = SHAPES[notation][called]
    standing = for_the_case(node, assessed)
    sign = f"{SIGNS[standing]} " if standing else ""
    said = [f"{sign}{node.id}, {called}", node.text, *number_lines(node, assessed), *_marks(node)]
    if assessed and standing:
        opinion = assessed.opinion
        shares = f"P {share(float(opinion.probability))}, uncertainty {share(float(opinion.uncertainty))}"
        said += [each for each in (standing_word(node, assessed), shares) if each not in said]
    if notation == "gsn" and called in _LETTERS:
        said.append(_LETTERS[called])
    return f'{_id(node.id)}{left}"{_label(said)}"{right}'


def _marks(node: Node) -> Iterator[str]:
    if node.block:
        yield node.block
    if node.combining != "all":
        yield "independent legs" if node.combining == "legs" else "by deduction"
    yield from (f"choose {amount(choice)}: {', '.join(choice.among)}" for choice in node.choice)
    if node.of:
        yield f"for {node.of}"
    if node.undeveloped:
        yield "◇ undeveloped"
    if node.uninstantiated:
        yield "△ uninstantiated"
    if node.public:
        yield "public"
    if node.defeated:
        yield "eliminated" if node.kind == "defeater" else "defeated"


def _edges(node: Node) -> Iterator[str]:
    here = _id(node.id)
    many = {each: f'|"{_label([said])}"|' for each, said in node.multiplicity.items() if said.strip()}
    yield from (f"{here} -->{many.get(each, '')} {_id(each)}" for each in dict.fromkeys(node.supported_by))
    yield from (f"{here} -.-o{many.get(each, '')} {_id(each)}" for each in dict.fromkeys(node.in_context_of))
    yield from (f"{here} -.-x {_id(each)}" for each in dict.fromkeys(node.challenges))


def _classes(case: Case, assessed: Mapping[str, Assessed], missing: list[str]) -> Iterator[str]:
    members: dict[str, list[str]] = {}
    for node in case:
        found = assessed.get(node.id)
        members.setdefault(for_the_case(node, found) or "plain", []).append(_id(node.id))
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
