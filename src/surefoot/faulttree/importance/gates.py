"""The top event with a gate made certain or impossible."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.importance.measures import Switched
from surefoot.faulttree.importance.scenarios import Scenarios
from surefoot.faulttree.logic import Budget, Compiled
from surefoot.faulttree.logic.compilation import compile_circuit
from surefoot.faulttree.logic.lowering import lower
from surefoot.faulttree.logic.simplify import simplified
from surefoot.faulttree.model import FaultTree

MOST_GATES = 50
"""Each gate asks for diagrams of its own; beyond this number they must be named."""


def asked_gates(tree: FaultTree, gates: bool | Collection[str]) -> tuple[tuple[str, ...], list[str]]:
    """The gates to look at, and what to say where some were left out."""
    plain = tree.expanded
    if not isinstance(gates, bool):
        unknown = [name for name in gates if name not in plain.gates]
        if unknown:
            raise InvalidInput("no such gate", where="importance", found=", ".join(map(repr, unknown)))
        return tuple(gates), []
    below = [name for name in _reached(plain, plain.top) if name in plain.gates and name != plain.top] if gates else []
    if len(below) <= MOST_GATES:
        return tuple(below), []
    return (), [f"Gates are left out, because there are {len(below):,}. Name those to look at."]


def of_gates(tree: FaultTree, gates: tuple[str, ...], around: Scenarios, top: FloatArray) -> Switched:
    """A row for each gate; a constant stands in its place where it is made certain or impossible."""
    rows = [np.array([*_of_gate(tree.expanded, gate, around)]) for gate in gates]
    own, present, absent, together = np.stack(rows, axis=1)
    return Switched(top, own, present, absent, together)


def _of_gate(tree: FaultTree, gate: str, around: Scenarios) -> Iterator[FloatArray]:
    own = _probability(_compiled(tree, gate, tree.gates), around)
    yield own
    # An event in place of the gate: the rest of the tree is compiled once for both of its states.
    cut = _compiled(tree, tree.top, {name: f for name, f in tree.gates.items() if name != gate}, gate)
    present, absent = (_probability(cut, around, {gate: state}) for state in (1.0, 0.0))
    yield from (present, absent)
    if _is_module(tree, gate):
        yield own * present
    else:
        both = f"{gate} and {tree.top}"
        yield _probability(_compiled(tree, both, {**tree.gates, both: Formula("and", (gate, tree.top))}), around)


def _compiled(tree: FaultTree, top: str, gates: Mapping[str, Formula], *more_events: str) -> Compiled:
    events = {**tree.events, **dict.fromkeys(more_events)}
    return compile_circuit(simplified(lower(top, gates, events, tree.houses)), limit=Budget().limit())


def _probability(compiled: Compiled, around: Scenarios, states: Mapping[str, float] | None = None) -> FloatArray:
    return np.broadcast_to(compiled.probability(around.matrix(compiled.events, states)), (around.size,))


def _is_module(tree: FaultTree, gate: str) -> bool:
    """Whether what stands below the gate stands nowhere else."""
    elsewhere = set(_reached(tree, tree.top, without=gate))
    return all(name == gate or name not in elsewhere for name in _reached(tree, gate) if name not in tree.houses)


def _reached(tree: FaultTree, start: str, without: str | None = None) -> Iterator[str]:
    """Names below ``start``, which is the first, each once."""
    seen, stack = {start, without}, [start]
    while stack:
        name = stack.pop()
        yield name
        if name in tree.gates:
            fresh = [inner for inner in dict.fromkeys(tree.gates[name].names()) if inner not in seen]
            seen.update(fresh)
            stack.extend(reversed(fresh))
