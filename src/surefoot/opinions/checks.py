"""What binomial, multinomial and hyper-opinions have in common: values, masses for fusion, and checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import validate
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray

Kind = Literal["binomial", "multinomial", "hyper"]


class OpinionBase(ABC):
    """One opinion or an array of them; the components are read-only, in copies and after pickling too."""

    kind: ClassVar[Kind]
    uncertainty: FloatArray
    prior_weight: float

    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of opinions; ``()`` for a single one."""
        return np.shape(self.uncertainty)

    @property
    def size(self) -> int:
        """Number of opinions."""
        return int(np.size(self.uncertainty))

    @abstractmethod
    def _item(self, index: Any) -> Self:
        """The opinions at an index of the array."""

    @abstractmethod
    def _mass_function(self) -> MassFunction:
        """What fusion sees of the opinion."""

    @abstractmethod
    def _fused(self, masses: MassFunction) -> OpinionBase:
        """Fused masses as an opinion of the same kind."""

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single opinion has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Self:
        if not self.shape:
            raise TypeError("a single opinion has no items")
        return self._item(index)

    def __bool__(self) -> bool:
        raise InvalidInput(
            "an opinion has no truth value",
            where=f"bool of {type(self).__name__}",
            remedy="Compare its probability with a limit, such as opinion.probability > 0.99.",
        )

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> Hashable:
        return tuple(_hashable(value) for value in vars(self).values())

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, _read_only(value))


def _hashable(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, np.ndarray | np.generic):
        # Adding 0 makes -0.0, which equals 0.0, the same bytes.
        return value.shape, np.add(value, 0.0).tobytes()
    return value


def _read_only(value: Any) -> Any:
    """Arrays lose the flag when they are pickled or copied."""
    if isinstance(value, tuple):
        return tuple(map(_read_only, value))
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


# ``MassFunction``: what fusion sees of an opinion of any kind.
#
# Values of a domain are numbered 0, 1, ...; a set of values is a bit mask. Belief lies on masks below
# the full one, uncertainty on the full mask.


@dataclass(frozen=True)
class MassFunction:
    """Belief on subsets of a domain of ``values`` values, uncertainty, and base rates of single values.

    ``base_rate`` of a binomial opinion holds the first value only; the other follows from it.
    """

    values: int
    belief: Mapping[int, FloatArray]
    uncertainty: FloatArray
    base_rate: tuple[FloatArray, ...]

    @property
    def everything(self) -> int:
        """The mask of the whole domain."""
        return (1 << self.values) - 1

    def all_masses(self) -> dict[int, FloatArray]:
        """Belief, and uncertainty as the mass of the whole domain."""
        return {**self.belief, self.everything: self.uncertainty}


def mask_of(members: Iterable[int]) -> int:
    """Bit mask of a set of value numbers."""
    return sum(1 << member for member in set(members))


def members_of(mask: int) -> frozenset[int]:
    """The value numbers of a mask."""
    return frozenset(index for index in range(mask.bit_length()) if mask >> index & 1)


def base_rate_of(mask: int, base_rate: tuple[FloatArray, ...]) -> FloatArray:
    """Base rate of a set of values (Jøsang 2016, section 2.6)."""
    return reduce(np.add, [base_rate[index] for index in sorted(members_of(mask))])


# Checks of the components of opinions, and of opinions that are about to be combined.

TOLERANCE = 1e-9


def fitting(where: str, *opinions: Any, kind: Kind | None = None) -> None:
    """Opinions, of one kind if it is named, whose shapes broadcast to one."""
    for opinion in opinions:
        known = isinstance(opinion, OpinionBase)
        if not known or kind not in (None, opinion.kind):
            raise InvalidInput(
                f"{kind or ''} opinions are needed".strip(),
                where=where,
                found=type(opinion).__name__,
                remedy="Choose some of its values with coarsened." if known and kind == "binomial" else "",
            )
    common_shape(where, **{f"opinion {i + 1}": opinion.uncertainty for i, opinion in enumerate(opinions)})


