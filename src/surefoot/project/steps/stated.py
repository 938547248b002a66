"""The step for a value that nobody measured here."""

from __future__ import annotations

from dataclasses import replace

from surefoot.core import Assumption, Estimate
from surefoot.core.estimate import PER_DEMAND
from surefoot.project.step import step
from surefoot.project.steps.parameters import Quantity, Source, Unit, Value


@step
def stated(*, quantity: Quantity, value: Value, source: Source, unit: Unit = PER_DEMAND) -> Estimate:
    """A value taken from elsewhere, with its source; that it holds becomes an assumption.

    Gives the `quantity` that is named.
    """
    holds = Assumption("stated-value", f"{quantity} is {value:g} {unit}: {source.rstrip('.')}.", scope=quantity)
    return replace(Estimate.known(quantity, value, source=source, unit=unit), assumptions=(holds,))
