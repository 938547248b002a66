"""Question 4 of SYS: what rejecting answers gives, of the system or of single networks before they are averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import drive
import numpy as np
import system
from numpy.typing import NDArray

from surefoot import Undefined
from surefoot.core import Table
from surefoot.systems import (
    Condition,
    Findings,
    Improvement,
    MemoryColumns,
    Score,
    accept_below_predicted,
    average_unless_rejected,
    improvement,
    predicted_errors,
    vote,
)
from surefoot.systems.rejection.alternatives import AVERAGE
from surefoot.systems.rejection.strategies import ALL_CONDITIONS

RATES = (0.05, 0.1, 0.2)
MODULE_RATE = 0.3
"""Share of the pairs on which each network is not listened to."""
Answers = Mapping[Condition, NDArray[np.float64]]
"""Networks x pairs in each condition."""


def of_the_system(found: Findings, rates: Sequence[float] = RATES, *, draws: int) -> Table:
    """All conditions together: the strategies of SYS, errors predicted from all scores, how far networks disagree."""
    disagreement = Score("average", "disagreement")
    others = {
        "learned": predicted_errors(found.whole),
        "disagreement": {c: found.whole.score(disagreement, c) for c in found.whole.conditions},
    }
    table = found.rejections(rates, others=others, pooled=True, draws=draws)
    return Table(table.columns[2:], tuple(row[2:] for row in table.rows if row[0] == ALL_CONDITIONS))


def answers(found: Findings) -> Answers:
    """What every network answered, as recorded."""
    return {c: np.array([found.answers(name, c) for name in _networks(found)]) for c in found.whole.conditions}


def of_networks(found: Findings, truth: NDArray[np.float64], *, draws: int) -> Table:
    """Average or not: each condition, and all together, against the average of all three (SYS, section 4.1).

    A network is doubted by its error as predicted from its own scores, by models that never saw the block.
    """
    said, names = answers(found), _networks(found)
    doubts = {name: predicted_errors(found.measured[name]) for name in names}
    conditions = found.whole.conditions
    rows: list[tuple[object, ...]] = []
    for some in (*((c,) for c in conditions), conditions):
        table = average_unless_rejected(
            np.concatenate([said[c] for c in some], axis=1),
            np.array([np.concatenate([doubts[name][c] for c in some]) for name in names]),
            np.tile(truth, len(some)),
            rate=MODULE_RATE,
            names=names,
            against=AVERAGE,
            units=np.tile(np.asarray(found.whole.units), len(some)),
            draws=draws,
        )
        where = some[0].label if len(some) == 1 else ALL_CONDITIONS
        rows += [(where, *row) for row in table.rows]
    return Table(("condition", *table.columns), tuple(rows))


def median_of_networks(found: Findings, truth: NDArray[np.float64], *, draws: int) -> Improvement:
    """The median of the three in place of their mean."""
    said, metric = answers(found), found.whole.metric
    voted = {
        condition: metric.statistics(vote(dict(zip(_networks(found), each, strict=True)), "number"), truth)
        for condition, each in said.items()
    }
    return improvement(
        found.whole, replace(found.whole, system="median", columns=MemoryColumns(voted, {})), draws=draws
    )


def guarantee(found: Findings, *, target: float) -> str:
    """The loosest predicted error below which a share of failures is shown to be kept, or why there is none."""
    try:
        _, shown = accept_below_predicted(found.whole, limit=system.LIMIT, target=target, max_group_size=drive.PAIRS)
    except Undefined as reason:
        return str(reason)
    return f"{shown.coverage.value:.0%} of the answers are accepted, {shown.error.value:.1%} of them fail."


def _networks(found: Findings) -> list[str]:
    return list(found.measured)[1:]
