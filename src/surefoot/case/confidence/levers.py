"""What would raise the top claim most: the effect of certainty about each leaf.

Each effect is found by running the program again with that leaf certain, all leaves at once in arrays. Of very many
leaves the promising ones are chosen first: those with the largest slope of the top claim's probability, found backwards
through the program, and those that are trusted least. The probability is linear in each leaf wherever nothing is fused
and no disbelief is put back, so that the choice by slopes is right there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from operator import mul

import numpy as np

from surefoot.case.confidence.calculi import (
    MARGIN,
    NOTHING,
    Operation,
    Program,
    SubjectiveLogic,
    Value,
    perform,
)
from surefoot.case.evaluation import Lever
from surefoot.case.model import Case

ALL_UP_TO = 200
CHOSEN = 50
DISTRUSTED = 10
LEAST_EFFECT = 1e-12
LEAST_SHARE = 1e-9
"""Effects below this share of the probability are rounding."""


@dataclass(frozen=True)
class Handle:
    """A leaf that could be made certain: its node, the operations that state it, and whether it must turn out false."""

    id: str
    places: tuple[int, ...]
    false: bool = False
    eliminated: bool = False
    """A defeater that would be gone: its operations say that it is not so, and nothing is left of its base rate."""
    fixed: bool = False
    """Nobody can make it true by looking again: its number is violated, or its check contradicts it."""


def levers(
    case: Case, program: Program, values: Sequence[Value], top: int, handles: Sequence[Handle], logic: SubjectiveLogic
) -> tuple[tuple[Lever, ...], str]:
    """Levers with an effect, the strongest first, and the id of the weakest leaf."""
    needed = program.needed_for(top)
    within = set(needed)
    reaching = [handle for handle in handles if any(place in within for place in handle.places)]
    if len(reaching) > ALL_UP_TO:
        slope = slopes(program, values, top, needed, logic)
        free = [handle for handle in reaching if not handle.fixed]
        by_slope = sorted(free, key=lambda handle: -_promise(handle, slope, values))
        by_trust = sorted(reaching, key=lambda handle: -_distrust(handle, values))
        reaching = list(dict.fromkeys([*by_slope[:CHOSEN], *by_trust[:DISTRUSTED]]))
    effects = _effects(program, values, needed, reaching, logic)
    ranked = sorted(zip(effects, reaching, strict=True), key=lambda pair: -pair[0])
    chains = Chains(case)
    now = float(values[top].probability)
    found = (
        Lever(handle.id, effect, chains.of(handle.id), (now + effect) / now if now > 0 else inf)
        for effect, handle in ranked
        if not handle.fixed and effect > LEAST_SHARE * now
    )
    return tuple(found), _weakest(ranked, values)


def _weakest(ranked: Sequence[tuple[float, Handle]], values: Sequence[Value]) -> str:
    """The leaf with the largest effect; where all effects are alike, the one that is trusted least."""
    largest = max((effect for effect, _ in ranked), default=0.0)

    def pull(pair: tuple[float, Handle]) -> tuple[float, float]:
        effect, handle = pair
        share = effect / largest if largest > 0 else 0.0
        return round(share, 9), _distrust(handle, values)

    strongest = max(ranked, key=pull, default=None)
    if strongest is None or (largest <= LEAST_EFFECT and pull(strongest)[1] <= LEAST_EFFECT):
        return ""
    return strongest[1].id


def _promise(handle: Handle, slope: Mapping[int, float], values: Sequence[Value]) -> float:
    """What certainty about it would give if the top claim's probability went on as it begins."""
    aim = 0.0 if handle.false else 1.0
    return sum(slope.get(place, 0.0) * (aim - float(values[place].probability)) for place in handle.places)


def _distrust(handle: Handle, values: Sequence[Value]) -> float:
    """How far it is from what would help, by itself."""
    chance = min(float(values[place].probability) for place in handle.places)
    return chance if handle.false else 1 - chance


def _effects(
    program: Program, values: Sequence[Value], needed: Sequence[int], handles: Sequence[Handle], logic: SubjectiveLogic
) -> list[float]:
    """One column a handle; what no handle reaches keeps its plain value."""
    changed: dict[int, list[int]] = {}
    for column, handle in enumerate(handles):
        for place in handle.places:
            changed.setdefault(place, []).append(column)
    found = Known(values)
    for place in needed:
        operation = program.operations[place]
        touched = any(each in found for each in operation.inputs)
        if touched or place in changed:
            value = perform(operation, found, logic) if touched else values[place]
            found[place] = _certain(value, changed.get(place, ()), handles)
    top = needed[-1]
    rise = found[top].probability - values[top].probability if top in found else np.zeros(len(handles))
    return [float(each) for each in rise]


