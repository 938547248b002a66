"""Probabilities of single events for sets of candidates, each computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from surefoot.core import Estimate
from surefoot.core.propagation import joint_draws
from surefoot.core.validate import FloatArray
from surefoot.faulttree import quantities
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Quantity
from surefoot.hazards.improvement.applied import Numbers, with_numbers
from surefoot.hazards.improvement.candidate import Barrier, Candidate
from surefoot.hazards.improvement.combining import Chosen, merged


@dataclass(frozen=True)
class Row:
    """The probability of an event, one for each joint draw or one for all, and the inputs behind it."""

    values: float | FloatArray
    inputs: tuple[Estimate, ...]


@dataclass(frozen=True, eq=False)
class Rows:
    """Events of a tree and of barriers, as candidates leave them; an input that is drawn is drawn once for all."""

    tree: FaultTree
    candidates: Sequence[Candidate]
    draws: int
    seed: int
    _known: dict[tuple[str, Chosen], Row] = field(default_factory=dict)

    def row(self, event: str, chosen: Chosen) -> Row:
        """An event with the chosen candidates."""
        key = event, tuple(place for place in chosen if place in self._touching.get(event, ()))
        if key not in self._known:
            self._known[key] = self._computed(*key)
        return self._known[key]

    @cached_property
    def inputs(self) -> dict[str, Estimate]:
        """Every input that some set of candidates has, by its belief."""
        found = list(quantities.inputs(self._base).values())
        for place in range(len(self.candidates)):
            touched = [event for event, places in self._touching.items() if place in places]
            found += quantities.inputs(self._numbers((place,)), events=touched).values()
        return {estimate.belief_key: estimate for estimate in found}

    @cached_property
    def sampled(self) -> bool:
        """Whether everything can be drawn, or is certain."""
        return all(estimate.dist is not None for estimate in self.inputs.values())

    @cached_property
    def _pool(self) -> dict[str, FloatArray]:
        return joint_draws(self.inputs, draws=self.draws, seed=self.seed, where="candidates")

    def _computed(self, event: str, chosen: Chosen) -> Row:
        numbers = self._numbers(chosen)
        alone = Numbers(dict.fromkeys(numbers.events) | {event: numbers.events[event]}, numbers.parameters)
        inputs = quantities.inputs(alone, events=[event])
        drawn = {name: self._pool[estimate.belief_key] for name, estimate in inputs.items()}
        return Row(quantities.probabilities(alone, drawn, events=[event])[event], tuple(inputs.values()))

    def _numbers(self, chosen: Chosen) -> Numbers:
        return with_numbers(self._base, merged([self.candidates[place] for place in chosen])) if chosen else self._base

    @cached_property
    def _base(self) -> Numbers:
        """Events as they are, and those that barriers bring."""
        return Numbers({**self.tree.events, **self._barriers}, dict(self.tree.parameters))

    @property
    def _barriers(self) -> dict[str, Quantity]:
        changes = (change for candidate in self.candidates for change in candidate.changes.values())
        return {change.name: change.fails for change in changes if isinstance(change, Barrier)}

    @cached_property
    def _touching(self) -> dict[str, frozenset[int]]:
        """Which candidates may move an event: those that change it, or a parameter that some form of it names."""
        changed_by: dict[str, set[int]] = {}
        for place, candidate in enumerate(self.candidates):
            for name in candidate.changes:
                changed_by.setdefault(name, set()).add(place)
        named = self._named()
        return {
            event: frozenset(place for name in _reached(event, named) for place in changed_by.get(name, ()))
            for event in self.tree.events
        }

    def _named(self) -> dict[str, set[str]]:
        """Parameters that an event or a parameter names, in any form that a candidate gives it."""
        found: dict[str, set[str]] = {}
        for name, quantity in self._forms():
            found.setdefault(name, set()).update(quantity.references())
        return found

    def _forms(self) -> Iterator[tuple[str, Quantity]]:
        known: Mapping[str, Quantity | None] = {**self.tree.parameters, **self.tree.events}
        yield from ((name, quantity) for name, quantity in known.items() if quantity is not None)
        changes = (pair for candidate in self.candidates for pair in candidate.changes.items())
        yield from ((name, change) for name, change in changes if isinstance(change, Quantity))


def _reached(start: str, named: Mapping[str, set[str]]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        new = named.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen
