"""The logic of a tree with as few gates as rules can make it, its modules, and the orders of variables tried.

Every gate is a conjunction, a parity or a count over literals; a disjunction is a conjunction under two
complements. So each rule is written once and holds for its dual as well.

A module is a gate whose events occur nowhere else, so that it can be solved by itself (Dutuit and Rauzy 1996). Orders
decide the size of a diagram. Walks from the top visit the inputs of a gate by some preference, such as shared gates
first. FORCE (Aloul, Markov and Sakallah 2003) pulls what stands in one gate together; the sum of spans, how far the
inputs of each gate are apart, tells its good orders from its bad ones before a diagram is built.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.faulttree.formula import Formula

Operator = Literal["and", "xor", "atleast"]

TRUE = 1
"""Literal of the constant; its complement is -1. Variables and gates have larger numbers."""
FIRST = 2


@dataclass(frozen=True, slots=True)
class Gate:
    """An operator over literals, in ascending order; ``least`` counts for ``atleast``."""

    operator: Operator
    inputs: tuple[int, ...]
    least: int = 0


@dataclass
class Circuit:
    """Variables ``FIRST .. FIRST + len(events) - 1``, gates above them, and the literal of the top event.

    Gates are numbered in the order they were made, so that inputs have smaller numbers. Equal gates are one gate.
    """

    events: list[str]
    gates: dict[int, Gate] = field(default_factory=dict)
    top: int = TRUE
    _numbers: dict[Gate, int] = field(default_factory=dict)

    @property
    def first_gate(self) -> int:
        """The number above those of all variables."""
        return FIRST + len(self.events)

    @property
    def size(self) -> int:
        """Inputs of all gates below the top event."""
        return sum(len(self.gates[number].inputs) for number in self.reachable())

    def conjunction(self, inputs: Iterable[int]) -> int:
        """Literal of the conjunction."""
        found = set(inputs)
        found.discard(TRUE)
        if -TRUE in found or any(-literal in found for literal in found):
            return -TRUE
        if not found:
            return TRUE
        if len(found) == 1:
            return found.pop()
        return self._gate("and", found)

    def disjunction(self, inputs: Iterable[int]) -> int:
        """Literal of the disjunction."""
        return -self.conjunction([-literal for literal in inputs])

    def parity(self, inputs: Iterable[int]) -> int:
        """Literal that is true for an odd number of true inputs."""
        sign, odd = 1, set[int]()
        for literal in inputs:
            if literal < 0:
                sign, literal = -sign, -literal
            if literal == TRUE:
                sign = -sign
            else:
                odd ^= {literal}
        if not odd:
            return -TRUE * sign
        if len(odd) == 1:
            return odd.pop() * sign
        return self._gate("xor", odd) * sign

    def at_least(self, least: int, inputs: Iterable[int]) -> int:
        """Literal that is true when ``least`` of the inputs are; an input that stands twice counts twice."""
        left, repeated = set[int](), []
        for literal in inputs:
            if literal == TRUE:
                least -= 1
            elif literal == -TRUE:
                continue
            elif -literal in left:
                left.discard(-literal)
                least -= 1
            elif literal in left:
                repeated.append(literal)
            else:
                left.add(literal)
        if repeated:
            return self._weighted(least, left, Counter(repeated))
        if least <= 0:
            return TRUE
        if least > len(left):
            return -TRUE
        if least == 1:
            return self.disjunction(left)
        if least == len(left):
            return self.conjunction(left)
        return self._gate("atleast", left, least)

    def _weighted(self, least: int, single: set[int], more: Counter[int]) -> int:
        """``single`` count once, ``more`` as often as it says, besides the once that they may stand in ``single``."""
        once = {literal for literal in single if literal not in more}
        for literal in single - once:
            more[literal] += 1
        reached = [self.at_least(count, once) for count in range(max(least, 0) + 1)]
        for literal, times in sorted(more.items()):
            for count in range(len(reached) - 1, 0, -1):
                with_it = self.conjunction([literal, reached[max(count - times, 0)]])
                reached[count] = self.disjunction([with_it, reached[count]])
        return reached[-1]

    def _gate(self, operator: Operator, inputs: Iterable[int], least: int = 0) -> int:
        gate = Gate(operator, tuple(sorted(inputs)), least)
        number = self._numbers.get(gate)
        if number is None:
            number = self.first_gate + len(self._numbers)
            self._numbers[gate] = number
            self.gates[number] = gate
        return number

    def again(self, gate: Gate, inputs: Iterable[int]) -> int:
        """A gate of the same kind over other inputs."""
        if gate.operator == "and":
            return self.conjunction(inputs)
        if gate.operator == "xor":
            return self.parity(inputs)
        return self.at_least(gate.least, inputs)

    def reachable(self) -> Iterator[int]:
        """Gates below the top event, inputs before the gates that use them."""
        seen, stack = set[int](), [abs(self.top)]
        while stack:
            number = stack.pop()
            if number in self.gates and number not in seen:
                seen.add(number)
                stack.extend(abs(literal) for literal in self.gates[number].inputs)
        return iter(sorted(seen))


# From the formulas of a tree to a circuit.

Node = str | Formula


def lower(top: str, gates: Mapping[str, Formula], events: Mapping[str, object], houses: Mapping[str, bool]) -> Circuit:
    """The circuit of everything below ``top``; constants are gone and equal gates merged.

    Variables are numbered in the order in which a reader meets them from the top, from left to right.
    """
    order = _inputs_first(top, gates)
    names = [node for node in order if isinstance(node, str) and node in events]
    circuit = Circuit(names)
    literals: dict[object, int] = {name: FIRST + index for index, name in enumerate(names)}
    literals |= {name: TRUE if state else -TRUE for name, state in houses.items()}
    for node in order:
        if isinstance(node, Formula):
            literals[id(node)] = _literal(circuit, node, literals)
        elif node in gates:
            literals[node] = literals[id(gates[node])]
    circuit.top = literals[top]
    return circuit


def _inputs_first(top: str, gates: Mapping[str, Formula]) -> list[Node]:
    """Names and formulas below ``top``, each after its inputs; the tree has no cycles."""
    order: list[Node] = []
    seen: set[object] = set()
    stack: list[tuple[Node, bool]] = [(top, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        key = node if isinstance(node, str) else id(node)
        if key in seen:
            continue
        seen.add(key)
        stack.append((node, True))
        if isinstance(node, Formula):
            stack.extend((item, False) for item in reversed(node.inputs) if not isinstance(item, bool))
        elif node in gates:
            stack.append((gates[node], False))
    return order


def _literal(circuit: Circuit, formula: Formula, literals: Mapping[object, int]) -> int:
    inputs = [_input(item, literals) for item in formula.inputs]
    if formula.kind == "atleast":
        return circuit.at_least(formula.minimum or 0, inputs)
    if formula.kind == "cardinality":
        most = len(inputs) if formula.maximum is None else formula.maximum
        enough, too_many = circuit.at_least(formula.minimum or 0, inputs), circuit.at_least(most + 1, inputs)
        return circuit.conjunction([enough, -too_many])
    return _BY_KIND[formula.kind](circuit, inputs)


def _input(item: str | bool | Formula, literals: Mapping[object, int]) -> int:
    if isinstance(item, bool):
        return TRUE if item else -TRUE
    return literals[item if isinstance(item, str) else id(item)]


_BY_KIND: dict[str, Callable[[Circuit, list[int]], int]] = {
    "pass": lambda _, inputs: inputs[0],
    "not": lambda _, inputs: -inputs[0],
    "and": Circuit.conjunction,
    "inhibit": Circuit.conjunction,
    "pand": Circuit.conjunction,
    "or": Circuit.disjunction,
    "nand": lambda circuit, inputs: -circuit.conjunction(inputs),
    "nor": lambda circuit, inputs: -circuit.disjunction(inputs),
    "xor": Circuit.parity,
    "iff": lambda circuit, inputs: -circuit.parity(inputs),
    "imply": lambda circuit, inputs: circuit.disjunction([-inputs[0], inputs[1]]),
}


# Rules that make a circuit smaller without changing its function: coalescing, absorption, common factors.

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


def modules(circuit: Circuit) -> list[int]:
    """Gates that are modules, inputs first; the top gate is the last of them."""
    visits = _Visits(circuit)
    first, last = visits.first, visits.last
    lowest, highest = dict(first), dict(last)
    found = []
    for gate in visits.left:
        inputs = [abs(literal) for literal in circuit.gates[gate].inputs]
        low = min(lowest[number] for number in inputs)
        high = max(highest[number] for number in inputs)
        if low > first[gate] and high < visits.leaving[gate]:
            found.append(gate)
        lowest[gate], highest[gate] = min(low, first[gate]), max(high, last[gate])
    return found


class _Visits:
    """Dates of the first and last visit of each node, and of leaving each gate, in a walk from the top."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit, self.date = circuit, 0
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        self.leaving: dict[int, int] = {}
        self.left: list[int] = []
        self._walk(abs(circuit.top))

    def _walk(self, top: int) -> None:
        stack = [(top, self._inputs(top))] if self._enter(top) else []
        while stack:
            gate, inputs = stack[-1]
            if inputs:
                number = inputs.pop()
                if self._enter(number):
                    stack.append((number, self._inputs(number)))
            else:
                self.date += 1
                self.leaving[gate] = self.last[gate] = self.date
                self.left.append(gate)
                stack.pop()

    def _inputs(self, gate: int) -> list[int]:
        return [abs(literal) for literal in reversed(self.circuit.gates[gate].inputs)]

    def _enter(self, number: int) -> bool:
        """Note a visit; true for a gate that is entered for the first time."""
        self.date += 1
        self.last[number] = self.date
        if number in self.first:
            return False
        self.first[number] = self.date
        return number in self.circuit.gates


