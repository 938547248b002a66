"""Two iterations side by side: ratios only of what can be compared."""

from dataclasses import replace

import pytest

from surefoot.project import Iteration, iterations

RISK = iterations.Judged(
    "risk", "tests.failure probability", "at most", 0.02, 0.02, 0.95, "demand", 0.01, 0.0127, 0.95, "met"
)


def compared(now):
    return iterations.Compared(*(Iteration(place, "", "", (risk,)) for place, risk in enumerate((RISK, now), 1)))


def bounds_of(found):
    return [row for row in found.table().rows if "bound" in row[0]]


def test_a_better_bound_at_the_same_level_has_a_ratio():
    found = compared(replace(RISK, bound=0.00635))
    assert bounds_of(found)[0][-1] == pytest.approx(0.5)
    assert found.lines() == ("risk: bound 0.0127 → 0.00635, met as before, since iteration 1",)


def test_another_level_makes_another_bound_and_no_ratio():
    found = compared(replace(RISK, level=0.99, bound_level=0.99, bound=0.0142))
    assert bounds_of(found)[0][-1] is None
    assert found.lines()[0].startswith("risk: bound 0.0127 (95%, per demand) → 0.0142 (99%, per demand), met as before")


def test_limits_per_different_exposures_have_no_ratio():
    found = compared(replace(RISK, limit=1.2, cautious=1.2, per="hour"))
    (limit,) = [row for row in found.table().rows if "limit" in row[0]]
    assert limit[2:] == (0.02, 1.2, None)
