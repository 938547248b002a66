"""``HyperOpinion``: belief in sets of values, for when sources disagree about which value it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.logic import ratio
from surefoot.opinions.masses import MassFunction, base_rate_of, mask_of, members_of
from surefoot.opinions.multinomial import MultinomialOpinion
from surefoot.opinions.opinion import DEFAULT_PRIOR_WEIGHT, Opinion


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HyperOpinion:
    """Belief in sets of values (Josang 2016, section 3.6); values are numbered from 0.

    ``belief`` maps sets such as ``frozenset({0, 2})`` to masses (numbers, or arrays of one shape);
    ``base_rate`` has the values on its last axis. Belief in the whole domain is uncertainty and belongs there.
    """

    focal: tuple[tuple[frozenset[int], FloatArray], ...]
    uncertainty: FloatArray
    base_rate: FloatArray
    prior_weight: float

    __array_ufunc__ = None

    def __init__(
        self,
        belief: Mapping[frozenset[int], ArrayLike],
        uncertainty: ArrayLike,
        base_rate: ArrayLike,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    ) -> None:
        where = "HyperOpinion"
        rates = checks.base_rates(base_rate, where=where)
        doubt = checks.unit_interval(uncertainty, where=where, name="uncertainty")
        masses = {
            checks.members(subset, rates.shape[-1], where=where): checks.unit_interval(
                mass, where=where, name=f"belief in {sorted(subset)}"
            )
            for subset, mass in belief.items()
        }
        named = {f"belief in {sorted(subset)}": mass for subset, mass in masses.items()}
        checks.common_shape(where, uncertainty=doubt, base_rate=rates[..., 0], **named)
        checks.sums_to_one(reduce(np.add, masses.values(), doubt), where=where, what="all belief + uncertainty")
        weight = validate.positive(prior_weight, where=where, name="prior_weight")
        self._store({mask_of(s): np.clip(m, 0.0, 1.0) for s, m in masses.items()}, np.clip(doubt, 0, 1), rates, weight)

    def _store(self, belief: Mapping[int, FloatArray], doubt: FloatArray, rates: FloatArray, weight: float) -> None:
        shape = np.broadcast_shapes(np.shape(doubt), rates.shape[:-1], *map(np.shape, belief.values()))
        believed = [(mask, mass) for mask, mass in sorted(belief.items()) if np.any(mass > 0.0)]
        focal = tuple((members_of(mask), checks.frozen(mass, shape)) for mask, mass in believed)
        object.__setattr__(self, "focal", focal)
        object.__setattr__(self, "uncertainty", checks.frozen(doubt, shape))
        object.__setattr__(self, "base_rate", checks.frozen(rates, (*shape, rates.shape[-1])))
        object.__setattr__(self, "prior_weight", weight)

    @classmethod
    def _of(cls, masses: MassFunction, weight: float) -> Self:
        opinion = cls.__new__(cls)
        rates = np.stack(np.broadcast_arrays(*masses.base_rate), axis=-1)
        opinion._store(masses.belief, masses.uncertainty, rates, weight)
        return opinion

    @property
    def belief(self) -> dict[frozenset[int], FloatArray]:
        """Belief in each set of values."""
        return dict(self.focal)

    @property
    def values(self) -> int:
        """Number of values of the variable."""
        return int(self.base_rate.shape[-1])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of opinions; ``()`` for a single one."""
        return np.shape(self.uncertainty)

    @property
    def probability(self) -> FloatArray:
        """Projected probability of each value (Josang 2016, eq. (3.28))."""
        return self.to_multinomial().probability

    def to_multinomial(self) -> MultinomialOpinion:
        """Belief in sets shared out among their values by base rate (Josang 2016, eq. (3.30))."""
        masses = self._mass_function()
        columns = [_projected(masses, index) for index in range(self.values)]
        beliefs = np.stack(np.broadcast_arrays(*columns, self.uncertainty)[:-1], axis=-1)
        return MultinomialOpinion._trusted(beliefs, self.uncertainty, self.base_rate, self.prior_weight)

    def coarsened(self, members: Iterable[int]) -> Opinion:
        """Binomial opinion about the value being one of ``members``; vague belief is shared out by base rate."""
        return self.to_multinomial().coarsened(members)

    def _mass_function(self) -> MassFunction:
        belief = {mask_of(subset): mass for subset, mass in self.focal}
        rates = tuple(self.base_rate[..., index] for index in range(self.values))
        return MassFunction(self.values, belief, self.uncertainty, rates)

    def _fused(self, masses: MassFunction) -> Self:
        return self._of(masses, self.prior_weight)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HyperOpinion):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((tuple(subset for subset, _ in self.focal), self.base_rate.tobytes(), self.prior_weight))

    def __repr__(self) -> str:
        if self.shape:
            return f"HyperOpinion(shape={self.shape}, values={self.values}, sets={len(self.focal)})"
        masses = ", ".join(f"{set(subset)}: {mass:.6g}" for subset, mass in self.focal)
        return f"HyperOpinion(belief={{{masses}}}, uncertainty={self.uncertainty:.6g})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; sets are lists of value numbers."""
        return {
            "belief": [[sorted(subset), np.asarray(mass).tolist()] for subset, mass in self.focal],
            "uncertainty": np.asarray(self.uncertainty).tolist(),
            "base_rate": self.base_rate.tolist(),
            "prior_weight": self.prior_weight,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        expected = {"belief", "uncertainty", "base_rate", "prior_weight"}
        if set(data) != expected:
            raise InvalidInput(f"a hyper-opinion has the fields {sorted(expected)}", found=sorted(data))
        belief = {frozenset(subset): mass for subset, mass in data["belief"]}
        return cls(belief, data["uncertainty"], data["base_rate"], prior_weight=data["prior_weight"])


def _projected(masses: MassFunction, index: int) -> FloatArray:
    """Belief that falls to one value; a set whose base rate is 0 shares its belief equally."""
    own: FloatArray = np.zeros(())
    for mask, mass in masses.belief.items():
        if mask >> index & 1:
            total = base_rate_of(mask, masses.base_rate)
            own = own + mass * ratio(masses.base_rate[index], total, 1.0 / mask.bit_count())
    return own
