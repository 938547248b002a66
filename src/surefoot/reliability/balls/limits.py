"""Upper limits from balls by several methods, side by side, each by its name."""

from __future__ import annotations

import math
from typing import Any

from scipy import special

from surefoot import bounds
from surefoot.core import BoundFamily, Table
from surefoot.reliability.balls.drawn import Drawn, Draws
from surefoot.reliability.balls.shares import VarianceParts
from surefoot.reliability.balls.variances import FORMS, mean_and_variance
from surefoot.reliability.limits import COLUMNS, LEVELS

OPERATION_BETTING = "operation, distribution-free"
OPERATION_NORMAL = "operation, normal approximation"
OPERATION_WEIGHTED = "operation, bets on weighted rows"
OPERATION_WIDER = "operation, the larger of normal and bets"
LARGER = "the larger of balls and tests"
NAMES = {
    "linearised": "frame, linearised ratio",
    "effective": "frame, effective number of draws",
    "published": "frame, Eqn. (15)",
}


def limits(
    drawn: Drawn,
    parts: VarianceParts,
    families: dict[str, BoundFamily],
    *,
    centres: tuple[int, int],
    tests: tuple[int, int] | None,
    chosen: str,
    least: float,
) -> Table:
    """Limits of the frame and of operation; the ``chosen`` one is marked, and those that tests contradict.

    ``families`` hold the limits of operation by their names, ``least`` is the least that labelled rows leave possible.
    """
    value, variance = drawn.mean()
    sizes = drawn.expansion * drawn.own
    rows: list[tuple[Any, ...]] = []
    if variance:
        rows += [_normal(NAMES[form], "draws", *mean_and_variance(sizes, drawn.risk, form=form)) for form in FORMS]
    rows.append(_normal(f"frame, {_own_name(drawn)}", "draws, risks inside", value, parts.of_frame))
    rows += _frame_betting(drawn, value)
    rows += [_row(name, _rests_on(name), value, family) for name, family in families.items()]
    unweighted = "" if drawn.equal_weights else "unweighted, "
    rows.append(_counted(f"centres alone, {unweighted}exact binomial", f"{unweighted}labels of the rows", *centres))
    if tests:
        rows.append(_counted("held-out tests, exact binomial", "held-out labels", *tests))
    return Table(COLUMNS, tuple(_judged(row, chosen, least) for row in rows))


def _judged(row: tuple[Any, ...], chosen: str, least: float) -> tuple[Any, ...]:
    name = f"{row[0]} (used)" if row[0] == chosen else row[0]
    return (name, *row[1:], "contradict it" if row[-1] < least else "")


def _own_name(drawn: Drawn) -> str:
    return "mean of the draws" if isinstance(drawn, Draws) and not drawn.form else "variance of the design"


def _rests_on(name: str) -> str:
    return {
        OPERATION_BETTING: "rows are operation",
        OPERATION_NORMAL: "rows are operation, many draws",
        OPERATION_WEIGHTED: "rows are operation, the largest weight is there",
    }.get(name, "either of them")


def _normal(name: str, rests_on: str, value: float, variance: float) -> tuple[Any, ...]:
    sd = math.sqrt(variance)
    return (name, rests_on, value, *(min(value + sd * float(special.ndtri(level)), 1.0) for level in LEVELS))


def _frame_betting(drawn: Drawn, value: float) -> list[tuple[Any, ...]]:
    family = drawn.frame_bound("upper", LEVELS[0])
    return [] if family is None else [_row("frame, distribution-free", "weights as they are", value, family)]


def _row(name: str, rests_on: str, value: float, family: BoundFamily) -> tuple[Any, ...]:
    return (name, rests_on, value, *(family.limit_at(level) for level in LEVELS))


def _counted(name: str, rests_on: str, failed: int, trials: int) -> tuple[Any, ...]:
    found = bounds.clopper_pearson(failed, trials, level=LEVELS[0])
    return (name, rests_on, found.value, *(found.upper(level) for level in LEVELS))
