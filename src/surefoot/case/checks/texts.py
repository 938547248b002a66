"""Checks of what nodes say: finished, each thing once, and numbers as they were measured and claimed elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isclose

from surefoot.case.checks.context import Context, case_check
from surefoot.case.model import STANDING_IN, Node, Number
from surefoot.case.standards import clause_of, meant_standard
from surefoot.core import Bound, Diagnostic, Estimate, InvalidInput, Target, Verdict, validate
from surefoot.core.bound import WITHOUT_LEVEL
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


BRIDGING = ("calculation", "substitution")
"""Blocks that get from one quantity or exposure to another."""
MOST_ABOVE = 20
"""So many numbered claims above one node are looked at; a node that more of them share is no usual case."""


@case_check(codes=("case-number-text",))
def in_words(context: Context) -> Iterator[Diagnostic]:
    """Texts that say another number than the claim states."""
    for node in context.nodes:
        if node.kind != "claim" or node.number is None:
            continue
        target, strict = node.number.target, node.number.strict_level
        found, levels = figures(node.text)
        limits = [figure for figure in found if figure.value <= 1 or target.limit > 1]
        said = [limits[0]] if len(limits) == 1 and not any(map(limits[0].rounds, _ways(target))) else []
        if len(levels) == 1 and not any(map(levels[0].rounds, (target.level, strict or target.level))):
            said.append(levels[0])
        for figure in said:
            text = f"Claim {node.id!r} says {figure.text!r}, and its number is {target}."
            hint = "Bring the text and the number into agreement."
            yield context.find(node, "warning", "case-number-text", text, hint)


def _ways(target: Target) -> tuple[float, ...]:
    """A limit, and the same said of the contrary: at most 0.1% wrong is at least 99.9% right."""
    return (target.limit, 1 - target.limit) if 0 <= target.limit <= 1 else (target.limit,)


@case_check(codes=("case-number-unmeasured",))
def unmeasured(context: Context) -> Iterator[Diagnostic]:
    """Numbers that nothing below speaks of."""
    speaks: dict[str, bool] = {}
    for identity in context.case.upward:
        node = context.by_id[identity]
        below = any(speaks.get(each, True) for each in node.supported_by)
        speaks[identity] = below if node.kind == "argument" else _speaks(node)
        if node.kind == "claim" and node.number is not None and node.supported_by and not below:
            text = f"Claim {node.id!r} states a number ({node.number}), and nothing below it measures or states one."
            hint = "Put evidence with rests_on below it, or claims with numbers."
            yield context.find(node, "warning", "case-number-unmeasured", text, hint)


def _speaks(node: Node) -> bool:
    """Whether a node holds up a number; an unnumbered claim may rest on numbered ones."""
    return bool(node.rests_on) if node.kind == "evidence" else node.kind in ("claim", "sub-case", "contract")


@dataclass(frozen=True)
class Above:
    """A claim with a number above a node, and how one gets from there to here."""

    id: str
    bridged: bool = False
    """Whether a calculation or substitution lies between them."""
    eased: bool = False
    """Whether the node below is not needed by itself: one of several legs, or part of a deduction."""


@case_check(codes=("case-exposure", "case-level-weaker", "case-limit-weaker"))
def compared(context: Context) -> Iterator[Diagnostic]:
    """Numbers that do not hold up the number of the claim above."""
    for identity, above in _above(context).items():
        node = context.by_id[identity]
        if node.kind == "claim" and node.number is not None:
            for each in above:
                stated = context.by_id[each.id].number
                if stated is not None:
                    yield from _compare(context, node, (node.number, stated), each)


def _compare(context: Context, node: Node, numbers: tuple[Number, Number], above: Above) -> Iterator[Diagnostic]:
    mine, theirs = (number.target for number in numbers)
    if mine.counted != theirs.counted and not above.bridged:
        text = f"Claim {node.id!r} is {mine.counted}, and claim {above.id!r} above it {theirs.counted}."
        hint = "Put a calculation or substitution between them that converts the exposure."
        yield context.find(node, "warning", "case-exposure", text, hint)
    if mine.level < theirs.level - 1e-12 and not above.eased:
        text = f"Claim {node.id!r} is shown at level {mine.level:g}, claim {above.id!r} above it at {theirs.level:g}."
        hint = "Show the lower one at least as surely as the upper one."
        yield context.find(node, "warning", "case-level-weaker", text, hint)
    lower, upper = ((each.quantity, each.target.counted, each.target.relation) for each in numbers)
    if lower == upper and weaker(mine, theirs) and not (above.bridged or above.eased):
        text = f"Claim {node.id!r} states {mine}, weaker than {theirs} of claim {above.id!r} above it."
        hint = "Tighten the lower limit, or put the calculation between them that gets to the upper one."
        yield context.find(node, "warning", "case-limit-weaker", text, hint)


def weaker(target: Target, than: Target) -> bool:
    """Whether a limit asks for less than another one of the same side."""
    slack = 1e-9 * max(abs(target.limit), abs(than.limit))
    apart = target.limit - than.limit if target.at_most is not None else than.limit - target.limit
    return apart > slack


def _above(context: Context) -> Mapping[str, tuple[Above, ...]]:
    """For each node the nearest claims with numbers above it."""
    found: dict[str, tuple[Above, ...]] = {}
    for identity in reversed(context.case.upward):
        node = context.by_id[identity]
        passed = _passed(node, found.get(identity, ()))
        for below in context.known(node.supported_by) if passed else ():
            held = found.get(below.id)
            merged = passed if not held else tuple(dict.fromkeys((*held, *passed)))
            found[below.id] = merged[:MOST_ABOVE]
    return found


def _passed(node: Node, above: tuple[Above, ...]) -> tuple[Above, ...]:
    bridged, eased = node.block in BRIDGING, node.combining != "all"
    if node.kind == "claim" and node.number is not None:
        return (Above(node.id, eased=eased),)
    if not above or not (bridged or eased):
        return above
    return tuple(replace(each, bridged=each.bridged or bridged, eased=each.eased or eased) for each in above)


# Numbers as people write them in sentences: 0.001, 99.9%, 1e-3, 2×10⁻⁴, 10^-3, 1 in 10,000.
#
# A number counts only where it can be meant as a limit: written with a point, a percent sign or a power of ten, as one
# in so many, or as in "at most 5 per hour". Numbers of sections, standards, versions and lengths do not.

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWER = r"10\s*(?:(?:\^|\*\*)\s*\{?\s*(?P<power>[-−+]?\d{1,3})\}?|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
FIGURE = re.compile(
    rf"""(?<![\w.,/^-])(?:
      (?:1|one|once)\s+in\s+(?:every\s+|a\s+)?(?P<among>\d[\d,]*)
    | (?:(?P<times>{PLAIN})\s*[×x*·]\s*)?{POWER}
    | (?P<plain>{PLAIN})(?:[eE](?P<e>[-−+]?\d{{1,3}}))?(?P<percent>\s*(?:%|per\s?cent\b))?
    )(?![\w^]|[.,-]\d)""",
    re.VERBOSE | re.IGNORECASE,
)
NUMBERED = re.compile(
    r"\b(?:sections?|sec\.|figures?|fig\.|tables?|versions?|clauses?|parts?|chapters?|steps?|a?sil|iso|iec|ul|en|sae|pas|"
    r"papers?|appendix|equations?|eqn?\.|no\.|requirements?|hazards?)\s*[(/]?\s*$",
    re.IGNORECASE,
)
LIMITING = re.compile(
    r"(?:at (?:most|least)|(?:less|more|fewer|greater|lower|higher) than|below|above|exceed(?:s|ing)?|[<>≤≥=])\s*$",
    re.IGNORECASE,
)
COUNTED_BY = re.compile(r"\s*(?:per\b|an?\b|each\b|/|[.,;)]|$)")
UNIT = re.compile(
    r"\s*(?:°|(?:[kcmµn]?m|km/h|mph|[mµn]?s|min|h|[kMG]?Hz|kg|g|V|A|W|px|dB|lux|lx|K|years?|days?|hours?|minutes?|"
    r"seconds?|met(?:re|er)s?|pixels?|degrees?|frames?)\b)"
)
CONFIDENCE = re.compile(
    rf"(?:(?<![\w.,])(?P<after>{PLAIN})(?P<share>\s*(?:%|per\s?cent))?\s*(?:statistical\s+)?(?:confiden\w+|credib\w+|level\b)|"
    rf"(?:confiden\w+|credib\w+|level)(?:\s+level)?(?:\s+of)?\s+(?P<before>{PLAIN})(?P<part>\s*(?:%|per\s?cent))?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Figure:
    """A number in a text, and half a unit of its last digit."""

    text: str
    value: float
    rounding: float

    def rounds(self, number: float) -> bool:
        """Whether it can be this number, rounded."""
        return abs(self.value - number) <= self.rounding * (1 + 1e-9)


def figures(text: str) -> tuple[list[Figure], list[Figure]]:
    """The numbers of a text that may be limits, and those that are levels of confidence."""
    said = [_level(found) for found in CONFIDENCE.finditer(text)]
    # Level 4 of automated driving is no level of confidence.
    levels = [level for level in said if level.value < 1]
    rest = CONFIDENCE.sub(" ; ", text)
    return [_figure(found) for found in FIGURE.finditer(rest) if _is_limit(found, rest)], levels


def _is_limit(found: re.Match[str], text: str) -> bool:
    before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() : found.end() + 12]
    if NUMBERED.search(before) or UNIT.match(after):
        return False
    marked = found["plain"] is None or "." in found["plain"] or found["e"] or found["percent"]
    return bool(marked or (LIMITING.search(before) and COUNTED_BY.match(after)))


def _figure(found: re.Match[str]) -> Figure:
    if found["among"]:
        among = max(float(found["among"].replace(",", "")), 1.0)
        return Figure(found[0], 1 / among, 0.5 / among**2)
    digits = found["plain"] or found["times"] or "1"
    power = found["e"] or found["power"] or (found["raised"] or "0").translate(RAISED)
    return _scaled(found[0], digits, int(power.replace("−", "-")) - (2 if found["percent"] else 0))


def _level(found: re.Match[str]) -> Figure:
    percent = found["share"] or found["part"]
    return _scaled(found[0], found["after"] or found["before"], -2 if percent else 0)


def _scaled(text: str, digits: str, power: int) -> Figure:
    plain = digits.replace(",", "")
    decimals = len(plain.partition(".")[2])
    return Figure(text.strip(), float(f"{plain}e{power}"), float(f"5e{power - decimals - 1}"))


# Targets of the system: each claimed, and not by less than is asked.

TARGET = "@target "
MOST_OFFERED = 20


@case_check(codes=("case-target-unclaimed", "case-target-weaker"))
def claimed(context: Context) -> Iterator[Diagnostic]:
    """Targets that no claim states, and claims that state less.

    A claim states a target whose name is its id or its quantity, or one with the same limit.
    """
    stating = [node for node in context.nodes if node.kind == "claim" and node.number is not None]
    named: dict[str, list[tuple[Node, Target]]] = {}
    limits: dict[tuple[str, str], list[float]] = {}
    for node in stating:
        if node.number is not None:
            target = node.number.target
            for name in {node.id, context.place(node), node.number.quantity}:
                named.setdefault(name, []).append((node, target))
            limits.setdefault((target.counted, target.relation), []).append(target.limit)
    offered = {name for each in context.unattached if (name := _target_of(each))}
    for name, target in context.targets.items():
        if name in offered:
            continue
        candidates = [(node, said) for node, said in named.get(name, ()) if _comparable(said, target)]
        if candidates and all(_less(said, target) for _, said in candidates):
            node, said = candidates[0]
            text = f"Claim {node.id!r} states {said}, and the target {name!r} asks for {target}."
            yield context.find(node, "error", "case-target-weaker", text, "Claim what is asked for.")
        same = limits.get((target.counted, target.relation), ())
        if not candidates and not any(isclose(limit, target.limit) for limit in same):
            text = f"No claim states the target {name!r}: {target}."
            hint = "Add a claim with that number, and argue for it."
            yield Diagnostic("case-target-unclaimed", text, "error", f"target {name}", hint)


@case_check(codes=("case-fragment-unattached",))
def attached(context: Context) -> Iterator[Diagnostic]:
    """Arguments of targets that are offered, and that the case of an author does not use; then all else offered."""
    others = []
    for reference in context.unattached:
        name = _target_of(reference)
        if not name:
            others.append(repr(reference))
            continue
        text = f"The case does not use the target {name!r}, which is answered all the same."
        hint = f"Write {reference!r} in supported by of the node that it belongs to."
        yield Diagnostic("case-fragment-unattached", text, "note", f"target {name}", hint)
    if others:
        text = f"Also offered, and not attached: {validate.listed(others, MOST_OFFERED)}."
        hint = "Write one in supported by or in context of of a node, or leave it."
        yield Diagnostic("case-fragment-unattached", text, "note", "", hint)


def _target_of(reference: str) -> str:
    """The target whose argument a fragment is; empty where it is another one."""
    return reference.removeprefix(TARGET) if reference.startswith(TARGET) else ""


def _comparable(said: Target, asked: Target) -> bool:
    return (said.per, said.relation) == (asked.per, asked.relation)


def _less(said: Target, asked: Target) -> bool:
    return weaker(said, asked) or said.level < asked.level - 1e-12


# Whether what was measured shows what is claimed: not at all, not quite, or far more than is claimed.

FACTOR = 2.0
"""A claim weaker than what was measured by more than this could be tightened."""
UNGUARANTEED = ("heuristic", "expectation")


@dataclass(frozen=True)
class Found:
    """What one piece of evidence says of a claim."""

    node: Node
    verdict: Verdict
    leg: bool
    alone: bool
    """Met at the level asked for, and no longer at the one that covers all looks at the data."""

    @property
    def shown(self) -> bool:
        """Whether it shows the claim."""
        return self.verdict.status == "met" and not self.alone


@case_check(
    codes=("case-claim-contradicted", "case-claim-unshown", "case-bound-heuristic", "case-claim-weaker"),
    needs_evidence=True,
)
def shown(context: Context) -> Iterator[Diagnostic]:
    """Claims by the verdicts of their evidence."""
    for claim in context.nodes:
        if claim.kind == "claim" and claim.number is not None:
            found = list(_found(context, claim, claim.number))
            if found:
                yield from _judged(context, claim, claim.number, found)


def _found(context: Context, claim: Node, number: Number) -> Iterator[Found]:
    for node, leg in context.results(claim):
        estimate = context.measured.estimate(node.rests_on)
        verdict = None if estimate is None else _verdict(estimate, number, number.target.level)
        if estimate is None or verdict is None:
            continue
        strict = _verdict(estimate, number, number.strict_level) if number.strict_level is not None else verdict
        yield Found(node, verdict, leg, bool(verdict) and not strict)


def _verdict(estimate: Estimate, number: Number, level: float) -> Verdict | None:
    """None where the units differ, which has a code of its own."""
    try:
        return estimate.meets(number.target if level == number.target.level else replace(number.target, level=level))
    except InvalidInput:
        return None


def _judged(context: Context, claim: Node, number: Number, found: list[Found]) -> Iterator[Diagnostic]:
    against = next((each for each in found if each.verdict.status == "violated"), None)
    if against is not None:
        text = f"Claim {claim.id!r} is contradicted by evidence {against.node.id!r}: {against.verdict.text}."
        hint = "The claim is false as it stands: improve the system, or claim less."
        yield context.find(claim, "error", "case-claim-contradicted", text, hint)
        return
    missing = _missing(found)
    if missing is not None:
        alone = f" at this look alone, not at level {number.strict_level:g}" if missing.alone else ""
        text = f"Evidence {missing.node.id!r} does not show claim {claim.id!r}: {missing.verdict}{alone}."
        hint = "Gather more evidence, or claim less."
        yield context.find(claim, "warning", "case-claim-unshown", text, hint)
        return
    yield from _shown(context, claim, number, [each for each in found if each.shown])


def _missing(found: list[Found]) -> Found | None:
    """What is needed and does not show the claim; of several legs one suffices."""
    needed = next((each for each in found if not each.leg and not each.shown), None)
    legs = [each for each in found if each.leg]
    return needed or (legs[0] if legs and not any(each.shown for each in legs) else None)


def _shown(context: Context, claim: Node, number: Number, found: list[Found]) -> Iterator[Diagnostic]:
    bounds = [(each, each.verdict.bound) for each in found if each.verdict.bound is not None]
    for each, bound in bounds:
        if bound.kind in UNGUARANTEED:
            text = f"Claim {claim.id!r} rests on a bound that carries no confidence: {bound.kind}, of {each.node.id!r}."
            hint = "Use a method with a stated confidence where the claim matters."
            yield context.find(claim, "warning", "case-bound-heuristic", text, hint)
    if bounds and all(_far(number, bound) for _, bound in bounds):
        each, bound = bounds[0]
        at = "" if bound.kind in WITHOUT_LEVEL else f" at level {bound.level:g}"
        text = f"Claim {claim.id!r} states {number.target}; {each.node.id!r} shows {bound.limit:.3g}{at}."
        yield context.find(claim, "note", "case-claim-weaker", text, "It could be tightened.")


def _far(number: Number, bound: Bound) -> bool:
    limit = number.target.limit
    if number.target.at_most is not None:
        return limit > FACTOR * bound.limit
    if number.target.is_share:
        return 1 - limit > FACTOR * (1 - bound.limit)
    return bound.limit > FACTOR * limit
