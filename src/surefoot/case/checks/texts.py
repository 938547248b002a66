"""Checks of what nodes say: something, finished, each thing once, with right ids and tags; parts of patterns left."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.case.checks.context import Context, case_check
from surefoot.case.model import STANDING_IN, Node
from surefoot.case.standards import clause_of, meant_standard
from surefoot.core import Diagnostic, InvalidInput, validate
from surefoot.core.diagnostics import Severity

PLACEHOLDER = re.compile(r"(?<![_^\\$\w])\{\s*[A-Za-z][\w .:/-]*\}|\b(?:TODO|TBD|TBC|FIXME|XXX)\b|\?\?\?")
SAYING = ("claim", "side-claim", "evidence", "context", "defeater")
"""Kinds that state something; an argument may be made in the same words about several claims."""
PREFIXES = {"G": "claim", "S": "argument", "Sn": "evidence", "C": "context", "J": "justification", "A": "side-claim"}
GSN_ID = re.compile(r"(Sn|[GSCJA])\d+(?:\.\d+)*")
SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
SAFE = ("http", "https", "file", "mailto", "doi")


@case_check(codes=("case-text-empty",))
def empty(context: Context) -> Iterator[Diagnostic]:
    """Nodes that say nothing."""
    for node in context.nodes:
        if not node.text.strip() and not (node.kind in STANDING_IN and node.of):
            text = f"{node.called} {node.id!r} has no text."
            yield context.find(node, "warning", "case-text-empty", text, "Say it in a sentence.")


@case_check(codes=("case-text-placeholder",))
def unfinished(context: Context) -> Iterator[Diagnostic]:
    """Texts with places still to be filled."""
    for node in context.nodes:
        found = None if node.uninstantiated else PLACEHOLDER.search(node.text)
        if found:
            text = f"The text of {node.called} {node.id!r} is not finished: it holds {found[0][:40]!r}."
            hint = "Fill it in, or mark the node uninstantiated if it is part of a pattern."
            yield context.find(node, "warning", "case-text-placeholder", text, hint)


@case_check(codes=("case-text-duplicate",))
def duplicated(context: Context) -> Iterator[Diagnostic]:
    """Two nodes of one kind that say the same of the same thing."""
    alike: dict[tuple[str, ...], list[Node]] = {}
    for node in context.nodes:
        if node.kind in SAYING and node.text.strip() and not node.uninstantiated:
            key = (node.kind, normal(node.text), node.rests_on, node.assumption, node.url)
            alike.setdefault(key, []).append(node)
    for group in alike.values():
        if len(group) > 1:
            names = validate.listed([node.id for node in group])
            text = f"{len(group):,} nodes of kind {group[0].called} say the same: {names}."
            severe: Severity = "warning" if group[0].kind == "claim" else "note"
            hint = "Keep one and refer to it, or say how they differ."
            yield context.find(group[1], severe, "case-text-duplicate", text, hint)


def normal(text: str) -> str:
    """A text without differences of case, space and final stop."""
    return " ".join(text.casefold().split()).rstrip(" .")


@case_check(codes=("case-id-similar",))
def similar_ids(context: Context) -> Iterator[Diagnostic]:
    """Ids that differ in case or punctuation only."""
    seen: dict[str, Node] = {}
    for node in context.nodes:
        first = seen.setdefault(re.sub(r"[\W_]+", "-", node.id.casefold()), node)
        if first is not node:
            text = f"The ids {first.id!r} and {node.id!r} differ in case or punctuation only."
            hint = "Rename one; readers mix them up, and links made from them may be the same."
            yield context.find(node, "warning", "case-id-similar", text, hint)


@case_check(codes=("case-id-kind",))
def misleading_ids(context: Context) -> Iterator[Diagnostic]:
    """Ids such as Sn3 of what is no solution, in GSN."""
    if context.case.notation != "gsn":
        return
    for node in context.nodes:
        found = GSN_ID.fullmatch(node.id)
        if found and PREFIXES[found[1]] != node.kind and (node.kind, found[1]) not in _ALSO:
            text = f"The id {node.id!r} looks like that of another kind than {node.called}."
            yield context.find(node, "note", "case-id-kind", text, "Rename it, or change its kind.")


_ALSO = {("side-claim", "G"), ("sub-case", "G"), ("sub-case", "Sn"), ("sub-case", "C"), ("defeater", "G")}


@case_check(codes=("case-url-dubious",))
def addresses(context: Context) -> Iterator[Diagnostic]:
    """References that are no address, or one that runs something."""
    for node in context.nodes:
        url = node.url.strip()
        scheme = SCHEME.match(url)
        bad = scheme[1].lower() not in SAFE if scheme else bool(url) and not any(mark in url for mark in "./#")
        if bad:
            text = f"The url of {node.called} {node.id!r} is {url[:60]!r}, which is no address to open."
            hint = "Give a web address or the path of a file; put remarks into the note."
            yield context.find(node, "warning", "case-url-dubious", text, hint)


@case_check(codes=("case-tag-unknown",))
def strange_tags(context: Context) -> Iterator[Diagnostic]:
    """Tags that name a clause which their standard does not have, and standards that are probably misspelt."""
    wrong = {tag: found for tag in {each for node in context.nodes for each in node.tags} if (found := misnamed(tag))}
    for node in context.nodes if wrong else ():
        for tag in node.tags:
            if tag in wrong:
                severity, problem, hint = wrong[tag]
                text = f"The tag {tag!r} of {node.called} {node.id!r}: {problem}."
                yield context.find(node, severity, "case-tag-unknown", text, hint)


def misnamed(tag: str) -> tuple[Severity, str, str] | None:
    """How bad it is that a tag names no clause that is known, what is wrong, and what to do."""
    try:
        clause_of(tag)
    except InvalidInput as error:
        return "error", error.problem, error.remedy
    meant = meant_standard(tag)
    return ("warning", "no standard of this name is known", f"Did you mean {meant!r}?") if meant else None


# Patterns: what a template leaves open, and whether it is still open where a case says that it is complete.

MULTIPLICITY = re.compile(r"\s*(\d+|[A-Za-z]\d*)\s*(?:\.\.\s*(\d+|[A-Za-z]\d*|\*)\s*)?")


@case_check(codes=("case-pattern-left",))
def left(context: Context) -> Iterator[Diagnostic]:
    """Parts of a pattern in a case that is none: evidence is given, or its top claim is filled in."""
    filled = any(not top.uninstantiated for top in context.case.tops if top.module == context.home)
    if not filled and not context.measured.known:
        return
    for node in context.nodes:
        open_ = [name for name, given in _parts(node).items() if given]
        if open_:
            text = f"{node.called} {node.id!r} is still part of a pattern: {' and '.join(open_)}."
            hint = "Instantiate it; if the whole case is a pattern, mark its top claim uninstantiated."
            yield context.find(node, "warning", "case-pattern-left", text, hint)


def _parts(node: Node) -> dict[str, bool]:
    return {
        "a multiplicity": bool(node.multiplicity),
        "a choice": bool(node.choice),
        "not instantiated": node.uninstantiated,
    }


@case_check(codes=("case-pattern-part",))
def strangers(context: Context) -> Iterator[Diagnostic]:
    """Multiplicities and choices of what is not below."""
    for node in context.nodes:
        below = set(node.below)
        named = (*node.multiplicity, *(each for choice in node.choice for each in choice.among))
        wrong = [each for each in dict.fromkeys(named) if each not in below]
        if wrong:
            text = (
                f"A multiplicity or choice of {node.called} {node.id!r} names {validate.listed(wrong)}, not below it."
            )
            hint = "Put the node below it, or take it out of the multiplicity or choice."
            yield context.find(node, "error", "case-pattern-part", text, hint)


@case_check(codes=("case-multiplicity",))
def unreadable(context: Context) -> Iterator[Diagnostic]:
    """Multiplicities that say no number."""
    for node in context.nodes:
        wrong = [f"{stated!r} of {each}" for each, stated in node.multiplicity.items() if not _readable(stated)]
        if wrong:
            text = f"{node.called} {node.id!r} has the multiplicity {validate.listed(wrong)}."
            yield context.find(node, "error", "case-multiplicity", text, "Write n, 3, 1..n or 0..1.")


def _readable(stated: str) -> bool:
    found = MULTIPLICITY.fullmatch(str(stated))
    if not found:
        return False
    least, most = found[1], found[2]
    return not (most and least.isdecimal() and most.isdecimal() and int(least) > int(most))