@dataclass(frozen=True, eq=False)
class Problem:
    """The gates below ``root`` down to ``leaves``: variables, and gates that are solved on their own.

    ``flipped`` are the leaves whose column stands for their complement.
    """

    root: int
    gates: dict[int, Gate]
    """By number, inputs first."""
    leaves: tuple[int, ...]
    """In the order of a walk from the root."""
    flipped: frozenset[int]

    @classmethod
    def of(cls, circuit: Circuit, root: int, solved: Collection[int], flipped: Collection[int]) -> Problem:
        """The part of ``circuit`` below the literal ``root`` and above the gates in ``solved``."""
        gates: dict[int, Gate] = {}
        leaves: dict[int, None] = {}
        stack = [abs(root)]
        while stack:
            number = stack.pop()
            if number in gates or number in leaves:
                continue
            if number in circuit.gates and (number not in solved or number == abs(root)):
                gates[number] = circuit.gates[number]
                stack.extend(abs(literal) for literal in reversed(gates[number].inputs))
            else:
                leaves[number] = None
        complements = frozenset(leaf for leaf in leaves if leaf in flipped)
        return cls(root, dict(sorted(gates.items())), tuple(leaves), complements)

    @cached_property
    def parents(self) -> dict[int, int]:
        """How many gates use a leaf or gate."""
        found = dict.fromkeys((*self.leaves, *self.gates), 0)
        for gate in self.gates.values():
            for literal in gate.inputs:
                found[abs(literal)] += 1
        return found


