"""A case as an outline in Markdown: nested lists, a heading for each module, every node once."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.case.case import Case
from surefoot.case.drawings.numbers import amount, number_lines, share
from surefoot.case.evaluation import Assessed, Evaluation
from surefoot.case.filtering import tagged
from surefoot.case.formats.markdown_text import anchor, linked, plain, target
from surefoot.case.formats.outline import Item, Section, outline
from surefoot.case.formats.statements import stated_words
from surefoot.case.node import Node
from surefoot.case.notation import Notation, word
from surefoot.case.words import SIGNS, for_the_case, standing_word

SHORT_DIGEST = 12
_LEADS = {"supported_by": "", "in_context_of": "beside it: ", "challengers": "challenged by "}
_INDENT = "  "


def markdown(
    case: Case, *, evaluation: Evaluation | None = None, notation: Notation | None = None, tag: str | None = None
) -> str:
    """The case as an outline; with a tag only the nodes that carry it and those above them.

    A node that is met again is a link to its first place, and below twelve levels the outline goes on under a heading
    of its own.
    """
    shown = case if tag is None else tagged(case, tag)
    return "\n".join([*_Outline(shown, evaluation, notation or case.notation).lines(tag), ""])


class _Outline:
    def __init__(self, case: Case, evaluation: Evaluation | None, notation: Notation) -> None:
        self.case, self.notation = case, notation
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
            return f"{lead}see {word(node, self.notation)} {linked(node.id)}"
        found = self.assessed.get(node.id)
        standing = for_the_case(node, found)
        sign = f"{SIGNS[standing]} " if standing else ""
        place = anchor("n", node.id) if node.id in self.linked else ""
        head = f"{lead}{place}{sign}**{word(node, self.notation)} {plain(node.id)}** {plain(node.text)}"
        more = [*self._facts(node, found), *([f"goes on [below]({target('below', node.id)})"] if item.goes_on else [])]
        return " · ".join([head.rstrip(), *more])

    def _facts(self, node: Node, found: Assessed | None) -> Iterator[str]:
        said = standing_word(node, found)
        if found and said:
            probability, unsure = float(found.opinion.probability), float(found.opinion.uncertainty)
            yield f"*{said}*"
            yield f"probability {share(probability)}, uncertainty {share(unsure)}"
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
        for name in ("undeveloped", "uninstantiated", "public"):
            if getattr(node, name):
                yield name
        if node.defeated:
            yield "eliminated" if node.kind == "defeater" else "defeated"
