"""The classic common-cause models: beta factor, multiple Greek letter, alpha factor, phi factor.

``Q`` is the total failure probability of a member, ``n`` the number of members and ``Q_k`` the probability of the
event of one subset of ``k`` members. Definitions as in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008)
and NUREG/CR-5485 (Mosleh, Rasmuson and Marshall 1998).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import comb

from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.groups.factors import FactorModel
from surefoot.faulttree.quantities import Fixed, Operation, Quantity

SUM_TOLERANCE = 1e-4


@dataclass(frozen=True)
class BetaFactor(FactorModel, tag="beta-factor"):
    """Either one member fails alone or all fail: ``Q_1 = (1 - beta) Q`` and ``Q_n = beta Q`` (Fleming 1975)."""

    beta: Quantity

    given_as = "beta"
    meaning = "A common cause fails all members; beta is its share of a member's failures."

    @property
    def factor_levels(self) -> range:
        return range(len(self.members), len(self.members) + 1)

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        return {1: _rest(factors[0]), len(self.members): factors[0]}


@dataclass(frozen=True)
class MultipleGreekLetter(FactorModel, tag="multiple-greek-letter"):
    """Chances that a cause is shared by one member more: beta, gamma, delta, ... (Fleming and Kalinowski 1983).

    ``Q_k = rho_2 ... rho_k (1 - rho_{k+1}) Q / C(n-1, k-1)``, with the factors ``rho`` given from level 2 on and 0
    after the last.
    """

    factors: tuple[Quantity, ...]

    given_as = "factors"
    meaning = "Factor k is the chance that a cause that fails k - 1 members fails at least one more."

    @property
    def factor_levels(self) -> range:
        return range(2, 2 + len(self.factors))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        one: Quantity = Fixed(1.0)
        shared = accumulate(factors, _product, initial=one)
        ended = (*map(_rest, factors), one)
        both = map(_product, shared, ended)
        return {k: _product(self._of_one_subset(k), share) for k, share in enumerate(both, start=1)}

    def _of_one_subset(self, level: int) -> Quantity:
        return Fixed(1 / comb(len(self.members) - 1, level - 1))


@dataclass(frozen=True)
class AlphaFactor(FactorModel, tag="alpha-factor"):
    """Shares of failure events that involve k members: ``Q_k = k / C(n-1, k-1) alpha_k / alpha_t Q``.

    ``alpha_t`` is the sum of ``k alpha_k``, so the scale of the factors cancels (Mosleh and Siu 1987, for testing
    that is not staggered).
    """

    alphas: tuple[Quantity, ...]

    given_as = "alphas"
    meaning = "Alpha k is the share of the group's failure events that involve k members; tests are not staggered."

    @property
    def factor_levels(self) -> range:
        return range(1, 1 + len(self.alphas))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        involved = [_product(Fixed(k), alpha) for k, alpha in enumerate(factors, start=1)]
        total = Operation("add", tuple(involved))
        among = len(self.members) - 1
        return {
            k: Operation("div", (part, _product(Fixed(comb(among, k - 1)), total)))
            for k, part in enumerate(involved, start=1)
        }

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """Besides the usual: all alphas 0 (an error), or a sum other than 1 (a warning)."""
        yield from super().problems(values)
        total = _sum(values, len(self.alphas))
        if total == 0:
            yield self.error("tree-probability", "has no alpha factor above 0.")
        elif abs(total - 1) > SUM_TOLERANCE:
            text = f"the alpha factors of the common-cause group {self.name!r} sum to {total:g}, not to 1."
            yield Diagnostic("tree-probability", text, "warning", hint="They are used in proportion.")


@dataclass(frozen=True)
class PhiFactor(FactorModel, tag="phi-factor"):
    """Subsets weighed directly: ``Q_k = phi_k Q``, where the factors sum to 1 (Open-PSA)."""

    factors: tuple[Quantity, ...]

    given_as = "factors"
    meaning = (
        "Factor k times the distribution is the probability of each subset of k members. A member is in several "
        "subsets of one size, so in a group of more than two its total probability exceeds the distribution."
    )

    @property
    def factor_levels(self) -> range:
        return range(1, 1 + len(self.factors))

    def shares(self, factors: tuple[Quantity, ...]) -> dict[int, Quantity]:
        return dict(enumerate(factors, start=1))

    def problems(self, values: Mapping[str, float]) -> Iterator[Diagnostic]:
        """Besides the usual: a sum other than 1."""
        yield from super().problems(values)
        total = _sum(values, len(self.factors))
        if abs(total - 1) > SUM_TOLERANCE:
            yield self.error("tree-probability", f"has phi factors that sum to {total:g}; they must sum to 1.")


def _rest(share: Quantity) -> Quantity:
    return Operation("sub", (Fixed(1.0), share))


def _product(first: Quantity, second: Quantity) -> Quantity:
    """Their product, without factors of 1."""
    if first == Fixed(1.0):
        return second
    return first if second == Fixed(1.0) else Operation("mul", (first, second))


def _sum(values: Mapping[str, float], factors: int) -> float:
    """The sum of the factors; 1, which is no problem, where one of them has no value."""
    known = [value for name, value in values.items() if name.startswith("factor ")]
    return sum(known) if len(known) == factors else 1.0