# How a circuit goes with its events, as its gates show it: rising, falling, or neither.


def polarities(circuit: Circuit) -> dict[int, int]:
    """+1, -1 or 0 for each variable and gate below the top event."""
    gates = {number: circuit.gates[number] for number in circuit.reachable()}
    return _signs(circuit.top, gates)


def leaf_signs(problem: Problem) -> dict[int, int]:
    """How the function goes with the column of each leaf."""
    signs = _signs(problem.root, problem.gates)
    return {leaf: -signs[leaf] if leaf in problem.flipped else signs[leaf] for leaf in problem.leaves}


def true_without_events(circuit: Circuit) -> set[int]:
    """Gates that are true when no event happens."""
    found: set[int] = {TRUE}
    for number in circuit.reachable():
        gate = circuit.gates[number]
        count = sum((abs(literal) in found) == (literal > 0) for literal in gate.inputs)
        if _holds(gate, count):
            found.add(number)
    return found


def _holds(gate: Gate, count: int) -> bool:
    if gate.operator == "and":
        return count == len(gate.inputs)
    return count % 2 == 1 if gate.operator == "xor" else count >= gate.least


def _signs(root: int, gates: dict[int, Gate]) -> dict[int, int]:
    signs = {abs(root): 1 if root > 0 else -1}
    for number in reversed(gates):
        gate = gates[number]
        for literal in gate.inputs:
            sign = 0 if gate.operator == "xor" else signs[number] * (1 if literal > 0 else -1)
            known = signs.setdefault(abs(literal), sign)
            signs[abs(literal)] = sign if known == sign else 0
    return signs


# Orders of variables.

Order = tuple[int, ...]
Preference = Callable[[int], Any]

