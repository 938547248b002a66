"""Exponential decay without loss of digits for small rates, short times and equal rates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.faulttree.quantities.quantity import (
    ANYWHERE,
    Quantity,
    QuantityLike,
    Range,
    Value,
    as_quantity,
    negative,
    not_above,
    not_below,
    outside,
)

SMALL = 0.5
TERMS = 16
CLOSE = 0.05
# Gauss-Legendre with four points, in closed form (Abramowitz and Stegun 1964, 25.4.30).
_NEAR, _FAR = math.sqrt(3 / 7 - 2 / 7 * math.sqrt(6 / 5)), math.sqrt(3 / 7 + 2 / 7 * math.sqrt(6 / 5))
_MORE, _LESS = (18 + math.sqrt(30)) / 36, (18 - math.sqrt(30)) / 36
GAUSS = ((-_FAR, _LESS), (-_NEAR, _MORE), (_NEAR, _MORE), (_FAR, _LESS))


def mean_survival(x: ArrayLike) -> FloatArray:
    """``(1 - exp(-x)) / x``, the mean of ``exp(-u)`` for u from 0 to x."""
    x = np.asarray(x, dtype=float)
    positive = np.where(x > 0, x, 1.0)
    return np.where(x > 0, -np.expm1(-positive) / positive, 1.0)


def mean_failure(x: ArrayLike) -> FloatArray:
    """``1 - mean_survival(x)``, by its series where x is small."""
    x = np.asarray(x, dtype=float)
    return np.where(x < SMALL, x * _series(x, lambda k: 1 / math.factorial(k + 2)), 1 - mean_survival(x))


def repaired(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> FloatArray:
    """Probability that a part in repair works again after ``time`` and has not failed since."""
    slow, fast, time = _sorted_rates(failing, mending, time)
    return np.asarray(mending) * time * np.exp(-slow * time) * mean_survival((fast - slow) * time)


def time_repaired(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> FloatArray:
    """The integral of ``repaired`` from 0 to ``time``."""
    slow, fast, time = _sorted_rates(failing, mending, time)
    low, high = slow * time, fast * time
    close = high - low < CLOSE
    apart = (mean_survival(low) - mean_survival(high)) / np.where(close, 1.0, high - low)
    middle, half = (low + high) / 2, (high - low) / 2
    near = sum(w * _slope(middle + half * p) for p, w in GAUSS) / 2
    return np.asarray(mending) * time**2 * np.where(close, near, apart)


def _sorted_rates(failing: ArrayLike, mending: ArrayLike, time: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.minimum(failing, mending), np.maximum(failing, mending), np.asarray(time, dtype=float)


def _slope(x: FloatArray) -> FloatArray:
    """How fast ``mean_survival`` falls at x."""
    direct = (mean_survival(x) - np.exp(-x)) / np.where(x < SMALL, 1.0, x)
    return np.where(x < SMALL, _series(x, lambda k: 1 / (math.factorial(k) * (k + 2))), direct)


def _series(x: FloatArray, coefficient: Callable[[int], float]) -> FloatArray:
    """``sum of coefficient(k) (-x)^k``, for small x."""
    capped = np.minimum(x, SMALL)
    total = np.zeros_like(capped)
    for k in range(TERMS, -1, -1):
        total = coefficient(k) - capped * total
    return total


# ``PeriodicTest``: the unavailability of a part that is tested at intervals.

MOST_TESTS = 1e9
SHORT = ("rate", "interval", "first_test", "time")
WITH_REPAIR = ("rate", "repair_rate", "interval", "first_test", "time")
COMPLETE = (
    "rate", "test_rate", "repair_rate", "interval", "first_test", "test_failure", "duration", "available",
    "coverage", "restart_failure", "time",
)  # fmt: skip
FORMS = {4: SHORT, 5: WITH_REPAIR, 11: COMPLETE}
NEUTRAL = {"test_failure": 0.0, "duration": 0.0, "available": 1.0, "coverage": 1.0, "restart_failure": 0.0}
RATES = ("rate", "test_rate", "repair_rate")
PROBABILITIES = ("test_failure", "available", "coverage", "restart_failure")


@dataclass(frozen=True)
class PeriodicTest(Quantity, tag="periodic-test"):
    """Unavailability of a part that fails unnoticed and is tested every ``interval``, first at ``first_test``.

    Without ``repair_rate`` a test restores the part at once. The other options make the complete form of Open-PSA;
    those left out have no effect: a test takes no ``duration``, fails nothing, finds every failure and each repair
    succeeds.

    Parameters
    ----------
    rate
        Failures an hour while the part stands by.
    interval, first_test
        Hours between the starts of two tests, and until the first one.
    time
        When the unavailability is asked for.
    repair_rate, test_rate
        Repairs an hour, and failures an hour during a test.
    test_failure, duration, available
        Probability that a test fails the part, hours it takes, and whether the part works meanwhile.
    coverage, restart_failure
        Probability that a test finds a failure, and that the part does not start after a repair.
    average
        Give the mean from 0 to ``time``, which a demand at a random moment meets; Open-PSA has no word for that.

    References
    ----------
    Epstein and Rauzy (2008), Open-PSA Model Exchange Format 2.0d, section 5.

    Examples
    --------
    >>> from surefoot.faulttree import PeriodicTest
    >>> valve = PeriodicTest(1e-5, interval=720, first_test=720, time=8760, average=True)
    >>> round(float(valve.evaluate({}, "valve", {})), 6)
    0.00355

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