def combinable(where: str, *opinions: Any, kind: Kind | None = None) -> None:
    """Opinions of fitting shapes that share one prior weight, so that their uncertainties mean the same."""
    fitting(where, *opinions, kind=kind)
    weights = sorted({opinion.prior_weight for opinion in opinions})
    if len(weights) > 1:
        raise InvalidInput(
            "opinions formed with different prior weights cannot be combined",
            where=where,
            found=f"prior weights {', '.join(f'{w:g}' for w in weights)}",
            remedy="Bring them to one weight with with_prior_weight, which keeps the evidence.",
        )


def unit_interval(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    """Numbers in [0, 1], not empty; what rounding put outside is clipped. The array is a new one."""
    array = validate.numbers(values, where=where, name=name)
    not_empty(array, where=where, name=name)
    outside = (array < -TOLERANCE) | (array > 1.0 + TOLERANCE)
    if outside.any():
        raise InvalidInput(
            f"{name} must lie in [0, 1]",
            where=where,
            found=first_place(outside, f"{array[outside][0]:g}"),
            remedy="Give masses and probabilities, not counts or percentages.",
        )
    return np.clip(array, 0.0, 1.0)


def counts(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    """Amounts of evidence: finite, at least 0, not empty; fractions are allowed."""
    array = validate.numbers(values, where=where, name=name)
    not_empty(array, where=where, name=name)
    negative = array < 0
    if negative.any():
        raise InvalidInput(
            f"{name} must not be negative",
            where=where,
            found=first_place(negative, f"{array[negative][0]:g}"),
            remedy="Give numbers of observations.",
        )
    return array


def not_empty(array: NDArray[np.generic], *, where: str, name: str) -> None:
    """At least one entry."""
    if array.size == 0:
        raise InvalidInput(f"{name} is empty", where=where, found=f"shape {array.shape}", remedy="Give at least one.")


def beyond_prior(values: ArrayLike, prior: FloatArray, *, where: str, name: str) -> FloatArray:
    """The part of a Beta or Dirichlet parameter that evidence added to the prior."""
    array = counts(values, where=where, name=name)
    common_shape(where, **{name: array, "base_rate": prior})
    evidence = np.asarray(array - prior)
    short = evidence < -TOLERANCE * np.maximum(array, 1.0)
    if short.any():
        raise InvalidInput(
            f"{name} lies below its prior share, base rate times prior weight",
            where=where,
            found=first_place(short, f"{name} smaller by {-evidence[short][0]:g}"),
            remedy="Use a smaller prior_weight or the base rate that the prior had.",
        )
    return np.maximum(evidence, 0.0)


def prior_weight(value: float, evidence: FloatArray, *, where: str) -> float:
    """A prior weight above 0, or 0 where every opinion has evidence."""
    if validate.number(value, where=where, name="prior_weight") != 0.0:
        return validate.positive(value, where=where, name="prior_weight")
    if np.any(evidence <= 0):
        raise Undefined(
            "without evidence and without prior weight there is no opinion",
            where=where,
            found=first_place(evidence <= 0, "no observations"),
            remedy="Use a prior_weight above 0.",
        )
    return 0.0


def total(*amounts: FloatArray | float, where: str) -> FloatArray:
    """The sum of amounts of evidence, if it can be written as a number."""
    with np.errstate(over="ignore"):
        return validate.numbers(reduce(np.add, amounts), where=where, name="total evidence")


def common_shape(where: str, **arrays: FloatArray) -> tuple[int, ...]:
    """The shape that all arrays broadcast to."""
    try:
        return np.broadcast_shapes(*(np.shape(array) for array in arrays.values()))
    except ValueError:
        raise InvalidInput(
            f"shapes of {', '.join(arrays)} do not fit together",
            where=where,
            found=", ".join(f"{name} {np.shape(array)}" for name, array in arrays.items()),
            remedy="Give scalars or arrays of one shape.",
        ) from None


def sums_to_one(total: FloatArray, *, where: str, what: str = "belief + disbelief + uncertainty") -> None:
    """A sum of masses is 1 up to rounding."""
    off = np.abs(np.asarray(total) - 1.0) > TOLERANCE
    if off.any():
        raise InvalidInput(
            f"{what} must be 1",
            where=where,
            found=first_place(off, f"a sum of {np.asarray(total)[off][0]:.12g}"),
            remedy="Derive one of them from the others, or form the opinion from counts.",
        )


def domain_size(array: FloatArray, *, where: str) -> int:
    """Number of values on the last axis, at least two."""
    if array.ndim == 0 or array.shape[-1] < 2:
        raise InvalidInput(
            "a variable needs at least two values on the last axis",
            where=where,
            found=f"shape {array.shape}",
            remedy="Give one number for each value, or use the binomial Opinion.",
        )
    return int(array.shape[-1])


def base_rates(rates: ArrayLike | None, *, where: str, values: int | None = None) -> FloatArray:
    """Base rates of all values, which sum to 1; equal ones where none are given."""
    if rates is None and values:
        return np.full(values, 1.0 / values)
    array = unit_interval(0.0 if rates is None else rates, where=where, name="base_rate")
    size = domain_size(array, where=where)
    if values not in (None, size):
        raise InvalidInput("one base rate for each value is needed", where=where, found=f"{size} for {values} values")
    sums_to_one(array.sum(axis=-1), where=where, what="the sum of base rates")
    return array


def value_numbers(subset: Iterable[int], *, where: str) -> frozenset[int]:
    """A set of whole numbers."""
    numbers = list(subset) if isinstance(subset, Iterable) else [subset]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in numbers)
    if not isinstance(subset, Iterable) or not whole:
        raise InvalidInput("a set of value numbers is needed", where=where, found=repr(subset))
    return frozenset(map(int, numbers))


def members(subset: Iterable[int], values: int, *, where: str) -> frozenset[int]:
    """A set of value numbers that is neither empty nor the whole domain."""
    chosen = value_numbers(subset, where=where)
    if not chosen or len(chosen) >= values or not chosen <= set(range(values)):
        raise InvalidInput(
            f"a set of some, not all, of the values 0 to {values - 1} is needed",
            where=where,
            found=sorted(chosen),
            remedy="Belief in all values at once is uncertainty.",
        )
    return chosen


def first_place(mask: NDArray[np.bool_], what: str) -> str:
    """``what``, where it first occurs and how often."""
    mask = np.asarray(mask)
    if mask.ndim == 0:
        return what
    index = tuple(int(i) for i in np.argwhere(mask)[0])
    return f"{what} at index {index[0] if len(index) == 1 else index} ({int(mask.sum())} such in all)"


def mapping(data: object, *, where: str, name: str) -> Mapping[Any, Any]:
    """A mapping."""
    if not isinstance(data, Mapping):
        raise InvalidInput(f"{name} must be a mapping", where=where, found=type(data).__name__)
    return data


def fields(data: object, names: Collection[str], *, where: str) -> dict[str, Any]:
    """Recorded data with exactly these fields."""
    recorded = mapping(data, where=where, name="recorded data")
    if set(recorded) != set(names):
        found = sorted(map(str, recorded))
        raise InvalidInput(f"recorded data has the fields {sorted(names)}", where=where, found=found)
    return dict(recorded)


def distinct(names: Iterable[Hashable], *, where: str, what: str) -> None:
    """No name occurs twice, so that nothing overwrites anything."""
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            found = sorted(name) if isinstance(name, frozenset) else name
            raise InvalidInput(f"{what} is given twice", where=where, found=found, remedy="Give each once.")
        seen.add(name)


def frozen(values: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """A read-only array of the shape, or a number where the shape is ``()``; ``values`` must not be shared."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        array = np.broadcast_to(array, shape)
    array.flags.writeable = False
    return array[()]


def within_unit(where: str, remedy: str, **masses: FloatArray) -> list[FloatArray]:
    """Masses that an inverse operator computed, or ``Undefined`` where one of them is no mass."""
    for name, values in masses.items():
        outside = ~((values >= -TOLERANCE) & (values <= 1.0 + TOLERANCE))
        if np.any(outside):
            worst = np.asarray(values)[outside][0]
            raise Undefined(
                f"the result does not exist: its {name} would lie outside [0, 1]",
                where=where,
                found=first_place(outside, f"{name} {worst:.6g}"),
                remedy=remedy,
            )
    return [np.clip(values, 0.0, 1.0) for values in masses.values()]


def ratio(numerator: FloatArray, denominator: FloatArray, otherwise: float) -> FloatArray:
    """Quotient, and ``otherwise`` where the denominator is 0."""
    zero = np.equal(denominator, 0.0)
    return np.where(zero, otherwise, numerator / np.where(zero, 1.0, denominator))
