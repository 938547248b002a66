"""The case as a Bayesian network: every statement is true or false.

A statement is true if all it needs is true. Where a warrant is false, it is true with its base rate, whatever is below.
Legs are a noisy-or (Pearl 1988, section 4.3.2) with the base rate as leak: a leg that is true shows the claim with a
strength chosen such that this leg alone gives the claim the leg's own probability; a leg that speaks against the claim
holds it back in the same way. Base rates are those of the opinions, so that differences come from the reckoning.

What several branches rest on is treated exactly by going through all states of shared statements (conditioning on a
cutset, Pearl 1988, section 4.3.1); statements that are always used together are one. Beyond ``MOST_STATES`` the states
are drawn, stratified and with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from surefoot.case.confidence.subjective_logic import Components, Program, Real, run

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