# Probabilities that follow from rates and times (Open-PSA Model Exchange Format 2.0d, 2008).


@dataclass(frozen=True)
class Exponential(Quantity, tag="exponential"):
    """Failure before ``time`` of a part that fails at a constant rate and is not repaired.

    Parameters
    ----------
    rate, time
        In units that go together, such as failures an hour and hours.

    Examples
    --------
    >>> from surefoot.faulttree import Exponential
    >>> round(float(Exponential(1e-5, 1000).evaluate({}, "pump", {})), 9)
    0.009950166

    """

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
    """Unavailability at ``time`` of a part that fails on start (gamma), fails at a rate and is repaired at rate mu.

    Parameters
    ----------
    gamma
        Probability of not starting.
    rate, mu
        Failures and repairs in a unit of time.
    time
        When the unavailability is asked for.

    Examples
    --------
    >>> from surefoot.faulttree import GLM
    >>> round(float(GLM(0.0, 1e-4, 0.1, 1e6).evaluate({}, "pump", {})), 9)
    0.000999001

    """

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
    """Failure before ``time`` with Weibull ageing that begins at ``t0``.

    Parameters
    ----------
    scale, shape
        Characteristic life and shape: above 1 the failure rate rises with age.
    t0, time
        When ageing begins, and the time that is asked about.

    Examples
    --------
    >>> from surefoot.faulttree import Weibull
    >>> round(float(Weibull(1000, 2, 0, 100).evaluate({}, "bearing", {})), 9)
    0.009950166

    """

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


# Unavailability of a part that is tested at intervals, by the Markov chain of Open-PSA (Epstein and Rauzy, 2008).
#
# States are a row of probabilities and the time lost so far. A phase is a matrix, one interval the product of its
# phases, and many intervals a power of it, so that a long mission costs no more than a short one.

WORKING, FAILED, REPAIR, TESTED, FAILED_IN_TEST, LOST = range(6)
SAME_MOMENT = 1e-9
ROUNDING = 4 * np.finfo(float).eps


