"""Numbers that claims state, and what people answer for."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core import InvalidInput, Target
from surefoot.opinions import Opinion


@dataclass(frozen=True)
class Number:
    """What a claim says of a quantity: the target that it is shown to keep."""

    quantity: str
    target: Target
    strict_level: float | None = None
    """The level that covers all looks at the test data, where it was looked at before."""

    def __str__(self) -> str:
        return f"{self.quantity} {self.target}"


@dataclass(frozen=True)
class Stated:
    """An opinion that somebody answers for; of a deduction, the opinions given that what holds it up is true or not."""

    opinion: Opinion | None = None
    given_true: Opinion | None = None
    given_false: Opinion | None = None
    by: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if (self.given_true is None) != (self.given_false is None):
            raise InvalidInput("a deduction needs both conditionals", where="Stated", remedy="Give both or neither.")
        for opinion in (self.opinion, self.given_true, self.given_false):
            if opinion is not None and opinion.shape:
                raise InvalidInput("one opinion is needed", where="Stated", found=f"shape {opinion.shape}")
