"""Probabilities that follow from rates and times (Open-PSA Model Exchange Format 2.0d, 2008)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from surefoot.faulttree.quantities.base import ANYWHERE, Quantity, QuantityLike, Range, Value
from surefoot.faulttree.quantities.faults import negative, not_above, outside


@dataclass(frozen=True)
class Exponential(Quantity, tag="exponential"):
    """Failure before ``time`` of a part that fails at a constant rate and is not repaired."""

    rate: QuantityLike
    time: QuantityLike

    title: ClassVar[str] = "exponential"
    argument_names: ClassVar[tuple[str, ...]] = ("rate", "time")

    def faults(self, *values: float) -> Iterator[str]:
        yield from negative(rate=values[0], time=values[1])

    def combine(self, *values: Value) -> Value:
        return -np.expm1(-values[0] * values[1])

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        return (1, 1) if none_negative(ranges) else (0, 0)

    def reach(self, *ranges: Range) -> Range:
        return (0.0, 1.0) if none_negative(ranges) else ANYWHERE


@dataclass(frozen=True)
class GLM(Quantity, tag="GLM"):
    """Unavailability at ``time`` of a part that fails on start (gamma), fails at a rate and is repaired at rate mu."""

    gamma: QuantityLike
    rate: QuantityLike
    mu: QuantityLike
    time: QuantityLike

    title: ClassVar[str] = "GLM"
    argument_names: ClassVar[tuple[str, ...]] = ("gamma", "rate", "mu", "time")

    def faults(self, *values: float) -> Iterator[str]:
        yield from outside(gamma=values[0])
        yield from negative(rate=values[1], mu=values[2], time=values[3])

    def combine(self, *values: Value) -> Value:
        gamma, rate, mu, time = values
        total = rate + mu
        steady = rate / np.where(np.asarray(total) == 0, 1.0, total)
        return gamma * np.exp(-total * time) - steady * np.expm1(-total * time)

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        fresh = ranges[0] == (0.0, 0.0)
        return (1, 1, -1, 1 if fresh else 0) if self._sound(ranges) else (0, 0, 0, 0)

    def reach(self, *ranges: Range) -> Range:
        return (0.0, 1.0) if self._sound(ranges) else ANYWHERE

    def _sound(self, ranges: Sequence[Range]) -> bool:
        return none_negative(ranges) and ranges[0][1] <= 1


@dataclass(frozen=True)
class Weibull(Quantity, tag="Weibull"):
    """Failure before ``time`` with Weibull ageing that begins at ``t0``."""

    scale: QuantityLike
    shape: QuantityLike
    t0: QuantityLike
    time: QuantityLike

    title: ClassVar[str] = "Weibull"
    argument_names: ClassVar[tuple[str, ...]] = ("scale", "shape", "t0", "time")

    def faults(self, *values: float) -> Iterator[str]:
        yield from not_above(0.0, scale=values[0], shape=values[1])
        yield from negative(t0=values[2], time=values[3])

    def combine(self, *values: Value) -> Value:
        scale, shape, t0, time = values
        age = np.maximum(np.asarray(time - t0), 0.0)
        return -np.expm1(-np.power(age / scale, shape))

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        return (-1, 0, -1, 1) if none_negative(ranges[:2]) else (0, 0, 0, 0)

    def reach(self, *ranges: Range) -> Range:
        return (0.0, 1.0) if none_negative(ranges[:2]) else ANYWHERE


def none_negative(ranges: Sequence[Range]) -> bool:
    """Whether no value in these ranges is negative."""
    return all(low >= 0 for low, _ in ranges)
