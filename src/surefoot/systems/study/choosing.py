"""Which score to reject by, where none is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.core import InvalidInput
from surefoot.systems.tables.measured import Family, Measured, Score

PREFERRED: Mapping[Family, Sequence[str]] = {"uncertainty": ("VRO", "VR"), "strangeness": ("KDE", "Maha-d")}
"""The scores that paper SYS rejects by (section 4.5), on the last module that has them."""


def chosen_score(measured: Measured, family: Family) -> Score:
    """As in paper SYS that of the last module, VRO and KDE where it has them."""
    known = measured.of_family(family)
    if not known:
        remedy = "Give training data for out-of-distribution scores, and noisy modules with a distance for uncertainty."
        raise InvalidInput(f"the study has no score of {family}", where=measured.system, remedy=remedy)
    ranks = {name: place for place, name in enumerate(PREFERRED[family])}
    best = min(ranks.get(score.name, len(ranks)) for score in known)
    return [score for score in known if ranks.get(score.name, len(ranks)) == best][-1]
