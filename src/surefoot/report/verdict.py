"""What the first screen answers: whether the targets are met, by what margin, what the weakest link is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.case.model import word
from surefoot.case.wording import in_short, unchecked
from surefoot.case.wording import surely as surely_words
from surefoot.core import validate
from surefoot.documents import counted, listed, percent, shortened, significant
from surefoot.project.result import Answer, Result
from surefoot.report.case_outline import fragments, standing_words
from surefoot.report.wording import (
    contradicted,
    counting_bound,
    level_words,
    margin,
    rounded,
)

QUESTION = "Is it safe enough?"
"""Only its targets can answer that, and the answer says so."""
LONGEST = 150
MOST_NAMED = 20
"""Targets that a line of the first screen names."""


@dataclass(frozen=True)
class Fact:
    """One answer of the first screen: a short one, what it means, and where the page tells more."""

    name: str
    short: str
    text: str
    link: str = ""
    """The id of an element."""
    kind: str = "number"
    """``number`` or ``words``: how the short answer is set."""


@dataclass(frozen=True)
class FirstScreen:
    """Everything that is told before anybody scrolls."""

    status: str
    answer: str
    facts: tuple[Fact, ...]
    lines: tuple[str, ...] = ()
    """What to know with all verdicts."""
    question: str = QUESTION


@validate.arguments
def first_screen(result: Result) -> FirstScreen:
    """What somebody who reads no further must know.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    FirstScreen
        Whether it is safe enough by its targets, the margin, assumptions, confidence, and the weakest link.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    answers = result.answers
    facts = (
        _smallest_margin(answers),
        _assumptions(result),
        _confidence(result),
        _weakest(result) if answers else None,
        _needed(answers),
    )
    lines = (left_open(result), joint(answers), rests(answers)) if answers else (left_open(result),)
    told = tuple(filter(None, lines))
    return FirstScreen(result.headline.status, result.headline.text, tuple(fact for fact in facts if fact), told)


def _smallest_margin(answers: Sequence[Answer]) -> Fact | None:
    """As a factor, with the bound and the limit; targets without a bound that counts are named."""
    found = [(times, place, answer) for place, answer in enumerate(answers, 1) if (times := margin(answer)) is not None]
    none = [answer.name for answer in answers if counting_bound(answer) is None]
    without = f" No bound counts for {listed(none, MOST_NAMED)}." if none else ""
    if not found:
        return Fact("Margin", "none", without.strip()) if none else None
    times, place, answer = min(found, key=lambda each: each[:2])
    bound = counting_bound(answer)
    assert bound is not None
    limit = significant(answer.verdict.limit, rounding="down" if bound.side == "upper" else "up")
    unsure = "" if answer.target.uncertainty is None else ", an end of what is itself uncertain"
    words = level_words(bound, answer.estimate)
    text = f"{answer.name}: bound {rounded(bound)}, limit {limit}{unsure} ({words}).{without}"
    name = "Smallest margin" if len(answers) > 1 else "Margin"
    return Fact(name, f"{significant(times, rounding='down')} ×", text, f"target-{place}")


def _weakest(result: Result) -> Fact | None:
    """The open doubt that decides most."""
    case, evaluation = result.case, result.evaluation
    doubt = next(iter(evaluation.doubts), None)
    if doubt is None or doubt.state != "open":
        return None
    node, assessed = case[doubt.id], evaluation[doubt.id]
    found = standing_words(case, node, assessed).partition(" ")[2]
    decides = " It alone keeps the top claim from being supported." if doubt.alone else ""
    text = f"{word(node, case.notation).capitalize()}, {found}.{decides}"
    return Fact("Weakest link", shortened(node.text, LONGEST), text, fragments(case)[doubt.id], "words")


def _needed(answers: Sequence[Answer]) -> Fact | None:
    """What the target that is furthest from being met would need."""
    found = [(place, answer) for place, answer in enumerate(answers, 1) if answer.needed]
    if not found:
        return None
    place, answer = min(found, key=_nearness)
    text = shortened(answer.needed[0], LONGEST)
    return Fact(f"Needed for {answer.name}", text, "", f"target-{place}", "words")


