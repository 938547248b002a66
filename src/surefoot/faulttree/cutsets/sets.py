"""A family of sets as a lazy iterable that knows what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Generic, Literal, TypeVar

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.evidence import Table
from surefoot.core.summary import table_html
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.faulttree.cutsets.balance import Balance, balance_of_cutoff, balance_of_list, balance_of_order
from surefoot.faulttree.cutsets.bounds import Bounds
from surefoot.faulttree.cutsets.by_order import by_order
from surefoot.faulttree.cutsets.by_probability import by_probability
from surefoot.faulttree.cutsets.chain import Chain
from surefoot.faulttree.cutsets.counting import orders
from surefoot.faulttree.cutsets.found import Found, Namer
from surefoot.faulttree.cutsets.truncated import count_up_to

By = Literal["order", "probability"]
ROUNDING = 1e-12
SHOWN = 20
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False, repr=False)
class Sets(Generic[Item]):
    """A lazy selection from a family of sets; each iteration starts afresh.

    ``order`` keeps sets of at most so many members, ``cutoff`` those at least so probable (up to a relative rounding
    error of 1e-12), ``limit`` only the first so many in the order of iteration.
    """

    chain: Chain
    p: FloatArray
    make: Callable[[Found], Item]
    order: int | None = None
    cutoff: float | None = None
    limit: int | None = None
    by: By = "order"

    def __post_init__(self) -> None:
        validate.choice(self.by, ("order", "probability"), where="cut_sets", name="order of the sets (by)")
        for name in ("order", "limit"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, validate.count(getattr(self, name), where="cut_sets", name=name))
        if self.cutoff is not None:
            validate.probability(self.cutoff, where="cut_sets", name="cutoff")
            self._need_probabilities("a cutoff")
        if self.by == "probability":
            self._need_probabilities("an enumeration by probability")

    def __iter__(self) -> Iterator[Item]:
        return map(self.make, self._found())

    def __bool__(self) -> bool:
        return next(self._found(), None) is not None

    @cached_property
    def bounds(self) -> Bounds:
        """What is known of all sets below each node of the diagrams."""
        return Bounds(self.chain, self.p)

    @cached_property
    def total_count(self) -> int:
        """The number of sets before any selection, exactly."""
        return self.bounds.count[self.chain.root]

    @cached_property
    def by_order(self) -> dict[int, int]:
        """How many sets of each order there are before any selection."""
        return orders(self.chain)

    @property
    def kept_count(self) -> int:
        """The number of sets that are iterated over."""
        if self.cutoff is not None:
            return self._balance.kept_count
        return self._within_order if self.limit is None else min(self._within_order, self.limit)

    @property
    def omitted_count(self) -> int:
        """The number of sets that are left out, exactly."""
        return self.total_count - self.kept_count

    @property
    def kept_sum(self) -> float:
        """The sum of the probabilities of the sets that are iterated over."""
        return self._balance.kept_sum

    @property
    def omitted_sum(self) -> float:
        """An upper bound, tight up to rounding, on the sum of the probabilities of the sets that are left out.

        The top event is at most this much more probable than the union of the sets that are kept. Where the tree is
        coherent, or the sets are prime implicants, it is also at least as probable as that union.
        """
        return self._balance.omitted_sum

    def to_table(self, limit: int | None = None) -> Table:
        """The first sets, with their order and probability."""
        rows = [
            (", ".join(str(label) for label in found.labels), len(found.labels), _known(found.probability))
            for found in islice(self._found(), limit)
        ]
        return Table(("set", "order", "probability"), tuple(rows))

    def __str__(self) -> str:
        first, more = self._first()
        return "\n".join([repr(self), str(first), *more])

    def _repr_html_(self) -> str:
        first, more = self._first()
        return table_html(repr(self), first.columns, [list(map(_told, row)) for row in first.rows], more)

    def _first(self) -> tuple[Table, list[str]]:
        """The sets that a reader sees, and whether there are more."""
        first = self.to_table(SHOWN + 1)
        return Table(first.columns, first.rows[:SHOWN]), ["and more"] if len(first.rows) > SHOWN else []

    def __repr__(self) -> str:
        chosen = {"order": self.order, "cutoff": self.cutoff, "limit": self.limit}
        options = "".join(f", {name}={value:g}" for name, value in chosen.items() if value is not None)
        return f"{type(self).__name__}({self.total_count:,} in all{options}, by={self.by})"

    def _found(self) -> Iterator[Found]:
        return islice(self._all(), self.limit)

    def _all(self) -> Iterator[Found]:
        if self.by == "probability":
            return by_probability(self.bounds, self._namer, order=self._most, cutoff=self._least or 0.0)
        return by_order(self.bounds, self._namer, order=self._most, cutoff=self._least)

    @cached_property
    def _namer(self) -> Namer:
        return Namer(self.chain.labels, self.p.tolist())

    @cached_property
    def _most(self) -> int:
        return self._longest if self.order is None else min(self.order, self._longest)

    @cached_property
    def _longest(self) -> int:
        return max(0, self.bounds.longest[self.chain.root])

    @cached_property
    def _within_order(self) -> int:
        return self.total_count if self._most == self._longest else count_up_to(self.chain, self._most)

    @property
    def _least(self) -> float | None:
        return None if self.cutoff is None else self.cutoff * (1 - ROUNDING)

    @cached_property
    def _balance(self) -> Balance:
        self._need_probabilities("a sum of probabilities")
        if self.limit is not None:
            return balance_of_list(self.bounds, self._found())
        if self._least is not None:
            return balance_of_cutoff(self.bounds, self._namer, order=self._most, cutoff=self._least)
        return balance_of_order(self.bounds, order=self._most, kept=self._within_order)

    def _need_probabilities(self, what: str) -> None:
        unknown = [str(label) for label, p in zip(self.chain.labels, self.p, strict=True) if math.isnan(p)]
        if unknown:
            raise InvalidInput(
                f"{what} needs the probability of every event",
                where="cut_sets",
                found=f"none for {listed(unknown, 5)}",
                remedy="Give these events probabilities, or enumerate by order.",
            )


def _known(probability: float) -> float | None:
    return None if math.isnan(probability) else probability


def _told(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
