"""The verdict on the whole, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from surefoot.case.words import unchecked
from surefoot.documents import percent
from surefoot.project.answer import Answer
from surefoot.project.result import Result
from surefoot.report.words import STATUS_WORDS, counting_bound, plain_status

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
    """The worst of all verdicts, and how many targets it concerns."""
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
