"""``PeriodicTest``: the unavailability of a part that is tested at intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from surefoot.core.errors import InvalidInput
from surefoot.faulttree.quantities.base import ANYWHERE, Quantity, QuantityLike, Range, Value, as_quantity
from surefoot.faulttree.quantities.decay import mean_failure
from surefoot.faulttree.quantities.faults import negative, not_above, not_below, outside
from surefoot.faulttree.quantities.rates import none_negative
from surefoot.faulttree.quantities.tested import TestedPart, whole_intervals

MOST_TESTS = 1e9
SHORT = ("rate", "interval", "first_test", "time")
WITH_REPAIR = ("rate", "repair_rate", "interval", "first_test", "time")
COMPLETE = (
    "rate", "test_rate", "repair_rate", "interval", "first_test", "test_failure", "duration", "available",
    "coverage", "restart_failure", "time",
)  # fmt: skip
FORMS = {len(form): form for form in (SHORT, WITH_REPAIR, COMPLETE)}
NEUTRAL = {"test_failure": 0.0, "duration": 0.0, "available": 1.0, "coverage": 1.0, "restart_failure": 0.0}
RATES = ("rate", "test_rate", "repair_rate")
PROBABILITIES = ("test_failure", "available", "coverage", "restart_failure")


@dataclass(frozen=True)
class PeriodicTest(Quantity, tag="periodic-test"):
    """Unavailability of a part that fails unnoticed and is tested every ``interval``, first at ``first_test``.

    Without ``repair_rate`` a test restores the part at once. The other options make the complete form of Open-PSA;
    those left out have no effect: a test takes no ``duration``, fails nothing, finds every failure (``coverage``) and
    each repair succeeds. The value is the unavailability at ``time``, as in Open-PSA; with ``average`` it is the mean
    over the mission from 0 to ``time``, which a demand at a random moment meets; Open-PSA has no word for that.
    """

    rate: QuantityLike
    interval: QuantityLike
    first_test: QuantityLike
    time: QuantityLike
    repair_rate: QuantityLike | None = None
    test_rate: QuantityLike | None = None
    test_failure: QuantityLike | None = None
    duration: QuantityLike | None = None
    available: QuantityLike | None = None
    coverage: QuantityLike | None = None
    restart_failure: QuantityLike | None = None
    average: bool = False

    title: ClassVar[str] = "periodic test"

    def __post_init__(self) -> None:
        given = {name for name in COMPLETE if getattr(self, name) is not None}
        if "repair_rate" not in given and given != set(SHORT):
            raise InvalidInput("the complete form needs a repair rate", where=self.title, found=sorted(given))
        complete = given > set(WITH_REPAIR)
        if complete:
            self._fill_in()
        object.__setattr__(self, "argument_names", FORMS[11 if complete else len(given)])
        super().__post_init__()

    def _fill_in(self) -> None:
        """Give the options that are left out the values without effect."""
        if self.test_rate is None and any(node.uncertain for node in as_quantity(self.rate).nodes()):
            raise InvalidInput(
                "an uncertain rate and no test rate",
                where=self.title,
                remedy="Name the rate as a parameter of the tree and give it as test rate too.",
            )
        neutral = {"test_rate": self.rate} | NEUTRAL
        for name, value in neutral.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    @classmethod
    def of(cls, *arguments: Any, average: bool = False) -> Self:
        """By the 4, 5 or 11 arguments of Open-PSA, in its order."""
        if len(arguments) not in FORMS:
            raise InvalidInput("a periodic test has 4, 5 or 11 arguments", where=cls.title, found=len(arguments))
        return cls(**dict(zip(FORMS[len(arguments)], arguments, strict=True)), average=average)

    def faults(self, *values: float) -> Iterator[str]:
        named = dict(zip(self.argument_names, values, strict=True))
        yield from negative(**{n: v for n, v in named.items() if n in (*RATES, "first_test", "duration", "time")})
        yield from outside(**{n: v for n, v in named.items() if n in PROBABILITIES})
        yield from not_above(0.0, interval=named["interval"])
        if named["interval"] > 0:
            yield from not_below(MOST_TESTS, number_of_tests=named["time"] / named["interval"])
        if named.get("duration", 0.0) > named["interval"]:
            yield f"duration must not exceed the interval, and is {named['duration']:g}"

    def combine(self, *values: Value) -> Value:
        if len(values) == len(SHORT):
            return (_mean_restored if self.average else _restored)(*values)
        named: dict[str, Any] = dict(zip(self.argument_names, values, strict=True))
        if len(values) == len(WITH_REPAIR):
            named |= {"test_rate": 0.0} | NEUTRAL
        part = TestedPart.of(*(named[name] for name in COMPLETE))
        return (part.mean_unavailability() if self.average else part.unavailability())[()]

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        # With repair, a part that fails soon can be back sooner than one that fails late, so nothing is sure.
        sure = len(ranges) == len(SHORT) and none_negative(ranges)
        return (1, 0, 0, 0) if sure else (0,) * len(ranges)

    def reach(self, *ranges: Range) -> Range:
        return (0.0, 1.0) if len(ranges) < len(COMPLETE) and none_negative(ranges) else ANYWHERE

    def described(self) -> str:
        kind = "mean unavailability" if self.average else "unavailability at the end"
        return super().described().replace(self.title, f"{self.title}, {kind}", 1)


def _restored(rate: Value, interval: Value, first_test: Value, time: Value) -> Value:
    """Unavailability at ``time`` of a part that each test restores."""
    time = np.asarray(time, dtype=float)
    _, left = whole_intervals(np.maximum(time - first_test, 0.0), np.asarray(interval))
    return -np.expm1(-rate * np.where(time <= first_test, time, left))[()]


def _mean_restored(rate: Value, interval: Value, first_test: Value, time: Value) -> Value:
    """Mean unavailability from 0 to ``time`` of a part that each test restores."""
    time = np.asarray(time, dtype=float)
    before = np.minimum(time, first_test)
    tests, left = whole_intervals(time - before, np.asarray(interval))
    lost = sum(n * span * mean_failure(rate * span) for n, span in ((1, before), (tests, interval), (1, left)))
    return np.where(time > 0, lost / np.where(time > 0, time, 1.0), 0.0)[()]
