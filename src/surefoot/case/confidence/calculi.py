"""Three calculi that every case is reckoned by, and the program of operations that each of them runs.

A value of subjective logic (Jøsang 2016), and of Dempster and Shafer's belief functions, is (p, q, a): probability
p = b + a u, what is not disbelieved q = 1 - d, and base rate a. So written, Jøsang's multiplication (2016, definition
7.1) multiplies all three, which makes it plainly associative, and discounting mixes with the vacuous opinion. With base
rate 0 the same formulas are those of Dempster and Shafer, p being belief: the conjunction of independent random sets,
and Shafer's discounting. The third is a Bayesian network, in which every statement is true or false.

Formulas take numbers, or arrays with one number a scenario. ``tests/case/confidence`` compares them with
``surefoot.opinions`` and with independent libraries.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import add
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefoot.case.model import Discounting
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


# The case as a Bayesian network.
#
# A statement is true if all it needs is true. Where a warrant is false, it is true with its base rate, whatever is
# below. Legs are a noisy-or (Pearl 1988, section 4.3.2) with the base rate as leak: a leg that is true shows the claim
# with a strength chosen such that this leg alone gives the claim the leg's own probability; a leg that speaks against
# the claim holds it back in the same way. Base rates are those of the opinions, so that differences come from the
# reckoning. What several branches rest on is treated exactly by going through all states of shared statements
# (conditioning on a cutset, Pearl 1988, section 4.3.1); statements that are always used together are one. Beyond
# ``MOST_STATES`` the states are drawn, stratified and with a fixed seed.

MOST_STATES = 1024
SEED = 20_24_11


class Network:
    """A calculus whose values are probabilities, one for each state of the shared statements."""

    def __init__(self, base_rates: Sequence[float], shared: int) -> None:
        self._base_rates = base_rates
        self._exact = 2**shared <= MOST_STATES
        self._states = 2**shared if self._exact else MOST_STATES
        self.weights: NDArray[np.float64] = np.full(self._states, 1.0 if self._exact else 1 / self._states)
        self._met = 0
        self._rng = np.random.default_rng(SEED)

    @property
    def sampled(self) -> bool:
        """Whether the states were drawn, because there are too many of them."""
        return not self._exact

    @property
    def standard_error(self) -> float:
        """The largest standard error that drawn states leave; 0 where all states were gone through."""
        return 0.5 / self._states**0.5 if self.sampled else 0.0

    def marginal(self, value: Real) -> float:
        """The probability over all states."""
        if isinstance(value, float):
            return value
        return min(max(float(np.dot(self.weights, value) / self.weights.sum()), 0.0), 1.0)

    def leaf(self, opinion: Components) -> Real:
        """Projected probability."""
        return opinion.belief + opinion.base_rate * opinion.uncertainty

    def conjunction(self, values: Sequence[Real]) -> Real:
        """All of them."""
        return prod(values)

    def discounted(self, value: Real, trust: Real, unit: int) -> Real:
        """As it is where the warrants hold; else its base rate."""
        base_rate = self._base_rates[unit]
        return base_rate + trust * (value - base_rate)

    def negated(self, value: Real) -> Real:
        """The contrary."""
        return 1.0 - value

    def fused(self, values: Sequence[Real], unit: int) -> Real:
        """Noisy-or of legs, with the base rate as leak."""
        leak = self._base_rates[unit]
        missed: Real = 1.0 - leak
        held_back = 1.0
        for value in values:
            alone = self.marginal(value)
            if alone < leak:
                held_back *= alone / leak
            elif leak < 1.0 and alone > 0.0:
                missed = missed * (1.0 - value * (alone - leak) / ((1.0 - leak) * alone))
        return (1.0 - missed) * held_back

    def deduced(self, value: Real, given_true: Components, given_false: Components) -> Real:
        """By the conditionals' probabilities."""
        if_true, if_false = self.leaf(given_true), self.leaf(given_false)
        return if_false + value * (if_true - if_false)

    def raised(self, value: Real, trust: Real, parts: Sequence[Real]) -> Real:
        """Nothing to put back: shared statements are treated exactly."""
        return value

    def shared(self, value: Real) -> Real:
        """One state after the other; what is certain has only one."""
        if isinstance(value, float) and value in (0.0, 1.0):
            return value
        if not self._exact:
            strata = (self._rng.permutation(self._states) + self._rng.random(self._states)) / self._states
            return (strata < value).astype(float)
        state = (np.arange(self._states) >> self._met & 1).astype(float)
        self._met += 1
        self.weights = self.weights * (state * value + (1.0 - state) * (1.0 - value))
        return state


