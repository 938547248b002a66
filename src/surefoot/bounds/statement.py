"""What every bound of this package states beside its limits: assumptions, caveats, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from surefoot.core import Assumption, BoundFamily, Diagnostic, Distribution, Estimate, Provenance
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.registry import Registry

INDEPENDENT = Assumption("independent-trials", "Trials are independent and each fails with the same probability.")
INDEPENDENT_LOSSES = Assumption("independent-losses", "Losses are independent and follow one distribution.")
SAME_MEAN = Assumption("same-mean", "Losses are independent, or at least each has the same mean given those before it.")
REPRESENTATIVE = Assumption("operational-profile", "The test data follow the operational profile.")
FIXED_SIZE = Assumption("fixed-size", "The number of trials was fixed before their outcomes were seen.")
ORDER_FIRST = Assumption(
    "order-before-outcomes",
    "The order of the trials, or the seed that shuffles them, was chosen before their outcomes.",
)

FAILURE_PROBABILITY = "failure probability"
EXPECTED_LOSS = "expected loss"

bound: Registry[Callable[..., Estimate]] = Registry("bound", "surefoot.bounds", facts=("step",))
"""Registers a function that bounds something; ``step`` is the step that offers it as a method.

``step="binomial_bound"``: of ``(failures, trials, *, level, scope)``; ``step="loss_bound"``: of ``(losses, *, level,
quantity, scope)``, with ``seed`` where it takes one.
"""


def approximate(method: str, remedy: str) -> Diagnostic:
    """The caveat of every method whose coverage can fall below its level."""
    return Diagnostic("approximate-coverage", f"{method} reaches its level only approximately.", hint=remedy)


@dataclass(frozen=True)
class About:
    """What an estimate is about, in the caller's words."""

    quantity: str
    unit: str = PER_DEMAND
    scope: str = ""


def state(
    about: About,
    value: float,
    bounds: Iterable[BoundFamily],
    *,
    provenance: Provenance,
    assumptions: Iterable[Assumption],
    dist: Distribution | None = None,
    caveats: Iterable[Diagnostic] = (),
    details: Mapping[str, Any],
) -> Estimate:
    """An estimate whose assumptions carry its scope."""
    return Estimate(
        about.quantity,
        value,
        about.unit,
        about.scope,
        tuple(bounds),
        dist,
        tuple(replace(assumption, scope=about.scope) for assumption in assumptions),
        tuple(caveats),
        details,
        provenance,
    )
