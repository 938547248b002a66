"""What was measured, as a case asks for it: by ``step.quantity``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from surefoot.core import Assumption, Estimate, Evidence, InvalidInput

Measurements = Mapping[str, Evidence | Estimate]
"""Evidence by the name of its step, or estimates by ``step.quantity``."""


class Measured:
    """Finds estimates and assumptions in what was measured; what is not there is None."""

    def __init__(self, measurements: Measurements | None) -> None:
        self._given = dict(measurements or {})
        wrong = next((key for key, item in self._given.items() if not isinstance(item, Evidence | Estimate)), None)
        if wrong is not None:
            found = f"{wrong!r}: {type(self._given[wrong]).__name__}"
            raise InvalidInput(
                "evidence is Evidence by step or an Estimate by step.quantity", where="case", found=found
            )
        self._found: dict[str, Estimate | None] = {}

    @cached_property
    def known(self) -> bool:
        """Whether anything was given at all."""
        return bool(self._given)

    def estimate(self, reference: str) -> Estimate | None:
        """The estimate of ``step.quantity``."""
        if reference not in self._found:
            self._found[reference] = self._look_up(reference)
        return self._found[reference]

    def assumption(self, reference: str, identity: str) -> Assumption | None:
        """The assumption with this id that the result rests on; the one that stands worst where there are several."""
        step = reference.partition(".")[0]
        estimate = self.estimate(reference)
        evidence = self._given.get(step)
        held = estimate.assumptions if estimate else evidence.assumptions if isinstance(evidence, Evidence) else ()
        order = ("contradicted", "unchecked", "supported")
        matching = [each for each in held if each.id == identity or f"{each.id}[{each.scope}]" == identity]
        return min(matching, key=lambda each: order.index(each.status), default=None)

    def _look_up(self, reference: str) -> Estimate | None:
        given = self._given.get(reference)
        if isinstance(given, Estimate):
            return given
        step, _, quantity = reference.partition(".")
        evidence = self._given.get(step)
        if not isinstance(evidence, Evidence) or not quantity:
            return None
        try:
            return evidence[quantity]
        except InvalidInput:
            return None
