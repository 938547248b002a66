"""What would be needed where a target is not met, in sentences whose numbers come from computing the bound anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from surefoot.bounds.outlook import fresh_tests as plan_of
from surefoot.bounds.outlook import outlook
from surefoot.bounds.remedies import remedy
from surefoot.bounds.whatif import Aim
from surefoot.core import Assumption, BoundFamily, Estimate, LevelUnavailable, Table, Target
from surefoot.core.assumption import Status

FIRST_CHOICE = {"expectation": 0, "certain": 2}
MOST_NAMED = 4
"""Assumptions that are named; all of them stand in the report."""


def needed(estimate: Estimate, target: Target) -> tuple[str, ...]:
    """Sentences that say what would be needed to meet a target; none where it is met.

    Where the data contradict assumptions, the way out of each; the bound rests on them, so that nothing else is
    advised. Otherwise how many new tests, fixed beforehand, would show it with which probability by the same bound (see
    ``fresh_tests``), or with which bounds of its parts or evidence it would be shown. Last the assumptions that nobody
    has checked.

    >>> from surefoot.bounds import clopper_pearson
    >>> for sentence in needed(clopper_pearson(1, 100, level=0.95), Target(at_most=0.04))[:2]:
    ...     print(sentence)
    192 new tests show it with probability 80% if the failure rate is as observed (1 of 100), 117 if it is half of that.
    Fix their number beforehand, run them once and count them alone: adding to the present 100, or repeating, until ...
    """
    if estimate.meets(target):
        return ()
    advice = tuple(_contradicted(estimate)) or tuple(_advice(estimate, target))
    return (*advice, *_unchecked(estimate))


def fresh_tests(estimate: Estimate, target: Target) -> Table | None:
    """How many new tests show a target that is not met, with 50, 80 and 95% probability; None where tests do not tell.

    For two truths: what was observed, and half of it. The number is to be fixed beforehand, and the tests so far do
    not count: to go on until the bound happens to reach the limit would break its level. Counts are planned exactly
    (see ``demonstration``), means and margins by a normal approximation.
    """
    aim = Aim.of(target)
    family = None if estimate.meets(target) else _accepted(estimate, target, aim)
    if family is None or aim.reached(family) or any(_contradicted(estimate)):
        return None
    plan = plan_of(estimate, family, aim)
    return None if plan is None else plan.table()


def _contradicted(estimate: Estimate) -> Iterator[str]:
    for a in _distinct(estimate, "contradicted"):
        found = f" ({a.check.method})" if a.check else ""
        yield f"Nothing is shown while the data contradict an assumption: {_inside(a.text)}{found}. {remedy(a)}"


def _unchecked(estimate: Estimate) -> Iterator[str]:
    texts = [_inside(a.text) for a in _distinct(estimate, "unchecked")]
    if texts:
        more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
        yield f"Assumed without a check: {'; '.join(texts[:MOST_NAMED])}{more}."


def _advice(estimate: Estimate, target: Target) -> Iterator[str]:
    aim = Aim.of(target)
    family = _accepted(estimate, target, aim)
    if family is None:
        yield _no_bound(estimate, target, aim)
    elif aim.reached(family):
        yield f"The {aim.side} bound by itself, {aim.limit_of(family):.4g}, would meet the target."
    else:
        yield from outlook(estimate, family, aim)
        yield from _better_known(estimate, target)


def _better_known(estimate: Estimate, target: Target) -> Iterator[str]:
    """Where the limit itself is uncertain: what it would help to know it."""
    certain = replace(target, uncertainty=None)
    if target.uncertainty is not None and Aim.of(certain).allows(estimate.value):
        then = "this bound would meet it" if estimate.meets(certain) else "new tests could show it"
        known = f"were it known to be {target.limit:.4g}, by more exposure of its reference"
        yield f"The limit is uncertain itself: {known}, {then}."


def _accepted(estimate: Estimate, target: Target, aim: Aim) -> BoundFamily | None:
    """The bound that could show the target met, if the target counts it and its level is known."""
    counted = [f for f in estimate.bounds if f.side == aim.side and f.kind in target.kinds]
    for family in sorted(counted, key=lambda f: FIRST_CHOICE.get(f.kind, 1)):
        try:
            aim.limit_of(family)
        except LevelUnavailable:
            continue
        return family
    return None


def _no_bound(estimate: Estimate, target: Target, aim: Aim) -> str:
    kinds = list(dict.fromkeys(f.kind for f in estimate.bounds if f.side == aim.side))
    if not kinds:
        return f"There is no {aim.side} bound: use a method that gives one."
    if not set(kinds) & set(target.kinds):
        return (
            f"The target accepts bounds of kind {_either(target.kinds)}, and this one is {_either(kinds)}: "
            "use a method that gives such a bound, or let the target accept this kind."
        )
    return f"No {aim.side} bound is known at level {aim.level:g}: compute the estimate at that level."


def _distinct(estimate: Estimate, status: Status) -> list[Assumption]:
    """One for each text, whatever its scope."""
    return list({a.text: a for a in estimate.assumptions if a.status == status}.values())


def _inside(text: str) -> str:
    """A sentence as part of another one."""
    return f"{text[:1].lower()}{text[1:]}".removesuffix(".")


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
