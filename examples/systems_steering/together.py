"""Whether the networks fail on the same pairs, and how often the system fails in a stated operation."""

from __future__ import annotations

from collections.abc import Mapping

import drive
import system

from surefoot.core import Estimate, Table
from surefoot.systems import Advice, Condition, Findings, Mix, advise, failures, system_failure

LEVEL = 0.95


def mix_of(found: Findings) -> Mix:
    """The stated mix, of those of its conditions that were measured."""
    labels = {condition.label for condition in found.whole.conditions}
    known = {label: share for label, share in system.MIX.items() if label in labels}
    return Mix({label: share / sum(known.values()) for label, share in known.items()})


def redundancy(found: Findings, *, draws: int) -> dict[str, Advice]:
    """How often networks fail together, by what conditions count."""
    several = dict(list(found.measured.items())[1:])
    clean, *_ = found.whole.conditions
    ways: Mapping[str, Mapping[Condition, float] | None] = {
        "clean": {clean: 1.0},
        "the mix": mix_of(found).weights(found.whole.conditions),
        "all conditions alike": None,
    }
    return {
        name: advise(several, limit=system.LIMIT, weights=weights, level=LEVEL, draws=draws)
        for name, weights in ways.items()
    }


def together(found: Mapping[str, Advice]) -> Table:
    """How often each fails alone, all three together, and how much more often than by chance."""
    rows = []
    for name, advice in found.items():
        alone = (f"{each.value:.1%}" for each in advice.alone.values())
        (three,) = (each for each in advice.combinations if len(each.members) == len(advice.alone))
        both = [_percents(*figure.cells) for figure in (three.all_fail, three.most_fail)]
        rows.append((name, *alone, *both, _times(*three.factor.cells)))
    names = list(next(iter(found.values())).alone)
    return Table(("conditions", *names, "all three", "two or more", "times chance"), tuple(rows))


def failing(found: Findings) -> Table:
    """How often the system is off by more than the limit, in each condition and under the mix."""
    by_condition = failures(found.whole, limit=system.LIMIT, level=LEVEL, max_group_size=drive.PAIRS)
    rows = [(condition.label, *_bounds(each)) for condition, each in by_condition.items()]
    return Table(("condition", "failures", "at most (95%)"), (*rows, ("the mix", *_bounds(under_mix(found)))))


def under_mix(found: Findings) -> Estimate:
    """The probability of failure in an operation that meets the conditions of the mix."""
    return system_failure(found.whole, mix_of(found), limit=system.LIMIT, level=LEVEL, max_group_size=drive.PAIRS)


def _bounds(estimate: Estimate) -> tuple[str, str]:
    return f"{estimate.value:.1%}", f"{estimate.upper(LEVEL):.1%}"


def _percents(value: float | None, low: float | None, high: float | None) -> str:
    ends = "" if low is None or high is None else f" ({low:.1%} to {high:.1%})"
    return "-" if value is None else f"{value:.1%}{ends}"


def _times(value: float | None, low: float | None, high: float | None) -> str:
    ends = "" if low is None or high is None else f" ({low:.1f} to {high:.1f})"
    return "-" if value is None else f"{value:.1f}{ends}"
