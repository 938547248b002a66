"""What the chapter on the case says of one node, in words."""

from __future__ import annotations

from urllib.parse import urlsplit

from surefoot.case.case import Case
from surefoot.case.evaluation import Assessed
from surefoot.case.node import GIVEN, Node
from surefoot.core import Bound, Estimate
from surefoot.documents import percent, shortened, significant
from surefoot.report.words import bound_at, level_words, named, rounded

SIGNS = {"supported": "✓", "not shown": "?", "contradicted": "✕"}
UNASSESSED = GIVEN
"""Kinds of which nothing is claimed, so that they do not stand or fall."""
SHOWN_LEVEL = 0.95
LONGEST_REASON = 240
_EXACT = 1e-9
_OF_DOUBTS = {"supported": "contradicted", "not shown": "not shown", "contradicted": "supported"}


def standing(node: Node, assessed: Assessed | None) -> str:
    """How it stands; of a doubt how the case stands against it: well where it is eliminated, badly where it holds."""
    if assessed is None or node.kind in UNASSESSED:
        return ""
    if _is_doubt(node):
        return "supported" if node.defeated else _OF_DOUBTS[assessed.standing]
    return assessed.standing


def _is_doubt(node: Node) -> bool:
    """Whether it speaks against the case: a defeater, or evidence that challenges."""
    return node.kind == "defeater" or bool(node.challenges)


def standing_words(node: Node, assessed: Assessed | None, *, challenged: bool) -> str:
    """Sign and word of how it stands; of a checked assumption what the check says, which proves nothing."""
    if node.kind in UNASSESSED:
        return ""
    if assessed is None:
        return "not assessed"
    word = found = standing(node, assessed)
    if _is_doubt(node):
        word = {"supported": "eliminated", "not shown": "not eliminated", "contradicted": "the doubt holds"}[found]
    if node.kind == "side-claim" and node.assumption and not challenged:
        word = {"supported": "not contradicted", "not shown": "not checked"}.get(word, word)
    return f"{SIGNS[found]} {word}"


def share(probability: float) -> str:
    """A probability in whole percent; what is not certain is never rounded to certainty.

    >>> share(0.834), share(0.9996), share(0.0001), share(1.0)
    ('83%', '>99%', '<1%', '100%')
    """
    if probability <= _EXACT:
        return "0%"
    if probability >= 1 - _EXACT:
        return "100%"
    whole = round(100 * probability)
    return "<1%" if whole < 1 else ">99%" if whole > 99 else f"{whole}%"


def opinion_words(assessed: Assessed) -> str:
    """Probability, and what it is made of."""
    found = assessed.opinion
    made_of = zip(
        ("belief", "disbelief", "uncertainty"), (found.belief, found.disbelief, found.uncertainty), strict=True
    )
    return f"{share(float(found.probability))} likely: " + ", ".join(f"{name} {share(float(x))}" for name, x in made_of)


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
    limit = f"{target.relation} {significant(target.limit)} per {target.per}"
    return f"{node.number.quantity} {limit} at level {percent(target.level)}{strict}"


def _shown(assessed: Assessed | None) -> str:
    verdict = assessed.verdict if assessed else None
    if verdict is None:
        return "nothing measured speaks about it"
    if verdict.bound is None:
        return f"{verdict.status}, no bound counts"
    return f"{verdict.status}, {_bound(verdict.bound)}"


def _measured(estimate: Estimate) -> str:
    level = estimate.details.get("level", SHOWN_LEVEL)
    found = (bound_at(family, level) for family in estimate.bounds)
    bounds = "".join(f", {_bound(bound)}" for bound in found if bound is not None)
    return f"Measured {named(estimate)} {significant(estimate.value)} {estimate.unit}{bounds}."


def _bound(bound: Bound) -> str:
    return f"{bound.side} bound {rounded(bound)} ({level_words(bound)})"


def reason(assessed: Assessed | None) -> str:
    """What decided, no longer than a few lines."""
    return shortened(assessed.why, LONGEST_REASON) if assessed else ""


def marks(case: Case, node: Node) -> str:
    """What else is known of it, short."""
    found = [
        f"{node.block} argument" if node.block else "",
        {"legs": "any one of these suffices", "deduction": "by deduction"}.get(node.combining, ""),
        "undeveloped" if node.undeveloped else "",
        "still to be instantiated" if node.uninstantiated else "",
        "the challenge won" if node.defeated and node.kind != "defeater" else "",
        f"in module {node.module}" if node.module else "",
        f"stands for {node.of}" if node.of else "",
        "is challenged" if node.id in case.challengers else "",
        *(f"{count} of {below}" for below, count in node.multiplicity.items()),
        *(f"{each.least} to {each.most} of {', '.join(each.among)}" for each in node.choice),
        f"answered for by {node.stated.by}" if node.stated and node.stated.by else "",
        node.note,
    ]
    return "; ".join(text for text in found if text)


def web_address(url: str) -> str:
    """The address where it is one of the web, which alone may become a link; else nothing."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else ""
