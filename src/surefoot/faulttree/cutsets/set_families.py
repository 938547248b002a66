"""Families of sets as zero-suppressed diagrams: how many there are, and what can be said of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.decision_diagram import FALSE, TRUE, Compiled, Diagram, IntArray

SAFE = 2.0**62


def count(compiled: Compiled) -> int:
    """The number of minimal cut sets, of any size, in one pass over the diagrams (Rauzy 1993)."""
    chain = Chain.of_minimal_sets(compiled)
    return int(node_counts(chain)[chain.root])


def count_by_order(compiled: Compiled) -> dict[int, int]:
    """The number of minimal cut sets of each order that occurs, smallest order first."""
    return orders(Chain.of_minimal_sets(compiled))


def node_counts(chain: Chain) -> NDArray[Any]:
    """The number of sets below each node: machine integers where they are wide enough, Python's otherwise."""
    ones = np.ones(len(chain.labels))
    with np.errstate(over="ignore"):
        rough = chain.fold(ones, plus=np.add, times=np.multiply, none=0.0, unit=1.0)
    kind: Any = np.int64 if rough.max() < SAFE else object
    weights = [1] * len(chain.labels) if kind is object else ones.astype(kind)
    return chain.fold(weights, plus=np.add, times=np.multiply, none=0, unit=1, dtype=kind)


def orders(chain: Chain) -> dict[int, int]:
    """The number of sets of each size.

    The generating polynomial of the sizes is evaluated once, at a power of two beyond every coefficient, so that its
    coefficients are the digits of the value (Kronecker 1882).
    """
    width = int(node_counts(chain)[chain.root]).bit_length() + 1
    weights = [1 << width] * len(chain.labels)
    value = int(chain.fold(weights, plus=np.add, times=np.multiply, none=0, unit=1, dtype=object)[chain.root])
    found, order, mask = {}, 0, (1 << width) - 1
    while value:
        if value & mask:
            found[order] = value & mask
        value, order = value >> width, order + 1
    return found


# The diagrams of all parts in one, and passes over them from the bottom up.


@dataclass(frozen=True, eq=False)
class Chain:
    """A family of sets of labels, given by zero-suppressed diagrams that build on each other.

    Columns from ``len(labels)`` on stand for the families that begin at ``roots``: a set with such a column stands
    for all sets with the column replaced by a set of that family. The last root is the whole family. All diagrams
    share the nodes 0 and 1; children stand before their parents.
    """

    labels: tuple[Any, ...]
    column: IntArray
    low: IntArray
    high: IntArray
    roots: tuple[int, ...]
    levels: tuple[tuple[int, slice], ...]

    @classmethod
    def of(cls, labels: Sequence[Hashable], diagrams: Sequence[Diagram]) -> Chain:
        """Put the nodes of the diagrams one after the other."""
        offsets = np.cumsum([0, *(diagram.size for diagram in diagrams)])[:-1].tolist()
        shifted = list(zip(diagrams, offsets, strict=True))
        terminals = np.array([FALSE, TRUE])
        return cls(
            tuple(labels),
            np.concatenate([np.array([-1, -1]), *(d.column[2:] for d in diagrams)]),
            np.concatenate([terminals, *(_moved(d.low[2:], by) for d, by in shifted)]),
            np.concatenate([terminals, *(_moved(d.high[2:], by) for d, by in shifted)]),
            tuple(int(_moved(np.array(d.root), by)) for d, by in shifted),
            tuple((c, slice(s.start + by, s.stop + by)) for d, by in shifted for c, s in d.levels),
        )

    @classmethod
    def of_minimal_sets(cls, compiled: Compiled) -> Chain:
        """The minimal cut sets of a compiled tree.

        All parts are false when no event happens; the complement of the last one is true then, and the empty set its
        only minimal one.
        """
        if compiled.negated:
            nothing = np.zeros(2, dtype=np.int64)
            return cls.of(compiled.events, [Diagram(nothing, nothing, nothing, TRUE)])
        return cls.of(compiled.events, [part.minimal for part in compiled.parts])

    @property
    def root(self) -> int:
        """The node at which the whole family begins."""
        return self.roots[-1]

    @property
    def size(self) -> int:
        """Inner nodes of all diagrams."""
        return len(self.column) - 2

    @cached_property
    def entry(self) -> tuple[int, ...]:
        """For each column the root of the family it stands for, 0 for a label."""
        return (FALSE,) * len(self.labels) + self.roots

    def fold(
        self,
        weights: Any,
        *,
        plus: Callable[[Any, Any], Any],
        times: Callable[[Any, Any], Any],
        none: Any,
        unit: Any,
        dtype: Any = np.float64,
    ) -> NDArray[Any]:
        """The value of each node in a semiring: ``low plus (weight of its column times high)``.

        ``weights`` holds one entry a label; what a family is worth is the value at its root. ``none`` is the value
        of the empty family, ``unit`` that of the family that holds only the empty set. Entries may be rows.
        """
        shape = np.shape(weights)[1:] if dtype is not object else ()
        value = np.empty((len(self.column), *shape), dtype)
        value[FALSE], value[TRUE] = none, unit
        for column, nodes in self.levels:
            root = self.entry[column]
            weight = value[root] if root else weights[column]
            value[nodes] = plus(value[self.low[nodes]], times(weight, value[self.high[nodes]]))
        return value


