"""What was found, in plain words. A target is met, violated or not shown; nothing is ever called safe."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core import Bound, LevelUnavailable
from surefoot.core.bound import BoundFamily
from surefoot.core.estimate import Estimate
from surefoot.draw import percent, sentence, significant
from surefoot.project.result import Answer, Result

STATUS_WORDS = {"met": "Target met", "unproven": "Target not shown", "violated": "Target violated"}
BASIS = {
    "confidence": "Shown with {level} confidence",
    "credible": "Shown with {level} probability under the stated prior",
    "certain": "Certain",
    "expectation": "Shown on average over data sets, without a confidence",
    "heuristic": "Suggested by a bound without guarantee, meant for {level}",
}


@dataclass(frozen=True)
class Headline:
    """The verdict on the whole."""

    status: str
    """``met``, ``unproven``, ``violated``, or ``none`` without targets."""
    title: str
    text: str
    warning: str = ""


def headline(result: Result) -> Headline:
    """The worst of all verdicts, and how many targets it concerns."""
    statuses = [answer.verdict.status for answer in result.answers]
    if not statuses:
        return Headline("none", "No target stated", "The project states no target, so nothing is concluded.")
    status = next(word for word in ("violated", "unproven", "met") if word in statuses)
    text = "Each verdict is about the quantity that was measured, at its level, and under the assumptions listed below."
    return Headline(status, _title(status, statuses.count(status), len(statuses)), text, _lost(result))


def _title(status: str, count: int, total: int) -> str:
    if total == 1:
        return STATUS_WORDS[status]
    verb = STATUS_WORDS[status].removeprefix("Target ")
    return f"All {total} targets {verb}" if count == total else f"{count} of {total} targets {verb}"


def _lost(result: Result) -> str:
    lost = [a.name for a in result.answers if a.verdict and a.corrected is not None and not a.corrected]
    names = ", ".join(lost)
    return f"After correction for repeated looks at the test data, no longer shown: {names}." if lost else ""


def finding(answer: Answer) -> str:
    """A few sentences on a target."""
    target, bound, broken = answer.verdict.target, answer.verdict.bound, contradicted(answer.estimate)
    asks = f"The target asks for {target.relation} {significant(target.limit)}."
    if broken:
        return (
            f"Nothing is shown, neither way: the data contradict what the bound rests on ({', '.join(broken)}). {asks}"
        )
    if bound is None:
        return f"{sentence(answer.verdict.text)} So nothing is shown. {asks}"
    text = f"{claimed(bound)}: {answer.estimate.quantity} {_relation(bound)} {rounded(bound)}. {asks}"
    return f"{text} More evidence, or a better component, is needed." if answer.verdict.status == "unproven" else text


def claimed(bound: Bound) -> str:
    """How sure the statement of a bound is."""
    return BASIS[bound.kind].format(level=percent(bound.level))


def rounded(bound: Bound) -> str:
    """The limit, rounded to its cautious side."""
    return significant(bound.limit, rounding="up" if bound.side == "upper" else "down")


def _relation(bound: Bound) -> str:
    return "at most" if bound.side == "upper" else "at least"


def contradicted(estimate: Estimate) -> list[str]:
    """Ids of the assumptions that the data speak against."""
    return list(dict.fromkeys(a.id for a in estimate.assumptions if a.status == "contradicted"))


def margin(answer: Answer) -> float | None:
    """How many times better the bound is than the limit; None where the bound does not count."""
    return None if contradicted(answer.estimate) else answer.margin


def bound_at(family: BoundFamily, level: float) -> Bound | None:
    """The limit at a level; what is known at one level only is given at that one."""
    if isinstance(family, Bound):
        return family
    try:
        return family.at(level)
    except LevelUnavailable:
        return None


def level_words(bound: Bound) -> str:
    """Kind and level of a bound, short."""
    stated = "" if bound.kind in ("certain", "expectation") else f", {percent(bound.level)}"
    return f"{bound.kind}{stated}"


def looks_words(answer: Answer) -> str:
    """What repeated looks at the test data do to the verdict; empty for a first look."""
    if answer.corrected is None or answer.corrected_level is None:
        return ""
    bound, status = answer.corrected.bound, plain_status(answer.corrected.status)
    shown = f" the bound is {rounded(bound)} and" if bound else ""
    return (
        f"The test data were looked at {answer.looks} times. At level {percent(answer.corrected_level)}, at which all "
        f"looks together keep {percent(answer.target.level)},{shown} the target is {status}."
    )


def plain_status(status: str) -> str:
    """A status as part of a sentence."""
    return STATUS_WORDS[status].removeprefix("Target ")
