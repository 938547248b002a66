"""The event trees of a model: their parts by name."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.formats.mef.draft import Draft, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, content, require_parts

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