def _moved(nodes: IntArray, by: int) -> IntArray:
    return np.where(nodes > TRUE, nodes + by, nodes)


# What is true of all sets below a node: the largest, smallest and total probability, the sizes.

FAR = 1 << 40
MACHINE_SIZES = 30
SMALLEST = 5e-324


@dataclass(frozen=True, eq=False)
class Bounds:
    """Passes over a family whose labels have the probabilities ``p``; each is made when it is first asked for.

    Every node's value comes from positive numbers by additions and multiplications only, so that its relative
    rounding error is below ``slack`` (Higham 2002, section 3.1).
    """

    chain: Chain
    p: FloatArray

    @cached_property
    def slack(self) -> float:
        """A bound on the relative rounding error of any value here, and of products of some of them."""
        return (4 * len(self.chain.levels) + 64) * 2.0**-53

    @cached_property
    def largest(self) -> Sequence[float]:
        """The largest probability of a set below each node."""
        return view(self.chain.fold(self.p, plus=np.maximum, times=np.multiply, none=0.0, unit=1.0))

    @cached_property
    def smallest(self) -> Sequence[float]:
        """The smallest probability of a set below each node."""
        return view(self.chain.fold(self.p, plus=np.minimum, times=np.multiply, none=np.inf, unit=1.0))

    @cached_property
    def total(self) -> Sequence[float]:
        """The sum of the probabilities of all sets below each node."""
        return view(self.chain.fold(self.p, plus=np.add, times=np.multiply, none=0.0, unit=1.0))

    @cached_property
    def count(self) -> Sequence[int]:
        """The number of sets below each node."""
        return view(node_counts(self.chain))

    @cached_property
    def shortest(self) -> Sequence[int]:
        """The size of the smallest set below each node."""
        return self._sizes(np.minimum, FAR)

    @cached_property
    def longest(self) -> Sequence[int]:
        """The size of the largest set below each node."""
        return self._sizes(np.maximum, -FAR)

    def _sizes(self, choose: Any, none: int) -> Sequence[int]:
        ones = np.ones(len(self.chain.labels), np.int64)
        return view(self.chain.fold(ones, plus=choose, times=np.add, none=none, unit=0, dtype=np.int64))

    def sizes(self, most: int) -> Sequence[int]:
        """Which sizes up to ``most`` occur below each node, as bits."""
        keep = (1 << (most + 1)) - 1

        def times(weight: Any, values: NDArray[Any]) -> NDArray[Any]:
            found = values & 0
            for bit in range(int(weight).bit_length()):
                if int(weight) >> bit & 1:
                    found |= values << bit
            return found & keep

        kind: Any = np.int64 if most <= MACHINE_SIZES else object
        weights = [2 & keep] * len(self.chain.labels)
        return view(
            self.chain.fold(
                np.array(weights) if kind is np.int64 else weights,
                plus=np.bitwise_or,
                times=times,
                none=0,
                unit=1,
                dtype=kind,
            )
        )

    def upper(self, value: float, *, terms: int, width: int = 1) -> float:
        """A sum over ``terms`` sets, rounded up so far that the exact one cannot lie above it.

        ``width`` is the number of entries a node; a product that underflows may lose ``SMALLEST`` at each level.
        """
        lost = float(terms) * (len(self.chain.levels) + 1) * SMALLEST if terms < 1e300 else np.inf
        return float(np.nextafter(value * (1 + 2 * width * self.slack) + lost, np.inf))

    def lower(self, value: float) -> float:
        """A sum rounded down so far that the exact one cannot lie below it."""
        return max(0.0, float(np.nextafter(value * (1 - 2 * self.slack), -np.inf)))