class Known(dict[int, Value]):
    """Changed results; those that did not change are the plain ones."""

    def __init__(self, plain: Sequence[Value]) -> None:
        super().__init__()
        self._plain = plain

    def __missing__(self, place: int) -> Value:
        return self._plain[place]


def _certain(value: Value, columns: Sequence[int], handles: Sequence[Handle]) -> Value:
    if not columns:
        return value
    probability, not_disbelieved, base_rate = (
        np.array(np.broadcast_to(each, len(handles)), dtype=float) for each in value
    )
    for column in columns:
        probability[column] = not_disbelieved[column] = 0.0 if handles[column].false else 1.0
        if handles[column].eliminated:
            base_rate[column] = 1.0 - MARGIN
    return Value(probability, not_disbelieved, base_rate)


class Chains:
    """Ways from nodes up to the top claim, the shortest for each."""

    def __init__(self, case: Case) -> None:
        self._above: dict[str, str | None] = {case.top.id: None}
        ways = [case.top.id]
        for identity in ways:
            for below in case.needs(case.nodes[identity]):
                if below in case.nodes and below not in self._above:
                    self._above[below] = identity
                    ways.append(below)

    def of(self, identity: str) -> tuple[str, ...]:
        """From the node to the top, both included."""
        found: list[str] = []
        at: str | None = identity
        while at is not None:
            found.append(at)
            at = self._above.get(at)
        return tuple(found)


# How the top claim's probability changes with each result of a program, found backwards in one pass.

LEAST_ROOM = 1e-12


def slopes(
    program: Program, values: Sequence[Value], top: int, needed: Sequence[int], logic: SubjectiveLogic
) -> dict[int, float]:
    """For each result how the top claim's probability changes with its own."""
    slope = dict.fromkeys(needed, 0.0)
    slope[top] = 1.0
    for place in reversed(needed):
        for below, partial in _partials(program.operations[place], values, logic):
            slope[below] += slope[place] * partial
    return slope


def _partials(operation: Operation, values: Sequence[Value], logic: SubjectiveLogic) -> Iterable[tuple[int, float]]:
    code, inputs, data = operation
    match code:
        case "and":
            return zip(inputs, _products_of_others([values[each].probability for each in inputs]), strict=True)
        case "discount":
            value, trust = (values[each] for each in inputs)
            return (inputs[0], trust.probability), (inputs[1], value.probability - value.base_rate)
        case "not":
            return ((inputs[0], -1.0),)
        case "deduce":
            true, false = (given.belief + given.base_rate * given.uncertainty for given in data)
            return ((inputs[0], true - false),)
        case "fuse":
            return [(each, _chord(place, inputs, values, logic)) for place, each in enumerate(inputs)]
        case "raise":
            return [(inputs[0], 1.0), *_relief(inputs, values, logic)]
    return ()


def _relief(inputs: Sequence[int], values: Sequence[Value], logic: SubjectiveLogic) -> Iterable[tuple[int, float]]:
    """What certainty about the parts that are disbelieved most would give back."""
    value, trust, parts = values[inputs[0]], None if inputs[1] == NOTHING else values[inputs[1]], inputs[2:]
    most = max(values[part].disbelief for part in parts)
    worst = [part for part in parts if values[part].disbelief >= most - LEAST_ROOM]
    others = [values[part] for part in parts if part not in worst] or [Value(1.0, 1.0, 0.5)]
    before = logic.raised(value, trust, [values[part] for part in parts]).probability
    gain = logic.raised(value, trust, others).probability - before
    rooms = ((part, 1.0 - values[part].probability) for part in worst)
    return [(part, gain / room) for part, room in rooms if room > LEAST_ROOM]


def _chord(place: int, inputs: Sequence[int], values: Sequence[Value], logic: SubjectiveLogic) -> float:
    """The mean slope up to certainty of one leg."""
    legs = [values[each] for each in inputs]
    room = 1.0 - legs[place].probability
    if room <= LEAST_ROOM:
        return 0.0
    before = logic.fused(legs, NOTHING).probability
    legs[place] = Value(1.0, 1.0, legs[place].base_rate)
    return float((logic.fused(legs, NOTHING).probability - before) / room)


def _products_of_others(factors: Sequence[float]) -> list[float]:
    """For each factor the product of all others, without a division."""
    before = accumulate(factors[:-1], mul, initial=1.0)
    after = accumulate(reversed(factors[1:]), mul, initial=1.0)
    return [one * other for one, other in zip(before, reversed(list(after)), strict=True)]
