"""Opinions about a variable with several exclusive values, and hyper-opinions: belief in sets of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.canonical import reading
from surefoot.core.distributions import beta_quantile
from surefoot.core.errors import Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.checks import Kind, MassFunction, OpinionBase, base_rate_of, mask_of, members_of, ratio
from surefoot.opinions.opinion import DEFAULT_PRIOR_WEIGHT, Discounting, Opinion, degree_of_trust

COMPONENTS = ("belief", "uncertainty", "base_rate")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class MultinomialOpinion(OpinionBase):
    """Belief and base rate of each value of a variable, and one uncertainty for all of them.

    The opinion stands for a Dirichlet distribution.

    Parameters
    ----------
    belief
        Mass of each value, on the last axis.
    uncertainty
        The mass that is left.
    base_rate
        Probability of each value without any evidence; equal ones unless given.
    prior_weight
        What turns uncertainty into an amount of evidence.

    References
    ----------
    Jøsang (2016), section 3.5.

    Examples
    --------
    >>> import surefoot as sf
    >>> opinion = sf.opinions.MultinomialOpinion.from_counts([6, 2, 0])
    >>> opinion.coarsened([0]).belief.item()
    0.6

    """

    belief: FloatArray
    uncertainty: FloatArray
    base_rate: FloatArray
    prior_weight: float

    kind: ClassVar[Kind] = "multinomial"

    def __init__(
        self,
        belief: ArrayLike,
        uncertainty: ArrayLike,
        base_rate: ArrayLike | None = None,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    ) -> None:
        where = "MultinomialOpinion"
        beliefs = checks.unit_interval(belief, where=where, name="belief")
        doubt = checks.unit_interval(uncertainty, where=where, name="uncertainty")
        rates = checks.base_rates(base_rate, where=where, values=checks.domain_size(beliefs, where=where))
        checks.common_shape(where, belief=beliefs[..., 0], uncertainty=doubt, base_rate=rates[..., 0])
        checks.sums_to_one(beliefs.sum(axis=-1) + doubt, where=where, what="all belief + uncertainty")
        weight = validate.positive(prior_weight, where=where, name="prior_weight")
        self._store(beliefs, doubt, rates, weight)

    def _store(self, belief: FloatArray, uncertainty: FloatArray, base_rate: FloatArray, prior_weight: float) -> None:
        shape = np.broadcast_shapes(belief.shape[:-1], np.shape(uncertainty), base_rate.shape[:-1])
        values = belief.shape[-1]
        object.__setattr__(self, "belief", checks.frozen(belief, (*shape, values)))
        object.__setattr__(self, "uncertainty", checks.frozen(uncertainty, shape))
        object.__setattr__(self, "base_rate", checks.frozen(base_rate, (*shape, values)))
        object.__setattr__(self, "prior_weight", prior_weight)

    @classmethod
    def _trusted(cls, belief: FloatArray, uncertainty: FloatArray, base_rate: FloatArray, weight: float) -> Self:
        opinion = cls.__new__(cls)
        opinion._store(belief, uncertainty, base_rate, weight)
        return opinion

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
        base_rate: ArrayLike | None = None,
    ) -> Self:
        """Opinion from the number of observations of each value (last axis): Jøsang 2016, definition 3.6."""
        where = "MultinomialOpinion.from_counts"
        r = checks.counts(counts, where=where, name="counts")
        rates = checks.base_rates(base_rate, where=where, values=checks.domain_size(r, where=where))
        checks.common_shape(where, counts=r, base_rate=rates)
        observed = checks.total(*np.moveaxis(r, -1, 0), where=where)
        weight = checks.prior_weight(prior_weight, observed, where=where)
        total = checks.total(observed, weight, where=where)
        return cls._trusted(r / total[..., None], weight / total, rates, weight or DEFAULT_PRIOR_WEIGHT)

    @classmethod
    def from_dirichlet(
        cls,
        alpha: ArrayLike,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
        base_rate: ArrayLike | None = None,
    ) -> Self:
        """Opinion whose Dirichlet distribution has these parameters: the inverse of ``dirichlet``."""
        where = "MultinomialOpinion.from_dirichlet"
        parameters = checks.counts(alpha, where=where, name="alpha")
        rates = checks.base_rates(base_rate, where=where, values=checks.domain_size(parameters, where=where))
        weight = validate.positive(prior_weight, where=where, name="prior_weight")
        evidence = checks.beyond_prior(parameters, rates * weight, where=where, name="alpha")
        return cls.from_counts(evidence, prior_weight=weight, base_rate=rates)

    @property
    def values(self) -> int:
        """Number of values of the variable."""
        return int(self.belief.shape[-1])

    @property
    def probability(self) -> FloatArray:
        """Projected probability of each value, b + a u (Jøsang 2016, section 3.5.1)."""
        return self.belief + self.base_rate * self.uncertainty[..., None]

    def dirichlet(self) -> FloatArray:
        """Parameters alpha = W b / u + a W (Jøsang 2016, section 3.5); undefined for u = 0."""
        dogmatic = np.equal(self.uncertainty, 0.0)
        if np.any(dogmatic):
            raise Undefined(
                "a dogmatic opinion (uncertainty 0) stands for no finite amount of evidence",
                where="MultinomialOpinion.dirichlet",
                found=checks.first_place(dogmatic, "uncertainty 0"),
                remedy="Form the opinion from counts, or use its probability.",
            )
        return self.prior_weight * (self.belief / self.uncertainty[..., None] + self.base_rate)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Central credible interval of each value's probability, from the Beta marginals of the Dirichlet."""
        tail = (1.0 - validate.level(level, where="MultinomialOpinion.interval")) / 2
        alpha = self.dirichlet()
        beta = alpha.sum(axis=-1, keepdims=True) - alpha
        point = (alpha <= 0.0) | (beta <= 0.0)
        a, b = np.where(point, 1.0, alpha), np.where(point, 1.0, beta)
        low, high = (np.where(point, self.probability, beta_quantile(a, b, q)) for q in (tail, 1.0 - tail))
        return low, high

    def coarsened(self, members: Iterable[int]) -> Opinion:
        """Binomial opinion about the value being one of ``members`` (Jøsang 2016, section 3.5.4)."""
        chosen = checks.members(members, self.values, where="MultinomialOpinion.coarsened")
        inside = np.isin(np.arange(self.values), sorted(chosen))
        belief, disbelief = self.belief[..., inside].sum(axis=-1), self.belief[..., ~inside].sum(axis=-1)
        base_rate = np.clip(self.base_rate[..., inside].sum(axis=-1), 0.0, 1.0)
        return Opinion._trusted(belief, disbelief, self.uncertainty, base_rate, self.prior_weight)

    def discounted_by(self, trust: Opinion, how: Discounting = "uncertainty") -> Self:
        """Opinion of somebody who trusts the holder of this one to the degree ``trust`` (Jøsang 2016, definition 14.6).

        ``opposite`` needs a variable with two values and is refused.
        """
        degree = degree_of_trust(trust, how)
        checks.common_shape("discount", opinion=self.uncertainty, trust=degree)
        doubt = (1.0 - degree) + degree * self.uncertainty
        return self._trusted(np.asarray(degree)[..., None] * self.belief, doubt, self.base_rate, self.prior_weight)

    def maximise_uncertainty(self) -> Self:
        """The most uncertain opinion with the same projected probability (Jøsang 2016, section 3.5.6)."""
        doubt = np.minimum(ratio(self.probability, self.base_rate, np.inf).min(axis=-1), 1.0)
        belief = np.clip(self.probability - self.base_rate * doubt[..., None], 0.0, 1.0)
        return self._trusted(belief, doubt, self.base_rate, self.prior_weight)

    def times(self, other: MultinomialOpinion) -> Self:
        """Opinion about the pair of two independent variables, the values of ``other`` varying fastest.

        Normal multiplication: of all opinions with the product as projected probability and belief of at least the
        product of the beliefs, the most uncertain one (Jøsang 2016, section 8.1).
        """
        checks.combinable("times", self, other, kind="multinomial")
        probability, belief, base_rate = (
            _outer(getattr(self, name), getattr(other, name)) for name in ("probability", "belief", "base_rate")
        )
        doubt = np.minimum(ratio(probability - belief, base_rate, np.inf).min(axis=-1), 1.0)
        beliefs = np.clip(probability - base_rate * doubt[..., None], 0.0, 1.0)
        return self._trusted(beliefs, doubt, base_rate, self.prior_weight)

    def to_hyper(self) -> HyperOpinion:
        """The same opinion as a ``HyperOpinion``."""
        return HyperOpinion._of(self._mass_function(), self.prior_weight)

    def _mass_function(self) -> MassFunction:
        columns = range(self.values)
        belief = {1 << i: self.belief[..., i] for i in columns}
        return MassFunction(self.values, belief, self.uncertainty, tuple(self.base_rate[..., i] for i in columns))

    def _fused(self, masses: MassFunction) -> Self:
        belief = np.stack(np.broadcast_arrays(*(masses.belief[1 << i] for i in range(self.values))), axis=-1)
        base_rate = np.stack(np.broadcast_arrays(*masses.base_rate), axis=-1)
        return self._trusted(belief, masses.uncertainty, base_rate, self.prior_weight)

    def _item(self, index: Any) -> Self:
        return self._trusted(self.belief[index], self.uncertainty[index], self.base_rate[index], self.prior_weight)

    def __repr__(self) -> str:
        if self.shape:
            return f"MultinomialOpinion(shape={self.shape}, values={self.values})"
        beliefs, rates = ([float(f"{x:.6g}") for x in array] for array in (self.belief, self.base_rate))
        return f"MultinomialOpinion(belief={beliefs}, uncertainty={self.uncertainty:.6g}, base_rate={rates})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        components = {name: np.asarray(getattr(self, name)).tolist() for name in COMPONENTS}
        return components | {"prior_weight": self.prior_weight}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        fields = checks.fields(data, (*COMPONENTS, "prior_weight"), where="MultinomialOpinion.from_dict")
        with reading("multinomial opinion"):
            return cls(**fields)


def _outer(x: FloatArray, y: FloatArray) -> FloatArray:
    table = x[..., :, None] * y[..., None, :]
    return table.reshape(*table.shape[:-2], -1)


# Belief in sets of values, for when sources disagree about which value it is.

FIELDS = ("belief", "uncertainty", "base_rate", "prior_weight")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class HyperOpinion(OpinionBase):
    """Belief in sets of values; values are numbered from 0.

    Parameters
    ----------
    belief
        Masses by set, such as ``frozenset({0, 2})``. Belief in the whole domain is uncertainty and belongs there.
    uncertainty
        The mass that is left.
    base_rate
        Probability of each value without any evidence, on the last axis.
    prior_weight
        What turns uncertainty into an amount of evidence.

    References
    ----------
    Jøsang (2016), section 3.6.

    Examples
    --------
    >>> import surefoot as sf
    >>> opinion = sf.opinions.HyperOpinion({frozenset({0, 1}): 0.5}, 0.5, [0.25, 0.25, 0.5])
    >>> opinion.probability.tolist()
    [0.375, 0.375, 0.25]

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
