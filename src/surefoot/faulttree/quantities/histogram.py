"""The histogram of Open-PSA: bins with weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, cast

import numpy as np

from surefoot.core import spread
from surefoot.core.distributions import Distribution
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.quantities.base import Quantity, QuantityLike, Range, Value, as_quantity
from surefoot.faulttree.quantities.drawn import Deviate
from surefoot.faulttree.quantities.faults import negative, not_above


@dataclass(frozen=True)
class Histogram(Deviate, tag="histogram-deviate"):
    """Bins between rising ``edges`` with a weight each: the chance of the bin, up to a common factor.

    Within a bin every value is alike, as SCRAM reads Open-PSA.
    """

    edges: tuple[QuantityLike, ...]
    weights: tuple[QuantityLike, ...]

    title: ClassVar[str] = "histogram"

    def __post_init__(self) -> None:
        for name in ("edges", "weights"):
            object.__setattr__(self, name, tuple(as_quantity(item) for item in getattr(self, name)))
        if len(self.edges) != len(self.weights) + 1 or not self.weights:
            found = f"{len(self.edges)} edges, {len(self.weights)} weights"
            raise InvalidInput("a histogram has one edge more than weights", where="histogram", found=found)
        self.require_sound()

    @property
    def arguments(self) -> tuple[Quantity, ...]:
        return cast("tuple[Quantity, ...]", self.edges + self.weights)

    def faults(self, *values: float) -> Iterator[str]:
        edges, weights = self._parted(values)
        for low, high in pairwise(edges):
            yield from not_above(low, edge=high)
        yield from (fault for weight in weights for fault in negative(weight=weight))
        yield from not_above(0.0, sum_of_weights=sum(weights))

    def combine(self, *values: Value) -> Value:
        edges, weights = self._parted(values)
        twice = sum(w * (low + high) for w, low, high in zip(weights, edges[:-1], edges[1:], strict=True))
        return twice / (2 * sum(weights))

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        rising = int(self.rises_with_draw(*ranges))
        return (rising,) * len(self.edges) + (0,) * len(self.weights)

    def rises_with_draw(self, *ranges: Range) -> bool:
        fixed = all(low == high for low, high in ranges)
        return self.settled or (fixed and not any(self.faults(*(low for low, _ in ranges))))

    def spread(self, *values: float) -> Distribution:
        return spread.Histogram(*self._parted(values))

    def quantile(self, percentile: Value, *values: Value) -> Value:
        edges, weights = self._parted(values)
        total, below = sum(weights), 0.0
        found: Any = edges[0]
        for low, high, weight in zip(edges[:-1], edges[1:], weights, strict=True):
            share = weight / total
            filled = np.asarray(share) > 0
            inside = np.clip((percentile - below) / np.where(filled, share, 1.0), 0.0, 1.0)
            found = np.where((percentile > below) & filled, low + inside * (high - low), found)
            below = below + share
        return found

    def described(self) -> str:
        told = [item.inner() for item in self.arguments]
        edges, weights = (", ".join(items) for items in self._parted(tuple(told)))
        return f"histogram, edges {edges}, weights {weights}"

    def _parted(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return values[: len(self.edges)], values[len(self.edges) :]
