"""What the first screen answers: whether the targets are met, by what margin, what the weakest link is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from surefoot.case.model import word
from surefoot.case.wording import unchecked
from surefoot.documents import percent, shortened, significant
from surefoot.project.result import Answer, Result
from surefoot.report.case_chapter import risen
from surefoot.report.case_outline import fragments, share, standing_words
from surefoot.report.wording import (
    STATUS_WORDS,
    contradicted,
    counting_bound,
    level_words,
    margin,
    plain_status,
    rounded,
)

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


# The verdict on the whole, in a few lines.

WORST_FIRST = ("violated", "not shown", "alone", "met")
TESTS = "contradicted-by-tests"
WITH_A_LEVEL = ("confidence", "credible")


@dataclass(frozen=True)
class Headline:
    """The worst of all verdicts, and what to know with it."""

    status: str
    """``met``, ``alone``, ``not shown``, ``violated``, or ``none`` without targets."""
    title: str
    lines: tuple[str, ...]
    warning: str = ""

    @property
    def text(self) -> str:
        """All lines as one paragraph."""
        return " ".join(self.lines)


def headline(result: Result) -> Headline:
    """The worst of all verdicts, and how many targets it concerns.

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
    statuses = [answer.status for answer in result.answers]
    if not statuses:
        stated = Headline("none", "No target stated", ("The project states no target, so nothing is concluded.",))
        return _in_disagreement(result, stated)
    status = next(word for word in WORST_FIRST if word in statuses)
    lines = (_counts(statuses, status), joint(result.answers), rests(result.answers))
    warning = " ".join(filter(None, (_by_tests(result.answers), _lost(result.answers), doubts(result))))
    found = Headline(status, _title(status, statuses), tuple(filter(None, lines)), warning)
    return _in_operation(result, _in_disagreement(result, found))


def _in_disagreement(result: Result, found: Headline) -> Headline:
    """Estimates that contradict each other come before the verdicts of others."""
    if not result.disagreements:
        return found
    warning = " ".join(filter(None, (*(each.text for each in result.disagreements), found.warning)))
    if found.status == "violated":
        return replace(found, warning=warning)
    status = "alone" if found.status == "met" else found.status
    return replace(found, status=status, title="Estimates contradict each other", warning=warning)


def _in_operation(result: Result, by_tests: Headline) -> Headline:
    """What operation says comes before what the tests showed."""
    against = result.contradictions or result.uncounted
    if not against:
        return by_tests
    said = " ".join(f"{each.where}: {each.text}" for each in against)
    warning = " ".join(filter(None, (said, f"By tests: {by_tests.title}.", by_tests.warning)))
    if result.contradictions:
        return replace(by_tests, status="violated", title="Operation contradicts the case", warning=warning)
    status = by_tests.status if by_tests.status == "violated" else "not shown"
    return replace(by_tests, status=status, title="Feedback from operation is not counted", warning=warning)


def _title(status: str, statuses: Sequence[str]) -> str:
    if len(statuses) == 1:
        return STATUS_WORDS[status]
    return _met(statuses) if status in ("alone", "met") else _so_many(statuses.count(status), statuses, status)


def _counts(statuses: Sequence[str], status: str) -> str:
    """How many are met, where the title tells how many are not."""
    if len(statuses) == 1 or status in ("alone", "met"):
        return ""
    return f"{_met(statuses)}."


def _met(statuses: Sequence[str]) -> str:
    alone = statuses.count("alone")
    met = _so_many(statuses.count("met"), statuses, "met")
    return f"{met}, {alone} more at this look alone" if alone else met


def _so_many(count: int, statuses: Sequence[str], status: str) -> str:
    total = len(statuses)
    return f"{f'All {total}' if count == total else f'{count} of {total}'} targets {plain_status(status)}"


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
    return f"{text}, {count} of which nobody checked." if count else f"{text}."


def doubts(result: Result) -> str:
    """Targets whose number is kept while the case does not support the claim."""
    said = [f"{name} ({why.rstrip('.')})" for name, why in result.doubted.items()]
    return f"The number is met, and the case does not show the claim: {'; '.join(said)}." if said else ""


def _by_tests(answers: Sequence[Answer]) -> str:
    """Targets whose number labelled tests speak against."""
    against = ((answer.name, each.text) for answer in answers for each in answer.estimate.caveats if each.code == TESTS)
    return " ".join(f"Tests speak against the number behind {name}: {text}" for name, text in against)


def _lost(answers: Sequence[Answer]) -> str:
    names = ", ".join(answer.name for answer in answers if answer.alone)
    return f"Met at this look alone, not at the level that covers all looks at the test data: {names}." if names else ""
