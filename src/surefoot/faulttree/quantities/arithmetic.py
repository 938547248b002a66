"""``Operation``: the arithmetic, trigonometry and logic of Open-PSA expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any, ClassVar, cast

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.quantities.quantity import (
    ANYWHERE,
    Quantity,
    QuantityLike,
    Range,
    Value,
    as_quantity,
)

# Which operations rise or fall with their operands.

Directions = tuple[int, ...]
RISING = ("add", "mean", "min", "max", "exp", "log", "log10", "sqrt", "asin", "atan", "sinh", "tanh", "ceil", "floor")
FALLING = ("neg", "acos")
FIRST_OVER_SECOND = {"sub": 1, "gt": 1, "geq": 1, "lt": -1, "leq": -1}


def directions_of(name: str, ranges: Sequence[Range]) -> Directions:
    """+1 where an operation rises with an operand in these ranges, -1 where it falls, 0 where neither is sure."""
    if name in RISING:
        return (1,) * len(ranges)
    if name in FALLING:
        return (-1,) * len(ranges)
    if name in FIRST_OVER_SECOND:
        sign = FIRST_OVER_SECOND[name]
        return (sign,) + (-sign,) * (len(ranges) - 1)
    rule = RULES.get(name)
    return rule(ranges) if rule else (0,) * len(ranges)


def _sign(range_: Range) -> int:
    """The sign that all values of a range have; 0 where both occur."""
    return 1 if range_[0] >= 0 else -1 if range_[1] <= 0 else 0


def _product(ranges: Sequence[Range]) -> Directions:
    found = [_sign(range_) for range_ in ranges]
    return tuple(prod(found[:i] + found[i + 1 :]) for i in range(len(found)))


def _quotient(ranges: Sequence[Range]) -> Directions:
    first, *others = _product(ranges)
    one_sided = all(_sign(range_) for range_ in ranges[1:])
    return (first, *(-other for other in others)) if one_sided else (0,) * len(ranges)


def _power(ranges: Sequence[Range]) -> Directions:
    base, exponent = ranges
    if base[0] < 0:
        return 0, 0
    grows = 1 if base[0] >= 1 else -1 if base[1] <= 1 else 0
    return _sign(exponent), grows


def _magnitude(ranges: Sequence[Range]) -> Directions:
    return (_sign(ranges[0]),)


def _logic(ranges: Sequence[Range]) -> Directions:
    """Truth is any number but 0, so a number that is never negative can only become true by rising."""
    return tuple(int(low >= 0) for low, _ in ranges)


def _denial(ranges: Sequence[Range]) -> Directions:
    return tuple(-direction for direction in _logic(ranges))


def _choice(ranges: Sequence[Range]) -> Directions:
    return tuple(int(i % 2 == 1 or i == len(ranges) - 1) for i in range(len(ranges)))


RULES: dict[str, Callable[[Sequence[Range]], Directions]] = {
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "abs": _magnitude,
    "and": _logic,
    "or": _logic,
    "not": _denial,
    "ite": lambda ranges: (0, 1, 1),
    "switch": _choice,
}


Function = Callable[..., Any]


def _mean(*values: Value) -> Value:
    return reduce(np.add, values) / len(values)


def _whole_modulo(a: Value, b: Value) -> Value:
    return np.fmod(np.trunc(a), np.trunc(b))


def _switch(*values: Value) -> Value:
    """Condition and value by turns, the value otherwise last; the first condition that holds decides."""
    chosen: Any = values[-1]
    for position in range(len(values) - 3, -1, -2):
        chosen = np.where(np.asarray(values[position]) != 0, values[position + 1], chosen)
    return chosen


ONE: dict[str, Function] = {
    "neg": np.negative,
    "abs": np.abs,
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan": np.arctan,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "ceil": np.ceil,
    "floor": np.floor,
    "not": np.logical_not,
}
TWO: dict[str, Function] = {
    "mod": _whole_modulo,
    "pow": np.power,
    "eq": np.equal,
    "df": np.not_equal,
    "lt": np.less,
    "gt": np.greater,
    "leq": np.less_equal,
    "geq": np.greater_equal,
}
MANY: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.logical_and,
    "or": np.logical_or,
}
"""Of two operands; of many they join the first with the second, the result with the third, and so on."""
ANY_NUMBER: dict[str, Function] = {"mean": _mean, "ite": _switch, "switch": _switch}
CONSTANTS: dict[str, Function] = {"pi": lambda: math.pi}
FUNCTIONS: dict[str, Function] = ONE | TWO | MANY | ANY_NUMBER | CONSTANTS


@dataclass(frozen=True)
class Operation(Quantity, tag="operation"):
    """An operation of Open-PSA on quantities, by its name there.

    ``ite`` takes a condition and two values; ``switch`` conditions and values by turns, the value otherwise last.
    Truth is 1 and falsehood 0; any number but 0 is true.

    Parameters
    ----------
    name
        Such as ``"mul"``, ``"sub"``, ``"max"`` or ``"ite"``.
    operands
        The quantities it is applied to.

    References
    ----------
    Epstein and Rauzy (2008), Open-PSA Model Exchange Format 2.0d.

    Examples
    --------
    >>> from surefoot.faulttree import Operation
    >>> float(Operation("mul", (0.5, 0.02)).evaluate({}, "half", {}))
    0.01

    """

    name: str
    operands: tuple[QuantityLike, ...] = ()

    title: ClassVar[str] = "operation"

    def __post_init__(self) -> None:
        validate.choice(self.name, FUNCTIONS, where="Operation", name="operation")
        object.__setattr__(self, "operands", tuple(as_quantity(item) for item in self.operands))
        if not _fits(self.name, len(self.operands)):
            raise InvalidInput(
                "wrong number of operands", where=f"operation {self.name}", found=f"{len(self.operands)}"
            )
        self.require_sound()

    @property
    def arguments(self) -> tuple[Quantity, ...]:
        return cast("tuple[Quantity, ...]", self.operands)

    def combine(self, *values: Value) -> Value:
        function = FUNCTIONS[self.name]
        found = reduce(function, values) if self.name in MANY else function(*values)
        return np.asarray(found, dtype=float)[()]

    def directions(self, *ranges: Range) -> tuple[int, ...]:
        return directions_of(self.name, ranges)

    def reach(self, *ranges: Range) -> Range:
        """The values at the ends of the ranges, where the operation rises or falls with every operand."""
        moved = self.directions(*ranges)
        if 0 in moved:
            return ANYWHERE
        ends = [(low, high) if sign > 0 else (high, low) for sign, (low, high) in zip(moved, ranges, strict=True)]
        low, high = (float(self.combine(*corner)) for corner in zip(*ends, strict=True)) if ends else (math.pi,) * 2
        return (low, high) if low <= high else ANYWHERE

    def described(self) -> str:
        if not self.operands:
            return self.name
        return f"{self.name}({', '.join(item.described() for item in self.arguments)})"

    def inner(self) -> str:
        return self.described()


def _fits(name: str, operands: int) -> bool:
    """Whether an operation takes so many operands."""
    if name == "ite":
        return operands == 3
    if name == "switch":
        return operands % 2 == 1
    if name in MANY or name == "mean":
        return operands >= 1
    return operands == (0 if name in CONSTANTS else 1 if name in ONE else 2)