def _nearness(placed: tuple[int, Answer]) -> tuple[bool, bool, bool, float, int]:
    """What operation refuted, then what is violated, is furthest; what has no margin at all is compared last."""
    place, answer = placed
    times = margin(answer)
    return not answer.refuted, answer.status != "violated", times is None, times or 0.0, place


def _assumptions(result: Result) -> Fact | None:
    """How many nobody checked, of how many that the verdicts rest on, and for how many of them somebody answers."""
    answers = result.answers
    statuses: dict[tuple[str, str], set[str]] = {}
    for assumption in (each for answer in answers for each in answer.estimate.assumptions):
        statuses.setdefault((assumption.id, assumption.text), set()).add(assumption.status)
    if not statuses:
        return None
    unchecked = {identity for (identity, _), each in statuses.items() if "unchecked" in each}
    count = sum("unchecked" in each for each in statuses.values())
    named = {node.assumption.partition("[")[0] for node in result.case if node.stated and node.stated.by}
    answered = len(unchecked & named)
    broken = list(dict.fromkeys(each for answer in answers for each in contradicted(answer.estimate)))
    text = "that the verdicts rest on; somebody must answer for them"
    text += f", and does for {answered}." if answered else "."
    text += f" The data contradict {', '.join(broken)}." if broken else ""
    return Fact("Unchecked assumptions", f"{count} of {len(statuses)}", text, "assumptions")


def _confidence(result: Result) -> Fact | None:
    """Of the top claim: how surely all targets hold together, given what; or why there is no number."""
    if not result.case.tops or not result.answers:
        return None
    evaluation = result.evaluation
    surely, top = evaluation.confidence, result.case.top.id
    short = "no number" if surely is None else in_short(evaluation.top).removeprefix("confidence ")
    text = surely_words(evaluation, top)
    states = evaluation.counted()
    told = ", ".join(f"{count} {state}" for state, count in states.items() if count)
    text += f" {counted(len(evaluation.doubts), 'doubt')}: {told}." if told else ""
    return Fact("Confidence in all targets together", short, text, "case", "number" if surely is not None else "words")


# The verdict on the whole, in a few lines.

TESTS = "contradicted-by-tests"
WITH_A_LEVEL = ("confidence", "credible")


@dataclass(frozen=True)
class Headline:
    """The answer to the whole, and what to know with it."""

    status: str
    """``met``, ``not shown``, ``violated``, or ``none`` without targets."""
    title: str
    lines: tuple[str, ...]
    warning: str = ""

    @property
    def text(self) -> str:
        """All lines as one paragraph."""
        return " ".join(self.lines)


