"""Importance of every event and gate of a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core.errors import Undefined
from surefoot.core.validate import FloatArray
from surefoot.faulttree.importance.fussell_vesely import fussell_vesely
from surefoot.faulttree.importance.gates import asked_gates, of_gates
from surefoot.faulttree.importance.measures import MEASURES, Measure, Switched, differential, of_events
from surefoot.faulttree.importance.scenarios import Scenarios, scenarios
from surefoot.faulttree.importance.table import Importance, Numbers, Row
from surefoot.faulttree.model import FaultTree

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

CANCELLED = 1e-6
"""Below this share of the top event, a difference of two probabilities has lost too many digits."""

Columns = dict[Measure, FloatArray]


def importance(
    tree: FaultTree,
    *,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    gates: bool | Collection[str] = True,
) -> Importance:
    """How much each basic event and each gate matters to the top event, with intervals from joint draws of the inputs.

    With ``P`` the probability of the top event, ``P1`` and ``P0`` the same with x made certain and impossible:

    - ``birnbaum``: P1 - P0, the derivative of P by the probability of x (Birnbaum 1969), "MIF";
    - ``criticality``: (P - P0) / P, "CIF"; for a basic event birnbaum * p / P. Many tools print it as Fussell-Vesely;
    - ``fussell_vesely``: P(union of the minimal cut sets that contain x) / P (Fussell 1975; Vesely et al. 1983), for
      coherent trees. Never below the criticality; Meng (2000) on the confusion of the two;
    - ``diagnostic``: P(x | top), "DIF" in SCRAM;
    - ``raw``, ``rrw``: P1 / P and P / P0 (Vesely et al. 1983; van der Borst, Schoonakker 2001);
    - ``conditional``: P(top | x). For a basic event P1; for a gate that shares events with the rest of the tree it is
      another number, because to see that a gate is true says something about its events;
    - ``differential_uniform``, ``differential_proportional``: parts of the change of P when all probabilities of basic
      events change by one amount, or by one factor (Borgonovo, Apostolakis 2001).

    A gate is made certain or impossible by putting a constant in its place. ``gates`` is true for all gates (of a tree
    with few enough), or names those to look at.
    """
    around = scenarios(tree, level=level, draws=draws, seed=seed)
    compiled = tree.compiled
    p = around.matrix(compiled.events)
    top = np.atleast_1d(compiled.probability(p))
    if not top[0] > 0:
        raise Undefined("the top event has probability 0, so nothing has a share in it", where=f"tree {tree.name!r}")
    named, notes = asked_gates(tree, gates)
    columns, missing = _of_events(compiled, around, p, top)
    below = of_gates(tree, named, around, top).measures() if named else {}
    return _table(around, compiled.events, columns, named, below, (*missing, *notes))


def _of_events(compiled: Compiled, around: Scenarios, p: FloatArray, top: FloatArray) -> tuple[Columns, list[str]]:
    slope = compiled.gradient(p)
    switched = _with_digits(compiled, p, of_events(top, p, slope))
    # What follows from the derivative itself keeps its digits where differences of probabilities cancel.
    exact: Columns = {"birnbaum": slope, "criticality": _shares(p * slope, top), "conditional": switched.present}
    columns = switched.measures() | exact
    if compiled.coherent or around.drawn or around.size == 1:
        # The corners of a box show the range of a quotient only where its denominator keeps its sign.
        columns |= differential(p, slope)
    share, notes = fussell_vesely(compiled, p)
    return (columns if share is None else columns | {"fussell_vesely": _shares(share, top)}), notes


def _shares(part: FloatArray, top: FloatArray) -> FloatArray:
    """Parts of the top event; none in a scenario in which it cannot happen."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return part / top


def _with_digits(compiled: Compiled, p: FloatArray, found: Switched) -> Switched:
    """Evaluates anew what is left without an event, where the difference has cancelled."""
    for row in np.flatnonzero((found.absent < CANCELLED * found.top).any(axis=1)):
        without = p.copy()
        without[row] = 0
        found.absent[row] = compiled.probability(without)
    return found


def _table(
    around: Scenarios,
    events: tuple[str, ...],
    of_event: Columns,
    gates: tuple[str, ...],
    of_gate: Columns,
    notes: tuple[str, ...],
) -> Importance:
    values, low, high = dict[Measure, Numbers](), dict[Measure, Numbers](), dict[Measure, Numbers]()
    for measure in MEASURES:
        parts = [
            _spread(around, block.get(measure), len(names)) for names, block in ((events, of_event), (gates, of_gate))
        ]
        values[measure], low[measure], high[measure] = (sum(column, ()) for column in zip(*parts, strict=True))
    kinds = (*_repeated("event", len(events)), *_repeated("gate", len(gates)))
    said = tuple(filter(None, (around.note, *notes)))
    return Importance((*events, *gates), kinds, values, low, high, around.level, around.kind, said)


def _repeated(kind: Row, times: int) -> tuple[Row, ...]:
    return (kind,) * times


def _spread(around: Scenarios, block: FloatArray | None, rows: int) -> tuple[Numbers, Numbers, Numbers]:
    if block is None or not rows:
        return ((None,) * rows,) * 3
    ends = around.spread(block)
    low, high = ends if ends is not None else ((None,) * rows,) * 2
    return tuple(_plain(block[:, 0])), tuple(_plain(low)), tuple(_plain(high))


def _plain(column: FloatArray | tuple[None, ...]) -> Iterator[float | None]:
    for value in column:
        yield None if value is None or np.isnan(value) else float(value)
