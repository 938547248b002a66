"""Gates: what a formula says of its inputs, and everything that can be wrong or odd with the gates of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain, combinations
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeGuard, get_args

from surefoot import documents
from surefoot.core import validate
from surefoot.core.bound import Bound, BoundFamily, QuantileBound, TabulatedBound
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.documents import closest, counted

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


Kind = Literal[
    "pass", "and", "or", "not", "xor", "nand", "nor", "iff", "imply", "atleast", "cardinality", "inhibit", "pand"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
ONE_INPUT = ("pass", "not")
TWO_INPUTS = ("iff", "imply")
COUNTING = ("atleast", "cardinality")


@dataclass(frozen=True, slots=True)
class Formula:
    """A gate without a name.

    Parameters
    ----------
    kind
        ``pass``, ``and``, ``or``, ``not``, ``xor`` (true for an odd number of true inputs), ``nand``, ``nor``, ``iff``,
        ``imply``, ``atleast``, ``cardinality``, ``inhibit`` (the conjunction of its inputs, the last of which is the
        condition) or ``pand`` (its inputs happen from left to right).
    inputs
        Names of gates, basic events and house events, constants, and formulas.
    minimum, maximum
        What ``atleast`` (a minimum) and ``cardinality`` (both) count to.
    order
        Of ``pand`` the probability that the inputs happen in their order, given that all happen; None stands for 1, the
        safe side unless the gate stands under a complement.

    Examples
    --------
    >>> from surefoot.faulttree import Formula
    >>> vote = Formula("atleast", ("a", "b", Formula("and", ("c", "d"))), minimum=2)
    >>> vote.names()
    ['a', 'b', 'c', 'd']

    """

    kind: Kind
    inputs: tuple[str | bool | Formula, ...]
    minimum: int | None = None
    maximum: int | None = None
    order: float | None = None

    def __post_init__(self) -> None:
        validate.choice(self.kind, KINDS, where="Formula", name="kind of gate")
        object.__setattr__(self, "inputs", tuple(self.inputs))
        for item in self.inputs:
            if not isinstance(item, str | bool | Formula):
                raise InvalidInput("an input is a name, a constant or a formula", where="Formula", found=repr(item))
        if self.order is not None:
            validate.probability(self.order, where="Formula", name="order")

    def names(self) -> list[str]:
        """Every name below, in the order of reading, as often as it stands there."""
        found = _own_names(self)
        if len(found) == len(self.inputs):
            return found
        found = []
        stack: list[str | bool | Formula] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                found.append(item)
            elif isinstance(item, Formula):
                stack.extend(reversed(item.inputs))
        return found

    def formulas(self) -> list[Formula]:
        """The formula and all inside it, however deep, in the order of reading."""
        if len(_own_names(self)) == len(self.inputs):
            return [self]
        found: list[Formula] = []
        stack = [self]
        while stack:
            found.append(stack.pop())
            stack.extend(item for item in reversed(found[-1].inputs) if isinstance(item, Formula))
        return found


def _own_names(formula: Formula) -> list[str]:
    return [item for item in formula.inputs if isinstance(item, str)]


# What can be wrong with one gate: how many inputs it has, what it counts to, what it repeats.

MOST_NAMED = 10
AT_LEAST_TWO = ("xor", "pand")
EXACTLY_TWO = (*TWO_INPUTS, "inhibit")
EACH_COUNTS = (*COUNTING, "xor")
ONE_ORDER = "Events come in one order: name the order an event of its own, and use it in both gates."
REPEATS = "An input that stands there twice counts twice."


def gate_problems(gates: Mapping[str, Formula], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Wrong numbers of inputs (errors), inputs that count twice (warnings), other repeated inputs (one note)."""
    repeating = []
    for name, formula in gates.items():
        for inner in formula.formulas():
            for text in _shape(inner):
                yield Diagnostic("tree-gate", text, "error", _place(name, places))
            repeated = _repeated(inner)
            if repeated and inner.kind in EACH_COUNTS:
                text = f"the inputs of {_article(inner.kind)} gate repeat {listed(repeated)}."
                yield Diagnostic("tree-gate", text, "warning", _place(name, places), REPEATS)
            elif repeated:
                repeating.append(name)
    if repeating:
        text = f"{counted(len(repeating), 'gate')} with an input that stands there twice: {listed(repeating)}."
        yield Diagnostic("tree-gate", text, "note", hint="The second one changes nothing.")
    yield from _orders_in_common(gates, places)


