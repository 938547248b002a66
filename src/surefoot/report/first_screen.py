"""What the first screen answers: whether the targets are met, by what margin, what the weakest link is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.case.notation import word
from surefoot.documents import shortened, significant
from surefoot.project.answer import Answer
from surefoot.project.result import Result
from surefoot.report.case_chapter import risen
from surefoot.report.case_outline import fragments
from surefoot.report.case_words import share, standing_words
from surefoot.report.headline import WORST_FIRST, joint, rests
from surefoot.report.words import contradicted, counting_bound, level_words, margin, rounded

QUESTION = "Is it safe enough?"
"""Only its targets can answer that, and the answer says so."""
ALONE = {
    "met": "Yes, by its target: it is met.",
    "alone": "At this look alone: the target is not met at the level that covers all looks at the test data.",
    "not shown": "Not shown: neither that the target is met, nor that it is violated.",
    "violated": "No: the target is violated.",
}
MANY = {
    "met": "Yes, by its targets: {of} are met",
    "alone": "At this look alone for {of}",
    "not shown": "Not shown for {of}",
    "violated": "No: {of} {are} violated",
}
LONGEST = 150


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
    opinion: tuple[int, int] | None = None
    """Belief and disbelief in whole per cent, for a bar."""


@dataclass(frozen=True)
class FirstScreen:
    """Everything that is told before anybody scrolls."""

    status: str
    answer: str
    facts: tuple[Fact, ...]
    lines: tuple[str, ...] = ()
    """What to know with all verdicts."""
    question: str = QUESTION


def first_screen(result: Result) -> FirstScreen:
    """What somebody who reads no further must know."""
    answers = result.answers
    facts = (
        _smallest_margin(answers),
        _assumptions(result),
        _confidence(result),
        _weakest(result) if answers else None,
        _needed(answers),
    )
    lines = (joint(answers), rests(answers)) if answers else ()
    return FirstScreen(*_answer(result), tuple(fact for fact in facts if fact), tuple(filter(None, lines)))


def _answer(result: Result) -> tuple[str, str]:
    """The worst status, and one plain sentence with the number of targets."""
    statuses = [answer.status for answer in result.answers]
    if not statuses:
        return "none", "Nothing is concluded: the project states no target."
    status = next(word for word in WORST_FIRST if word in statuses)
    said = _said(statuses, status)
    if result.contradictions and status != "violated":
        return "violated", f"No: operation contradicts the case. By tests: {said[:1].lower()}{said[1:]}"
    if result.uncounted and status != "violated":
        text = "Not known: feedback from operation could not be counted"
        return "not shown", f"{text}. By tests: {said[:1].lower()}{said[1:]}"
    if result.disagreements and status != "violated":
        text = "Estimates of one quantity contradict each other, and none of them gives a verdict"
        return "alone" if status == "met" else status, f"{text}. {said}"
    if result.doubted and status == "met":
        return "alone", f"{said.removesuffix('.')}, and the case does not show {', '.join(result.doubted)}."
    return status, said


def _said(statuses: Sequence[str], status: str) -> str:
    count, total, met = statuses.count(status), len(statuses), statuses.count("met")
    if total == 1:
        return ALONE[status]
    of = f"{count} of {total} targets" if count < total else f"all {total} targets"
    rest = f"; {met} {'is' if met == 1 else 'are'} met" if met and status != "met" else ""
    return f"{MANY[status].format(of=of, are='is' if count == 1 else 'are')}{rest}."


def _smallest_margin(answers: Sequence[Answer]) -> Fact | None:
    """As a factor, with the bound and the limit; targets without a bound that counts are named."""
    found = [(times, place, answer) for place, answer in enumerate(answers, 1) if (times := margin(answer)) is not None]
    none = [answer.name for answer in answers if counting_bound(answer) is None]
    without = f" No bound counts for {', '.join(none)}." if none else ""
    if not found:
        return Fact("Margin", "none", without.strip()) if none else None
    times, place, answer = min(found, key=lambda each: each[:2])
    bound = counting_bound(answer)
    assert bound is not None
    limit = significant(answer.verdict.limit, rounding="down" if bound.side == "upper" else "up")
    unsure = "" if answer.target.uncertainty is None else ", an end of what is itself uncertain"
    text = f"{answer.name}: bound {rounded(bound)}, limit {limit}{unsure} ({level_words(bound)}).{without}"
    name = "Smallest margin" if len(answers) > 1 else "Margin"
    return Fact(name, f"{significant(times, rounding='down')} ×", text, f"target-{place}")


def _weakest(result: Result) -> Fact | None:
    """The leaf of the case of which certainty would raise the top claim most."""
    case, weakest = result.case, result.evaluation.weakest
    if weakest not in case:
        return None
    rise = next((risen(lever) for lever in result.evaluation.levers if lever.id == weakest), "")
    node, assessed = case[weakest], result.evaluation[weakest]
    raises = f" Settled in favour of the case, it would make the top claim likelier: {rise}." if rise else ""
    found = standing_words(node, assessed, challenged=weakest in case.challengers).partition(" ")[2]
    text = f"{word(node, case.notation).capitalize()}, {found}.{raises}"
    return Fact("Weakest link", shortened(node.text, LONGEST), text, fragments(case)[weakest], "words")


def _needed(answers: Sequence[Answer]) -> Fact | None:
    """What the target that is furthest from being met would need."""
    found = [(place, answer) for place, answer in enumerate(answers, 1) if answer.needed]
    if not found:
        return None
    place, answer = min(found, key=_nearness)
    text = shortened(answer.needed[0], LONGEST)
    return Fact(f"Needed for {answer.name}", text, "", f"target-{place}", "words")


def _nearness(placed: tuple[int, Answer]) -> tuple[bool, bool, float, int]:
    """What is violated is furthest from being met; what has no margin at all is compared last."""
    place, answer = placed
    times = margin(answer)
    return answer.status != "violated", times is None, times or 0.0, place


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
    """Of the top claim: how it stands, and the opinion on it."""
    if not result.case.tops or not result.answers:
        return None
    top = result.evaluation.top
    belief, disbelief, unknown = (
        float(each) for each in (top.opinion.belief, top.opinion.disbelief, top.opinion.uncertainty)
    )
    text = f"{share(belief)} speaks for it, {share(disbelief)} against it, {share(unknown)} is not known. "
    text += f"The top claim is {top.standing}."
    likely = f"{share(float(top.opinion.probability))} likely"
    return Fact(
        "Confidence in the top claim", likely, text, "case", opinion=(round(100 * belief), round(100 * disbelief))
    )
