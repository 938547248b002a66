"""Event trees of Open-PSA files: the ways to their sequences, and a gate for each sequence.

Follows Open-PSA as SCRAM runs it: a house event is set for what is collected later on the same way, and a sequence
that links to another tree goes on there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Literal, NoReturn

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.formats.mef.definitions import expression_reader
from surefoot.faulttree.formats.mef.elements import Draft, Element, Refused, Scope, content, only, require_parts
from surefoot.faulttree.formats.mef.expressions import Reader, nominal, renamed, truth
from surefoot.faulttree.formats.mef.expressions import formula as read_formula
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Fixed, Operation, Parameter, Quantity

MOST_PATHS = 100_000


class Walker:
    """Walks the event trees of a model."""

    def __init__(self, draft: Draft) -> None:
        self.model = Model.of(draft)
        self.instructions = Instructions(draft, self.model)

    def ways(self) -> dict[tuple[str, str], list[Way]]:
        """All ways that end in each sequence, by initiating event and sequence."""
        found: dict[tuple[str, str], list[Way]] = {}
        for initiating, tree in self.model.starts.items():
            way = Way(tree, self.model.trees[tree].scope, initiating)
            for sequence, end in self._walk(way):
                found.setdefault((initiating, sequence), []).append(end)
        return found

    def _walk(self, start: Way) -> Iterator[tuple[str, Way]]:
        stack = [(self.model.trees[start.tree].initial, start)]
        ended = 0
        while stack:
            elements, way = stack.pop()
            *instructions, last = elements or [Element("nothing", {}, 0)]
            for each in instructions:
                way = self.instructions.follow(each, way)
            with stopping(way.scope):
                following = list(self._ending(last, way))
            stack.extend(reversed([(steps_left, w) for name, steps_left, w in following if not name]))
            yield from ((name, w) for name, _, w in following if name)
            ended += sum(bool(name) for name, _, _ in following)
            if ended > MOST_PATHS:
                text = f"the event tree {start.tree!r} has more than {MOST_PATHS:,} paths."
                stop(way.scope, "tree-beyond-budget", text, last, "Split it.")

    def _ending(self, element: Element, way: Way) -> Iterator[tuple[str, list[Element], Way]]:
        """Where the way goes on, or the name of the sequence in which it ends."""
        if element.tag == "fork":
            event = element.need("functional-event")
            for path in element.elements():
                yield "", steps(path), replace(way, states={**way.states, event: path.need("state")})
        elif element.tag == "branch":
            yield "", *self._branch(element, way)
        elif element.tag == "sequence":
            yield self._sequence(element, way)
        else:
            stop(way.scope, "tree-syntax", "a path ends in a fork, a branch or a sequence.", element)

    def _branch(self, element: Element, way: Way) -> tuple[list[Element], Way]:
        name = element.need("name")
        found = self.model.trees[way.tree].branches.get(name)
        if found is None:
            undefined(way.scope, "branch", name, element)
        return steps(found), _passed(way, (way.tree, name), element)

    def _sequence(self, element: Element, way: Way) -> tuple[str, list[Element], Way]:
        name = element.need("name")
        found = self.model.sequence(name, way.tree)
        if found is None:
            undefined(way.scope, "sequence", name, element)
        instructions = steps(found)
        for step in instructions:
            if step.tag == "event-tree":
                if step is not instructions[-1]:
                    stop(way.scope, "tree-syntax", "what stands after a link to an event tree is never reached.", step)
                return "", *self._linked(step, way)
            way = self.instructions.follow(step, way)
        return name, [], way

    def _linked(self, element: Element, way: Way) -> tuple[list[Element], Way]:
        name = element.need("name")
        if name not in self.model.trees:
            hint = "A model in several files is read when all of them are named; top= (--top) can name a gate."
            undefined(way.scope, "event tree", name, element, hint)
        tree = self.model.trees[name]
        return tree.initial, replace(_passed(way, (name, ""), element), tree=name, scope=tree.scope)


def _passed(way: Way, what: tuple[str, str], element: Element) -> Way:
    if what in way.passed:
        stop(way.scope, "tree-cycle", "branches or event trees lead to each other in a circle.", element)
    return replace(way, passed=way.passed | {what})


# The event trees of a model: their parts by name.

PARTS = ("define-functional-event", "define-sequence", "define-branch", "initial-state")


@dataclass
class EventTree:
    """An event tree: branches and sequences by name, and where it begins."""

    scope: Scope
    sequences: dict[str, Element] = field(default_factory=dict)
    branches: dict[str, Element] = field(default_factory=dict)
    initial: list[Element] = field(default_factory=list)

    @classmethod
    def of(cls, element: Element, scope: Scope) -> EventTree:
        """The tree that an element defines."""
        tree = cls(scope)
        for part in content(element):
            if isinstance(part, str) or part.tag not in PARTS:
                found = f"a reference to {part!r}" if isinstance(part, str) else f"<{part.tag}>"
                stop(scope, "tree-syntax", f"{found} has no place inside <define-event-tree>.", element)
            if part.tag == "initial-state":
                if tree.initial:
                    stop(scope, "tree-duplicate", "<initial-state> is there twice.", part)
                tree.initial = steps(part)
            elif part.tag == "define-sequence":
                _require_new(part, tree.sequences, scope)
                tree.sequences[part.need("name")] = part
            elif part.tag == "define-branch":
                _require_new(part, tree.branches, scope)
                tree.branches[part.need("name")] = part
            else:
                require_parts(part, ())
        return tree


@dataclass
class Model:
    """All event trees, rules, and which initiating event starts which tree."""

    trees: dict[str, EventTree] = field(default_factory=dict)
    rules: dict[str, tuple[Element, Scope]] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, draft: Draft) -> Model:
        """What a draft holds; a tree that no initiating event starts is found under its own name."""
        model = cls()
        for element, scope in draft.later["define-event-tree"]:
            with stopping(scope):
                _require_new(element, model.trees, scope)
                model.trees[element.need("name")] = EventTree.of(element, scope)
        for element, scope in draft.later["define-rule"]:
            with stopping(scope):
                _require_new(element, model.rules, scope)
                model.rules[element.need("name")] = element, scope
        for element, scope in draft.later["define-initiating-event"]:
            with stopping(scope):
                model._start(element, scope)
        started = set(model.starts.values())
        model.starts |= {name: name for name in model.trees if name not in started}
        return model

    def _start(self, element: Element, scope: Scope) -> None:
        require_parts(element, ())
        tree = element.attributes.get("event-tree")
        if tree is not None:
            if tree not in self.trees:
                undefined(scope, "event tree", tree, element)
            _require_new(element, self.starts, scope)
            self.starts[element.need("name")] = tree

    def sequence(self, name: str, tree: str) -> Element | None:
        """The definition of a sequence: of this tree, or of another one."""
        own = self.trees[tree].sequences.get(name)
        others = (other.sequences[name] for other in self.trees.values() if name in other.sequences)
        return own if own is not None else next(others, None)


def _require_new(element: Element, known: Container[str], scope: Scope) -> None:
    if element.need("name") in known:
        stop(scope, "tree-duplicate", f"<{element.tag}> {element.need('name')!r} is there twice.", element)


def steps(element: Element) -> list[Element]:
    """Instructions, forks and ends inside an element."""
    found = content(element)
    for child in found:
        if isinstance(child, str):
            text = f"the reference to {child!r} stands in <{element.tag}> outside a formula."
            raise Refused("tree-syntax", text, element.line)
    return [child for child in found if not isinstance(child, str)]


@contextmanager
def stopping(scope: Scope) -> Iterator[None]:
    """Give up at what an element of this container gets wrong."""
    try:
        yield
    except Refused as problem:
        where = scope.findings.place(problem.line)
        raise DiagnosticsError.of(problem.code, problem.text, where=where, hint=problem.hint) from problem


def stop(scope: Scope, code: str, text: str, element: Element, hint: str = "") -> NoReturn:
    """Give up at an element."""
    raise DiagnosticsError.of(code, text, where=scope.findings.place(element.line), hint=hint)


def undefined(scope: Scope, kind: str, name: str, element: Element, hint: str = "") -> NoReturn:
    """Give up where something is referred to that is not there."""
    stop(scope, "tree-undefined", f"the {kind} {name!r} is not defined.", element, hint)


# What the instructions of event trees do on a way through them.

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
                collected = renamed_truth(read_formula(only(element)), scope), tuple(sorted(way.houses.items()))
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


# A sequence of event trees as a gate: a disjunction over its ways, each the conjunction of what it collected.


def add_sequence(draft: Draft, sequence: str, ways: list[Way]) -> str:
    """Add the gate of a sequence to a draft, and return its name.

    Ways exclude each other. So the probability of a sequence of expressions is the sum over its ways of the product
    of what each collected, and it becomes one basic event. Formulas and expressions cannot be mixed, as in SCRAM.
    """
    expressions = [(way, element) for way in ways for _, element in way.expressions]
    top = free_name(draft, sequence, f"{ways[0].tree}.{sequence}")
    if expressions and any(way.formulas for way in ways):
        way, element = expressions[0]
        text = f"the ways to the sequence {sequence!r} collect formulas and expressions."
        stop(way.scope, "tree-unsupported", text, element, "Collect one kind only.")
    if expressions:
        event = free_name(draft, f"{sequence}-ways")
        draft.basic[event] = _total("add", tuple(_product(draft, way) for way in ways))
        draft.gates[top] = Formula("pass", (event,))
    else:
        draft.gates[top] = _joined("or", _collected(draft, ways))
    return top


def _collected(draft: Draft, ways: list[Way]) -> list[Truth]:
    """The conjunction of what each way collected, each once."""
    settings = {houses for way in ways for _, houses in way.formulas}
    if len(settings) == 1:
        draft.houses.update(settings.pop())
        found = [[formula for formula, _ in way.formulas] for way in ways]
    else:
        names = {houses: _names_under(draft, houses) for houses in settings}
        found = [[_named(formula, names[houses]) for formula, houses in way.formulas] for way in ways]
    return list(dict.fromkeys(_joined("and", formulas or [True]) for formulas in found))


def free_name(draft: Draft, *wishes: str) -> str:
    """The first wish that is no name yet, or the last with a number."""
    taken = (draft.gates, draft.basic, draft.houses, draft.parameters, draft.events.kinds)
    numbered = (f"{wishes[-1]}-{number}" for number in count(2))
    return next(name for name in chain(wishes, numbered) if not any(name in names for names in taken))


def _joined(kind: Literal["and", "or"], parts: list[Truth]) -> Formula:
    if len(parts) > 1:
        return Formula(kind, tuple(parts))
    return parts[0] if isinstance(parts[0], Formula) else Formula("pass", (parts[0],))


def _product(draft: Draft, way: Way) -> Quantity:
    """The probability of a way; 1 where nothing was collected."""
    return _total("mul", tuple(_shared(draft, *each) for each in way.expressions) or (Fixed(1.0),))


def _total(name: str, parts: tuple[Quantity, ...]) -> Quantity:
    return parts[0] if len(parts) == 1 else Operation(name, parts)


def _shared(draft: Draft, value: Quantity, element: Element) -> Quantity:
    """An uncertain expression that several ways collect is one number, so it becomes a parameter."""
    if not any(node.uncertain for node in value.nodes()):
        return value
    name = f"collected at line {element.line}"
    while draft.parameters.get(name, value) != value:
        name += "'"
    draft.parameters[name] = value
    return Parameter(name)


def _names_under(draft: Draft, houses: Houses) -> dict[str, str]:
    """Names of the copies of house events and gates that hold where house events are set."""
    words = ", ".join(f"{name}={str(value).lower()}" for name, value in houses)
    names = {name: f"{name}={str(value).lower()}" for name, value in houses}
    changed = _dependent(draft, set(names))
    names |= {gate: f"{gate} [{words}]" for gate in changed}
    draft.houses.update({names[name]: value for name, value in houses})
    draft.gates.update({names[gate]: renamed(draft.gates[gate], names) for gate in changed})
    return names


def _named(found: Truth, names: dict[str, str]) -> Truth:
    if isinstance(found, str):
        return names.get(found, found)
    return found if isinstance(found, bool) else renamed(found, names)


def _dependent(draft: Draft, names: set[str]) -> list[str]:
    """Gates with one of these names somewhere below."""
    users: dict[str, list[str]] = {}
    for gate, formula in draft.gates.items():
        for name in formula.names():
            users.setdefault(name, []).append(gate)
    found: dict[str, None] = {}
    stack = sorted(names)
    while stack:
        for gate in users.get(stack.pop(), ()):
            if gate not in found:
                found[gate] = None
                stack.append(gate)
    return list(found)
