"""The uncertain inputs of a whole tree, and the probabilities of its events for values of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Protocol

import numpy as np

from surefoot.core import validate
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.documents import did_you_mean
from surefoot.faulttree.quantities.arithmetic import Operation
from surefoot.faulttree.quantities.quantity import (
    DEFAULT_MISSION_TIME,
    MISSION_TIME,
    Given,
    Measured,
    Quantity,
    Range,
    Value,
    leaf_names,
)


class Numbers(Protocol):
    """The part of a tree that this package reads."""

    @property
    def events(self) -> Mapping[str, Quantity | None]:
        """Basic events and what is known of their probabilities."""

    @property
    def parameters(self) -> Mapping[str, Quantity]:
        """Quantities that several places share."""


@validate.arguments
def inputs(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, Estimate]:
    """The uncertain inputs of the events (of those named, if any are) and of the parameters that they need, each once.

    An estimate that several events were given is one input, under the name of the first of them in the tree;
    ``aliases`` tells the others.

    Parameters
    ----------
    tree
        A fault tree, or anything with ``events`` and ``parameters``.
    events
        Names of events; all where None.

    Returns
    -------
    dict
        What is believed of each input, by name.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Counts, Fixed, Formula
    >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Counts(1, 100), "b": Fixed(0.01)})
    >>> list(sf.faulttree.inputs(tree))
    ['a']

    """
    require_numbers(tree, where="inputs")
    stand_ins = aliases(tree)
    drawn = (pair for owner, quantity in owned(tree, events).items() for pair in _uncertain(owner, quantity))
    return {stand_ins.get(name, name): node.belief(name) for name, node in drawn}


def require_numbers(tree: Numbers, *, where: str) -> None:
    """Refuse what has no events and no parameters."""
    if not all(isinstance(getattr(tree, name, None), Mapping) for name in ("events", "parameters")):
        raise InvalidInput("needs a tree with events and parameters", where=where, found=validate.shown(tree))


def aliases(tree: Numbers) -> dict[str, str]:
    """Names of uncertain inputs that are one with another input, and the name that stands for both."""
    first: dict[str, str] = {}
    found = {}
    for owner, quantity in owned(tree).items():
        for name, node in _uncertain(owner, quantity):
            if isinstance(node, Measured):
                stand_in = first.setdefault(_identity(node.estimate), name)
                if stand_in != name:
                    found[name] = stand_in
    return found


@validate.arguments
def probabilities(
    tree: Numbers,
    drawn: Mapping[str, Value] | None = None,
    *,
    events: Iterable[str] | None = None,
    cut: Counter[str] | None = None,
) -> dict[str, Value]:
    """The probability of each event (of those named, if any are) for the values ``drawn`` of inputs.

    An input that is not drawn has its value, the mean. A draw beyond 0 or 1 is cut to it.

    Parameters
    ----------
    tree
        A fault tree, or anything with ``events`` and ``parameters``.
    drawn
        Values of uncertain inputs by name, numbers or arrays.
    events
        Names of events; all where None.
    cut
        Counts the draws of each event that were cut.

    Returns
    -------
    dict
        A number or an array for each event.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Counts, Fixed, Formula
    >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Counts(1, 100), "b": Fixed(0.01)})
    >>> sf.faulttree.probabilities(tree, {"a": 0.5})
    {'a': 0.5, 'b': 0.01}

    """
    require_numbers(tree, where="probabilities")
    chosen = _with_quantity(tree, events)
    values = _by_leaf(tree, drawn or {})
    known = _parameter_values(tree, chosen, values)
    return {name: _probability(quantity, name, values, known, cut) for name, quantity in chosen.items()}


def owned(tree: Numbers, events: Iterable[str] | None = None) -> dict[str, Quantity]:
    """Quantities by the name that owns their uncertain parts: parameters as far as needed, then events."""
    names = tree.events if events is None else events
    chosen = {name: quantity for name in names if (quantity := tree.events[name]) is not None}
    needed = _needed_parameters(tree, chosen)
    return {parameter_owner(tree, name): tree.parameters[name] for name in needed} | chosen


def typed_in(tree: Numbers, *, events: Iterable[str] | None = None) -> tuple[str, ...]:
    """Events and parameters that hold numbers of the tree itself, and not results alone.

    Parameters
    ----------
    tree
        A fault tree, or anything with ``events`` and ``parameters``.
    events
        Names of events; all where None.

    Returns
    -------
    tuple of str
        Parameters as far as events need them, then events.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Fixed, Formula, Measured
    >>> from surefoot.faulttree.quantities import typed_in
    >>> found = Measured(sf.bounds.clopper_pearson(1, 100, level=0.95))
    >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": found, "b": Fixed(0.01)})
    >>> typed_in(tree)
    ('b',)

    """
    return tuple(name for name, quantity in owned(tree, events).items() if any(map(_is_typed, quantity.nodes())))


def _is_typed(node: Quantity) -> bool:
    return not node.arguments and not node.named() and not isinstance(node, Measured)


def parameter_owner(tree: Numbers, name: str) -> str:
    """The name of a parameter among the inputs: its own, unless an event has it."""
    return f"parameter {name}" if name in tree.events else name


def _needed_parameters(tree: Numbers, chosen: Mapping[str, Quantity]) -> tuple[str, ...]:
    if not tree.parameters:
        return ()
    composed = (quantity for quantity in chosen.values() if quantity.constant is None)
    return parameter_order(tree.parameters, dict.fromkeys(n for q in composed for n in q.references()))


def _with_quantity(tree: Numbers, events: Iterable[str] | None) -> dict[str, Quantity]:
    chosen = {name: tree.events[name] for name in (tree.events if events is None else events)}
    hint = "Give it one, or ask for cut sets only."
    DiagnosticsError.raise_if_any(
        Diagnostic("tree-probability", "No probability is given.", "error", f"event {name!r}", hint)
        for name, quantity in chosen.items()
        if quantity is None
    )
    return {name: quantity for name, quantity in chosen.items() if quantity is not None}


def _by_leaf(tree: Numbers, drawn: Mapping[str, Value]) -> dict[str, Value]:
    """The values under every name that an input has."""
    if not drawn:
        return {}
    _refuse_unknown(tree, drawn)
    shared = {name: drawn[stand_in] for name, stand_in in aliases(tree).items() if stand_in in drawn}
    return shared | dict(drawn)


def _refuse_unknown(tree: Numbers, drawn: Mapping[str, Value]) -> None:
    names = {name for owner, quantity in owned(tree).items() for name, _ in _uncertain(owner, quantity)}
    unknown = [name for name in drawn if name not in names]
    if unknown:
        raise InvalidInput(
            "the tree has no uncertain input of this name",
            where="drawn",
            found=", ".join(unknown[:5]),
            remedy=did_you_mean(unknown[0], sorted(names), "inputs(tree) lists them."),
        )


def _uncertain(owner: str, quantity: Quantity) -> Iterator[tuple[str, Quantity]]:
    """The uncertain nodes of a quantity with their names."""
    if quantity.constant is not None:
        return iter(())
    return zip(leaf_names(owner), (node for node in quantity.nodes() if node.uncertain), strict=False)


def _parameter_values(tree: Numbers, chosen: Mapping[str, Quantity], values: Mapping[str, Value]) -> dict[str, Value]:
    known: dict[str, Value] = {}
    for name in _needed_parameters(tree, chosen):
        known[name] = tree.parameters[name].evaluate(values, parameter_owner(tree, name), known)
    return known


def _probability(
    quantity: Quantity,
    name: str,
    values: Mapping[str, Value],
    known: Mapping[str, Value],
    cut: Counter[str] | None,
) -> Value:
    constant = quantity.constant
    value = quantity.evaluate(values, name, known) if constant is None else constant
    if isinstance(value, np.ndarray) and value.ndim:
        if np.isnan(value).any():
            raise _undefined(name, quantity)
        kept = np.clip(value, 0.0, 1.0)
        if cut is not None and (beyond := int(np.count_nonzero(kept != value))):
            cut[name] += beyond
        return kept
    number = float(value)
    if number != number:
        raise _undefined(name, quantity)
    return min(max(number, 0.0), 1.0)


def _undefined(name: str, quantity: Quantity) -> DiagnosticsError:
    text = f"{quantity} is undefined for some values of its inputs."
    return DiagnosticsError.of("tree-probability", text, where=f"event {name!r}")


def _identity(estimate: Estimate) -> str:
    """What two uses of one estimate share; without a distribution, nothing short of the whole estimate."""
    return estimate.belief_key if estimate.dist is not None else f"{estimate.key} {estimate.digest}"


# The order in which the parameters of a tree can be evaluated.


@dataclass
class Walk:
    """A walk through what parameters refer to, each after those that it needs."""

    parameters: Mapping[str, Quantity]
    order: list[str] = field(default_factory=list)
    cycles: list[tuple[str, ...]] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def visit(self, root: str) -> None:
        """Add a parameter after everything that it needs."""
        if root in self.done:
            return
        path, waiting = [root], [iter(self._needs(root))]
        above = {root}
        while path:
            below = next(waiting[-1], None)
            if below is None:
                waiting.pop()
                self._finish(path.pop(), above)
            elif below in above:
                self.cycles.append(tuple(path[path.index(below) :]))
            elif below not in self.done:
                path.append(below)
                waiting.append(iter(self._needs(below)))
                above.add(below)

    def _finish(self, name: str, above: set[str]) -> None:
        above.remove(name)
        self.done.add(name)
        self.order.append(name)

    def _needs(self, name: str) -> tuple[str, ...]:
        return tuple(other for other in self.parameters[name].references() if other in self.parameters)


def walked(parameters: Mapping[str, Quantity], roots: Iterable[str]) -> Walk:
    """The walk from some parameters; names that are not defined are passed over."""
    walk = Walk(parameters)
    for root in roots:
        if root in parameters:
            walk.visit(root)
    return walk


def parameter_order(parameters: Mapping[str, Quantity], roots: Iterable[str] | None = None) -> tuple[str, ...]:
    """Parameters that ``roots`` need (all, if none are given), each after those that it refers to."""
    walk = walked(parameters, parameters if roots is None else roots)
    if walk.cycles:
        cycle = " -> ".join([*walk.cycles[0], walk.cycles[0][0]])
        raise DiagnosticsError.of("tree-cycle", f"Parameters refer to each other in a circle: {cycle}.")
    return tuple(walk.order)


# What is wrong with the numbers of a tree.

OUTSIDE = "The probability must lie in [0, 1], and is {:g}."


def problems_of(tree: Numbers) -> Iterator[Diagnostic]:
    """All problems of the parameters and of the events' quantities.

    Undefined parameters, circles, arguments that cannot be, and probabilities outside [0, 1] where every input has
    its mean. What rests on something undefined is not judged.
    """
    events = {name: quantity for name, quantity in tree.events.items() if quantity is not None}
    composed = {name: quantity for name, quantity in events.items() if quantity.constant is None}
    walk = walked(tree.parameters, tree.parameters)
    yield from _problems_undefined(tree, composed)
    yield from (_circle(cycle) for cycle in walk.cycles)
    yield from _clashes(tree, composed)
    known: dict[str, Value] = {}
    for name in walk.order:
        found, value = _judged(tree.parameters[name], known)
        yield from (_error(text, f"parameter {name!r}") for text in found)
        if value is not None:
            known[name] = value
    for name, quantity in events.items():
        found, value = ([], quantity.constant) if name not in composed else _judged(quantity, known)
        outside = [] if value is None or found or 0 <= value <= 1 else [OUTSIDE.format(value)]
        yield from (_error(text, f"event {name!r}") for text in (*found, *outside))


def _problems_undefined(tree: Numbers, composed: Mapping[str, Quantity]) -> Iterator[Diagnostic]:
    places = {f"parameter {name!r}": quantity for name, quantity in tree.parameters.items()}
    places |= {f"event {name!r}": quantity for name, quantity in composed.items()}
    missing = [(p, n) for p, q in places.items() for n in q.references() if n not in tree.parameters]
    for place, name in missing:
        if name != MISSION_TIME:
            hint = did_you_mean(name, tree.parameters, "Define it.") or "Define it."
            yield Diagnostic("tree-undefined", f"The parameter {name!r} is not defined.", "error", place, hint)
    waiting = [place for place, name in missing if name == MISSION_TIME]
    if waiting:
        text = f"No mission time is given; {DEFAULT_MISSION_TIME:g} hours are assumed."
        hint = f"Set the parameter {MISSION_TIME!r}."
        yield Diagnostic("tree-probability", text, "note", waiting[0], hint)


def _circle(cycle: tuple[str, ...]) -> Diagnostic:
    text = f"Parameters refer to each other in a circle: {' -> '.join([*cycle, cycle[0]])}."
    return Diagnostic("tree-cycle", text, "error", f"parameter {cycle[0]!r}", "Break the circle.")


def _clashes(tree: Numbers, composed: Mapping[str, Quantity]) -> Iterator[Diagnostic]:
    """Names such as ``pump/2`` that an event has and the second uncertain part of ``pump`` would have too."""
    owners = {parameter_owner(tree, name): quantity for name, quantity in tree.parameters.items()} | dict(composed)
    taken = set(owners)
    for owner, quantity in owners.items():
        parts = sum(node.uncertain for node in quantity.nodes())
        for name in islice(leaf_names(owner), 1, parts):
            if name in taken:
                text = f"{name!r} is also the name of an uncertain part of {owner!r}."
                yield Diagnostic("tree-duplicate", text, "error", name, "Give it another name.")


def _judged(quantity: Quantity, known: Mapping[str, Value]) -> tuple[list[str], float | None]:
    """What is wrong in a quantity, and its value; no value where it rests on something undefined."""
    if any(name not in known and name != MISSION_TIME for name in quantity.references()):
        return [], None
    found: list[str] = []
    with np.errstate(all="ignore"):
        value = _inspected(quantity, known, found)
    if not found and not np.isfinite(value):
        found.append(f"{quantity} is not a number.")
    return found, None if found else value


def _inspected(node: Quantity, known: Mapping[str, Value], found: list[str]) -> float:
    if not node.arguments:
        return float(node.value_given(Given({}, known, leaf_names(""))))
    values = [_inspected(argument, known, found) for argument in node.arguments]
    found.extend(f"{node.title}: {fault}." for fault in node.faults(*values))
    return float("nan") if found else float(node.combine(*values))


def _error(text: str, where: str) -> Diagnostic:
    return Diagnostic("tree-probability", text, "error", where, "Correct the value.")


# Whether an event's probability rises or falls with each uncertain input, and in which power it enters, by rules.

SUMS = ("add", "sub", "mean", "neg")
Powers = Mapping[str, float]


@dataclass(frozen=True)
class Trend:
    """Where a value can lie, and how it moves with each input: +1 rises, -1 falls, 0 unknown."""

    range: Range
    signs: Mapping[str, int] = field(default_factory=dict)


def signs(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, dict[str, int]]:
    """For each event, the inputs that its probability depends on: +1 rises with it, -1 falls, 0 unknown."""
    names = aliases(tree)
    owners = {parameter_owner(tree, name): name for name in tree.parameters}
    known = {MISSION_TIME: Trend((DEFAULT_MISSION_TIME, DEFAULT_MISSION_TIME))}
    found = {}
    with np.errstate(all="ignore"):
        for owner, quantity in owned(tree, events).items():
            trend = _trend(quantity, leaf_names(owner), names, known)
            if owner in owners:
                known[owners[owner]] = trend
            else:
                found[owner] = dict(trend.signs)
    return found


def _trend(node: Quantity, leaves: Iterator[str], aliases_: Mapping[str, str], known: Mapping[str, Trend]) -> Trend:
    referred = node.named()
    if referred:
        return known[referred[0]]
    own = next(leaves) if node.uncertain else None
    below = [_trend(argument, leaves, aliases_, known) for argument in node.arguments]
    ranges = [trend.range for trend in below]
    moved: dict[str, int] = {} if own is None else {aliases_.get(own, own): int(node.rises_with_draw(*ranges))}
    for direction, trend in zip(node.directions(*ranges), below, strict=True):
        for name, sign in trend.signs.items():
            effect = direction * sign
            moved[name] = effect if moved.get(name, effect) == effect else 0
    return Trend(node.reach(*ranges), moved)


def powers(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, Powers]:
    """For each event, the highest power in which an input enters it; infinite where it enters otherwise."""
    names = aliases(tree)
    owners = {parameter_owner(tree, name): name for name in tree.parameters}
    known, found = dict[str, Powers](), dict[str, Powers]()
    for owner, quantity in owned(tree, events).items():
        powers_ = _powers(quantity, leaf_names(owner), names, known)
        if owner in owners:
            known[owners[owner]] = powers_
        else:
            found[owner] = powers_
    return found


def _powers(node: Quantity, leaves: Iterator[str], aliases_: Mapping[str, str], known: Mapping[str, Powers]) -> Powers:
    referred = node.named()
    if referred:
        return known.get(referred[0], {})
    own = next(leaves) if node.uncertain else None
    below = [_powers(argument, leaves, aliases_, known) for argument in node.arguments]
    if own is not None and not below:
        return {aliases_.get(own, own): 1}
    names = dict.fromkeys(name for part in below for name in part)
    operation = node.name if isinstance(node, Operation) else ""
    if operation == "mul" or (operation == "div" and not any(below[1:])):
        return {name: sum(part.get(name, 0) for part in below) for name in names}
    if operation in SUMS:
        return {name: max(part.get(name, 0) for part in below) for name in names}
    return dict.fromkeys([*names, *([] if own is None else [aliases_.get(own, own)])], inf)
