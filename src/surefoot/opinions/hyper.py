"""``HyperOpinion``: belief in sets of values, for when sources disagree about which value it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.canonical import reading
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.base import Kind, OpinionBase
from surefoot.opinions.logic import ratio
from surefoot.opinions.masses import MassFunction, base_rate_of, mask_of, members_of
from surefoot.opinions.multinomial import MultinomialOpinion
from surefoot.opinions.opinion import DEFAULT_PRIOR_WEIGHT, Opinion

FIELDS = ("belief", "uncertainty", "base_rate", "prior_weight")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HyperOpinion(OpinionBase):
    """Belief in sets of values (Jøsang 2016, section 3.6); values are numbered from 0.

    ``belief`` maps sets such as ``frozenset({0, 2})`` to masses (numbers, or arrays of one shape);
    ``base_rate`` has the values on its last axis. Belief in the whole domain is uncertainty and belongs there.
    """

    focal: tuple[tuple[frozenset[int], FloatArray], ...]
    uncertainty: FloatArray
    base_rate: FloatArray
    prior_weight: float

    kind: ClassVar[Kind] = "hyper"

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
        believed = _by_set(checks.mapping(belief, where=where, name="belief").items())
        names = {checks.members(s, rates.shape[-1], where=where): f"belief in {sorted(s)}" for s in believed}
        masses = {s: checks.unit_interval(mass, where=where, name=names[s]) for s, mass in believed.items()}
        named = {names[subset]: mass for subset, mass in masses.items()}
        checks.common_shape(where, uncertainty=doubt, base_rate=rates[..., 0], **named)
        checks.sums_to_one(reduce(np.add, masses.values(), doubt), where=where, what="all belief + uncertainty")
        weight = validate.positive(prior_weight, where=where, name="prior_weight")
        self._store({mask_of(subset): mass for subset, mass in masses.items()}, doubt, rates, weight)

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
    def probability(self) -> FloatArray:
        """Projected probability of each value (Jøsang 2016, section 3.6.2)."""
        return self.to_multinomial().probability

    def to_multinomial(self) -> MultinomialOpinion:
        """Belief in sets shared out among their values by base rate (Jøsang 2016, section 3.6.2)."""
        masses = self._mass_function()
        columns = [_projected(masses, index) for index in range(self.values)]
        beliefs = np.stack(np.broadcast_arrays(*columns, self.uncertainty)[:-1], axis=-1)
        return MultinomialOpinion._trusted(beliefs, self.uncertainty, self.base_rate, self.prior_weight)

    def coarsened(self, members: Iterable[int]) -> Opinion:
        """Binomial opinion about the value being one of ``members``; vague belief is shared out by base rate."""
        return self.to_multinomial().coarsened(members)

    def maximise_uncertainty(self) -> MultinomialOpinion:
        """The most uncertain multinomial opinion with the same projected probability."""
        return self.to_multinomial().maximise_uncertainty()

    def _item(self, index: Any) -> Self:
        opinion = type(self).__new__(type(self))
        belief = {mask_of(subset): mass[index] for subset, mass in self.focal}
        opinion._store(belief, self.uncertainty[index], self.base_rate[index], self.prior_weight)
        return opinion

    def _mass_function(self) -> MassFunction:
        belief = {mask_of(subset): mass for subset, mass in self.focal}
        rates = tuple(self.base_rate[..., index] for index in range(self.values))
        return MassFunction(self.values, belief, self.uncertainty, rates)

    def _fused(self, masses: MassFunction) -> Self:
        return self._of(masses, self.prior_weight)

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
        fields = checks.fields(data, FIELDS, where="HyperOpinion.from_dict")
        with reading("hyper-opinion"):
            return cls(**fields | {"belief": _by_set(fields["belief"])})


def _by_set(pairs: Iterable[tuple[Iterable[int], ArrayLike]]) -> dict[frozenset[int], ArrayLike]:
    """Belief by set of values, each set once: (0, 1) and (1, 0) are the same set."""
    where = "HyperOpinion"
    named = [(checks.value_numbers(subset, where=where), mass) for subset, mass in pairs]
    checks.distinct((subset for subset, _ in named), where=where, what="belief in a set")
    return dict(named)


def _projected(masses: MassFunction, index: int) -> FloatArray:
    """Belief that falls to one value; a set whose base rate is 0 shares its belief equally."""
    own: FloatArray = np.zeros(())
    for mask, mass in masses.belief.items():
        if mask >> index & 1:
            total = base_rate_of(mask, masses.base_rate)
            own = own + mass * ratio(masses.base_rate[index], total, 1.0 / mask.bit_count())
    return own
