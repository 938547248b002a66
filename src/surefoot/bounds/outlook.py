"""How a bound could reach a limit: further tests, fewer failures, a better mean, more evidence; one sentence each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import partial

from surefoot.bounds import whatif
from surefoot.bounds.families import BentkusBound, CentralLimitBound, EmpiricalBernsteinBound, HoeffdingBound
from surefoot.bounds.normal_exact import NoncentralTBound
from surefoot.bounds.normal_minimum import normal_score_minimum
from surefoot.bounds.whatif import Aim, MeanBound, fewest, least, most, recount, shown
from surefoot.core import Beta, Bound, BoundFamily, Estimate, Point, QuantileBound, TabulatedBound
from surefoot.core.wording import counted

LARGEST_RATIO = 40.0
SMALLEST_SHARE = 1e-12
SAME = 1e-9
RatioLimit = Callable[[float, int], float]


def outlook(estimate: Estimate, family: BoundFamily, aim: Aim) -> Iterator[str]:
    """Sentences for a bound that the target accepts and that does not reach its limit."""
    if isinstance(estimate.dist, Point):
        yield "The value is stated, not measured, so no test changes it."
        return
    if aim.limit == (0 if aim.side == "upper" else 1):
        yield f"No number of tests shows a limit of exactly {aim.limit:g}."
        return
    what, seen = _observed(estimate)
    possible = aim.allows(seen) and seen != aim.limit
    if not possible:
        place = "at" if seen == aim.limit else aim.wrong_side
        yield f"{what}, {seen:.4g}, is itself {place} {aim.limit:.4g}: {_way_out(estimate)}."
    yield from _remedies(estimate, family, aim, possible)


def _way_out(estimate: Estimate) -> str:
    if "requirements" in estimate.details:
        return "tests alone are not expected to show it, events have to become less probable"
    return "more tests will not help unless the component improves"


def _observed(estimate: Estimate) -> tuple[str, float]:
    """What the data say without a bound or a prior, in words and as a number."""
    counts, details = _event_counts(estimate), estimate.details
    if counts:
        return "What was observed", counts[0] / counts[1]
    if "ratio" in details:
        return "What the observed mean/sd implies", estimate.value
    if {"belief", "disbelief"} <= set(details) and details["belief"] + details["disbelief"] > 0:
        share = details["belief"] / (details["belief"] + details["disbelief"])
        return "The share of belief in belief and disbelief", float(share)
    if "requirements" in details:
        return "The probability of the top event", estimate.value
    return "What was observed", estimate.value


def _remedies(estimate: Estimate, family: BoundFamily, aim: Aim, possible: bool) -> Iterator[str]:
    ratio_limit, counts = _ratio_limit(family, aim), _event_counts(estimate)
    if ratio_limit and "ratio" in estimate.details:
        yield from _by_ratio(ratio_limit, estimate.details["ratio"], estimate.details["n"], aim, possible)
    elif counts and recount(family) is not None:
        event, total = counts
        yield from _by_counts(
            family, event if aim.side == "upper" else total - event, total, _noun(estimate), aim, possible
        )
    elif isinstance(family, BentkusBound | HoeffdingBound | EmpiricalBernsteinBound | CentralLimitBound):
        yield from _by_mean(family, aim, possible)
    elif isinstance(family, QuantileBound) and isinstance(family.dist, Beta) and "uncertainty" in estimate.details:
        yield from _by_evidence(estimate, family, family.dist, aim)
    elif _is_product(estimate, family, aim):
        yield from _by_factor(estimate, aim)
    elif "requirements" in estimate.details and estimate.details.get("required for") == _as_recorded(aim):
        yield from _by_event(estimate)
    else:
        yield from _by_distance(estimate, family, aim, possible)


def _by_counts(family: BoundFamily, bad: int, total: int, noun: str, aim: Aim, possible: bool) -> Iterator[str]:
    def enough(good: int = 0, turned: int = 0) -> bool:
        after = recount(family, good=good, turned=turned)
        return after is not None and aim.reached(after)

    more = fewest(enough, above=0) if possible else None
    if more:
        with_those = f", with the {counted(bad, 'failure')} seen so far" if bad else ""
        tests = counted(more, f"more {noun}")
        yield f"{tests} without a failure would show it: {total + more:,} in all{with_those}."
    elif possible:
        yield f"No feasible number of further {noun}s would show it."
    if bad and enough(turned=bad):
        turned = fewest(lambda count: enough(turned=min(count, bad)), above=0) or bad
        same = counted(total, noun)
        yield f"Among the same {same}, {_at_most(bad - turned, total)} would show it; there {_were(bad)}."
    elif bad:
        clean = fewest(partial(enough, turned=bad), above=0)
        instead = f"; {total + clean:,} would" if clean else ""
        yield f"Even without a failure, {counted(total, noun)} would not show it{instead}."


def _by_ratio(limit: RatioLimit, ratio: float, n: int, aim: Aim, possible: bool) -> Iterator[str]:
    tests = fewest(lambda size: aim.allows(limit(ratio, size)), above=n) if possible else None
    if tests:
        yield f"At the observed mean/sd of {ratio:.4g}, {counted(tests, 'test')} would show it instead of {n:,}."
    wanted = least(lambda value: aim.allows(limit(value, n)), ratio, LARGEST_RATIO)
    if wanted:
        yield f"With {counted(n, 'test')}, a mean/sd of {wanted:g} would show it; it was {ratio:.4g}."


def _by_mean(family: MeanBound, aim: Aim, possible: bool) -> Iterator[str]:
    def enough(mean: float) -> bool:
        return aim.reached(replace(family, mean=mean))

    tests = fewest(lambda size: aim.reached(whatif.resized(family, size)), above=family.n) if possible else None
    if tests:
        enough_tests = f"{counted(tests, 'test')} would show it instead of {family.n:,}"
        yield f"With losses of the same mean and spread, {enough_tests}."
    wanted = most(enough, 0.0, family.mean) if aim.side == "upper" else least(enough, family.mean, 1.0)
    if wanted is not None:
        size = f"With {counted(family.n, 'test')} of the same spread"
        yield f"{size}, a mean of {wanted:g} would show it; it was {family.mean:.4g}."


def _by_evidence(estimate: Estimate, family: QuantileBound, dist: Beta, aim: Aim) -> Iterator[str]:
    rate, uncertainty = (float(estimate.details[name]) for name in ("base_rate", "uncertainty"))
    weight = (dist.a + dist.b) * uncertainty
    prior = Beta(rate * weight, (1 - rate) * weight)

    def enough(left: float) -> bool:
        return aim.reached(whatif.with_evidence(family, prior, (1 / left - 1) / (1 / uncertainty - 1)))

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
    return bool(limits) and math.isclose(math.prod(limits.values()), aim.limit_of(family), rel_tol=SAME)


def _by_distance(estimate: Estimate, family: BoundFamily, aim: Aim, possible: bool) -> Iterator[str]:
    limit = aim.limit_of(family)
    if isinstance(family, TabulatedBound) and "trials" in estimate.details and possible:
        distance, allowed = abs(limit - estimate.value), abs(aim.limit - estimate.value)
        yield f"The bound lies {distance:.4g} from what was observed, and {allowed:.4g} would do."
        trials = estimate.details["trials"]
        about = math.ceil(shown(trials * (distance / allowed) ** 2, ROUND_CEILING))
        yield (
            f"About {counted(about, 'test')} would show it instead of {trials:,}, "
            "if that distance shrinks with the square root of their number."
        )
    else:
        yield f"The {aim.side} bound is {limit:.4g} and would have to reach {aim.limit:.4g}."


def _ratio_limit(family: BoundFamily, aim: Aim) -> RatioLimit | None:
    if isinstance(family, NoncentralTBound) and family.side == "upper":
        return lambda ratio, n: NoncentralTBound(ratio, n, "upper").at(aim.level).limit
    if isinstance(family, Bound) and family.kind == "expectation":
        return lambda ratio, n: float(normal_score_minimum(ratio, n))
    return None


def _event_counts(estimate: Estimate) -> tuple[int, int] | None:
    """How often what the estimate is about was counted, out of how many tests."""
    details = estimate.details
    if "positive" in details and "negative" in details:
        counts = details["positive"], details["positive"] + details["negative"]
    else:
        counts = details.get("failures"), details.get("trials")
    return counts if all(isinstance(number, int) for number in counts) else None


def _noun(estimate: Estimate) -> str:
    per = estimate.unit.removeprefix("per ")
    return "test" if per == "demand" else per


def _at_most(count: int, total: int) -> str:
    return f"at most {counted(count, 'failure')} (a share of {count / total:.4g})" if count else "no failure at all"


def _were(count: int) -> str:
    return f"was {count:,}" if count == 1 else f"were {count:,}"
