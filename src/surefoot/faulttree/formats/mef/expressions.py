"""Expressions of Open-PSA files as quantities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surefoot.core.errors import InvalidInput
from surefoot.faulttree.formats.mef.elements import Element, Refused, content, only, unknown
from surefoot.faulttree.formats.mef.formulas import truth
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
