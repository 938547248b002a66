"""From names as a file writes them to names of the tree, and quantities once parameters are known."""

from __future__ import annotations

from collections.abc import Callable

from surefoot.faulttree.formats.mef.collecting import noting
from surefoot.faulttree.formats.mef.draft import Draft, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused
from surefoot.faulttree.formats.mef.expressions import Reader
from surefoot.faulttree.formats.mef.formulas import renamed
from surefoot.faulttree.quantities import Fixed

WORDS = {"gate": "gate", "basic-event": "basic event", "house-event": "house event"}


def resolve(draft: Draft) -> None:
    """Replace references by the names that they mean, and read expressions."""
    for scope in draft.scopes:
        _find_mentions(scope, draft)
    for name, formula in draft.gates.items():
        renames = draft.events.homes[name].renames
        if renames:
            draft.gates[name] = renamed(formula, renames)
    for name, (element, scope) in draft.expressions.items():
        with noting(scope.findings):
            draft.basic[name] = expression_reader(draft, scope).expression(element)
    for name, (element, scope) in draft.shared_expressions.items():
        draft.parameters[name] = Fixed(0.0)
        with noting(scope.findings):
            draft.parameters[name] = expression_reader(draft, scope).expression(element)


def expression_reader(draft: Draft, scope: Scope, test: Callable[[Element], bool] | None = None) -> Reader:
    """A reader of expressions that stand in a container."""

    def parameter(name: str, line: int, unit: str | None) -> str:
        found = draft.shared.find(name, scope)
        if found is None:
            raise Refused("tree-undefined", f"the parameter {name!r} is not defined.", line)
        defined = draft.shared.attributes.get(found, {}).get("unit")
        if unit is not None and unit != defined:
            text = f"the parameter {name!r} is taken in {unit[:40]!r} and has {defined or 'no unit'!r}."
            raise Refused("tree-probability", text, line, "Units are compared, not converted.")
        return found

    return Reader(parameter, test)


def _find_mentions(scope: Scope, draft: Draft) -> None:
    names = draft.events
    for kind, mentioned in scope.mentions.items():
        for reference in mentioned:
            found = names.find(reference, scope)
            if found is None:
                continue
            if kind in WORDS and names.kinds[found] != kind:
                is_a = f"a {WORDS[names.kinds[found]]}, defined at {names.places[found]}"
                text = f"{reference!r} is referred to as a {WORDS[kind]}, and is {is_a}."
                scope.findings.add("tree-undefined", text)
            if found != reference:
                scope.renames[reference] = found
