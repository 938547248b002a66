"""Expressions of Open-PSA files as quantities, formulas of gates, and the nearest to what it has no words for.

``apply_exact`` takes our own words in a file and checks them against the nearest words beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isclose
from typing import Any, NoReturn, TypeAlias, TypeVar, cast

from surefoot.core.canonical import reading
from surefoot.core.distributions import Beta, Distribution
from surefoot.core.distributions import LogNormal as LogNormalBelief
from surefoot.core.errors import InvalidInput, SurefootError
from surefoot.documents import Refused as DocumentRefused
from surefoot.faulttree.common_cause import CommonCause, Expansion, FactorModel
from surefoot.faulttree.formats.assembly import DEEPEST
from surefoot.faulttree.formats.mef.elements import (
    Child,
    Draft,
    Element,
    Names,
    Refused,
    content,
    element,
    only,
    unknown,
)
from surefoot.faulttree.formula import KINDS, Formula, Kind
from surefoot.faulttree.quantities import (
    GLM,
    MISSION_TIME,
    BetaDeviate,
    Counts,
    Distributed,
    Exponential,
    Fixed,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    Measured,
    MissionTime,
    NormalDeviate,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    UniformDeviate,
    Weibull,
    parameter_order,
)
from surefoot.faulttree.quantities.arithmetic import FUNCTIONS

CLASSES: dict[tuple[str, int], Callable[..., Quantity]] = {
    ("exponential", 2): Exponential,
    ("GLM", 4): GLM,
    ("Weibull", 4): Weibull,
    ("periodic-test", 4): PeriodicTest.of,
    ("periodic-test", 5): PeriodicTest.of,
    ("periodic-test", 11): PeriodicTest.of,
    ("uniform-deviate", 2): UniformDeviate,
    ("normal-deviate", 2): NormalDeviate,
    ("lognormal-deviate", 2): LogNormalMuSigma,
    ("lognormal-deviate", 3): LogNormal,
    ("gamma-deviate", 2): GammaDeviate,
    ("beta-deviate", 2): BetaDeviate,
}
"""By element and number of arguments."""
TAGS = frozenset(tag for tag, _ in CLASSES)
ELEMENTS: dict[type[Quantity], str] = {
    Exponential: "exponential",
    GLM: "GLM",
    Weibull: "Weibull",
    PeriodicTest: "periodic-test",
    UniformDeviate: "uniform-deviate",
    NormalDeviate: "normal-deviate",
    LogNormalMuSigma: "lognormal-deviate",
    LogNormal: "lognormal-deviate",
    GammaDeviate: "gamma-deviate",
    BetaDeviate: "beta-deviate",
}
NUMBERS = ("float", "int")
TESTS = ("test-initiating-event", "test-functional-event")


@dataclass(frozen=True)
class Reader:
    """Reads expressions where ``parameter`` knows what a name means and ``test`` what an event tree is at."""

    parameter: Callable[[str, int, str | None], str]
    test: Callable[[Element], bool] | None = None

    def expression(self, child: Element) -> Quantity:
        """An expression with all that is inside it; the parser bounds the depth."""
        try:
            return self._read(child)
        except InvalidInput as error:
            raise Refused("tree-probability", f"{error}.", child.line) from error

    def _read(self, element: Element) -> Quantity:
        tag = element.tag
        if tag in NUMBERS or tag == "bool":
            return number(element)
        if tag == "parameter":
            return Parameter(self.parameter(element.need("name"), element.line, element.attributes.get("unit")))
        if tag == "system-mission-time":
            if element.attributes.get("unit", "hours") != "hours":
                text = f"the mission time is in hours, and asked for in {element.attributes['unit'][:40]!r}."
                raise Refused("tree-probability", text, element.line, "Units are compared, not converted.")
            return MissionTime()
        if tag in TESTS:
            return self._tested(element)
        if tag == "switch":
            return self._switch(element)
        if tag == "histogram":
            return self._histogram(element)
        return self._made(element)

    def _made(self, element: Element) -> Quantity:
        arguments = [self.expression(child) for child in arguments_of(element)]
        if element.tag in FUNCTIONS:
            return Operation(element.tag, tuple(arguments))
        made = CLASSES.get((element.tag, len(arguments)))
        if made is not None:
            return made(*arguments)
        if element.tag in TAGS:
            known = sorted(count for tag, count in CLASSES if tag == element.tag)
            text = f"<{element.tag}> takes {' or '.join(map(str, known))} arguments, it has {len(arguments)}."
            raise Refused("tree-syntax", text, element.line)
        if element.tag == "extern-function":
            hint = "Give the value, or an expression of the format's own."
            raise Refused("tree-unsupported", "foreign functions are not run.", element.line, hint)
        raise unknown(element, "expression")

    def _tested(self, element: Element) -> Quantity:
        if self.test is None:
            text = f"<{element.tag}> has a meaning inside an event tree only."
            raise Refused("tree-unsupported", text, element.line)
        return Fixed(float(self.test(element)))

    def _switch(self, element: Element) -> Quantity:
        found: list[Quantity] = []
        for child in arguments_of(element):
            if child.tag == "case":
                found += [self.expression(part) for part in _pair(child, "case")]
            else:
                found.append(self.expression(child))
        return Operation("switch", tuple(found))

    def _histogram(self, element: Element) -> Quantity:
        if not element.children:
            raise Refused("tree-syntax", "<histogram> is empty.", element.line)
        low, *bins = arguments_of(element)
        pairs = [[self.expression(part) for part in _pair(each, "bin")] for each in bins]
        return Histogram((self.expression(low), *(high for high, _ in pairs)), tuple(weight for _, weight in pairs))


def number(element: Element) -> Fixed:
    """A constant."""
    if element.tag == "bool":
        return Fixed(float(truth(element)))
    text = element.need("value")
    try:
        return Fixed(float(text.replace("_", "?")))
    except ValueError:
        raise Refused("tree-probability", f"{text[:40]!r} is no finite number.", element.line) from None


def defined_by(element: Element) -> Element | None:
    """The expression inside a definition; None where there is none."""
    found = only(element) if element.children and content(element) else None
    if isinstance(found, str):
        raise Refused("tree-syntax", f"<{element.tag}> needs an expression, found the event {found!r}.", element.line)
    return found


def arguments_of(element: Element) -> list[Element]:
    """The expressions inside an expression."""
    for child in element.children:
        if isinstance(child, str):
            raise Refused("tree-syntax", f"<{element.tag}> takes expressions, not the event {child!r}.", element.line)
    return element.elements()


def _pair(element: Element, tag: str) -> list[Element]:
    if element.tag != tag or len(element.children) != 2:
        text = f"here stands <{tag}> with two expressions, found <{element.tag}> with {len(element.children)}."
        raise Refused("tree-syntax", text, element.line)
    return arguments_of(element)


# Formulas of Open-PSA files.

KIND_OF: dict[str, Kind] = {kind: kind for kind in KINDS if kind not in ("pass", "inhibit", "pand")}
_ONLY_NAMES = frozenset({str})
TRUTH = {"true": True, "1": True, "false": False, "0": False}


def gate_formula(child: Child) -> Formula:
    """The formula of a gate; a lone reference or constant is passed on."""
    found = formula(child)
    return found if isinstance(found, Formula) else Formula("pass", (found,))


def formula(child: Child) -> str | bool | Formula:
    """A reference, a constant or a formula with all that is inside it; the parser bounds the depth."""
    if isinstance(child, str):
        return child
    if child.tag == "constant":
        return truth(child)
    kind = KIND_OF.get(child.tag)
    if kind is None:
        _complain(child)
    inputs: tuple[str | bool | Formula, ...]
    if _ONLY_NAMES.issuperset(map(type, child.children)):
        inputs = tuple(child.children)  # type: ignore[arg-type]
    else:
        inputs = tuple(map(formula, child.children))
    if kind == "atleast":
        return Formula(kind, inputs, minimum=whole_number(child, "min"))
    if kind == "cardinality":
        return Formula(kind, inputs, minimum=whole_number(child, "min"), maximum=whole_number(child, "max"))
    return Formula(kind, inputs)


def truth(element: Element) -> bool:
    """The value of a constant."""
    value = element.need("value")
    if value not in TRUTH:
        raise Refused("tree-syntax", f"a constant is true or false, found {value!r}.", element.line)
    return TRUTH[value]


def renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other names for its inputs; the same object where none changes."""
    inputs = tuple(
        names.get(item, item) if isinstance(item, str) else renamed(item, names) if isinstance(item, Formula) else item
        for item in formula.inputs
    )
    if all(new is old for new, old in zip(inputs, formula.inputs, strict=True)):
        return formula
    return Formula(formula.kind, inputs, formula.minimum, formula.maximum, formula.order)


