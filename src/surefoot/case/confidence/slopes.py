"""How the top claim's probability changes with each result of a program, found backwards in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import mul

from surefoot.case.confidence.calculus import SubjectiveLogic, Value
from surefoot.case.confidence.program import NOTHING, Operation, Program

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
