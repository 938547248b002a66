"""What Open-PSA has no words for: the nearest that it can say, and our own words for the rest beside it.

``apply_exact`` takes our own words in a file and checks them against the nearest words beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isclose
from typing import Any, TypeAlias, TypeVar, cast

from surefoot.core.canonical import reading
from surefoot.core.distributions import Beta, Distribution
from surefoot.core.distributions import LogNormal as LogNormalBelief
from surefoot.core.errors import SurefootError
from surefoot.documents import Refused
from surefoot.faulttree.formats.assembly import DEEPEST
from surefoot.faulttree.formats.mef.elements import Draft, Names
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.groups import CommonCause, Expansion, FactorModel
from surefoot.faulttree.quantities import (
    MISSION_TIME,
    BetaDeviate,
    Counts,
    Distributed,
    Fixed,
    Histogram,
    LogNormalMuSigma,
    Measured,
    MissionTime,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    parameter_order,
)

UNREADABLE = "the attribute 'surefoot' of {!r} does not hold what was written into it."
CONTRADICTS = "the attribute 'surefoot' of {!r} and the element itself say different things."
HINT = "Remove the attribute to keep what the element says."
T = TypeVar("T")


def apply_exact(draft: Draft) -> None:
    """Put the exact quantities, formulas and groups in place of the nearest ones."""
    nearest = dict(draft.parameters)
    shared = draft.parameters
    for name in _with("quantity", draft.shared):
        shared[name] = _read(draft.shared, name, "quantity", Quantity.from_dict) or shared[name]
    for name in _with("quantity", draft.shared):
        _compare(draft.shared, name, plain_quantity(shared[name], shared), nearest[name])
    for name in _with("quantity", draft.events):
        exact = _read(draft.events, name, "quantity", Quantity.from_dict)
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


def _stated_group(draft: Draft, group: CommonCause) -> CommonCause:
    if "group" not in draft.grouped.exact.get(group.name, {}):
        return group
    exact = _read(draft.grouped, group.name, "group", CommonCause.from_dict)
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


def _formula(said: Any) -> Formula:
    from surefoot.faulttree.formats.native import read_formula

    return read_formula(dict(said))


# The nearest quantities and groups that Open-PSA can say, for those that it has no words for.


def plain_quantity(quantity: Quantity, shared: Mapping[str, Quantity]) -> Quantity:
    """The quantity with deviates or means in place of what Open-PSA lacks; ``shared`` are the parameters.

    The value without uncertainty stays the same.
    """
    if isinstance(quantity, Counts):
        return _deviate(quantity.posterior, quantity.posterior.mean)
    if isinstance(quantity, Measured):
        return _deviate(quantity.estimate.dist, quantity.estimate.value)
    if isinstance(quantity, Distributed):
        return _deviate(quantity.distribution, quantity.distribution.mean)
    if isinstance(quantity, PeriodicTest) and quantity.average:
        return Fixed(nominal(quantity, shared))
    if isinstance(quantity, MissionTime) and MISSION_TIME in shared:
        return Parameter(MISSION_TIME)
    parts = {name: getattr(quantity, name) for name in _fields(quantity)}
    plain = {name: _plain_part(part, shared) for name, part in parts.items()}
    return cast(Quantity, replace(cast(Any, quantity), **plain))


def _fields(quantity: Quantity) -> tuple[str, ...]:
    if isinstance(quantity, Operation):
        return ("operands",)
    return ("edges", "weights") if isinstance(quantity, Histogram) else quantity.argument_names


def _plain_part(part: Any, shared: Mapping[str, Quantity]) -> Any:
    return tuple(plain_quantity(q, shared) for q in part) if isinstance(part, tuple) else plain_quantity(part, shared)


def _deviate(belief: Distribution | None, value: float) -> Quantity:
    """A deviate with this mean if there is one, else the value.

    SCRAM refuses a wide belief about a probability unless it is cut off at 1.
    """
    if belief is None or value > 1 or not isclose(belief.mean, value, rel_tol=1e-12):
        return Fixed(value)
    if isinstance(belief, Beta):
        return Operation("min", (Fixed(1.0), BetaDeviate(belief.a, belief.b)))
    if isinstance(belief, LogNormalBelief):
        return Operation("min", (Fixed(1.0), LogNormalMuSigma(belief.mu, belief.sigma)))
    return Fixed(value)


def nominal(quantity: Quantity, shared: Mapping[str, Quantity]) -> float:
    """The value where every uncertain part has its mean."""
    known: dict[str, Any] = {}
    for name in parameter_order(shared, dict.fromkeys(quantity.references())):
        known[name] = shared[name].evaluate({}, name, known)
    return float(quantity.evaluate({}, "", known))


def plain_group(group: FactorModel, shared: Mapping[str, Quantity]) -> FactorModel:
    """The group with plain quantities."""
    given = {name: getattr(group, name) for name in ("distribution", group.given_as)}
    return replace(group, **{name: _plain_part(part, shared) for name, part in given.items()})


def nearest_expansion(group: CommonCause, shared: Mapping[str, Quantity]) -> Expansion:
    """Gates and events in place of a group that Open-PSA does not know."""
    whole = group.expansion()
    known = {**shared, **whole.parameters}
    return Expansion(
        {name: plain_formula(formula) for name, formula in whole.gates.items()},
        {name: plain_quantity(quantity, known) for name, quantity in whole.events.items()},
        {name: plain_quantity(quantity, known) for name, quantity in whole.parameters.items()},
    )


# The nearest formulas that Open-PSA can say and other tools accept.
#
# Inhibit and priority-and become conjunctions. Gates with one input pass it on, an exclusive or of many is nested, and
# an input stands in a gate once, because SCRAM refuses others.

Truth: TypeAlias = str | bool | Formula
CONJUNCTIONS = ("and", "inhibit", "pand")
MOST_SPLITS = 6
"""Repeated inputs of one gate that are taken apart; each doubles the formula."""
INVERSE = {"nand": "and", "nor": "or"}


def plain_formula(formula: Formula) -> Formula:
    """A formula with the same truth for every state; of a priority-and without its order."""
    found = _nearest(formula)
    return found if isinstance(found, Formula) else Formula("pass", (found,))


def _nearest(item: Truth) -> Truth:
    """Formulas may be nested as deep as files allow, which bounds the recursion."""
    if not isinstance(item, Formula):
        return item
    inputs = tuple(map(_nearest, item.inputs))
    if item.kind == "pass":
        return inputs[0]
    if item.kind in CONJUNCTIONS:
        return _joined("and", inputs)
    if item.kind == "or":
        return _joined("or", inputs)
    if item.kind in INVERSE:
        return _inverted(item, inputs)
    if item.kind == "xor":
        return _nested_xor(_apart(inputs))
    if item.kind == "atleast":
        return _counted(item.minimum or 0, inputs)
    return Formula(item.kind, _apart(inputs), item.minimum, item.maximum)


def _joined(kind: str, inputs: tuple[Truth, ...]) -> Truth:
    """A conjunction or disjunction in which nothing stands twice."""
    once = tuple(dict.fromkeys(inputs))
    return once[0] if len(once) == 1 else Formula("and" if kind == "and" else "or", once)


def _inverted(item: Formula, inputs: tuple[Truth, ...]) -> Truth:
    once = tuple(dict.fromkeys(inputs))
    return Formula("not", once) if len(once) == 1 else Formula(item.kind, once)


def _counted(least: int, inputs: tuple[Truth, ...], splits: int = MOST_SPLITS) -> Truth:
    """At least so many inputs; one that stands there again is taken apart, because SCRAM miscounts it."""
    if least <= 0:
        return True
    if least > len(inputs):
        return False
    if least == 1:
        return _joined("or", inputs)
    if least == len(inputs):
        return _joined("and", inputs)
    again = next((item for item, times in Counter(inputs).items() if times > 1), None)
    if again is None or not splits:
        return Formula("atleast", _apart(inputs), least)
    others = tuple(item for item in inputs if item != again)
    with_it = _counted(least - (len(inputs) - len(others)), others, splits - 1)
    without = _counted(least, others, splits - 1)
    both = again if with_it is True else _joined("and", (again, with_it))
    return both if without is False else _joined("or", (both, without))


def _nested_xor(inputs: tuple[Truth, ...]) -> Truth:
    """Pairs of pairs, so that many inputs are not nested deep."""
    level = list(inputs)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [*(Formula("xor", pair) for pair in pairs), *(level[-1:] if len(level) % 2 else [])]
    return level[0]


def _apart(inputs: tuple[Truth, ...]) -> tuple[Truth, ...]:
    """Inputs of a gate that counts them: one that stands there again is negated twice."""
    seen: set[Truth] = set()
    found: list[Truth] = []
    for item in inputs:
        found.append(Formula("not", (Formula("not", (item,)),)) if item in seen else item)
        seen.add(item)
    return tuple(found)


def require_shallow(name: str, formula: Formula) -> None:
    """Refuse what no reader of the file could take."""
    level: list[Formula] = [formula]
    for _ in range(DEEPEST):
        level = [item for each in level for item in each.inputs if isinstance(item, Formula)]
        if not level:
            return
    text = f"the formulas of {name!r} are nested more than {DEEPEST} deep."
    raise Refused("tree-unsupported", text, "Give inner formulas names.")