@dataclass(frozen=True)
class TestedPart:
    """A part that fails unnoticed and is tested at intervals; all arguments have one shape.

    A test may itself fail the part (``test_failure``), and the part fails at ``test_rate`` while the test lasts.
    A failure is found at the end of the test with probability ``coverage`` and repaired at ``repair_rate``; the
    repair leaves it failed with probability ``restart_failure``. Whether the part works during a test is told by
    ``available``.
    """

    rate: FloatArray
    test_rate: FloatArray
    repair_rate: FloatArray
    interval: FloatArray
    first_test: FloatArray
    test_failure: FloatArray
    duration: FloatArray
    available: FloatArray
    coverage: FloatArray
    restart_failure: FloatArray
    time: FloatArray

    @classmethod
    def of(cls, *values: Any) -> TestedPart:
        """The part with numbers or arrays as arguments."""
        return cls(*np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)))

    def unavailability(self) -> FloatArray:
        """Probability of not working at ``time``; at the moment of a test, just before it."""
        state = self._final_state()
        idle_in_test = np.where(self.available != 0, 0.0, state[..., TESTED])
        return np.asarray(state[..., [FAILED, REPAIR, FAILED_IN_TEST]].sum(axis=-1) + idle_in_test)

    def mean_unavailability(self) -> FloatArray:
        """Share of the time until ``time`` that it is expected not to work."""
        lost = self._final_state()[..., LOST]
        return np.asarray(np.where(self.time > 0, lost / np.where(self.time > 0, self.time, 1.0), 0.0))

    def _final_state(self) -> FloatArray:
        before = np.minimum(self.time, self.first_test)
        new = np.zeros((*self.time.shape, 6))
        new[..., WORKING] = 1.0
        untested = _moved(new, self._phase(before))
        intervals, left = whole_intervals(self.time - before, self.interval)
        end = self._test_end()
        test = self._test_begin() @ self._phase(self.duration) @ end
        state = _moved(untested, _powers(test @ self._phase(self.interval - self.duration), intervals))
        in_test = np.minimum(left, self.duration)
        during = _moved(state, self._test_begin() @ self._phase(in_test))
        after = _moved(during, end @ self._phase(left - in_test))
        later = np.where((left > self.duration)[..., None], after, during)
        return np.where((self.time > self.first_test)[..., None], later, untested)

    def _phase(self, time: FloatArray) -> FloatArray:
        """What happens in ``time`` without a test beginning or ending."""
        works_again = (1 - self.restart_failure) * repaired(self.rate, self.repair_rate, time)
        gained = (1 - self.restart_failure) * time_repaired(self.rate, self.repair_rate, time)
        idle = np.where(self.available != 0, mean_failure(self.test_rate * time), 1.0)
        return self._matrix({
            (WORKING, WORKING): np.exp(-self.rate * time),
            (WORKING, FAILED): -np.expm1(-self.rate * time),
            (WORKING, LOST): time * mean_failure(self.rate * time),
            (FAILED, FAILED): 1.0,
            (FAILED, LOST): time,
            (REPAIR, WORKING): works_again,
            (REPAIR, FAILED): np.maximum(-np.expm1(-self.repair_rate * time) - works_again, 0.0),
            (REPAIR, REPAIR): np.exp(-self.repair_rate * time),
            (REPAIR, LOST): time - gained,
            (TESTED, TESTED): np.exp(-self.test_rate * time),
            (TESTED, FAILED_IN_TEST): -np.expm1(-self.test_rate * time),
            (TESTED, LOST): time * idle,
            (FAILED_IN_TEST, FAILED_IN_TEST): 1.0,
            (FAILED_IN_TEST, LOST): time,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _test_begin(self) -> FloatArray:
        return self._matrix({
            (WORKING, TESTED): 1 - self.test_failure,
            (WORKING, FAILED_IN_TEST): self.test_failure,
            (FAILED, FAILED_IN_TEST): 1.0,
            (REPAIR, REPAIR): 1.0,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _test_end(self) -> FloatArray:
        return self._matrix({
            (TESTED, WORKING): 1.0,
            (FAILED_IN_TEST, REPAIR): self.coverage,
            (FAILED_IN_TEST, FAILED): 1 - self.coverage,
            (WORKING, WORKING): 1.0,
            (FAILED, FAILED): 1.0,
            (REPAIR, REPAIR): 1.0,
            (LOST, LOST): 1.0,
        })  # fmt: skip

    def _matrix(self, entries: dict[tuple[int, int], Any]) -> FloatArray:
        matrix = np.zeros((*self.time.shape, 6, 6))
        for (start, end), value in entries.items():
            matrix[..., start, end] = value
        return matrix


def whole_intervals(time: FloatArray, interval: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """How many intervals end before ``time``, and the time left after them; an interval ends at its last moment."""
    passed = time / interval
    nearest = np.round(passed)
    # A moment that rounding puts just after a test belongs before it: the safe side.
    passed = np.where(np.abs(passed - nearest) <= SAME_MOMENT + ROUNDING * nearest, nearest, passed)
    intervals = np.maximum(np.ceil(passed) - 1, 0.0)
    return intervals.astype(np.int64), np.clip(time - intervals * interval, 0.0, interval)


def _moved(state: FloatArray, matrix: FloatArray) -> FloatArray:
    return np.asarray((state[..., None, :] @ matrix)[..., 0, :])


def _powers(matrix: FloatArray, exponents: NDArray[np.int64]) -> FloatArray:
    """Each matrix to its own power, by squaring."""
    result = np.broadcast_to(np.eye(6), matrix.shape)
    left = np.asarray(exponents)
    while (left > 0).any():
        result = np.where((left % 2 == 1)[..., None, None], result @ matrix, result)
        left = left // 2
        matrix = matrix @ matrix
    return result
