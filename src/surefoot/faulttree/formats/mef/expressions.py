"""Expressions of Open-PSA files as quantities, and the other way round; formulas of gates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from surefoot.core.errors import InvalidInput
from surefoot.faulttree.formats.mef.elements import Child, Element, Refused, content, element, only, unknown
from surefoot.faulttree.formula import KINDS, Formula, Kind
from surefoot.faulttree.quantities import (
    GLM,
    BetaDeviate,
    Exponential,
    Fixed,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    MissionTime,
    NormalDeviate,
    Operation,
    Parameter,
    PeriodicTest,
    Quantity,
    UniformDeviate,
    Weibull,
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
