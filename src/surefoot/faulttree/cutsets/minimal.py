"""Minimal cut sets of a compiled tree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.cutsets.chain import Chain, HasParts
from surefoot.faulttree.cutsets.found import Found
from surefoot.faulttree.cutsets.sets import By, Sets


@dataclass(frozen=True)
class CutSet:
    """Events, by name, that together bring about the top event, and no fewer of them do."""

    events: tuple[str, ...]
    probability: float | None

    @property
    def order(self) -> int:
        """The number of events."""
        return len(self.events)

    def __str__(self) -> str:
        return ", ".join(self.events) or "(no event needed)"


class CutSets(Sets[CutSet]):
    """Minimal cut sets, one after the other, as many as asked for; see ``cut_sets``."""


def cut_sets(
    compiled: HasParts,
    probabilities: Mapping[str, float] | None = None,
    *,
    order: int | None = None,
    cutoff: float | None = None,
    limit: int | None = None,
    by: By = "order",
) -> CutSets:
    """Enumerate minimal cut sets lazily: small ones first, or (``by="probability"``) probable ones first.

    ``order``, ``cutoff`` and ``limit`` leave sets out; ``CutSets.omitted_sum`` bounds what that can cost. Events that
    are not in ``probabilities`` have no known probability: a set with such an event has none either, and a cut-off or
    an enumeration by probability is refused. The sets of a tree that is not coherent are the minimal sets of events
    that bring about the top event while all others are absent (Rauzy 1993); see also ``prime_implicants``.
    """
    chain = Chain.of_minimal_sets(compiled)
    p = known_probabilities(compiled.events, probabilities or {})
    return CutSets(chain, p, _cut_set, order=order, cutoff=cutoff, limit=limit, by=by)


def known_probabilities(events: tuple[str, ...], probabilities: Mapping[str, float]) -> FloatArray:
    """One probability an event, NaN where there is none."""
    return np.array([probabilities.get(event, math.nan) for event in events], dtype=np.float64)


def _cut_set(found: Found) -> CutSet:
    return CutSet(found.labels, None if math.isnan(found.probability) else found.probability)
