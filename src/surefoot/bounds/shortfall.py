"""What would be needed where a target is not met, in sentences whose numbers come from computing the bound anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import lru_cache

from scipy import special

from surefoot.bounds.binomial import ConservativeBayesBound, WilsonBound
from surefoot.bounds.closed_form import (
    BentkusBound,
    CentralLimitBound,
    EmpiricalBernsteinBound,
    HoeffdingBound,
    log_miss,
)
from surefoot.bounds.normal_score import NoncentralTBound
from surefoot.bounds.operational_risk import StratifiedBound
from surefoot.bounds.planning import Aim, NewTests, fewest, least, most, observed_rate, shown
from surefoot.bounds.score_function import noncentral_t_upper, normal_score_minimum
from surefoot.bounds.statement import remedy
from surefoot.core import (
    Assumption,
    Beta,
    Bound,
    BoundFamily,
    Estimate,
    LevelUnavailable,
    Point,
    QuantileBound,
    Table,
    TabulatedBound,
    Target,
    validate,
)
from surefoot.core.assumption import Status
from surefoot.core.bound import WITHOUT_LEVEL
from surefoot.documents import counted, percent

FIRST_CHOICE = {"expectation": 0, "certain": 2}
MOST_NAMED = 4
"""Assumptions that are named; all of them stand in the report."""


@validate.arguments
def needed(estimate: Estimate, target: Target) -> tuple[str, ...]:
    """Sentences that say what would be needed to meet a target; none where it is met.

    Where the data contradict assumptions, the way out of each; the bound rests on them, so that nothing else is
    advised. Otherwise how many new tests, fixed beforehand, would show it with which probability by the same bound (see
    ``fresh_tests``), or with which bounds of its parts or evidence it would be shown. Last the assumptions that nobody
    has checked.

    Parameters
    ----------
    estimate
        What was found.
    target
        What is asked for.

    Returns
    -------
    tuple of str
        Whole sentences.

    Examples
    --------
    >>> import surefoot as sf
    >>> for sentence in sf.bounds.needed(sf.bounds.clopper_pearson(1, 100, level=0.95), sf.Target(at_most=0.04))[:2]:
    ...     print(sentence)
    192 new tests show it with probability 80% if the failure rate is as observed (1 of 100), 117 if it is half of that.
    Fix their number beforehand, run them once and count them alone: adding to the present 100, or repeating, until ...

    """
    if estimate.meets(target):
        return ()
    advice = tuple(_contradicted(estimate)) or tuple(_advice(estimate, target))
    return (*advice, *_unchecked(estimate))


@validate.arguments
def fresh_tests(estimate: Estimate, target: Target) -> Table | None:
    """How many new tests show a target that is not met, with 50, 80 and 95% probability; None where tests do not tell.

    For two truths: what was observed, and half of it. The number is to be fixed beforehand, and the tests so far do
    not count: to go on until the bound happens to reach the limit would break its level. Counts are planned exactly
    (see ``demonstration``), means and margins by a normal approximation.

    Parameters
    ----------
    estimate
        What was found.
    target
        What is asked for.

    Returns
    -------
    Table or None
        One row for each supposed truth and each probability.

    Examples
    --------
    >>> import surefoot as sf
    >>> table = sf.bounds.fresh_tests(sf.bounds.clopper_pearson(1, 100, level=0.95), sf.Target(at_most=0.04))
    >>> for row in table.rows[:2]:
    ...     print(row)
    ('as observed (1 of 100)', 0.01, 0.5, 117, 1)
    ('as observed (1 of 100)', 0.01, 0.8, 192, 3)

    """
    aim = Aim.of(target)
    family = None if estimate.meets(target) else _accepted(estimate, target, aim)
    if family is None or aim.reached(family) or any(_contradicted(estimate)):
        return None
    plan = outlook_fresh_tests(estimate, family, aim)
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


# How a target could be shown that a bound does not reach: by new tests of a fixed number, or by another number.

PROBABILITIES = (0.5, 0.8, 0.95)
USUAL = 0.8
"""The probability that the first sentence names."""
LARGEST_RATIO, FEWEST_MARGINS = 40.0, 3
SMALLEST_SHARE, SAME = 1e-12, 1e-9
RatioShows = Callable[[float, int], bool]
"""Whether a mean/sd of so many margins shows the target."""
Size = tuple[int, int | None]
"""New tests, and for bounds of counts the failures that they may have."""
Sizing = Callable[[float, float], Size | None]
"""New tests that show the target with a probability if a rate is the true one; None where no number does."""


def outlook(estimate: Estimate, family: BoundFamily, aim: Aim) -> Iterator[str]:
    """Sentences for a bound that the target accepts and that does not reach its limit."""
    if isinstance(estimate.dist, Point):
        yield "The value is stated, not measured, so no test changes it."
        return
    if aim.limit == (0 if aim.side == "upper" else 1):
        yield f"No number of tests shows a limit of exactly {aim.limit:g}."
        return
    plan = outlook_fresh_tests(estimate, family, aim)
    if plan is not None:
        yield from _by_new_tests(plan)
        yield from _lacking(estimate, family, aim)
        return
    what, seen = _observed(estimate)
    if not aim.allows(seen) or seen == aim.limit:
        place = "at" if seen == aim.limit else aim.wrong_side
        found = f"{what}, {seen:.4g}, is itself {place} {aim.limit:.4g}"
        events = ", and events have to become less probable" if "requirements" in estimate.details else ""
        yield f"{found}: if that is the truth, no number of tests shows it{events}."
    yield from _by_other_numbers(estimate, family, aim)


@dataclass(frozen=True)
class Prospect:
    """A truth that is supposed, and the new tests that it takes to show the target with each probability."""

    words: str
    rate: float
    sizes: Mapping[float, Size | None]

    @classmethod
    def of(cls, words: str, rate: float, sizing: Sizing) -> Prospect:
        """With its sizes."""
        return cls(words, rate, {probability: sizing(rate, probability) for probability in PROBABILITIES})

    def tests(self, probability: float) -> int | None:
        """The size for one of the probabilities."""
        size = self.sizes[probability]
        return None if size is None else size[0]


@dataclass(frozen=True)
class FreshTests:
    """New tests, their number fixed beforehand, that show a target by themselves.

    Planned for two truths: what was ``observed``, and a ``better`` one, half of it (or half of the limit, where that
    is less). ``fewest`` is the number without any failure. ``exact`` sizes follow from the distribution of counts,
    others from a normal approximation.
    """

    of: str
    noun: str
    present: int
    observed: Prospect
    better: Prospect
    warning: str
    beyond: str = ""
    """Where the limit lies that the observed truth is not better than."""
    open_from: float | None = None
    """The best value that the present tests leave open at the level."""
    refuted: bool = False
    """Whether that value is no better than the limit."""
    fewest: int | None = None
    exact: bool = False

    def table(self) -> Table:
        """One row for each supposed truth and each probability."""
        about, columns = ("", 2) if self.exact else (", about", 1)
        head = (f"if the {self.of} is", self.of, "probability to show it", f"new {self.noun}s{about}")
        rows = tuple(
            (each.words, each.rate, probability, *(size or (None, None))[:columns])
            for each in (self.observed, self.better)
            for probability, size in each.sizes.items()
        )
        return Table((*head, "failures allowed") if self.exact else head, rows)


def outlook_fresh_tests(estimate: Estimate, family: BoundFamily, aim: Aim) -> FreshTests | None:
    """The new tests for a bound of counts, means, margins or bets; None for what no tests of its own bound."""
    ratio_shows, counts = _ratio_shows(family, aim), _event_counts(estimate)
    if isinstance(estimate.dist, Point) or aim.limit in (0, 1):
        return None
    if ratio_shows and "ratio" in estimate.details:
        return _of_margins(estimate, family, ratio_shows, aim)
    if counts and (planned := _of_counts(estimate, family, counts, aim)):
        return planned
    if isinstance(family, BentkusBound | HoeffdingBound | EmpiricalBernsteinBound | CentralLimitBound):
        return _of_means(estimate, family, aim)
    if isinstance(family, TabulatedBound | StratifiedBound) and "trials" in estimate.details:
        return _of_bets(estimate, family, aim)
    return None


def _of_counts(estimate: Estimate, family: BoundFamily, counts: tuple[int, int], aim: Aim) -> FreshTests | None:
    bad, total = _bad(counts, aim), counts[1]
    planned, limit = _planned(family, bad, total, aim), aim.limit if aim.side == "upper" else 1 - aim.limit
    if planned is None:
        return None
    sizing, rate = planned.size, observed_rate(bad, total)
    words = f"as observed ({bad:,} of {total:,})" if bad else f"{rate:.3g} (median, 0 of {total:,} failed)"
    best = _best_open(estimate, family, aim)
    return FreshTests(
        "failure rate",
        _noun(estimate),
        total,
        Prospect.of(words, rate, sizing),
        Prospect.of(*_better(rate, limit), sizing),
        _warning(estimate, family, total),
        beyond="" if rate < limit else f"{'at' if rate == limit else 'above'} {limit:.4g}",
        open_from=best if best is None or aim.side == "upper" else 1 - best,
        refuted=best is not None and _out_of_reach(best, aim),
        fewest=planned.without_failure,
        exact=True,
    )


@lru_cache(maxsize=8)
def _planned(family: BoundFamily, bad: int, total: int, aim: Aim) -> NewTests | None:
    """Kept, since sentences and the table of new tests ask for the same sizes."""
    enough = fresh_counts(family, bad, total, aim)
    return NewTests(enough, aim.limit if aim.side == "upper" else 1 - aim.limit) if enough else None


def _of_means(estimate: Estimate, family: MeanBound, aim: Aim) -> FreshTests:
    def sizing(mean: float, probability: float) -> Size | None:
        worse = float(special.ndtri(probability))
        tests = fewest(lambda n: aim.reached(mean_of_new(family, n, mean, worse)), above=1)
        return None if tests is None or _out_of_reach(mean, aim) else (tests, None)

    observed = Prospect.of(f"as observed ({family.mean:.4g})", family.mean, sizing)
    return _approximate(estimate, family, aim, family.n, observed, sizing)


def _of_margins(estimate: Estimate, family: BoundFamily, shows: RatioShows, aim: Aim) -> FreshTests:
    ratio = estimate.details["ratio"]

    def sizing(rate: float, probability: float) -> Size | None:
        true, worse = -float(special.ndtri(rate)), float(special.ndtri(probability))
        error = worse * math.sqrt(1 + true * true / 2)
        tests = fewest(lambda n: shows(true - error / math.sqrt(n), n), above=FEWEST_MARGINS - 1)
        return None if tests is None or _out_of_reach(rate, aim) else (tests, None)

    observed = Prospect.of(f"as observed (mean/sd {ratio:.4g})", float(special.ndtr(-ratio)), sizing)
    return _approximate(estimate, family, aim, estimate.details["n"], observed, sizing)


def _of_bets(estimate: Estimate, family: BoundFamily, aim: Aim) -> FreshTests:
    """By how the distance of the bound from the mean shrinks with the number of tests, or of groups, if spread stays.

    It is sqrt(2 log(1/alpha)) standard errors, and a rest that shrinks with the number itself (Waudby-Smith and Ramdas
    2024), with fewer tests than the present ones at least log(1/alpha), as without any loss. Where no standard error is
    recorded, the whole distance is taken to shrink with the square root, which asks for too many.
    """
    distance, deviations = abs(aim.limit_of(family) - estimate.value), math.sqrt(2 * log_miss(aim.level))
    trials = estimate.details.get("groups", estimate.details["trials"])
    n = trials if isinstance(trials, int) else sum(trials)
    error = min(estimate.details.get("standard_error", math.inf), distance / deviations)
    rest = (distance - deviations * error) * n

    def sizing(mean: float, probability: float) -> Size | None:
        if _out_of_reach(mean, aim):
            return None
        rooted = (deviations + float(special.ndtri(probability))) * error * math.sqrt(n)
        allowed = abs(aim.limit - mean)
        tests = _solved(rooted, rest, allowed)
        if tests < n:
            tests = min(_solved(rooted, max(rest, log_miss(aim.level)), allowed), n)
        return math.ceil(shown(tests, ROUND_CEILING)), None

    observed = Prospect.of(f"as observed ({estimate.value:.4g})", estimate.value, sizing)
    return _approximate(estimate, family, aim, n, observed, sizing)


def _solved(rooted: float, rest: float, allowed: float) -> float:
    """The n at which rooted / sqrt(n) + rest / n is what is allowed."""
    return ((rooted + math.sqrt(rooted**2 + 4 * rest * allowed)) / (2 * allowed)) ** 2


def _approximate(
    estimate: Estimate, family: BoundFamily, aim: Aim, n: int, observed: Prospect, sizing: Sizing
) -> FreshTests:
    best, rate = _best_open(estimate, family, aim), observed.rate
    if aim.side == "upper":
        words, better = _better(rate, aim.limit)
    else:
        words, better = _better(1 - rate, 1 - aim.limit)
        words, better = words.replace("half of", "half as far from 1 as"), 1 - better
    return FreshTests(
        "failure rate" if "failure" in estimate.quantity else "mean",
        _noun(estimate),
        n,
        observed,
        Prospect.of(words, better, sizing),
        _warning(estimate, family, n),
        beyond=_place(rate, aim) if _out_of_reach(rate, aim) else "",
        open_from=best,
        refuted=best is not None and _out_of_reach(best, aim),
    )


def _better(rate: float, limit: float) -> tuple[str, float]:
    """Half of the observed rate, or of the limit where that rate is too far above it."""
    return ("half of that", rate / 2) if rate / 2 < limit else ("half of the limit", limit / 2)


def _out_of_reach(truth: float, aim: Aim) -> bool:
    """Whether no number of tests shows the target if this is the truth."""
    return not aim.allows(truth) or truth == aim.limit


def _place(truth: float, aim: Aim) -> str:
    return f"{'at' if truth == aim.limit else aim.wrong_side} {aim.limit:.4g}"


def _best_open(estimate: Estimate, family: BoundFamily, aim: Aim) -> float | None:
    """The bound of the other side, where the estimate has one of the same kind at the level."""
    for other in estimate.bounds:
        if other.side != aim.side and other.kind == family.kind:
            try:
                return other.at(aim.level).limit
            except LevelUnavailable:
                return None
    return None


def _warning(estimate: Estimate, family: BoundFamily, present: int) -> str:
    noun = _noun(estimate)
    if estimate.details.get("anytime") is True:
        return f"This bound holds whenever testing stops: {noun}s may as well be added to the present {present:,}."
    broken = {"confidence": "breaks the level", "credible": "leaves the level to the prior alone"}
    where = " in each stratum" if "shares" in estimate.details else ""
    return (
        f"Fix their number{where} beforehand, run them once and count them alone: adding to the present {present:,}, "
        f"or repeating, until it works {broken.get(family.kind, 'breaks the bound')}."
    )


def _by_new_tests(plan: FreshTests) -> Iterator[str]:
    if plan.exact and plan.fewest is None:
        yield f"No feasible number of {plan.noun}s shows it, whatever the {plan.of} is."
        return
    yield _first(plan)
    if plan.beyond and plan.open_from and not plan.refuted:
        yield f"The present {counted(plan.present, plan.noun)} leave open a {plan.of} of {plan.open_from:.3g}."
    yield plan.warning
    yield from _other_sizes(plan)


def _first(plan: FreshTests) -> str:
    first, second = plan.observed.tests(USUAL), plan.better.tests(USUAL)
    words, better = plan.observed.words, plan.better.words
    then = "" if second is None else f"; at {better}, {_new(plan, second)} do with probability {USUAL:.0%}"
    if first is not None:
        less = "" if second is None else f", {second:,} if it is {better}"
        text = f"{_new(plan, first)} show it with probability {USUAL:.0%} if the {plan.of} is {words}{less}."
    elif plan.refuted:
        evidence = words.removeprefix("as observed ")
        text = f"the {plan.of} {evidence} is shown to be {plan.beyond}: the component has to improve"
        text += "." if second is None else f". At {better}, {_new(plan, second)} show it with probability {USUAL:.0%}."
    elif plan.beyond:
        value = words if words.startswith("as") else f"of {words}"
        text = f"at a {plan.of} {value}, {plan.beyond}, no number of {plan.noun}s shows it{then}."
    else:
        assert plan.fewest is not None
        chance = (1 - plan.observed.rate) ** plan.fewest
        text = f"only {_new(plan, plan.fewest)} without a failure show it, of probability {chance:.2g} "
        text += f"if the {plan.of} is {words}."
    return f"{text[:1].upper()}{text[1:]}"


def _new(plan: FreshTests, tests: int) -> str:
    return f"{'' if plan.exact else 'about '}{counted(tests, f'new {plan.noun}')}"


def _other_sizes(plan: FreshTests) -> Iterator[str]:
    """The other probabilities, and the number without a failure or how far to trust the numbers."""
    others = [each for each in PROBABILITIES if each != USUAL]
    told = []
    for prospect in (plan.observed, plan.better):
        sizes = [f"{tests:,}" for each in others if (tests := prospect.tests(each)) is not None]
        if len(sizes) == len(others):
            told.append(f"{' and '.join(sizes)} if it is {prospect.words.partition(' (')[0]}")
    if told:
        rough = "approximate, for outcomes as scattered as the present ones"
        last = f"without any failure {plan.fewest:,} are the fewest" if plan.exact else rough
        yield f"For {' and '.join(f'{each:.0%}' for each in others)} it takes {', '.join(told)}; {last}."
    elif plan.beyond and plan.fewest is not None:
        yield f"Without any failure {plan.fewest:,} are the fewest."


def _lacking(estimate: Estimate, family: BoundFamily, aim: Aim) -> Iterator[str]:
    """What the present tests would have shown it with."""
    ratio_shows, counts = _ratio_shows(family, aim), _event_counts(estimate)
    if ratio_shows and "ratio" in estimate.details:
        ratio, n = estimate.details["ratio"], estimate.details["n"]
        wanted = least(lambda value: ratio_shows(value, n), ratio, LARGEST_RATIO)
        if wanted:
            yield f"With the present {n:,} tests, a mean/sd of {wanted:g} would have shown it; it was {ratio:.4g}."
    elif counts and (enough := fresh_counts(family, _bad(counts, aim), counts[1], aim)):
        yield from _fewer_failures(enough, _bad(counts, aim), counts[1], _noun(estimate))
    elif isinstance(family, BentkusBound | HoeffdingBound | EmpiricalBernsteinBound | CentralLimitBound):
        yield from _other_mean(family, aim)
    else:
        distance, allowed = abs(aim.limit_of(family) - estimate.value), abs(aim.limit - estimate.value)
        if aim.allows(estimate.value):
            yield f"The bound lies {distance:.4g} from what was observed, and {allowed:.4g} would have done."


def _fewer_failures(enough: Callable[[int, int], bool], bad: int, total: int, noun: str) -> Iterator[str]:
    if not bad:
        return
    if not enough(0, total):
        yield f"Even without a failure, the present {counted(total, noun)} would not have shown it."
        return
    allowed = (fewest(lambda failures: failures >= bad or not enough(failures, total), above=0) or bad) - 1
    share = f"at most {counted(allowed, 'failure')} (a share of {allowed / total:.4g})" if allowed else "no failure"
    were = f"was {bad:,}" if bad == 1 else f"were {bad:,}"
    yield f"Among the present {counted(total, noun)}, {share} would have shown it; there {were}."


def _other_mean(family: MeanBound, aim: Aim) -> Iterator[str]:
    def enough(mean: float) -> bool:
        return aim.reached(replace(family, mean=mean))

    wanted = most(enough, 0.0, family.mean) if aim.side == "upper" else least(enough, family.mean, 1.0)
    if wanted is not None:
        size = f"With the present {counted(family.n, 'test')} and their spread"
        yield f"{size}, a mean of {wanted:g} would have shown it; it was {family.mean:.4g}."


def _by_other_numbers(estimate: Estimate, family: BoundFamily, aim: Aim) -> Iterator[str]:
    if isinstance(family, QuantileBound) and isinstance(family.dist, Beta) and "uncertainty" in estimate.details:
        yield from _by_evidence(estimate, family, family.dist, aim)
    elif _is_product(estimate, family, aim):
        yield from _by_factor(estimate, aim)
    elif "requirements" in estimate.details and estimate.details.get("required for") == _as_recorded(aim):
        yield from _by_event(estimate)
    else:
        at = f" at {percent(aim.level)}" if family.kind not in WITHOUT_LEVEL else ""
        yield f"The {aim.side} bound{at} is {aim.limit_of(family):.4g} and would have to reach {aim.limit:.4g}."


def _observed(estimate: Estimate) -> tuple[str, float]:
    """What the data say without a bound or a prior, in words and as a number."""
    counts, details = _event_counts(estimate), estimate.details
    if counts:
        return "What was observed", counts[0] / counts[1]
    if {"belief", "disbelief"} <= set(details) and details["belief"] + details["disbelief"] > 0:
        share = details["belief"] / (details["belief"] + details["disbelief"])
        return "The share of belief in belief and disbelief", float(share)
    if "requirements" in details:
        return "The probability of the top event", estimate.value
    return "What was observed", estimate.value


def _by_evidence(estimate: Estimate, family: QuantileBound, dist: Beta, aim: Aim) -> Iterator[str]:
    rate, uncertainty = (float(estimate.details[name]) for name in ("base_rate", "uncertainty"))
    weight = (dist.a + dist.b) * uncertainty
    prior = Beta(rate * weight, (1 - rate) * weight)

    def enough(left: float) -> bool:
        return aim.reached(with_evidence(family, prior, (1 / left - 1) / (1 / uncertainty - 1)))

    left = most(enough, uncertainty * SMALLEST_SHARE, uncertainty) if uncertainty < 1 else None
    if left:
        kept = "With belief and disbelief in the same proportion"
        yield f"{kept}, an uncertainty of {left:g} would show it; it was {uncertainty:.4g}."
    if "uncertainties" in estimate.details:
        grown = ", ".join(f"{name} {value:.4g}" for name, value in estimate.details["uncertainties"].items())
        yield f"Uncertainty along the chain: {grown}."


def _by_factor(estimate: Estimate, aim: Aim) -> Iterator[str]:
    limits, stated = estimate.details["factors"], estimate.details["stated"]
    for name, limit in limits.items():
        others = math.prod(other for key, other in limits.items() if key != name)
        if name not in stated and others > 0:
            wanted = shown(aim.limit / others, ROUND_FLOOR)
            kept = "With the other factors as they are"
            yield f"{kept}, {name} at most {wanted:g} would show it; its bound is {limit:.4g}."


def _as_recorded(aim: Aim) -> dict[str, float]:
    return {"limit": aim.limit, "level": aim.level}


def _by_event(estimate: Estimate) -> Iterator[str]:
    """For a top event: what each measured event of the tree would need alone."""
    for name, told in estimate.details["requirements"].items():
        bound = "" if told["bound"] is None else f"; its bound is {told['bound']:.4g}"
        if told["needed"] is None and told.get("known") is not None:
            known = shown(told["known"], ROUND_FLOOR)
            yield (
                f"No bound of {name} alone would show it, as it shares the miss probability with the other events; "
                f"known for certain to be at most {known:g} it would."
            )
        elif told["needed"] is None:
            yield f"Not even {name} at 0 would show it: the other events alone leave {told['best']:.4g}."
        else:
            wanted = shown(told["needed"], ROUND_FLOOR)
            yield f"With the other events {told['others']}, {name} at most {wanted:g} would show it{bound}."


def _is_product(estimate: Estimate, family: BoundFamily, aim: Aim) -> bool:
    """Whether the bound is the product of recorded bounds of factors, at the level that is asked for."""
    limits = estimate.details.get("factors", {})
    if not limits or not math.isclose(estimate.details.get("level", 0.0), aim.level):
        return False
    # Counts that speak together do better than the bounds of the factors, which are enough all the same.
    return math.prod(limits.values()) >= aim.limit_of(family) * (1 - SAME)


def _ratio_shows(family: BoundFamily, aim: Aim) -> RatioShows | None:
    if isinstance(family, NoncentralTBound) and family.side == "upper":
        least_ratio = -float(special.ndtri(aim.limit))
        return lambda ratio, n: (
            float(noncentral_t_upper(math.sqrt(n) * ratio, n - 1, math.sqrt(n) * least_ratio)) <= 1 - aim.level
        )
    if isinstance(family, Bound) and family.kind == "expectation":
        return lambda ratio, n: aim.allows(float(normal_score_minimum(ratio, n)))
    return None


def _event_counts(estimate: Estimate) -> tuple[int, int] | None:
    """How often what the estimate is about was counted, out of how many tests, or groups."""
    details = estimate.details
    if "positive" in details and "negative" in details:
        counts = details["positive"], details["positive"] + details["negative"]
    elif "failures" not in details and estimate.unit == "per group" and "groups" in details:
        failed = round(estimate.value * details["groups"])
        counts = failed if math.isclose(failed, estimate.value * details["groups"]) else None, details["groups"]
    else:
        counts = details.get("failures"), details.get("trials")
    return counts if all(isinstance(number, int) for number in counts) else None


def _bad(counts: tuple[int, int], aim: Aim) -> int:
    """The outcome that speaks against the target."""
    return counts[0] if aim.side == "upper" else counts[1] - counts[0]


def _noun(estimate: Estimate) -> str:
    per = estimate.unit.removeprefix("per ")
    return "group" if "groups" in estimate.details else "test" if per == "demand" else per


# What a bound would be had the data been better: the same family from other counts, sizes, means or evidence.

MeanBound = BentkusBound | HoeffdingBound | EmpiricalBernsteinBound | CentralLimitBound


def fresh_counts(family: BoundFamily, bad: int, total: int, aim: Aim) -> Callable[[int, int], bool] | None:
    """For a bound of counts: whether so many bad outcomes of so many new tests alone would reach the aim.

    The bad outcome is the one counted for an upper bound, and the other one for a lower bound.
    """
    upper = family.side == "upper"
    if isinstance(family, QuantileBound) and isinstance(family.dist, Beta):
        a, b = (family.dist.a, family.dist.b) if upper else (family.dist.b, family.dist.a)
        prior, limit = (a - bad, b - (total - bad)), aim.limit if upper else 1 - aim.limit
        return lambda k, n: bool(special.betainc(k + prior[0], n - k + prior[1], limit) >= aim.level)
    if isinstance(family, WilsonBound):
        return lambda k, n: aim.reached(replace(family, failures=k if upper else n - k, trials=n))
    if isinstance(family, ConservativeBayesBound):
        return lambda k, n: replace(family, failures=k, trials=n).confidence(aim.limit) >= aim.level
    return None


def mean_of_new(family: MeanBound, n: int, mean: float, deviations: float) -> BoundFamily:
    """The bound from ``n`` losses of the same spread whose mean is so many standard errors worse than ``mean``."""
    worse = mean + (1 if family.side == "upper" else -1) * deviations * _spread(family, mean) / math.sqrt(n)
    if isinstance(family, CentralLimitBound):
        return replace(family, mean=worse, n=n, standard_error=family.standard_error * math.sqrt(family.n / n))
    return replace(family, mean=min(max(worse, 0.0), 1.0) if isinstance(family, BentkusBound) else worse, n=n)


def _spread(family: MeanBound, mean: float) -> float:
    """Standard deviation of a loss; where none was estimated, the largest that the mean allows (Bhatia, Davis 2000)."""
    if isinstance(family, CentralLimitBound):
        return family.standard_error * math.sqrt(family.n)
    if isinstance(family, EmpiricalBernsteinBound):
        return math.sqrt(family.variance)
    width = 1.0 if isinstance(family, BentkusBound) else family.width
    return math.sqrt(max(mean * (width - mean), 0.0))


def with_evidence(family: QuantileBound, prior: Beta, factor: float) -> BoundFamily:
    """The bound with the evidence beyond a prior multiplied, in unchanged proportion."""
    assert isinstance(family.dist, Beta)
    a, b = (p + factor * (x - p) for x, p in ((family.dist.a, prior.a), (family.dist.b, prior.b)))
    return replace(family, dist=Beta(a, b))