def network(program: Program, base_rates: Sequence[float]) -> tuple[list[float], Network]:
    """The probability of each unit, by a program that marks shared ones."""
    uncertain = _uncertain(program)
    calculus = Network(base_rates, uncertain)
    results = run(program, calculus)
    return [calculus.marginal(results[place]) for place in program.shown], calculus


def _uncertain(program: Program) -> int:
    """How many shared statements are neither certainly true nor certainly false."""
    certain: list[float | None] = []
    count = 0
    for code, inputs, data in program.operations:
        known: float | None = None
        if code == "leaf" and data.uncertainty == 0 and data.belief in (0.0, 1.0):
            known = data.belief
        elif code == "and" or code == "share":
            parts = [certain[each] for each in inputs]
            known = 0.0 if 0.0 in parts else 1.0 if all(part == 1.0 for part in parts) else None
            count += code == "share" and known is None
        certain.append(known)
    return count


# A case as a list of operations, which every calculus can run.
#
# What several branches rest on is counted once. In the program for belief (``counting_once``) each unit is a core, in
# which nothing is shared, and two sets of shared units: parts that it needs, and warrants that it stands under. Sets
# are united where branches come together, and applied where all uses of a unit meet or where the unit itself is shown.
# The belief of Dempster and Shafer is then exactly that of all distinct leaves. Probability and disbelief are exact
# where no shared warrant stands above some branches only; otherwise the whole counts as not shown when that warrant
# fails, and disbelief in a needed part is put back (``raise``). In the other program shared units are marked
# (``share``), and the calculus treats their states one by one.

Code = Literal["leaf", "and", "discount", "not", "fuse", "deduce", "raise", "share"]
NOTHING = -1


class Operation(NamedTuple):
    """One step: what it does, to the results of which earlier steps, and what else it needs."""

    code: Code
    inputs: tuple[int, ...]
    data: Any = None


@dataclass
class Program:
    """Operations in order; the result of each is named by its place."""

    operations: list[Operation] = dataclasses.field(default_factory=list)
    shown: list[int] = dataclasses.field(default_factory=list)
    """For each unit the result that is its own opinion."""
    leaves: dict[int, int] = dataclasses.field(default_factory=dict)
    """For each leaf unit the operation that states it."""
    field: dict[int, int] = dataclasses.field(default_factory=dict)
    """For each unit that was operated the operation that states what was found."""
    gaps: dict[int, list[int]] = dataclasses.field(default_factory=dict)
    """For each unit that lacks something the operations that stand for what is not there."""
    contraries: dict[int, list[int]] = dataclasses.field(default_factory=dict)
    """For each unit that challenges the operations that say it is not so, one a challenge."""
    inexact: dict[int, None] = dataclasses.field(default_factory=dict)
    """Units at which shared ones had to be applied before all their uses met."""
    common: dict[int, None] = dataclasses.field(default_factory=dict)
    """Units whose legs share something."""

    def add(self, code: Code, inputs: Sequence[int] = (), data: Any = None) -> int:
        """Append an operation and say its place."""
        self.operations.append(Operation(code, tuple(inputs), data))
        return len(self.operations) - 1

    def conjunction(self, places: Sequence[int]) -> int:
        """The conjunction of one or several results."""
        return places[0] if len(places) == 1 else self.add("and", places)

    def needed_for(self, place: int) -> list[int]:
        """The operations that a result rests on, in order."""
        wanted = bytearray(len(self.operations))
        wanted[place] = 1
        for each in range(place, -1, -1):
            if wanted[each]:
                for below in self.operations[each].inputs:
                    if below != NOTHING:
                        wanted[below] = 1
        return [each for each in range(place + 1) if wanted[each]]


def run(program: Program, calculus: Calculus) -> list[Any]:
    """The result of every operation."""
    values: list[Any] = []
    for operation in program.operations:
        values.append(perform(operation, values, calculus))
    return values


def perform(operation: Operation, values: Sequence[Any] | Mapping[int, Any], calculus: Calculus) -> Any:
    """The result of one operation."""
    code, inputs, data = operation
    match code:
        case "and":
            return calculus.conjunction([values[each] for each in inputs])
        case "leaf":
            return calculus.leaf(data)
        case "discount":
            return calculus.discounted(values[inputs[0]], values[inputs[1]], data)
        case "not":
            return calculus.negated(values[inputs[0]])
        case "fuse":
            return calculus.fused([values[each] for each in inputs], data)
        case "deduce":
            return calculus.deduced(values[inputs[0]], *data)
        case "raise":
            trust = None if inputs[1] == NOTHING else values[inputs[1]]
            return calculus.raised(values[inputs[0]], trust, [values[each] for each in inputs[2:]])
        case "share":
            return calculus.shared(values[inputs[0]])


UNKNOWN = Components(0.0, 0.0, 1.0, 0.5)
"""Of what is not here nothing is known."""
