"""What a gate says of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from surefoot.core import validate
from surefoot.core.errors import InvalidInput

Kind = Literal[
    "pass", "and", "or", "not", "xor", "nand", "nor", "iff", "imply", "atleast", "cardinality", "inhibit", "pand"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
ONE_INPUT = ("pass", "not")
TWO_INPUTS = ("iff", "imply")
COUNTING = ("atleast", "cardinality")

Input = "str | bool | Formula"
"""The name of a gate, basic event or house event, a constant, or a formula of its own."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A gate without a name.

    ``xor`` is true for an odd number of true inputs. ``atleast`` has a ``minimum``, ``cardinality`` a minimum and a
    ``maximum``. ``inhibit`` is the conjunction of its inputs, the last of which is the condition. ``pand`` asks that
    its inputs happen from left to right; ``order`` is the probability that they do, given that all happen, and None
    stands for 1, the safe side unless the gate stands under a complement.
    """

    kind: Kind
    inputs: tuple[str | bool | Formula, ...]
    minimum: int | None = None
    maximum: int | None = None
    order: float | None = None

    def __post_init__(self) -> None:
        validate.choice(self.kind, KINDS, where="Formula", name="kind of gate")
        object.__setattr__(self, "inputs", tuple(self.inputs))
        for item in self.inputs:
            if not isinstance(item, str | bool | Formula):
                raise InvalidInput("an input is a name, a constant or a formula", where="Formula", found=repr(item))
        if self.order is not None:
            validate.probability(self.order, where="Formula", name="order")

    def names(self) -> Iterator[str]:
        """Every name below, in the order of reading, as often as it stands there."""
        stack: list[str | bool | Formula] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, Formula):
                stack.extend(reversed(item.inputs))
            elif isinstance(item, str):
                yield item

    def formulas(self) -> Iterator[Formula]:
        """The formula and all inside it."""
        stack = [self]
        while stack:
            formula = stack.pop()
            yield formula
            stack.extend(item for item in reversed(formula.inputs) if isinstance(item, Formula))
