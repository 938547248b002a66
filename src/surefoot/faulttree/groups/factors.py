"""What the classic common-cause models share: a basic event of its own for each subset of the members."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

from surefoot.core.assumption import Assumption
from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups.base import CommonCause, Expansion
from surefoot.faulttree.quantities import Operation, Parameter, Quantity, as_quantity

INDEPENDENT_SUBSETS = Assumption(
    "independent-subsets",
    "The common causes of different subsets of a group happen independently, and a member fails where one of its "
    "subsets does. In the data that factors come from a failure has one cause, so joint probabilities are right to "
    "the first order in the members' probability.",
)
ALIKE = Assumption("alike-members", "All subsets of one size are equally likely to fail together.")


@dataclass(frozen=True)
class FactorModel(CommonCause):
    """Members with one total failure probability, ``distribution``, that factors share out over common causes."""

    distribution: Quantity

    given_as: ClassVar[str]
    meaning: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "distribution", as_quantity(self.distribution))
        given = getattr(self, self.given_as)
        several = isinstance(given, Iterable)
        object.__setattr__(self, self.given_as, tuple(map(as_quantity, given)) if several else as_quantity(given))

    @property
    def given(self) -> tuple[Quantity, ...]:
        """The factors, one for each of ``factor_levels``."""
        given = getattr(self, self.given_as)
        return given if isinstance(given, tuple) else (given,)

    @property
    @abstractmethod
    def factor_levels(self) -> range:
        """The sizes of subsets that factors are given for."""

    @abstractmethod
    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        """For each size of subset, the probability of one such subset over the total probability of a member."""

    @property
    def levels(self) -> tuple[int, ...]:
        """The sizes of subsets that can fail."""
        return tuple(sorted({1, *self.factor_levels}))

    @property
    def quantities(self) -> dict[str, Quantity]:
        factors = zip(self.factor_levels, self.given, strict=True)
        return {"distribution": self.distribution} | {f"factor {level}": factor for level, factor in factors}

    @property
    def event_count(self) -> int:
        return sum(comb(len(self.members), level) for level in self.levels)

    def expansion(self) -> Expansion:
        """A basic event for each subset, named ``[A B]``; what it is computed from is a parameter, so drawn once."""
        parameters = {f"[{self.name} {name}]": quantity for name, quantity in self.quantities.items()}
        total, *factors = map(Parameter, parameters)
        for level, share in self.shares(tuple(factors)).items():
            parameters[self._level_name(level)] = Operation("mul", (share, total))
        events = {subset_name(s): Parameter(self._level_name(len(s))) for s in self._subsets()}
        labels = {subset_name(s): f"common cause in {self.name}: {', '.join(s)}" for s in self._subsets() if len(s) > 1}
        return Expansion(self._gates(), events, parameters, labels)

    def _gates(self) -> dict[str, Formula]:
        held: dict[str, list[str]] = {member: [] for member in self.members}
        for subset in self._subsets():
            for member in subset:
                held[member].append(subset_name(subset))
        return {member: Formula("or", tuple(names)) for member, names in held.items()}

    def _subsets(self) -> Iterator[tuple[str, ...]]:
        for level in self.levels:
            yield from combinations(self.members, level)

    def _level_name(self, level: int) -> str:
        return f"[{self.name} level {level}]"

    def assumptions(self) -> tuple[Assumption, ...]:
        """Independent subsets, members alike, and what the factors mean."""
        return INDEPENDENT_SUBSETS, ALIKE, Assumption(self.tag, self.meaning)

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """What is wrong with the members and the number of factors."""
        yield from super().problems(values)
        size = len(self.members)
        if not self.given or max(self.factor_levels) > size:
            text = f"of {size} members has {len(self.given)} factors, for levels from {self.factor_levels.start} on."
            yield self.error("tree-gate", text, "Give at least one, and none for more members than there are.")


def subset_name(members: tuple[str, ...]) -> str:
    """The name of the event by which these members fail together."""
    return f"[{' '.join(members)}]"
