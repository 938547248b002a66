"""Two calculi of partial belief: subjective logic, and Dempster and Shafer's.

A value is (p, q, a): probability p = b + a u, what is not disbelieved q = 1 - d, and base rate a. So written, Jøsang's
multiplication (2016, definition 7.1) multiplies all three, which makes it plainly associative, and discounting mixes
with the vacuous opinion. With base rate 0 the same formulas are those of Dempster and Shafer, p being belief: the
conjunction of independent random sets, and Shafer's discounting.

Formulas take numbers, or arrays with one number a scenario. ``tests/case/confidence`` compares them with
``surefoot.opinions`` and with independent libraries.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from operator import add
from typing import Any, NamedTuple, Protocol

import numpy as np

from surefoot.case.policy import Discounting
from surefoot.opinions import Opinion

Real = Any
"""A number, or an array with one number a scenario."""
MARGIN = 1e-8
"""Base rates of 1 leave the split of belief and uncertainty open; they are kept this far away from 0 and 1."""
LEAST_UNCERTAINTY = 1e-13


class Components(NamedTuple):
    """One opinion as plain numbers."""

    belief: float
    disbelief: float
    uncertainty: float
    base_rate: float

    @classmethod
    def of(cls, opinion: Opinion) -> Components:
        """The components of an opinion."""
        return cls(
            float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty), float(opinion.base_rate)
        )


class Value(NamedTuple):
    """What is held of one statement."""

    probability: Real
    not_disbelieved: Real
    base_rate: Real

    @property
    def disbelief(self) -> Real:
        """What speaks against it."""
        return 1.0 - self.not_disbelieved

    @property
    def uncertainty(self) -> Real:
        """What speaks neither way."""
        return (self.not_disbelieved - self.probability) / (1.0 - self.base_rate)

    @property
    def belief(self) -> Real:
        """What speaks for it."""
        return self.not_disbelieved - self.uncertainty


class Calculus(Protocol):
    """What every way to reckon must be able to do; the last argument is the number of the unit it is done for."""

    def leaf(self, opinion: Components) -> Any: ...
    def conjunction(self, values: Sequence[Any]) -> Any: ...
    def discounted(self, value: Any, trust: Any, unit: int) -> Any: ...
    def negated(self, value: Any) -> Any: ...
    def fused(self, values: Sequence[Any], unit: int) -> Any: ...
    def deduced(self, value: Any, given_true: Components, given_false: Components) -> Any: ...
    def raised(self, value: Any, trust: Any, parts: Sequence[Any]) -> Any: ...
    def shared(self, value: Any) -> Any: ...


def _larger(one: Real, other: Real) -> Real:
    """The larger one; plain numbers need no numpy, which is slow on them."""
    return max(one, other) if type(one) is float and type(other) is float else np.maximum(one, other)


def _value(*parts: Real) -> Value:
    """Numbers as plain numbers again: those of numpy are slow to multiply."""
    return Value(*(float(each) if isinstance(each, np.floating) else each for each in parts))


class _Belief:
    """What both calculi have in common."""

    def conjunction(self, values: Sequence[Value]) -> Value:
        """All of them, which are independent."""
        return Value(*map(prod, zip(*values, strict=True)))

    def _mixed(self, value: Value, trust: Real) -> Value:
        probability, not_disbelieved, base_rate = value
        return Value(base_rate + trust * (probability - base_rate), 1.0 - trust + trust * not_disbelieved, base_rate)

    def raised(self, value: Value, trust: Real, parts: Sequence[Value]) -> Value:
        """At least as much disbelieved as each needed part is, as far as trust in the argument goes."""
        share = 1.0 if trust is None else trust.probability
        least = share * reduce(_larger, [part.disbelief for part in parts])
        disbelief = _larger(value.disbelief, least)
        belief = -_larger(-value.belief, disbelief - 1.0)
        uncertainty = 1.0 - belief - disbelief
        return Value(belief + value.base_rate * uncertainty, 1.0 - disbelief, value.base_rate)

    def shared(self, value: Value) -> Value:
        """What several branches rest on is kept apart by the program itself."""
        return value


class SubjectiveLogic(_Belief):
    """Binomial opinions (Jøsang 2016)."""

    def __init__(self, discounting: Discounting = "probability") -> None:
        self._by_belief = discounting == "uncertainty"

    def leaf(self, opinion: Components) -> Value:
        """An opinion as it is stated or measured."""
        belief, disbelief, uncertainty, base_rate = opinion
        kept = min(max(base_rate, MARGIN), 1.0 - MARGIN)
        return Value(belief + kept * uncertainty, 1.0 - disbelief, kept)

    def discounted(self, value: Value, trust: Value, unit: int) -> Value:
        """As far as the trust goes: its probability (definition 14.6), or its belief, as the policy says."""
        return self._mixed(value, trust.belief if self._by_belief else trust.probability)

    def negated(self, value: Value) -> Value:
        """The contrary (definition 6.3)."""
        return Value(1.0 - value.probability, 1.0 - value.belief, 1.0 - value.base_rate)

    def fused(self, values: Sequence[Value], unit: int) -> Value:
        """Independent evidence on one statement, added up (cumulative fusion, section 12.3)."""
        doubts = [np.maximum(value.uncertainty, LEAST_UNCERTAINTY) for value in values]
        evidence = [(1.0 - doubt) / doubt for doubt in doubts]
        uncertainty = 1.0 / (1.0 + reduce(add, evidence))
        disbelief = uncertainty * sum(value.disbelief / doubt for value, doubt in zip(values, doubts, strict=True))
        weights = [each + LEAST_UNCERTAINTY for each in evidence]
        rates = [weight * value.base_rate for weight, value in zip(weights, values, strict=True)]
        base_rate = reduce(add, rates) / reduce(add, weights)
        belief = np.maximum(1.0 - disbelief - uncertainty, 0.0)
        return _value(belief + base_rate * uncertainty, 1.0 - disbelief, base_rate)

    def deduced(self, value: Value, given_true: Components, given_false: Components) -> Value:
        """What follows by the conditionals (definition 9.1; ``surefoot.opinions.deduce`` says how the cases reduce)."""
        a_x, a_y = value.base_rate, min(max(given_true.base_rate, MARGIN), 1.0 - MARGIN)
        gain = given_true.belief - given_false.belief
        loss = given_true.disbelief - given_false.disbelief
        near, far = (a_x, 1.0 - a_x) if gain > 0 else (1.0 - a_x, a_x)
        limit = np.minimum(near * abs(gain) / a_y, far * abs(loss) / (1.0 - a_y)) if gain * loss < 0 else 0.0
        lifted = value.uncertainty * limit
        chance = value.probability
        belief, disbelief, uncertainty = (
            chance * true + (1.0 - chance) * false for true, false in zip(given_true[:3], given_false[:3], strict=True)
        )
        belief, disbelief = belief - a_y * lifted, disbelief - (1.0 - a_y) * lifted
        return _value(belief + a_y * (uncertainty + lifted), 1.0 - np.maximum(disbelief, 0.0), a_y)


class DempsterShafer(_Belief):
    """Belief functions on "true" and "false" (Shafer 1976); the base rate is 0 throughout, so that p is belief."""

    def leaf(self, opinion: Components) -> Value:
        """The masses of an opinion, without its base rate."""
        return Value(opinion.belief, 1.0 - opinion.disbelief, 0.0)

    def discounted(self, value: Value, trust: Value, unit: int) -> Value:
        """Shafer's discounting by the belief in what warrants it."""
        return self._mixed(value, trust.probability)

    def negated(self, value: Value) -> Value:
        """The contrary: belief and disbelief change places."""
        return Value(1.0 - value.not_disbelieved, 1.0 - value.probability, 0.0)

    def fused(self, values: Sequence[Value], unit: int) -> Value:
        """Dempster's rule; under total conflict nothing is left, and nothing is known."""
        unknown = prod(value.not_disbelieved - value.probability for value in values)
        true = prod(value.not_disbelieved for value in values) - unknown
        false = prod(1.0 - value.probability for value in values) - unknown
        harmony = true + false + unknown
        total = np.where(harmony > LEAST_UNCERTAINTY, harmony, 1.0)
        agree = harmony > LEAST_UNCERTAINTY
        return _value(np.where(agree, true / total, 0.0)[()], np.where(agree, (true + unknown) / total, 1.0)[()], 0.0)

    def deduced(self, value: Value, given_true: Components, given_false: Components) -> Value:
        """Conditional embedding (Smets 1993): where the condition is unknown, what both conditionals agree on."""
        true, false = value.belief, value.disbelief
        unknown = value.uncertainty

        def mass(if_true: float, if_false: float) -> Real:
            return true * if_true + false * if_false + unknown * if_true * if_false

        belief = mass(given_true.belief, given_false.belief)
        disbelief = mass(given_true.disbelief, given_false.disbelief)
        return Value(belief, 1.0 - disbelief, 0.0)
