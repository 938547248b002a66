"""Whether failures come more often in one half of the rows, by an exact test that knows when it is blind."""

from __future__ import annotations

from surefoot.bounds.counts import Counts
from surefoot.core import Check
from surefoot.core.assumption import Status

SIGNIFICANCE = 0.01
"""Stricter than usual: drift is looked for in every step, and finding it takes the verdict away."""
LARGE_SHARE = 0.55


def outcome_drift(first: Counts, second: Counts) -> Check:
    """Failures of the first half of the rows against those of the second, by Fisher's exact test.

    Given the number of failures in all, the number in the first half is hypergeometric where nothing changed. Where
    most rows fail, successes are compared instead. The effect size is the share that the worse half has of the sum of
    both rates, from 0.5 to 1; a contradiction needs more than 0.55. Where not even the most uneven split would be
    significant, nothing was checked.
    """
    failures, rows = first.failures + second.failures, first.trials + second.trials
    rare = "failures" if 2 * failures <= rows else "successes"
    seen = tuple(c.failures if rare == "failures" else c.trials - c.failures for c in (first, second))
    p = _p_value(seen[0], sum(seen), first.trials, rows)
    smallest = min(_p_value(end, sum(seen), first.trials, rows) for end in _ends(sum(seen), first.trials, rows))
    share = _worse_share(seen, (first.trials, second.trials))
    status = _status(p, smallest, share)
    blind = ", too few for any split to be significant" if status == "unchecked" else ""
    found = f"{seen[0]:,} {rare} in the first half and {seen[1]:,} in the second half of {rows:,} rows"
    figures = {
        "rows": rows,
        f"{rare}_first_half": seen[0],
        f"{rare}_second_half": seen[1],
        "p_value": p,
        "smallest_p_value_possible": smallest,
        "significance": SIGNIFICANCE,
    }
    return Check(status, f"{found}, compared by Fisher's exact test{blind}", figures, share)


def _status(p: float, smallest: float, share: float | None) -> Status:
    if share is None or smallest >= SIGNIFICANCE:
        return "unchecked"
    return "contradicted" if p < SIGNIFICANCE and share > LARGE_SHARE else "supported"


def _p_value(seen: int, events: int, first: int, rows: int) -> float:
    """Twice the smaller tail."""
    from scipy.stats import hypergeom

    tails = hypergeom.cdf(seen, rows, events, first), hypergeom.sf(seen - 1, rows, events, first)
    return min(1.0, 2 * float(min(tails)))


def _ends(events: int, first: int, rows: int) -> tuple[int, int]:
    """The fewest and the most events that the first half can have."""
    return max(0, events - (rows - first)), min(events, first)


def _worse_share(seen: tuple[int, ...], sizes: tuple[int, int]) -> float | None:
    rates = [count / size for count, size in zip(seen, sizes, strict=True) if size]
    return max(rates) / sum(rates) if len(rates) == 2 and sum(rates) > 0 else None