FORCE_ROUNDS = 60
PATIENCE = 8
"""Rounds without a better span after which FORCE stops."""
RANDOM_STARTS = 2


def walks(problem: Problem) -> Iterator[Order]:
    """Orders in which walks from the top meet the leaves, the most promising preference first."""
    return (_walk(problem, preference) for preference in _preferences(problem))


def pulled(problem: Problem) -> list[Order]:
    """Orders by FORCE from all walks and from random orders, the least span first."""
    hypergraph = _Hypergraph(problem)
    rng = np.random.default_rng(0)
    starts = [*walks(problem), *(tuple(rng.permutation(problem.leaves).tolist()) for _ in range(RANDOM_STARTS))]
    return sorted({hypergraph.force(order) for order in starts}, key=lambda order: (hypergraph.span(order), order))


def _preferences(problem: Problem) -> tuple[Preference, ...]:
    parents, weight, depth = problem.parents, dict.fromkeys(problem.leaves, 1), dict.fromkeys(problem.leaves, 0)
    for number, gate in problem.gates.items():
        inputs = [abs(literal) for literal in gate.inputs]
        weight[number] = sum(weight[item] for item in inputs)
        depth[number] = 1 + max(depth[item] for item in inputs)
    return (
        lambda n: (n not in problem.gates, -parents[n], n),
        lambda n: (-depth[n], -parents[n], n),
        lambda n: (weight[n], -parents[n], n),
        lambda n: (-parents[n], weight[n], n),
        lambda n: (-weight[n], -parents[n], n),
        lambda n: (-parents[n], n),
        lambda n: n,
        lambda n: (n in problem.gates, -parents[n], n),
    )


def _walk(problem: Problem, preference: Preference) -> Order:
    found: dict[int, None] = {}
    entered: set[int] = set()
    stack = [abs(problem.root)]
    while stack:
        number = stack.pop()
        if number not in problem.gates:
            found[number] = None
        elif number not in entered:
            entered.add(number)
            inputs = (abs(literal) for literal in problem.gates[number].inputs)
            stack.extend(sorted(inputs, key=preference, reverse=True))
    return tuple(found)


class _Hypergraph:
    """Each gate with its inputs is an edge."""

    def __init__(self, problem: Problem) -> None:
        self.leaves = problem.leaves
        numbers = [*problem.leaves, *problem.gates]
        place = {number: index for index, number in enumerate(numbers)}
        pins = [
            (edge, place[member])
            for edge, (number, gate) in enumerate(problem.gates.items())
            for member in (number, *(abs(literal) for literal in gate.inputs))
        ]
        self.place, self.gates = place, problem.gates
        self.edge, self.pin = np.array(pins, dtype=np.int64).T
        self.starts = np.flatnonzero(np.diff(self.edge, prepend=-1))
        self.members = np.bincount(self.edge)
        self.edges_of = np.bincount(self.pin)

    def span(self, order: Order) -> float:
        """Sum over the gates of the distance between the first and the last that it joins."""
        return self._span(_ranks(self._positions(order)))

    def force(self, order: Order) -> Order:
        """The best order met while everything moves to the middle of its gates."""
        position = self._positions(order)
        best, least, found = position, np.inf, 0
        for round_ in range(FORCE_ROUNDS):
            rank = _ranks(position)
            span = self._span(rank)
            if span < least:
                best, least, found = rank, span, round_
            elif round_ - found >= PATIENCE:
                break
            centre = np.bincount(self.edge, rank[self.pin]) / self.members
            position = np.bincount(self.pin, centre[self.edge]) / self.edges_of
        leaves = np.argsort(best[: len(self.leaves)], kind="stable")
        return tuple(self.leaves[index] for index in leaves.tolist())

    def _span(self, rank: FloatArray) -> float:
        pins = rank[self.pin]
        return float((np.maximum.reduceat(pins, self.starts) - np.minimum.reduceat(pins, self.starts)).sum())

    def _positions(self, order: Order) -> FloatArray:
        position = np.zeros(len(self.place))
        for index, leaf in enumerate(order):
            position[self.place[leaf]] = index
        for number, gate in self.gates.items():
            inputs = [position[self.place[abs(literal)]] for literal in gate.inputs]
            position[self.place[number]] = sum(inputs) / len(inputs)
        return position


def _ranks(position: FloatArray) -> FloatArray:
    rank = np.empty(len(position))
    order = np.argsort(position, kind="stable")
    rank[order] = np.arange(len(position))
    return rank
