"""What was found, in plain words. A target is met, violated or not shown; nothing is ever called safe."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from surefoot.case.evaluation import CHECK_WORDS
from surefoot.case.wording import asked, on_stated
from surefoot.core import Bound, Check, LevelUnavailable
from surefoot.core.bound import WITHOUT_LEVEL, BoundFamily
from surefoot.core.estimate import Estimate
from surefoot.documents import percent, sentence, significant
from surefoot.project.history import WITHHELD
from surefoot.project.iterations import VERDICTS
from surefoot.project.looks import FIXED
from surefoot.project.result import Answer

STATUS_WORDS = {
    "met": "Target met",
    "alone": "Met at this look alone",
    "not shown": "Target not shown",
    "violated": "Target violated",
}
REFUTED = "refuted by operation"
BASIS = {
    "confidence": "Shown with {level} confidence",
    "credible": "Shown with {level} probability under the stated prior",
    "certain": "Certain",
    "expectation": "Shown on average over data sets, without a confidence",
    "heuristic": "Suggested by a bound without guarantee, meant for {level}",
    "stated": "Stated, not measured",
}
COUNTED = ("clopper_pearson", "garwood", "stratified", "wilson", "jeffreys", "conservative_bayes", "grouped")
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


def status_words(answer: Answer) -> str:
    """The verdict in two words, and that it rests on stated values where it is met by them."""
    if answer.refuted:
        return f"{REFUTED[:1].upper()}{REFUTED[1:]}"
    words = STATUS_WORDS[answer.status]
    return f"{words}, on what is stated" if answer.verdict.answered_by and answer.met else words


def short_status(answer: Answer) -> str:
    """The status of a target as part of a sentence, with what operation says."""
    return REFUTED if answer.refuted else plain_status(answer.status)


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
    text = f"{claimed(answer.estimate, bound)}: {named(answer.estimate)} {_relation(bound)} {rounded(bound)}. {asks}"
    stated = on_stated(answer.estimate)
    text = f"{text} {stated}" if stated else text
    if answer.refuted:
        return f"{text} {answer.refuted}"
    if answer.verdict.status != "not shown" or answer.estimate.as_if_answered.meets(answer.verdict.target):
        return text
    return f"{text} More evidence, or a better component, is needed."


def reason(answer: Answer) -> str:
    """Why the verdict is what it is, in one sentence, with numbers rounded as everywhere."""
    bound = answer.verdict.bound
    if bound is None or contradicted(answer.estimate):
        return finding(answer)
    shown = f"{named(answer.estimate)} {_relation(bound)} {rounded(bound)} ({level_words(bound, answer.estimate)})"
    stated = on_stated(answer.estimate)
    return f"{shown}, and the target is {asked(answer.verdict)}{f'. {stated}' if stated else ''}"


def named(estimate: Estimate) -> str:
    """The quantity, with its scope where it has one: a number is about nothing else."""
    return f"{estimate.quantity} ({estimate.scope})" if estimate.scope else estimate.quantity


def claimed(estimate: Estimate, bound: Bound) -> str:
    """How sure the statement of a bound is."""
    return BASIS[estimate.kind_of(bound)].format(level=percent(bound.level))


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


def level_words(bound: Bound, estimate: Estimate, *, both: bool = False) -> str:
    """Kind and level of a bound, short; ``both`` where the bound of the other side stands beside it."""
    return at_level(bound, both=both) or estimate.kind_of(bound)


def at_level(bound: Bound, *, both: bool = False) -> str:
    """Kind and level of a bound that has one; empty for one that has none."""
    if bound.kind in WITHOUT_LEVEL:
        return ""
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


# What a check found, in words: figures people can use, without those that only serve the computation.

INTERNAL = frozenset({"statistic", "adjusted", "rows_used", "share", "significance", "smallest_p_value_possible"})
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
COUNTS = {"rows": "rows", "n": "samples", "distinct": "distinct", "copies": "copies", "groups": "groups"}
LABELS = {
    "distance": "largest distance of the distributions",
    "p_value": "p-value",
    "p_distance": "p-value of that distance",
    "mean_shift": "shift of the mean, in standard deviations",
    "p_shift": "p-value of the shift",
    "sd_first": "standard deviation of the first half",
    "sd_second": "of the second half",
    "anderson_darling": "Anderson-Darling",
    "jarque_bera": "Jarque-Bera",
    "shapiro_wilk": "Shapiro-Wilk",
}
MOST_ITEMS = 20


def check_words(check: Check) -> list[str]:
    """One text for the figures, without what the words of the check tell already, and one for each test inside it."""
    told = set(_NUMBER.findall(check.method))
    shown = [(name, item) for name, item in check.figures.items() if name not in INTERNAL and _new(item, told)]
    own = [_figure(name, item) for name, item in shown if not isinstance(item, Mapping)]
    return ([", ".join(own)] if own else []) + [_test(name, item) for name, item in shown if isinstance(item, Mapping)]


def label(name: str) -> str:
    """A name as words."""
    return LABELS.get(name) or name.replace("_", " ")


def plain(found: Any) -> str:
    """A value in words, numbers to three digits."""
    if isinstance(found, Mapping):
        return ", ".join(f"{label(name)} {plain(item)}" for name, item in found.items() if item is not None)
    if isinstance(found, tuple | list):
        return ", ".join(plain(item) for item in found[:MOST_ITEMS]) + (" …" if len(found) > MOST_ITEMS else "")
    if isinstance(found, bool) or found is None:
        return {True: "yes", False: "no", None: "–"}[found]
    return significant(found) if isinstance(found, int | float) else str(found)


def _new(found: Any, told: Collection[str]) -> bool:
    return not (isinstance(found, int) and significant(found) in told)


def _test(name: str, figures: Mapping[str, Any]) -> str:
    status = CHECK_WORDS.get(str(figures.get("status")), "")
    own = [_figure(each, item) for each, item in figures.items() if each != "status" and each not in INTERNAL]
    return f"{label(name)}: {', '.join(filter(None, [status, *own]))}"


def _figure(name: str, found: Any) -> str:
    if name == "seed":
        return f"seed {found}"
    if name in COUNTS and isinstance(found, int):
        return f"{significant(found)} {COUNTS[name]}"
    return f"{label(name)} {plain(found)}"
