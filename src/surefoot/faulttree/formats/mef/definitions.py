"""Takes the definitions of a file over into a draft: gates, events, parameters, common-cause groups; names resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from surefoot.core.errors import InvalidInput
from surefoot.documents import Findings
from surefoot.faulttree.common_cause import AlphaFactor, BetaFactor, FactorModel, MultipleGreekLetter, PhiFactor
from surefoot.faulttree.formats.mef.elements import (
    Draft,
    Element,
    Names,
    Refused,
    Scope,
    content,
    describe,
    described,
    exact_words,
    has_description,
    is_private,
    only,
    require_parts,
    unknown,
)
from surefoot.faulttree.formats.mef.expressions import (
    NUMBERS,
    Reader,
    defined_by,
    gate_formula,
    number,
    renamed,
    truth,
    whole_number,
)
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Fixed

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


# Common-cause groups of Open-PSA files.

MODELS: dict[str, type[FactorModel]] = {
    "beta-factor": BetaFactor,
    "MGL": MultipleGreekLetter,
    "alpha-factor": AlphaFactor,
    "phi-factor": PhiFactor,
}
FIRST_LEVEL = {"MGL": 2, "alpha-factor": 1, "phi-factor": 1}
BETA = "beta-factor"
TAG = "define-CCF-group"


def declare_members(draft: Draft) -> None:
    """Make the basic events known that groups define by naming them."""
    for element, scope in draft.later[TAG]:
        with noting(scope.findings):
            for reference, name in _members(element, scope):
                _declare_member(draft.events, reference, name, scope, element)


def read_groups(draft: Draft) -> None:
    """The groups, once all names are known."""
    for element, scope in draft.later[TAG]:
        with noting(scope.findings):
            group = _group(element, scope, draft)
            label, said = described(element)
            exact = exact_words(said, element)
            name = exact.get("name", group.name)
            draft.groups.append(replace(group, name=name))
            draft.grouped.places[name], draft.grouped.homes[name] = scope.findings.place(element.line), scope
            describe(draft.grouped, name, label, said, exact)


def _members(element: Element, scope: Scope) -> list[tuple[str, str]]:
    """Each member as the group refers to it, and its name if it is defined nowhere else."""
    holder = element.first("members")
    references = [child for child in holder.children if isinstance(child, str)] if holder else []
    if holder is not None and holder.elements():
        raise unknown(holder.elements()[0], "members")
    stated = exact_words(described(element)[1], element).get("group", {}).get("members", references)
    if not references or len(stated) != len(references):
        raise Refused("tree-syntax", "a common-cause group has <members>.", element.line)
    return [(ref, scope.inner(name) if scope.private else name) for ref, name in zip(references, stated, strict=True)]


def _declare_member(names: Names, reference: str, name: str, scope: Scope, element: Element) -> None:
    if names.find(reference, scope) is not None:
        return
    names.kinds[name], names.homes[name] = "basic-event", scope
    names.places[name], names.paths[scope.inner(reference)] = scope.findings.place(element.line), name
    if scope.private:
        names.private.add(name)
    else:
        names.public[reference] = name


def _group(element: Element, scope: Scope, draft: Draft) -> FactorModel:
    model = element.need("model")
    if model not in MODELS:
        hint = f"Known are {', '.join(MODELS)}."
        raise Refused("tree-unsupported", f"{model[:40]!r} is no common-cause model.", element.line, hint)
    factors_in = "factor" if element.first("factors") is None else "factors"
    require_parts(element, ("members", "distribution", factors_in), repeated="factor")
    members = tuple(scope.renames.get(reference, reference) for reference, _ in _members(element, scope))
    reader = expression_reader(draft, scope)
    total = reader.expression(_expression_in(element.first("distribution"), element))
    factors = tuple(reader.expression(each) for each in _factors(element, model, len(members)))
    try:
        return MODELS[model](element.need("name"), members, total, *(factors if model == BETA else [factors]))
    except InvalidInput as error:
        raise Refused("tree-probability", f"{error}.", element.line) from error


def _factors(element: Element, model: str, size: int) -> list[Element]:
    """The factors from the first level of the model on; without levels they count in the order of the file."""
    holder = element.first("factors") or element
    found = [child for child in holder.elements() if child.tag == "factor"]
    if holder is not element and len(found) < len(holder.children):
        raise Refused("tree-syntax", "<factors> holds <factor> and nothing else.", holder.line)
    start = size if model == BETA else FIRST_LEVEL[model]
    levels = [whole_number(f, "level") if "level" in f.attributes else start + i for i, f in enumerate(found)]
    by_level = dict(zip(levels, found, strict=True))
    wanted = list(range(start, start + len(found)))
    if sorted(by_level) != wanted or not found or (model == BETA and len(found) > 1):
        text = f"the group has factors for the levels {sorted(levels)}; {model} counts from {start}, without gaps."
        raise Refused("tree-gate", text, element.line)
    return [_expression_in(by_level[level], element) for level in wanted]


def _expression_in(holder: Element | None, group: Element) -> Element:
    found = defined_by(holder) if holder is not None else None
    if found is None:
        raise Refused("tree-syntax", "a common-cause group needs a distribution and factors.", group.line)
    return found


# From names as a file writes them to names of the tree, and quantities once parameters are known.

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
