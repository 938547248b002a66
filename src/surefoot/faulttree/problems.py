"""Everything that is wrong or odd with a fault tree, found before anything is computed.

Errors make a tree unusable; warnings and notes say what a reader may not expect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import Diagnostic
from surefoot.documents import closest, counted
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.gate_problems import gate_problems, input_names, listed
from surefoot.faulttree.left_out import parts_left_out

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree

MOST_CYCLES = 10
MOST_HINTS = 10
LONGEST_CYCLE_NAMED = 30
Inputs = dict[str, list[str]]


def problems(tree: FaultTree) -> Iterator[Diagnostic]:
    """All problems of a tree: structure, quantities, common-cause groups."""
    from surefoot.faulttree import quantities

    members = [member for group in tree.groups for member in group.members]
    yield from structure_problems(tree.top, tree.gates, tree.events, tree.houses, members=members)
    yield from quantities.problems_of(tree)
    if tree.groups:
        from surefoot.faulttree import groups

        yield from groups.problems_of(tree)
    yield from parts_left_out(tree)


def structure_problems(
    top: str,
    gates: Mapping[str, Formula],
    events: Mapping[str, object],
    houses: Mapping[str, bool],
    *,
    members: Iterable[str] = (),
    places: Mapping[str, str] | None = None,
) -> Iterator[Diagnostic]:
    """Problems of names, gates and cycles, from plain mappings.

    ``members`` are the events that common-cause groups define. ``places`` says where a name is defined, for instance
    a file and line.
    """
    places = places or {}
    gates = dict(gates)
    leaves = dict.fromkeys((*events, *houses, *members))
    inputs = {name: input_names(formula) for name, formula in gates.items()}
    yield from _defined_twice(gates, events, houses, places)
    yield from _undefined(top, inputs, leaves, places)
    yield from gate_problems(gates, places)
    yield from _houses(houses, places)
    yield from _cycles(inputs, places)
    yield from _unreachable(top, inputs, leaves)


def _defined_twice(
    gates: Collection[str], events: Collection[str], houses: Collection[str], places: Mapping[str, str]
) -> Iterator[Diagnostic]:
    kinds = {"gate": gates, "basic event": events, "house event": houses}
    suspects = [*(n for n in events if n in gates or n in houses), *(n for n in houses if n in gates)]
    for name in dict.fromkeys(suspects):
        roles = " and as a ".join(kind for kind, names in kinds.items() if name in names)
        text = f"{name!r} is defined as a {roles}."
        yield Diagnostic("tree-duplicate", text, "error", places.get(name, ""), "Give each its own name.")


def _undefined(top: str, inputs: Inputs, leaves: Collection[str], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    if top not in inputs and top not in leaves:
        hint = _did_you_mean(top, inputs) or "Name a gate of the tree."
        yield Diagnostic("tree-undefined", f"the top event {top!r} is not defined.", "error", hint=hint)
    users: dict[str, list[str]] = {}
    for gate, names in inputs.items():
        for name in names:
            if name not in inputs and name not in leaves:
                users.setdefault(name, []).append(gate)
    for rank, (name, gates) in enumerate(users.items()):
        hint = _did_you_mean(name, (*inputs, *leaves)) if rank < MOST_HINTS else ""
        text = f"{name!r}, an input of {listed(list(dict.fromkeys(gates)))}, is not defined."
        yield Diagnostic("tree-undefined", text, "error", places.get(gates[0], ""), hint)


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    plain = name.casefold()
    near = {n.casefold(): n for n in known if abs(len(n) - len(name)) <= 2}
    meant = closest(plain, near, cutoff=0.7)
    return f"Did you mean {near[meant]!r}?" if meant else ""


def _houses(houses: Mapping[str, bool], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    for name, state in houses.items():
        if not isinstance(state, bool):
            text = f"the house event {name!r} is true or false, found {state!r}."
            yield Diagnostic("tree-probability", text, "error", places.get(name, ""))


def _cycles(inputs: Inputs, places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """One full cycle each, no gate in two of them."""
    if _acyclic(inputs):
        return
    waiting = {gate: {name for name in names if name in inputs} for gate, names in inputs.items()}
    users: dict[str, list[str]] = {gate: [] for gate in inputs}
    for gate, names in waiting.items():
        for name in names:
            users[name].append(gate)
    _settle([gate for gate, names in waiting.items() if not names], waiting, users)
    found = 0
    while waiting and found < MOST_CYCLES:
        cycle = _one_cycle(waiting)
        found += 1
        yield Diagnostic("tree-cycle", f"gates contain each other: {_round(cycle)}.", "error", places.get(cycle[0], ""))
        _settle(cycle, waiting, users)


def _acyclic(inputs: Inputs) -> bool:
    """Whether every gate can be taken away after all gates that name it (Kahn 1962)."""
    uses = dict(Counter(chain.from_iterable(inputs.values())))
    ready = [gate for gate in inputs if gate not in uses]
    taken = 0
    while ready:
        taken += 1
        for name in inputs[ready.pop()]:
            uses[name] -= 1
            if not uses[name] and name in inputs:
                ready.append(name)
    return taken == len(inputs)


def _settle(ready: list[str], waiting: dict[str, set[str]], users: Mapping[str, list[str]]) -> None:
    """Take away gates that wait for nothing, and then those that waited for these only."""
    for gate in ready:
        waiting.pop(gate, None)
    while ready:
        done = ready.pop()
        for user in users[done]:
            if user in waiting:
                waiting[user].discard(done)
                if not waiting[user]:
                    del waiting[user]
                    ready.append(user)


def _one_cycle(waiting: Mapping[str, set[str]]) -> list[str]:
    """Every gate left waits for another one left, so a walk must come back."""
    gate = next(iter(waiting))
    walk: dict[str, int] = {}
    while gate not in walk:
        walk[gate] = len(walk)
        gate = min(waiting[gate])
    return list(walk)[walk[gate] :]


def _round(cycle: list[str]) -> str:
    shown = cycle[:LONGEST_CYCLE_NAMED]
    skipped = [f"({len(cycle) - len(shown):,} more)"] if len(cycle) > len(shown) else []
    return " -> ".join([*map(repr, shown), *skipped, repr(cycle[0])])


def _unreachable(top: str, inputs: Inputs, leaves: Collection[str]) -> Iterator[Diagnostic]:
    reached, stack = {top}, [top]
    while stack:
        for name in inputs.get(stack.pop(), ()):
            if name not in reached:
                reached.add(name)
                if name in inputs:
                    stack.append(name)
    lost = [name for names in (inputs, leaves) for name in names if name not in reached]
    if lost and (top in inputs or top in leaves):
        text = f"{counted(len(lost), 'name')} without influence on {top!r}: {listed(lost)}."
        yield Diagnostic("tree-unreachable", text, "warning")
