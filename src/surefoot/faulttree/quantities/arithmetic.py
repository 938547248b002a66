"""``Operation``: the arithmetic, trigonometry and logic of Open-PSA expressions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, cast

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.faulttree.quantities.base import ANYWHERE, Quantity, QuantityLike, Range, Value, as_quantity
from surefoot.faulttree.quantities.monotone import directions_of

Function = Callable[..., Any]


def _folded(function: Function) -> Function:
    return lambda *values: reduce(function, values)


def _mean(*values: Value) -> Value:
    return reduce(np.add, values) / len(values)


def _whole_modulo(a: Value, b: Value) -> Value:
    return np.fmod(np.trunc(a), np.trunc(b))


def _all(*values: Value) -> Value:
    return reduce(np.logical_and, values)


def _any(*values: Value) -> Value:
    return reduce(np.logical_or, values)


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
    "add": _folded(np.add),
    "sub": _folded(np.subtract),
    "mul": _folded(np.multiply),
    "div": _folded(np.divide),
    "min": _folded(np.minimum),
    "max": _folded(np.maximum),
    "mean": _mean,
    "and": _all,
    "or": _any,
}
BRANCHES: dict[str, Function] = {"ite": _switch, "switch": _switch}
CONSTANTS: dict[str, Function] = {"pi": lambda: math.pi}
FUNCTIONS: dict[str, Function] = ONE | TWO | MANY | BRANCHES | CONSTANTS


@dataclass(frozen=True)
class Operation(Quantity, tag="operation"):
    """An operation of Open-PSA on quantities, by its name there.

    ``ite`` takes a condition and two values; ``switch`` conditions and values by turns, the value otherwise last.
    Truth is 1 and falsehood 0; any number but 0 is true.
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
        return np.asarray(FUNCTIONS[self.name](*values), dtype=float)[()]

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
    if name in MANY:
        return operands >= 1
    return operands == (0 if name in CONSTANTS else 1 if name in ONE else 2)
