"""Truth tables of circuits, problems and diagrams, from their definitions."""

import numpy as np

from surefoot.faulttree.logic import FIRST, TRUE, circuit_of, lower


def states(names):
    """Of each name, whether it happens in each state; bit ``i`` of a state's number is name ``i``."""
    names = list(names)
    return {name: (np.arange(2 ** len(names)) >> place) & 1 == 1 for place, name in enumerate(names)}


def lowered(tree):
    """The circuit before it is simplified."""
    return lower(tree.top, tree.gates, tree.events, tree.houses)


def simplified(tree):
    """The circuit that is compiled."""
    return circuit_of(tree)


def of_circuit(circuit, happens, literal=None):
    """Of the top event or another literal, given the truth of each event by name."""
    length = len(next(iter(happens.values()), [0]))
    known = {FIRST + place: happens[name] for place, name in enumerate(circuit.events)}
    known[TRUE] = np.ones(length, dtype=bool)
    for number in sorted(circuit.gates):
        known[number] = of_gate(circuit.gates[number], known)
    literal = circuit.top if literal is None else literal
    return known[literal] if literal > 0 else ~known[-literal]


def of_problem(problem, happens):
    """Given the truth of the column of each leaf."""
    known = {leaf: ~value if leaf in problem.flipped else value for leaf, value in happens.items()}
    for number, gate in problem.gates.items():
        known[number] = of_gate(gate, known)
    return known[problem.root] if problem.root > 0 else ~known[-problem.root]


def of_gate(gate, known):
    """Given the truth of variables and gates by number."""
    inputs = np.array([known[literal] if literal > 0 else ~known[-literal] for literal in gate.inputs])
    count = inputs.sum(axis=0)
    match gate.operator:
        case "and":
            return count == len(inputs)
        case "xor":
            return count % 2 == 1
    return count >= gate.least


def of_diagram(diagram, columns):
    """Of the function of a diagram, given the truth of each column."""
    length = len(next(iter(columns.values()), [0]))
    known = [np.zeros(length, dtype=bool), np.ones(length, dtype=bool)]
    nodes = zip(diagram.column[2:].tolist(), diagram.low[2:].tolist(), diagram.high[2:].tolist(), strict=True)
    for column, low, high in nodes:
        known.append(np.where(columns[column], known[high], known[low]))
    return known[diagram.root]


def of_compiled(compiled, happens):
    """Of the top event, part by part."""
    columns = {column: happens[name] for column, name in enumerate(compiled.events)}
    if not columns:
        return np.full(len(next(iter(happens.values()), [0])), compiled.negated)
    for place, part in enumerate(compiled.parts):
        columns[len(compiled.events) + place] = of_diagram(part.diagram, columns)
    top = columns[len(compiled.events) + len(compiled.parts) - 1]
    return ~top if compiled.negated else top


def sets_of(diagram):
    """The sets of columns in a zero-suppressed diagram."""
    known = [set(), {frozenset()}]
    for column, low, high in zip(diagram.column[2:], diagram.low[2:], diagram.high[2:], strict=True):
        known.append(known[low] | {found | {int(column)} for found in known[high]})
    return known[diagram.root]
