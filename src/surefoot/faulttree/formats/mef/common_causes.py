"""Common-cause groups of Open-PSA files."""

from __future__ import annotations

from dataclasses import replace

from surefoot.core.errors import InvalidInput
from surefoot.faulttree.formats.mef.collecting import noting
from surefoot.faulttree.formats.mef.described import describe, described, exact_words
from surefoot.faulttree.formats.mef.draft import Draft, Names, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, require_parts, unknown
from surefoot.faulttree.formats.mef.expressions import defined_by
from surefoot.faulttree.formats.mef.formulas import whole_number
from surefoot.faulttree.formats.mef.resolving import expression_reader
from surefoot.faulttree.groups import AlphaFactor, BetaFactor, FactorModel, MultipleGreekLetter, PhiFactor

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
