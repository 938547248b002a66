"""The probability that some minimal cut set with an event is true: the numerator of Fussell-Vesely, exactly.

For each column c of a part, ``rests`` has the union of its minimal sets that contain c, with c taken out. It does not
depend on c, so that P(some set with c) = p(c) P(rest of c). Where the column is itself a part, its own sets take its
place, and the probabilities multiply, because parts share no events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.importance.unions import rests
from surefoot.faulttree.logic import evaluation
from surefoot.faulttree.logic.diagram import Diagram
from surefoot.faulttree.logic.engines import OverLimit

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

NOT_COHERENT = "Fussell-Vesely is left out: it is defined by minimal cut sets of a coherent tree, and this one is not."
TOO_LARGE = "Fussell-Vesely is left out: the unions of minimal cut sets of this tree are too large."
MOST_VALUES = 400_000
"""Node values held at once while scenarios are evaluated."""


def fussell_vesely(compiled: Compiled, p: FloatArray) -> tuple[FloatArray | None, list[str]]:
    """P(some minimal cut set with the event is true), of the shape of ``p``; None, and why, where it is not known."""
    if not compiled.coherent:
        return None, [NOT_COHERENT]
    try:
        families = [rests(part.minimal) for part in compiled.parts]
    except OverLimit:
        return None, [TOO_LARGE]
    largest = max((len(d.column) for d in _diagrams(compiled, families)), default=1)
    step = max(1, MOST_VALUES // largest)
    blocks = [p[:, start : start + step] for start in range(0, p.shape[1], step)]
    return np.concatenate([_shares(compiled, families, block) for block in blocks], axis=1), []


def _diagrams(compiled: Compiled, families: list[dict[int, Diagram]]) -> list[Diagram]:
    return [part.diagram for part in compiled.parts] + [d for family in families for d in family.values()]


def _shares(compiled: Compiled, families: list[dict[int, Diagram]], p: FloatArray) -> FloatArray:
    columns = list(p)
    for part in compiled.parts:
        columns.append(np.broadcast_to(evaluation.probability(part.diagram, columns), p.shape[1:]))
    share = np.zeros((len(columns), p.shape[1]))
    share[-1] = 1
    for index in reversed(range(len(families))):
        for column, rest in families[index].items():
            share[column] = share[len(p) + index] * evaluation.probability(rest, columns)
    return p * share[: len(p)]
