"""Whether scores rise as a corruption gets worse (research questions 1 and 2; Tables 8 to 11 and 18 to 21 of SYS)."""

from __future__ import annotations

import numpy as np

from surefoot.core import validate
from surefoot.systems.data.conditions import Condition
from surefoot.systems.tables.measured import Family, Measured, Score
from surefoot.systems.tables.pairs import Pairs, difference
from surefoot.systems.tables.shares import share_interval
from surefoot.systems.tables.signed_ranks import ALTERNATIVES, Alternative, p_of_items, p_of_units
from surefoot.systems.tables.tested import Cell, Tested, corrected, holm_note, undefined_notes, unit_notes

FAMILIES: tuple[Family, ...] = ("strangeness", "uncertainty")
EFFECT = (
    "Effect: share of items whose score is larger than in the next milder condition, half of the ties added; "
    "'larger' leaves ties out of the share."
)
BY_UNITS = (
    "p by units sums signed ranks in each unit (Rosner, Glynn and Lee 2006); intervals take units as independent."
)


def shifts(
    measured: Measured,
    family: Family,
    *,
    significance: float = 1e-4,
    alternative: Alternative = "greater",
    level: float = 0.95,
) -> Tested:
    """Each score in each condition against the next milder severity, by Wilcoxon's signed-rank test.

    Severity 1 is compared with clean, the next with severity 1, and so on (paper SYS, sections 4.2 and 4.3). The paper
    calls D = 0.06 of 2,600 items not significant, so it asks whether scores are greater, as is done here unless
    ``alternative`` says otherwise. Its Table 19 calls D = 0.08 significant, so its D leaves ties out: ours adds half of
    them, and ``larger`` is the paper's.
    """
    validate.choice(family, FAMILIES, where="shifts", name="family")
    validate.choice(alternative, ALTERNATIVES, where="shifts", name="alternative")
    level = validate.level(level, where="shifts")
    significance = validate.fraction(significance, where="shifts", name="significance")
    cells = [
        _shift(measured, score, condition, alternative, level)
        for score in measured.of_family(family)
        for condition in measured.corrupted
    ]
    words = {"two-sided": "two-sided"}.get(alternative, f"one-sided, {alternative}")
    test = f"p: Wilcoxon's signed-rank test, {words}, ties left out."
    more = (*unit_notes(measured, BY_UNITS), *undefined_notes(cells))
    notes = (EFFECT, test, holm_note(cells, significance), *more)
    return Tested("effect", ("module", "score"), 0.5, corrected(cells, significance), significance, notes)


def _shift(measured: Measured, score: Score, condition: Condition, alternative: Alternative, level: float) -> Cell:
    milder = measured.less_severe(condition)
    pairs = Pairs.of(measured.score(score, condition), measured.score(score, milder), measured.units)
    if not pairs.count:
        why = "no item has both values"
        return Cell((score.module, score.name), condition, None, 0, pairs.left_out, against=milder, why=why)
    change = difference(pairs.first, pairs.second)
    halves = (np.sign(change) + 1) / 2
    return Cell(
        of=(score.module, score.name),
        condition=condition,
        value=float(halves.mean()),
        items=pairs.count,
        left_out=pairs.left_out,
        interval=share_interval(halves, pairs.units, level=level),
        p=p_of_items(change, alternative),
        p_by_units=None if pairs.units is None else p_of_units(change, pairs.units, alternative),
        against=milder,
        details={"larger": float(np.mean(change > 0)), "ties": int(np.sum(change == 0))},
    )