@validate.arguments
def headline(result: Result) -> Headline:
    """The answer to the whole in one line, what to know with it, and warnings.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    Headline
        Its title, what to know with it, and warnings.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    found = result.headline
    lines = (left_open(result), *((joint(result.answers), rests(result.answers)) if result.answers else ()))
    against = (*(f"{each.where}: {each.text}" for each in result.contradictions or result.uncounted),)
    apart = (each.text for each in result.disagreements)
    warnings = (*against, *apart, _by_tests(result.answers), _lost(result.answers), doubts(result))
    return Headline(found.status, found.text.rstrip("."), tuple(filter(None, lines)), " ".join(filter(None, warnings)))


def left_open(result: Result) -> str:
    """What the case leaves open, by name."""
    left = result.headline.left
    return f"{left[:1].upper()}{left[1:]}." if left else ""


def joint(answers: Sequence[Answer]) -> str:
    """The level at which all verdicts hold together, by the union bound."""
    missed = [miss for miss in map(_missed, answers) if miss is not None]
    if len(missed) < 2:
        return ""
    level = 1 - sum(missed)
    together = f"at least at {percent(level)}" if level > 0 else "at no level that could be given"
    which = f"all {len(missed)}" if len(missed) == len(answers) else f"the {len(missed)} with a guaranteed level all"
    return f"Each verdict holds at its own level; {which} together {together}."


def _missed(answer: Answer) -> float | None:
    """With which probability a verdict is wrong, by its bound or by its uncertain limit; None where that is unknown."""
    bound, target = counting_bound(answer), answer.verdict.target
    of_limit = 0.0 if target.uncertainty is None else target.alpha
    if bound and bound.kind in WITH_A_LEVEL:
        return bound.alpha + of_limit
    return of_limit if bound and bound.kind == "certain" and of_limit else None


def rests(answers: Sequence[Answer]) -> str:
    """What every verdict is about, and under how many assumptions that nobody checked."""
    text = "Each verdict is about its quantity, at its level, and under the assumptions listed below"
    count = unchecked(answer.estimate for answer in answers)
    stated = [answer.name for answer in answers if answer.verdict.answered_by]
    by = dict.fromkeys(name for answer in answers for name in answer.verdict.answered_by)
    who = f"for which {listed(by)} answers" if stated else ""
    on = f" Met on what is stated and not measured, {who}: {listed(stated, MOST_NAMED)}." if stated else ""
    return f"{text}, {count} of which nobody checked.{on}" if count else f"{text}.{on}"


def doubts(result: Result) -> str:
    """Targets whose number is kept while the case does not support the claim."""
    said = [f"{name} ({why.rstrip('.')})" for name, why in result.doubted.items()]
    return f"The number is met, and the case does not show the claim: {_first(said, '; ')}." if said else ""


def _by_tests(answers: Sequence[Answer]) -> str:
    """Targets whose number labelled tests speak against."""
    against = ((answer.name, each.text) for answer in answers for each in answer.estimate.caveats if each.code == TESTS)
    return _first([f"Tests speak against the number behind {name}: {text}" for name, text in against], " ")


def _first(said: Sequence[str], between: str) -> str:
    more = f"{between}and {len(said) - MOST_NAMED:,} more" if len(said) > MOST_NAMED else ""
    return f"{between.join(said[:MOST_NAMED])}{more}"


def _lost(answers: Sequence[Answer]) -> str:
    names = listed([answer.name for answer in answers if answer.alone], MOST_NAMED)
    return f"Met at this look alone, not at the level that covers all looks at the test data: {names}." if names else ""


# Targets: a card for each, or, of very many, for those that are furthest from being met, and a row for each other.

MOST_CARDS = 100
CARDS_OF_MANY = 12
WORST_FIRST = ("violated", "not shown", "alone", "met")


@dataclass(frozen=True)
class Targets:
    """The targets with their places in the result, from which their ids on the page are made."""

    cards: tuple[tuple[int, Answer], ...]
    rows: tuple[tuple[int, Answer], ...] = ()

    @classmethod
    def of(cls, result: Result) -> Targets:
        """As cards all of few targets; of more the worst, by verdict and then by margin."""
        placed = tuple(enumerate(result.answers, start=1))
        if len(placed) <= MOST_CARDS:
            return cls(placed)
        ordered = sorted(
            placed, key=lambda each: (not each[1].refuted, WORST_FIRST.index(each[1].standing), _far(each[1]))
        )
        return cls(tuple(ordered[:CARDS_OF_MANY]), tuple(ordered[CARDS_OF_MANY:]))

    @property
    def rows_by_verdict(self) -> list[tuple[str, list[tuple[int, Answer]]]]:
        """The rows below their verdicts."""
        groups: dict[str, list[tuple[int, Answer]]] = {}
        for place, answer in self.rows:
            groups.setdefault(answer.standing, []).append((place, answer))
        return list(groups.items())

    @property
    def told_once(self) -> dict[str, str]:
        """Names of the targets that have a row, with the ids of these: they are told at length nowhere else."""
        return {answer.name: f"target-{place}" for place, answer in self.rows}


def _far(answer: Answer) -> float:
    times = margin(answer)
    return -math.inf if times is None else times
