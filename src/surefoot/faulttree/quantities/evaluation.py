"""The uncertain inputs of a whole tree, and the probabilities of its events for values of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import numpy as np

from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.documents import did_you_mean
from surefoot.faulttree.quantities.base import Quantity, Value, leaf_names
from surefoot.faulttree.quantities.leaves import Measured
from surefoot.faulttree.quantities.order import parameter_order


class Numbers(Protocol):
    """The part of a tree that this package reads."""

    @property
    def events(self) -> Mapping[str, Quantity | None]:
        """Basic events and what is known of their probabilities."""

    @property
    def parameters(self) -> Mapping[str, Quantity]:
        """Quantities that several places share."""


def inputs(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, Estimate]:
    """The uncertain inputs of the events (of those named, if any are) and of the parameters that they need, each once.

    An estimate that several events were given is one input, under the name of the first of them in the tree;
    ``aliases`` tells the others.
    """
    stand_ins = aliases(tree)
    drawn = (pair for owner, quantity in owned(tree, events).items() for pair in _uncertain(owner, quantity))
    return {stand_ins.get(name, name): node.belief(name) for name, node in drawn}


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


def probabilities(
    tree: Numbers,
    drawn: Mapping[str, Value] | None = None,
    *,
    events: Iterable[str] | None = None,
    cut: Counter[str] | None = None,
) -> dict[str, Value]:
    """The probability of each event (of those named, if any are) for the values ``drawn`` of inputs.

    An input that is not drawn has its value, the mean. A draw beyond 0 or 1 is cut to it, and counted in ``cut``.
    """
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