def whole_number(element: Element, attribute: str) -> int:
    """An attribute that counts."""
    text = element.need(attribute)
    if not text.strip().isdecimal() or len(text) > 9:
        problem = f"the attribute {attribute!r} of <{element.tag}> must be a whole number, found {text[:40]!r}."
        raise Refused("tree-gate", problem, element.line)
    return int(text)


def _complain(element: Element) -> NoReturn:
    if element.tag in ("gate", "basic-event", "house-event", "event"):
        element.need("name")
    raise unknown(element, "formula")


# Quantities as expressions of Open-PSA.


def expression(quantity: Quantity, refer: Callable[[str], str]) -> list[str]:
    """The lines of an expression; ``refer`` tells how a parameter is referred to."""
    if isinstance(quantity, Fixed):
        return element("float", {"value": repr(quantity.value)})
    if isinstance(quantity, Parameter):
        return element("parameter", {"name": refer(quantity.name)})
    if isinstance(quantity, MissionTime):
        return element("system-mission-time", {})
    if isinstance(quantity, Histogram):
        return _histogram(quantity, refer)
    if isinstance(quantity, Operation) and quantity.name == "switch":
        return _switch(quantity, refer)
    tag = quantity.name if isinstance(quantity, Operation) else ELEMENTS[type(quantity)]
    return element(tag, {}, _all(quantity.arguments, refer))


def _all(quantities: tuple[Quantity, ...], refer: Callable[[str], str]) -> list[str]:
    return [line for quantity in quantities for line in expression(quantity, refer)]


def _histogram(quantity: Histogram, refer: Callable[[str], str]) -> list[str]:
    low, *highs = quantity.arguments[: len(quantity.edges)]
    lines = expression(low, refer)
    for pair in zip(highs, quantity.arguments[len(quantity.edges) :], strict=True):
        lines += element("bin", {}, _all(pair, refer))
    return element("histogram", {}, lines)


def _switch(quantity: Operation, refer: Callable[[str], str]) -> list[str]:
    *pairs, otherwise = quantity.arguments
    cases = zip(pairs[::2], pairs[1::2], strict=True)
    lines = [line for pair in cases for line in element("case", {}, _all(pair, refer))]
    return element("switch", {}, [*lines, *expression(otherwise, refer)])


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
    except (DocumentRefused, SurefootError):
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
    raise DocumentRefused("tree-unsupported", text, "Give inner formulas names.")
