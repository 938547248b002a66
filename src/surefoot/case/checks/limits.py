"""Numbers that claims state: as their text says, measured below, and not weaker than those of the claims above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from surefoot.case.checks.context import Context
from surefoot.case.checks.figures import figures
from surefoot.case.checks.rule import case_check
from surefoot.case.node import Node
from surefoot.case.number import Number
from surefoot.core import Diagnostic, Target

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
    if mine.per != theirs.per and not above.bridged:
        text = f"Claim {node.id!r} is per {mine.per}, and claim {above.id!r} above it per {theirs.per}."
        hint = "Put a calculation or substitution between them that converts the exposure."
        yield context.find(node, "warning", "case-exposure", text, hint)
    if mine.level < theirs.level - 1e-12 and not above.eased:
        text = f"Claim {node.id!r} is shown at level {mine.level:g}, claim {above.id!r} above it at {theirs.level:g}."
        hint = "Show the lower one at least as surely as the upper one."
        yield context.find(node, "warning", "case-level-weaker", text, hint)
    lower, upper = ((each.quantity, each.target.per, each.target.relation) for each in numbers)
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
