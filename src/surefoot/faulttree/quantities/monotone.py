"""Which operations rise or fall with their operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from surefoot.faulttree.quantities.base import Range

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
