"""Whether two modules find the same items strange (research question 1; Tables 12 to 15 and Eqn. (11) of SYS)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import percent
from surefoot.systems.data.conditions import Condition
from surefoot.systems.tables.measured import Family, Measured, Score
from surefoot.systems.tables.pairs import Pairs
from surefoot.systems.tables.shifts import FAMILIES
from surefoot.systems.tables.tested import Cell, Tested, corrected, holm_note, undefined_notes, unit_notes

WHERE = "overlaps"
HEADS = ("module", "other module", "score", "top")
NOTES = (
    "Overlap: share of the top items of one module that are among those of the other (SYS Eqn. (11)). The top is that "
    "share of the items, rounded down; items tied at its edge count in part, so that their order has no say.",
    "Chance low and high: where 95% of overlaps lie when modules have nothing in common. p: hypergeometric, two-sided.",
)
BY_UNITS = "Nothing corrects p of an overlap for that, so that there is no p for all; see rank_correlations."


def overlaps(
    measured: Measured,
    family: Family = "strangeness",
    *,
    shares: Sequence[float] = (0.01, 0.05, 0.10),
    significance: float = 1e-4,
) -> Tested:
    """How many of the items with the highest scores two modules have in common, in every condition.

    Modules are compared where they have a score of the same name. The paper counts 26 of 2,600 and 89 of 8,940 items as
    1%, so numbers of items are rounded down.
    """
    validate.choice(family, FAMILIES, where=WHERE, name="family")
    significance = validate.fraction(significance, where=WHERE, name="significance")
    if not len(shares):
        raise InvalidInput("needs a share", where=WHERE, remedy="Say shares=(0.01, 0.05).")
    parts = [validate.fraction(share, where=WHERE, name="share") for share in shares]
    cells = [
        cell
        for condition in measured.conditions
        for one, other in module_pairs(measured, family)
        for cell in _cells(measured, one, other, condition, parts)
    ]
    judged, said = corrected(cells, significance), holm_note(cells, significance)
    if measured.units is not None:
        judged = tuple(replace(cell, p_all=None, significant_all=None) for cell in judged)
        said = f"Significant: p below {significance:g}."
    notes = (*NOTES, said, *unit_notes(measured, BY_UNITS), *undefined_notes(cells))
    return Tested("overlap", HEADS, None, judged, significance, notes)


def module_pairs(measured: Measured, family: Family) -> list[tuple[Score, Score]]:
    """Scores of one name in two modules."""
    scores = measured.of_family(family)
    return [(a, b) for a, b in combinations(scores, 2) if a.name == b.name and a.module != b.module]


def _cells(
    measured: Measured, one: Score, other: Score, condition: Condition, shares: Sequence[float]
) -> Iterator[Cell]:
    pairs = Pairs.of(measured.score(one, condition), measured.score(other, condition), None)
    for share in shares:
        of = (one.module, other.module, one.name, percent(share))
        top = math.floor(share * pairs.count + 1e-9)
        why = pairs.undefined or ("" if top else f"{percent(share)} of the items is less than one")
        if why:
            yield Cell(of, condition, None, pairs.count, pairs.left_out, why=why)
        else:
            yield _cell(of, condition, pairs, top)


def _cell(of: tuple[str, ...], condition: Condition, pairs: Pairs, top: int) -> Cell:
    from scipy import stats

    chance = stats.hypergeom(pairs.count, top, top)
    common = round(float(among_top(pairs.first, top) @ among_top(pairs.second, top)), 9)
    low, high = chance.ppf([0.025, 0.975]) / top
    p = min(1.0, 2 * min(chance.sf(math.floor(common) - 1), chance.cdf(math.ceil(common))))
    details = {"top items": top, "chance": top / pairs.count, "chance low": float(low), "chance high": float(high)}
    return Cell(of, condition, common / top, pairs.count, pairs.left_out, p=float(p), details=details)


def among_top(values: FloatArray, top: int) -> FloatArray:
    """1 for the highest values, 0 for the others; those tied at the edge share the places that are left."""
    edge = np.partition(values, values.size - top)[values.size - top]
    above, tied = values > edge, values == edge
    return above + tied * ((top - above.sum()) / tied.sum())