def _orders_in_common(gates: Mapping[str, Formula], places: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Priority gates that state the order of the same two inputs; their orders are taken as independent."""
    stated: dict[frozenset[str], str] = {}
    for name, formula in gates.items():
        for inner in formula.formulas():
            pairs = combinations(dict.fromkeys(_own_names(inner)), 2) if inner.order is not None else ()
            known = {frozenset(pair) for pair in pairs}
            others = sorted({stated[pair] for pair in known if pair in stated})
            if others:
                text = f"the order of its inputs is also stated at {listed(others)}, and taken as independent of that."
                yield Diagnostic("tree-gate", text, "warning", _place(name, places), ONE_ORDER)
            stated |= dict.fromkeys(known - set(stated), name)


def _place(gate: str, places: Mapping[str, str]) -> str:
    return places.get(gate) or f"gate {gate!r}"


def listed(names: list[str]) -> str:
    """Up to ten names, and how many there are besides."""
    return documents.listed([repr(name) for name in names], MOST_NAMED)


def _shape(formula: Formula) -> Iterator[str]:
    kind, have = formula.kind, len(formula.inputs)
    needs = _needed(kind)
    if not needs[0] <= have <= (needs[1] or have):
        wanted = f"exactly {needs[0]}" if needs[1] else f"at least {needs[0]}"
        yield f"{_article(kind)} gate needs {wanted} input{'' if needs[0] == 1 else 's'}, it has {have}."
    if kind in COUNTING:
        yield from _counting(formula)
    elif formula.minimum is not None or formula.maximum is not None:
        yield f"{_article(kind)} gate counts nothing, so it takes neither a minimum nor a maximum."
    if formula.order is not None and kind != "pand":
        yield f"the probability of an order belongs to a pand gate, not to {_article(kind)} gate."


def _needed(kind: str) -> tuple[int, int | None]:
    """The least and, where there is one, the largest number of inputs."""
    if kind in ONE_INPUT:
        return 1, 1
    if kind in EXACTLY_TWO:
        return 2, 2
    return (2, None) if kind in AT_LEAST_TWO else (1, None)


def _counting(formula: Formula) -> Iterator[str]:
    have = len(formula.inputs)
    low, high = formula.minimum, formula.maximum
    if formula.kind == "atleast":
        if high is not None:
            yield "an atleast gate takes a minimum only; use a cardinality gate."
        high = have
    if not (_whole(low) and _whole(high)):
        yield f"{_article(formula.kind)} gate needs whole numbers to count to, found {low!r} and {high!r}."
    elif not 0 <= low <= high <= have:
        if formula.kind == "atleast":
            yield f"at least {low} of {counted(have, 'input')} cannot be asked for."
        else:
            yield f"between {low} and {high} of {counted(have, 'input')} cannot be asked for."


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _repeated(formula: Formula) -> list[str]:
    names = _own_names(formula)
    if len(set(names)) == len(names):
        return []
    return [name for name, times in Counter(names).items() if times > 1]


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' or kind == 'xor' else 'a'} {kind}"


# Everything that is wrong or odd with a fault tree, found before anything is computed.
#
# Errors make a tree unusable; warnings and notes say what a reader may not expect.

MOST_CYCLES = 10
MOST_HINTS = 10
LONGEST_CYCLE_NAMED = 30
Inputs = dict[str, list[str]]


def problems_of(tree: FaultTree) -> Iterator[Diagnostic]:
    """All problems of a tree: structure, quantities, common-cause groups."""
    from surefoot.faulttree import quantities

    members = [member for group in tree.groups for member in group.members]
    yield from structure_problems(tree.top, tree.gates, tree.events, tree.houses, members=members)
    yield from quantities.problems_of(tree)
    if tree.groups:
        from surefoot.faulttree import common_cause

        yield from common_cause.problems_of(tree)
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
    inputs = {name: formula.names() for name, formula in gates.items()}
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


def _did_you_mean(name: object, known: Iterable[str]) -> str:
    if not isinstance(name, str):
        return "Inputs are names of gates and events, in quotes where they look like numbers."
    plain = name.casefold()
    near = {n.casefold(): n for n in known if isinstance(n, str) and abs(len(n) - len(name)) <= 2}
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


# Parts of a file that its tree leaves out: how they are told, and what a number of such a tree is worth.

HIGHEST_LEVEL = 1 - 1e-12
P = ParamSpec("P")


def parts_left_out(tree: FaultTree) -> Iterator[Diagnostic]:
    """What the file means and the tree does not."""
    for text in tree.left_out:
        yield Diagnostic("tree-left-out", text, "warning", hint="The number is that of the tree without it.")


def as_read(tree: FaultTree, top: Estimate) -> Estimate:
    """The number of a tree as read: where a part of the file is left out, it is no bound on what the file means."""
    if not tree.left_out:
        return top
    # Of a certain and another bound of one side the other one stays; both become heuristic, of which there can be one.
    families = {family.side: family for family in sorted(top.bounds, key=lambda family: family.kind != "certain")}
    return replace(
        top,
        bounds=tuple(map(_without_guarantee, families.values())),
        dist=None,
        caveats=(*parts_left_out(tree), *top.caveats),
        provenance=replace(top.provenance, params={**top.provenance.params, "left out": list(tree.left_out)}),
    )


def told_as_read(
    function: Callable[Concatenate[FaultTree, P], Estimate],
) -> Callable[Concatenate[FaultTree, P], Estimate]:
    """Have a function of a tree tell what is left out of it."""

    @wraps(function)
    def told(tree: FaultTree, /, *args: P.args, **options: P.kwargs) -> Estimate:
        return as_read(tree, function(tree, *args, **options))

    return told


def _without_guarantee(family: BoundFamily) -> BoundFamily:
    if isinstance(family, QuantileBound | TabulatedBound):
        return replace(family, kind="heuristic")
    limit = family.limit if isinstance(family, Bound) else family.limit_at(HIGHEST_LEVEL)
    return TabulatedBound((HIGHEST_LEVEL,), (limit,), family.side, "heuristic")
