"""Rules that make a circuit smaller without changing its function: coalescing, absorption, common factors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from surefoot.faulttree.logic.circuit import TRUE, Circuit, Gate

Rule = Callable[[Circuit, "list[int]", "set[int]"], "list[int]"]
"""From a new circuit, the inputs of a conjunction and those of them that nothing else uses, to its new inputs."""

ROUNDS = 3


def simplified(circuit: Circuit) -> Circuit:
    """An equivalent circuit with fewer gates and fewer inputs."""
    for _ in range(ROUNDS):
        before = circuit.size
        circuit = _coalesced(circuit)
        for rule in (_absorbed, _factored):
            circuit = _rewritten(circuit, rule)
        if circuit.size == before:
            break
    return _coalesced(circuit)


def _coalesced(circuit: Circuit) -> Circuit:
    """A conjunction inside a conjunction, used nowhere else, is dissolved; so is a parity inside a parity."""
    order = list(circuit.reachable())
    dissolved = _used_once_in_the_same(circuit, order)
    new, numbers = Circuit(circuit.events), dict[int, int]()
    for number in order:
        if number not in dissolved:
            inputs = _flat(circuit, number, dissolved)
            numbers[number] = new.again(circuit.gates[number], [_renumbered(item, numbers) for item in inputs])
    new.top = _renumbered(circuit.top, numbers)
    return new


def _used_once_in_the_same(circuit: Circuit, order: list[int]) -> set[int]:
    """Gates with a single use, in a gate of the same operator, that can be dissolved there."""
    uses, found = _uses(circuit, order), set[int]()
    for number in order:
        gate = circuit.gates[number]
        if gate.operator != "atleast":
            inside = ((literal, circuit.gates.get(literal)) for literal in gate.inputs if uses[literal] == 1)
            found.update(literal for literal, inner in inside if inner and inner.operator == gate.operator)
    return found


def _flat(circuit: Circuit, number: int, dissolved: set[int]) -> list[int]:
    """Inputs of a gate, with those of dissolved gates in place of the gates."""
    found, stack = list[int](), list(circuit.gates[number].inputs)
    while stack:
        literal = stack.pop()
        if literal in dissolved:
            stack.extend(circuit.gates[literal].inputs)
        else:
            found.append(literal)
    return found


def _uses(circuit: Circuit, order: list[int]) -> Counter[int]:
    return Counter(abs(literal) for number in order for literal in circuit.gates[number].inputs)


def _rewritten(circuit: Circuit, rule: Rule) -> Circuit:
    """Apply a rule to each conjunction, inputs first."""
    order = list(circuit.reachable())
    uses = _uses(circuit, order)
    new = Circuit(circuit.events)
    numbers: dict[int, int] = {}
    for number in order:
        gate = circuit.gates[number]
        inputs = [_renumbered(literal, numbers) for literal in gate.inputs]
        numbers[number] = _again(new, gate, inputs, uses, rule)
    new.top = _renumbered(circuit.top, numbers)
    return new


def _again(new: Circuit, gate: Gate, inputs: list[int], uses: Counter[int], rule: Rule) -> int:
    if gate.operator != "and":
        return new.again(gate, inputs)
    alone = {now for was, now in zip(gate.inputs, inputs, strict=True) if uses[abs(was)] == 1}
    return new.conjunction(rule(new, inputs, alone))


def _renumbered(literal: int, numbers: dict[int, int]) -> int:
    number = numbers.get(abs(literal), abs(literal))
    return number if literal > 0 else -number


def _inner(circuit: Circuit, literal: int) -> tuple[int, ...]:
    """Inputs of a conjunction, nothing for other literals."""
    gate = circuit.gates.get(literal)
    return gate.inputs if gate is not None and gate.operator == "and" else ()


def _absorbed(new: Circuit, inputs: list[int], _: set[int]) -> list[int]:
    """What a conjunction demands holds inside its inputs too: a(ab)' is ab', a(a'b)' is a, a(ab) is ab."""
    known = set(inputs)
    for literal in inputs:
        inside = _inner(new, abs(literal))
        if not inside:
            continue
        rest = [part for part in inside if part not in known]
        false = any(-part in known for part in rest)
        if false and literal > 0:
            return [-TRUE]
        if false or len(rest) < len(inside):
            known.discard(literal)
            if not false:
                shorter = new.conjunction(rest)
                known.add(shorter if literal > 0 else -shorter)
    return list(known)


def _factored(new: Circuit, inputs: list[int], alone: set[int]) -> list[int]:
    """A literal that several disjuncts share is taken out: ab + ac is a(b + c), and its dual."""
    products = {literal: set(_inner(new, -literal)) for literal in inputs if literal in alone and _inner(new, -literal)}
    rest = [literal for literal in inputs if literal not in products]
    while products:
        owners = defaultdict(list)
        for literal, parts in products.items():
            for part in parts:
                owners[part].append(literal)
        shared, literals = max(owners.items(), key=lambda item: (len(item[1]), -abs(item[0]), item[0]))
        if len(literals) < 2:
            break
        without = [-new.conjunction(products.pop(literal) - {shared}) for literal in literals]
        factored = new.conjunction([shared, -new.conjunction(without)])
        if _inner(new, factored):
            products[-factored] = set(_inner(new, factored))
        else:
            rest.append(-factored)
    return [*rest, *products]
