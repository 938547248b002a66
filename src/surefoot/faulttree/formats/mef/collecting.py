"""Takes the definitions of a file over into a draft."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from surefoot.documents import Findings
from surefoot.faulttree.formats.mef.described import describe, described, exact_words, is_private
from surefoot.faulttree.formats.mef.draft import Draft, Names, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, content, has_description, only, unknown
from surefoot.faulttree.formats.mef.expressions import NUMBERS, defined_by, number
from surefoot.faulttree.formats.mef.formulas import gate_formula, truth
from surefoot.faulttree.formula import Formula

UNREAD = Formula("pass", (True,))
"""Stands for a formula that could not be read, so that the gate is not called undefined as well."""


@contextmanager
def noting(findings: Findings) -> Iterator[None]:
    """Turn what a definition gets wrong into a finding and go on."""
    try:
        yield
    except Refused as problem:
        note(findings, problem)


def note(findings: Findings, problem: Refused) -> None:
    """One more problem of a file."""
    findings.add(problem.code, problem.text, line=problem.line, hint=problem.hint)


class Collector:
    """Takes definitions as the parser completes them."""

    def __init__(self, draft: Draft, findings: Findings) -> None:
        self.draft, self.findings = draft, findings
        self.scopes = [Scope("", False, findings)]
        self.mentions = self.scopes[0].mentions
        self.rooted = False
        draft.scopes.append(self.scopes[0])
        self._define: dict[str, Callable[[Element], None]] = {
            "define-gate": self._gate,
            "define-basic-event": self._basic_event,
            "define-house-event": self._house_event,
            "define-parameter": self._parameter,
        }

    def enter(self, element: Element) -> None:
        """A container opens."""
        outer = self.scopes[-1]
        if element.tag == "opsa-mef":
            self.rooted = True
        if element.tag in ("opsa-mef", "model-data"):
            scope = outer
        else:
            scope = self._inner_scope(element, outer)
            self.draft.scopes.append(scope)
        self.scopes.append(scope)
        self.mentions = scope.mentions

    def leave(self, element: Element) -> None:
        """A container closes; what is left in it besides definitions is its description."""
        scope = self.scopes.pop()
        self.mentions = self.scopes[-1].mentions
        with noting(self.findings):
            self._describe_container(element, scope)
        for child in content(element):
            with noting(self.findings):
                if isinstance(child, str):
                    text = f"the reference to {child!r} stands outside a formula."
                    raise Refused("tree-syntax", text, element.line)
                raise unknown(child, element.tag)

    def pass_over(self, tag: str, attributes: set[str], line: int) -> None:
        """Count attributes that the format does not have; those with a prefix are of other namespaces."""
        for name in sorted(attributes):
            if ":" not in name and name != "xmlns":
                place, times = self.draft.foreign.get((tag, name), (self.findings.place(line), 0))
                self.draft.foreign[tag, name] = place, times + 1

    def define(self, element: Element) -> None:
        """A definition is complete."""
        handler = self._define.get(element.tag)
        if handler is None:
            self.draft.later[element.tag].append((element, self.scopes[-1]))
            return
        try:
            handler(element)
        except Refused as problem:
            note(self.findings, problem)

    def finish(self, outside: Element) -> None:
        """The file ends."""
        if not self.rooted:
            found = f"<{outside.elements()[0].tag}>" if outside.elements() else "other definitions"
            text = f"an Open-PSA model stands inside <opsa-mef>, found {found}."
            self.findings.add("tree-syntax", text, line=1, hint="Name a file in the Open-PSA Model Exchange Format.")

    def _inner_scope(self, element: Element, outer: Scope) -> Scope:
        with noting(self.findings):
            name = element.need("name")
            if element.tag == "define-fault-tree" and name not in self.draft.trees:
                self.draft.trees.append(name)
            return Scope(outer.inner(name), is_private(element, outer), self.findings)
        return outer

    def _describe_container(self, element: Element, scope: Scope) -> None:
        label, said = described(element)
        exact = exact_words(said, element)
        if element.tag == "define-fault-tree" and "top" in exact:
            self.draft.stated, self.draft.main = exact, scope.path
        if element.tag == "opsa-mef" and "name" in element.attributes:
            self.draft.about["model"] = element.attributes["name"]
        what = scope.path or "the model"
        about = {f"{key} of {what}": value for key, value in said.items()}
        about |= {f"label of {what}": label} if label else {}
        if about:
            self.draft.containers.setdefault(scope.path, {}).update(about)

    def _gate(self, element: Element) -> None:
        name = self._declare(element, "gate", self.draft.events)
        self.draft.gates[name] = UNREAD
        self.draft.gates[name] = gate_formula(only(element))

    def _house_event(self, element: Element) -> None:
        name = self._declare(element, "house-event", self.draft.events)
        self.draft.houses[name] = False
        value = defined_by(element)
        if value is not None:
            if value.tag != "constant":
                raise unknown(value, element.tag)
            self.draft.houses[name] = truth(value)

    def _basic_event(self, element: Element) -> None:
        name = self._declare(element, "basic-event", self.draft.events)
        self.draft.basic[name] = None
        value = defined_by(element)
        if value is not None and value.tag in NUMBERS:
            self.draft.basic[name] = number(value)
        elif value is not None:
            self.draft.expressions[name] = value, self.scopes[-1]

    def _parameter(self, element: Element) -> None:
        name = self._declare(element, "parameter", self.draft.shared)
        value = defined_by(element)
        if value is None:
            raise Refused("tree-syntax", f"the parameter {name!r} has no expression.", element.line)
        if "unit" in element.attributes:
            self.draft.shared.attributes.setdefault(name, {})["unit"] = element.attributes["unit"]
        self.draft.shared_expressions[name] = value, self.scopes[-1]

    def _declare(self, element: Element, kind: str, names: Names) -> str:
        """The final name of what is defined, made known together with its label and attributes."""
        scope, name = self.scopes[-1], element.need("name")
        if not name:
            raise Refused("tree-syntax", f"<{element.tag}> has an empty name.", element.line)
        path, private = scope.inner(name), is_private(element, scope)
        final, exact = path if private else name, None
        if has_description(element):
            label, said = described(element)
            exact = exact_words(said, element)
            final = exact.get("name", final)
        self._require_new(final, element, names)
        names.kinds[final], names.homes[final] = kind, scope
        names.places[final], names.paths[path] = self.findings.place(element.line), final
        if private:
            names.private.add(final)
        else:
            names.public[name] = final
        if exact is not None:
            describe(names, final, label, said, exact)
        return final

    def _require_new(self, name: str, element: Element, names: Names) -> None:
        if name in names.kinds:
            text = f"{name!r} is defined twice, first at {names.places[name]}."
            raise Refused("tree-duplicate", text, element.line, "Give each its own name.")
