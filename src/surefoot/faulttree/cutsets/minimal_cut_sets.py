"""Minimal cut sets of a compiled tree, and the approximations that are built on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import table_html
from surefoot.core.evidence import Table
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.faulttree.cutsets.enumeration import (
    Balance,
    balance_of_cutoff,
    balance_of_list,
    balance_of_order,
    by_order,
    by_probability,
)
from surefoot.faulttree.cutsets.set_families import Bounds, Chain, Found, Namer, count_up_to, orders
from surefoot.faulttree.logic import Compiled

By = Literal["order", "probability"]
ROUNDING = 1e-12
SHOWN = 20
Item = TypeVar("Item")


@dataclass(frozen=True)
class CutSet:
    """Events, by name, that together bring about the top event, and no fewer of them do.

    See Also
    --------
    FaultTree.cut_sets : Finds them, with an example.

    """

    events: tuple[str, ...]
    probability: float | None

    @property
    def order(self) -> int:
        """The number of events."""
        return len(self.events)

    def __str__(self) -> str:
        return ", ".join(self.events) or "(no event needed)"


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


class CutSets(Sets[CutSet]):
    """Minimal cut sets, one after the other, as many as asked for.

    See Also
    --------
    FaultTree.cut_sets : Makes it, with an example.

    """


def cut_sets(
    compiled: Compiled,
    probabilities: Mapping[str, float] | None = None,
    *,
    order: int | None = None,
    cutoff: float | None = None,
    limit: int | None = None,
    by: By = "order",
) -> CutSets:
    """Enumerate minimal cut sets lazily: small ones first, or (``by="probability"``) probable ones first.

    ``order``, ``cutoff`` and ``limit`` leave sets out; ``CutSets.omitted_sum`` bounds what that can cost. Events that
    are not in ``probabilities`` have no known probability: a set with such an event has none either, and a cut-off or
    an enumeration by probability is refused. The sets of a tree that is not coherent are the minimal sets of events
    that bring about the top event while all others are absent (Rauzy 1993); see also ``prime_implicants``.
    """
    chain = Chain.of_minimal_sets(compiled)
    p = known_probabilities(compiled.events, probabilities or {})
    return CutSets(chain, p, _cut_set, order=order, cutoff=cutoff, limit=limit, by=by)


def known_probabilities(events: tuple[str, ...], probabilities: Mapping[str, float]) -> FloatArray:
    """One probability an event, NaN where there is none."""
    return np.array([probabilities.get(event, math.nan) for event in events], dtype=np.float64)


def _cut_set(found: Found) -> CutSet:
    return CutSet(found.labels, None if math.isnan(found.probability) else found.probability)


# The two usual approximations to the probability of the top event, without enumerating cut sets.

LARGE = 0.1
CERTAIN = 38.0
PRECISION = 1e-13
MOST_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Approximations:
    """Not the probability of the top event: both lie above it where the tree is coherent.

    ``rare_event`` is the sum of the probabilities of the minimal cut sets and may exceed 1; ``min_cut_upper_bound``
    is one minus the product of their complements (Esary and Proschan 1963).
    """

    rare_event: float | FloatArray
    min_cut_upper_bound: float | FloatArray


def approximations(compiled: Compiled, p: ArrayLike) -> Approximations:
    """Both approximations for probabilities of shape (events,) or (events, draws)."""
    chain, values = Chain.of_minimal_sets(compiled), np.asarray(p, dtype=np.float64)
    if values.ndim == 1:
        rare = _power_sum(chain, values, 1)
        return Approximations(float(rare), _upper_bound(chain, values))
    step = max(1, MOST_ENTRIES // max(1, chain.size))
    blocks = [values[:, start : start + step] for start in range(0, values.shape[1], step)]
    rare = np.concatenate([_power_sum(chain, block, 1) for block in blocks])
    return Approximations(rare, np.concatenate([_upper_bounds(chain, block) for block in blocks]))


def _power_sum(chain: Chain, p: FloatArray, power: int) -> Any:
    """The sum of the ``power``-th powers of the probabilities of all sets."""
    return chain.fold(p**power, plus=np.add, times=np.multiply, none=0.0, unit=1.0)[chain.root]


def _upper_bound(chain: Chain, p: FloatArray) -> float:
    """One minus the exponential of the sum of log(1 - P), a power series in the probabilities P of the sets.

    Sets with P above ``LARGE``, of which there are few or the answer is 1, are taken out of the series, so that it
    converges fast; its remainder is below ``PRECISION`` of the whole.
    """
    if _power_sum(chain, p, 1) > CERTAIN:
        return 1.0
    bounds, namer = Bounds(chain, p), Namer(chain.labels, p.tolist())
    large = np.array([found.probability for found in by_probability(bounds, namer, order=len(p), cutoff=LARGE)])
    if (large >= 1).any():
        return 1.0
    whole = -float(np.log1p(-large).sum())
    for power in count(1):
        rest = max(0.0, float(_power_sum(chain, p, power)) - float((large**power).sum()))
        whole += rest / power
        if rest * LARGE / (1 - LARGE) / (power + 1) <= PRECISION * whole:
            return -math.expm1(-whole)
    raise AssertionError


def _upper_bounds(chain: Chain, p: FloatArray) -> FloatArray:
    """As ``_upper_bound``, for many draws at once; draws with a probable set are taken one by one."""
    largest = chain.fold(p, plus=np.maximum, times=np.multiply, none=0.0, unit=1.0)[chain.root]
    found = np.empty(p.shape[1])
    slow = np.broadcast_to(largest > 2 * LARGE, found.shape)
    found[slow] = [_upper_bound(chain, row) for row in p[:, slow].T]
    found[~slow] = _series(chain, p[:, ~slow], 2 * LARGE)
    return found


def _series(chain: Chain, p: FloatArray, largest: float) -> FloatArray:
    whole = np.zeros(p.shape[1])
    for power in count(1):
        rest = _power_sum(chain, p, power)
        whole = whole + rest / power
        if (rest * largest / (1 - largest) / (power + 1) <= PRECISION * whole).all():
            return -np.expm1(-whole)
    raise AssertionError
