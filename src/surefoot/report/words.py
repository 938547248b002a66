"""What was found, in plain words. A target is met, violated or not shown; nothing is ever called safe."""

from __future__ import annotations

from surefoot.case.words import asked
from surefoot.core import Bound, LevelUnavailable
from surefoot.core.bound import WITHOUT_LEVEL, BoundFamily
from surefoot.core.estimate import Estimate
from surefoot.documents import percent, sentence, significant
from surefoot.project.answer import VERDICTS, Answer
from surefoot.project.looks import FIXED
from surefoot.project.withholding import WITHHELD

STATUS_WORDS = {
    "met": "Target met",
    "alone": "Met at this look alone",
    "not shown": "Target not shown",
    "violated": "Target violated",
}
BASIS = {
    "confidence": "Shown with {level} confidence",
    "credible": "Shown with {level} probability under the stated prior",
    "certain": "Certain",
    "expectation": "Shown on average over data sets, without a confidence",
    "heuristic": "Suggested by a bound without guarantee, meant for {level}",
}
COUNTED = ("clopper_pearson", "wilson", "jeffreys", "conservative_bayes", "grouped")
ORIGINS = {
    **{f"bounds.{name}": "Counted" for name in COUNTED},
    "faulttree.": "Computed",
    "bounds.normal": "Implied by the normal model",
    "opinions.": "Believed",
    "propagate": "Computed",
    "product": "Computed",
    "stated": "Stated",
}
"""Beginnings of methods, and what their value is."""
VALID = f"The correction is {FIXED}; where results on these data shaped a model or a target, no level is kept."
ADAPTIVE = (
    "It was judged at level {level}, so that all verdicts on these data together keep that of the target however "
    "models and targets were chosen, as long as nothing but the verdicts was seen."
)
UNCORRECTED = "No correction for repeated looks exists for this kind of bound ({kind})."


def plain_status(status: str) -> str:
    """A status as part of a sentence."""
    return VERDICTS[status]


def origin(estimate: Estimate) -> str:
    """What the value of an estimate is: counted, implied by a model, believed, computed, stated or estimated."""
    if WITHHELD in estimate.details:
        return "Withheld, the limit"
    method = estimate.provenance.method
    return next((word for start, word in ORIGINS.items() if method.startswith(start)), "Estimated")


def finding(answer: Answer) -> str:
    """A few sentences on a target."""
    bound, broken = answer.verdict.bound, contradicted(answer.estimate)
    asks = f"The target asks for {asked(answer.verdict)}."
    if broken:
        return (
            f"Nothing is shown, neither way: the data contradict what the bound rests on ({', '.join(broken)}). {asks}"
        )
    if bound is None:
        return f"{sentence(answer.verdict.text)} So nothing is shown. {asks}"
    text = f"{claimed(bound)}: {named(answer.estimate)} {_relation(bound)} {rounded(bound)}. {asks}"
    return f"{text} More evidence, or a better component, is needed." if answer.verdict.status == "not shown" else text


def reason(answer: Answer) -> str:
    """Why the verdict is what it is, in one sentence, with numbers rounded as everywhere."""
    bound = answer.verdict.bound
    if bound is None or contradicted(answer.estimate):
        return finding(answer)
    shown = f"{named(answer.estimate)} {_relation(bound)} {rounded(bound)} ({level_words(bound)})"
    return f"{shown}, and the target is {asked(answer.verdict)}"


def named(estimate: Estimate) -> str:
    """The quantity, with its scope where it has one: a number is about nothing else."""
    return f"{estimate.quantity} ({estimate.scope})" if estimate.scope else estimate.quantity


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


def counting_bound(answer: Answer) -> Bound | None:
    """The bound behind the verdict; None where there is none or an assumption it needs is contradicted."""
    return None if contradicted(answer.estimate) else answer.verdict.bound


def margin(answer: Answer) -> float | None:
    """How many times better the bound is than the limit; None where the bound does not count."""
    return answer.margin if counting_bound(answer) else None


def bound_at(family: BoundFamily, level: float) -> Bound | None:
    """The limit at a level; what is known at one level only is given at that one."""
    if isinstance(family, Bound):
        return family
    try:
        return family.at(level)
    except LevelUnavailable:
        return None


def level_words(bound: Bound, *, both: bool = False) -> str:
    """Kind and level of a bound, short; ``both`` where the bound of the other side stands beside it."""
    if bound.kind in WITHOUT_LEVEL:
        return bound.kind
    return f"{bound.kind}, {'one-sided, each at ' if both else ''}{percent(bound.level)}"


def looks_words(answer: Answer) -> str:
    """What looks at the test data do to the verdict; empty where it rests on none."""
    looked = f"This is look {answer.looks} at the test data."
    if answer.corrected is None and answer.corrected_level is not None:
        return f"{looked} {ADAPTIVE.format(level=percent(answer.corrected_level))}"
    if answer.corrected is None or answer.corrected_level is None:
        return f"{looked} {UNCORRECTED.format(kind='expectation')}" if answer.alone else ""
    bound = answer.corrected.bound or answer.verdict.bound
    if bound is not None and bound.kind in WITHOUT_LEVEL:
        return f"{looked} {UNCORRECTED.format(kind=bound.kind)}"
    shown = f" the bound is {rounded(bound)} and" if counting_bound(answer) and answer.corrected.bound and bound else ""
    return (
        f"{looked} At level {percent(answer.corrected_level)}, at which all looks together keep "
        f"{percent(answer.target.level)},{shown} the target is {plain_status(answer.corrected.status)}. {VALID}"
    )