@lru_cache(maxsize=65_536)
def sums(a: int, b: int) -> int:
    """The sizes that arise when sets of the sizes ``a`` join sets of the sizes ``b``, all as bits."""
    found = 0
    while a:
        bit = a & -a
        found |= b << (bit.bit_length() - 1)
        a ^= bit
    return found


def view(values: NDArray[Any]) -> Any:
    """The array as a sequence of Python numbers, without a copy where there is none to make."""
    return values.tolist() if values.dtype == object else values.data


# A set as the searches find it.


class Found(NamedTuple):
    """A set, ordered by falling probability and then by its labels; the probability is NaN where one is not known."""

    key: float
    labels: tuple[Any, ...]
    probability: float

    def probable(self, cutoff: float | None) -> bool:
        """Whether the set passes the cut-off."""
        return cutoff is None or self.probability >= cutoff


@dataclass(frozen=True)
class Namer:
    """Turns the columns on a path into a set with its probability."""

    labels: Sequence[Any]
    p: Sequence[float]

    def found(self, chosen: Any) -> Found:
        """The set of a linked list of columns; its probability does not depend on their order."""
        columns = []
        while chosen is not None:
            column, chosen = chosen
            columns.append(column)
        probability = math.prod(sorted([self.p[column] for column in columns]))
        key = 0.0 if math.isnan(probability) else -probability
        return Found(key, tuple(sorted([self.labels[column] for column in columns])), probability)


# Sums over the sets of each size up to a limit, and over all larger ones together.

EXACT = 2.0**53


def sums_by_order(chain: Chain, p: FloatArray, order: int) -> FloatArray:
    """The sum of the probabilities of the sets of 0, 1, ..., ``order`` labels, and last that of all larger ones."""
    width = order + 2
    weights = np.zeros((len(chain.labels), width))
    weights[:, 1] = p

    def times(weight: FloatArray, values: FloatArray) -> FloatArray:
        product = np.zeros_like(values)
        for size in np.flatnonzero(weight):
            whole = width - 1 - size
            product[:, size:-1] += weight[size] * values[:, :whole]
            product[:, -1] += weight[size] * values[:, whole:].sum(axis=1)
        return product

    return chain.fold(weights, plus=np.add, times=times, none=0.0, unit=np.eye(width)[0])[chain.root]


def count_up_to(chain: Chain, order: int) -> int:
    """The number of sets of at most ``order`` labels, exactly: by floats where these still count in ones."""
    with np.errstate(over="ignore", invalid="ignore"):
        rough = sums_by_order(chain, np.ones(len(chain.labels)), order)[:-1].sum()
    if rough < EXACT:
        return int(rough)
    return sum(number for size, number in orders(chain).items() if size <= order)
