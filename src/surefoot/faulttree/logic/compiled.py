"""A tree as a chain of decision diagrams, and its exact probability and derivatives."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic import evaluation
from surefoot.faulttree.logic.diagram import FALSE, Diagram
from surefoot.faulttree.logic.engines import Limit
from surefoot.faulttree.logic.engines.minimal import minimal_sets

BLOCK = 4_000_000
"""Values that a thread holds at once while draws are evaluated; with fewer, threads wait for each other."""
MOST_THREADS = 4


@dataclass(frozen=True, eq=False)
class Part:
    """A module: its function over events and earlier parts, false where all of them are."""

    diagram: Diagram
    signs: Mapping[int, int]
    """Whether the function rises (+1) or falls (-1) with a column, as its gates show; 0 where they show neither."""

    seconds: float
    """Time that the minimal sets may take."""

    @cached_property
    def minimal(self) -> Diagram:
        """Zero-suppressed diagram of the minimal sets of columns that make the function true."""
        return minimal_sets(self.diagram, self.signs, Limit(0, time.monotonic() + self.seconds))


@dataclass(frozen=True, eq=False)
class Compiled:
    """Diagrams of all parts, inputs first; the last one is the top event.

    Column c is event c; from ``len(events)`` on it is the truth of an earlier part.
    """

    events: tuple[str, ...]
    parts: tuple[Part, ...]
    directions: dict[str, int] = field(repr=False)
    """+1 where the top event rises with an event, -1 where it falls, 0 where its gates show neither."""
    negated: bool = False
    """The top event is the complement of the last part."""

    @property
    def coherent(self) -> bool:
        """Whether the top event rises with every event, as its gates show."""
        return not self.events or (not self.negated and all(sign > 0 for sign in self.directions.values()))

    @property
    def nodes(self) -> int:
        """Nodes of all diagrams."""
        return sum(part.diagram.size for part in self.parts)

    def probability(self, p: FloatArray) -> FloatArray:
        """Probability of the top event for probabilities of shape (events,) or (events, draws)."""
        if p.ndim == 1:
            return self._top(p)
        blocks = list(self._blocks(p.shape[1]))
        if len(blocks) == 1:
            return self._top(p)
        # Threads share the work because numpy lets go of the interpreter.
        with ThreadPoolExecutor(max(1, min(len(blocks), os.cpu_count() or 1, MOST_THREADS))) as threads:
            found = list(threads.map(lambda chosen: self._top(p[:, chosen]), blocks))
        return np.concatenate(found) if found else np.empty(0)

    def gradient(self, p: FloatArray) -> FloatArray:
        """Derivative of the probability by each event's, of the shape of ``p``."""
        if p.ndim == 1:
            return self._gradient(p[:, None])[:, 0]
        blocks = [self._gradient(p[:, chosen]) for chosen in self._blocks(p.shape[1])]
        return np.concatenate(blocks, axis=1) if blocks else np.empty(p.shape)

    def _top(self, p: FloatArray) -> FloatArray:
        columns, others = self._columns(p)
        return others[-1] if self.negated and others is not None else columns[-1]

    def _blocks(self, draws: int) -> Iterator[slice]:
        largest = max((part.diagram.size for part in self.parts), default=1) + len(self.events)
        step = max(BLOCK // max(largest, 1), 16)
        return (slice(start, min(start + step, draws)) for start in range(0, draws, step))

    def _columns(self, p: FloatArray) -> tuple[list[FloatArray], list[FloatArray] | None]:
        """Probability of each event and each part, and in trees with complements also of their complements."""
        columns = list(np.asarray(p, dtype=float))
        others = [1 - column for column in columns] if self.negated or not self.coherent else None
        for part in self.parts:
            true = evaluation.probability(part.diagram, columns, others)
            if others is not None:
                false = evaluation.probability(part.diagram, columns, others, of=FALSE)
                others.append(np.broadcast_to(false, p.shape[1:]))
            columns.append(np.broadcast_to(true, p.shape[1:]))
        return columns, others

    def _gradient(self, p: FloatArray) -> FloatArray:
        columns, others = self._columns(p)
        adjoint: list[FloatArray] = [np.zeros(p.shape[1]) for _ in columns]
        adjoint[-1] += -1.0 if self.negated else 1.0
        for index in reversed(range(len(self.parts))):
            weight = adjoint[len(self.events) + index]
            for column, slope in evaluation.slopes(self.parts[index].diagram, columns, others).items():
                adjoint[column] += weight * slope
        return np.array(adjoint[: len(self.events)]).reshape(p.shape)
