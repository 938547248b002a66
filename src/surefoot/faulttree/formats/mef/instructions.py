"""What the instructions of event trees do on a way through them.

Follows Open-PSA as SCRAM runs it: a house event is set for what is collected later on the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from surefoot.faulttree.formats.mef.draft import Draft, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, only
from surefoot.faulttree.formats.mef.event_trees import Model, steps, stop, stopping, undefined
from surefoot.faulttree.formats.mef.expressions import Reader
from surefoot.faulttree.formats.mef.formulas import formula, renamed, truth
from surefoot.faulttree.formats.mef.nearest import nominal
from surefoot.faulttree.formats.mef.resolving import expression_reader
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Quantity

MOST_STEPS = 10_000
Truth = str | bool | Formula
Houses = tuple[tuple[str, bool], ...]
Steps = list[tuple[Element, Scope]]


@dataclass(frozen=True)
class Way:
    """One way so far; each formula is kept with the house events as they were set when it was collected."""

    tree: str
    scope: Scope
    initiating: str
    states: Mapping[str, str] = field(default_factory=dict)
    houses: Mapping[str, bool] = field(default_factory=dict)
    formulas: tuple[tuple[Truth, Houses], ...] = ()
    expressions: tuple[tuple[Quantity, Element], ...] = ()
    passed: frozenset[tuple[str, str]] = frozenset()
    """Branches and linked trees on the way; none can stand there twice."""


@dataclass(frozen=True)
class Instructions:
    """Follows instructions, with the rules of the model."""

    draft: Draft
    model: Model

    def follow(self, element: Element, way: Way) -> Way:
        """The way after an instruction; those inside blocks and rules are taken in turn."""
        stack = [(element, way.scope)]
        taken = 0
        while stack:
            each, scope = stack.pop()
            taken += 1
            if taken > MOST_STEPS:
                stop(scope, "tree-cycle", "rules lead to each other in a circle.", each)
            with stopping(scope):
                way, more = self._one(each, scope, way)
            stack.extend(reversed(more))
        return way

    def _one(self, element: Element, scope: Scope, way: Way) -> tuple[Way, Steps]:
        match element.tag:
            case "block":
                return way, [(each, scope) for each in steps(element)]
            case "rule":
                return way, self._rule(element, scope)
            case "if":
                return way, self._chosen(element, scope, way)
            case "set-house-event":
                return replace(way, houses={**way.houses, **house_setting(element, scope, self.draft)}), []
            case "collect-formula":
                collected = renamed_truth(formula(only(element)), scope), tuple(sorted(way.houses.items()))
                return replace(way, formulas=(*way.formulas, collected)), []
            case "collect-expression":
                value = self._reader(scope, way).expression(_only_element(element))
                return replace(way, expressions=(*way.expressions, (value, element))), []
        raise Refused("tree-syntax", f"<{element.tag}> is no instruction of an event tree.", element.line)

    def _rule(self, element: Element, scope: Scope) -> Steps:
        if element.need("name") not in self.model.rules:
            undefined(scope, "rule", element.need("name"), element)
        rule, home = self.model.rules[element.need("name")]
        return [(each, home) for each in steps(rule)]

    def _chosen(self, element: Element, scope: Scope, way: Way) -> Steps:
        condition, *choices = steps(element) or [element]
        if not 1 <= len(choices) <= 2:
            raise Refused("tree-syntax", "<if> takes a condition and one or two instructions.", element.line)
        holds = nominal(self._reader(scope, way).expression(condition), self.draft.parameters) != 0
        return [(each, scope) for each in (choices[:1] if holds else choices[1:])]

    def _reader(self, scope: Scope, way: Way) -> Reader:
        def test(element: Element) -> bool:
            if element.tag == "test-initiating-event":
                return element.need("name") == way.initiating
            return way.states.get(element.need("name")) == element.need("state")

        return expression_reader(self.draft, scope, test)


def house_setting(element: Element, scope: Scope, draft: Draft) -> dict[str, bool]:
    """The house event that is set, and to what."""
    direction = element.attributes.get("direction", "forward")
    if direction != "forward":
        text = f"a house event is set forward, for what is collected later, and not {direction[:40]!r}."
        raise Refused("tree-unsupported", text, element.line)
    name = draft.events.find(element.need("name"), scope)
    if name is None or draft.events.kinds[name] != "house-event":
        text = f"{element.need('name')!r} is no house event of the model."
        raise Refused("tree-undefined", text, element.line)
    return {name: truth(_only_element(element))}


def renamed_truth(found: Truth, scope: Scope) -> Truth:
    """A formula of a container with the names of the tree."""
    if isinstance(found, str):
        return scope.renames.get(found, found)
    return found if isinstance(found, bool) else renamed(found, scope.renames)


def _only_element(element: Element) -> Element:
    found = only(element)
    if isinstance(found, str):
        raise Refused("tree-syntax", f"<{element.tag}> cannot hold the event {found!r}.", element.line)
    return found
