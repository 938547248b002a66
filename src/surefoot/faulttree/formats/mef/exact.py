"""What a file says in words of our own, checked against the nearest words of Open-PSA beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from surefoot.core.canonical import reading
from surefoot.core.errors import SurefootError
from surefoot.documents import Refused
from surefoot.faulttree.formats.building import Parts
from surefoot.faulttree.formats.formulas import read_formula
from surefoot.faulttree.formats.mef.draft import Draft, Names
from surefoot.faulttree.formats.mef.nearest import nearest_expansion, plain_group, plain_quantity
from surefoot.faulttree.formats.mef.nearest_formulas import plain_formula
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups import CommonCause, FactorModel
from surefoot.faulttree.quantities import Quantity

UNREADABLE = "the attribute 'surefoot' of {!r} does not hold what was written into it."
CONTRADICTS = "the attribute 'surefoot' of {!r} and the element itself say different things."
HINT = "Remove the attribute to keep what the element says."
T = TypeVar("T")


def apply_exact(draft: Draft) -> None:
    """Put the exact quantities, formulas and groups in place of the nearest ones."""
    nearest = dict(draft.parameters)
    shared = draft.parameters
    for name in _with("quantity", draft.shared):
        shared[name] = _read(draft.shared, name, "quantity", _quantity) or shared[name]
    for name in _with("quantity", draft.shared):
        _compare(draft.shared, name, plain_quantity(shared[name], shared), nearest[name])
    for name in _with("quantity", draft.events):
        exact = _read(draft.events, name, "quantity", _quantity)
        if exact is not None:
            _compare(draft.events, name, plain_quantity(exact, shared), draft.basic.get(name))
            draft.basic[name] = exact
    for name in _with("formula", draft.events):
        formula = _read(draft.events, name, "formula", _formula)
        if formula is not None:
            _compare(draft.events, name, plain_formula(formula), draft.gates.get(name))
            draft.gates[name] = formula
    drop_derived(draft)
    draft.groups = [_stated_group(draft, group) for group in draft.groups]


def drop_derived(draft: Draft) -> None:
    """Take groups that Open-PSA does not know in place of the gates and events that were written for them."""
    for said in draft.stated.get("groups", ()):
        with reading("group"):
            group = CommonCause.from_dict(said)
        nearest = nearest_expansion(group, draft.parameters)
        for name, formula in nearest.gates.items():
            _compare(draft.events, name, draft.gates.pop(name, None), formula)
        for name, quantity in nearest.events.items():
            _compare(draft.events, name, draft.basic.pop(name, None), quantity)
        for name, quantity in nearest.parameters.items():
            _compare(draft.shared, name, draft.parameters.pop(name, None), quantity)
        draft.groups.append(group)
    order = {name: place for place, name in enumerate(draft.stated.get("order", ()))}
    draft.groups.sort(key=lambda group: order.get(group.name, len(order)))
    draft.basic.update(dict.fromkeys(draft.stated.get("bare", ())))


def take_other_words(parts: Parts, stated: dict[str, Any]) -> None:
    """Labels and attributes of what has no element of its own."""
    with reading("label"):
        parts.labels.update(stated.get("labels", {}))
        for name, said in stated.get("others", {}).items():
            parts.attributes.setdefault(name, {}).update(said)


def _stated_group(draft: Draft, group: CommonCause) -> CommonCause:
    if "group" not in draft.grouped.exact.get(group.name, {}):
        return group
    exact = _read(draft.grouped, group.name, "group", _group)
    if not isinstance(exact, FactorModel):
        return group
    _compare(draft.grouped, group.name, plain_group(exact, draft.parameters), group)
    return exact


def _with(key: str, names: Names) -> list[str]:
    return [name for name, exact in names.exact.items() if key in exact]


def _read(names: Names, name: str, key: str, read: Callable[[Any], T]) -> T | None:
    try:
        with reading("attribute"):
            return read(names.exact[name][key])
    except (Refused, SurefootError):
        names.homes[name].findings.add("tree-syntax", UNREADABLE.format(name), hint=HINT)
    return None


def _compare(names: Names, name: str, stated: object, found: object) -> None:
    if stated != found:
        home = names.homes.get(name) or next(iter(names.homes.values()))
        home.findings.add("tree-syntax", CONTRADICTS.format(name), hint=HINT)


def _quantity(said: Any) -> Quantity:
    return Quantity.from_dict(said)


def _formula(said: Any) -> Formula:
    return read_formula(dict(said))


def _group(said: Any) -> CommonCause:
    return CommonCause.from_dict(said)
