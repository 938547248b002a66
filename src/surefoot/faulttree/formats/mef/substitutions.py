"""Substitutions: what holds whenever a hypothesis does.

A substitution without source says that its hypothesis implies its target, which is a condition on the top event. One
with a source rewrites cut sets after they are found, which no static tree can say; it is left out.
"""

from __future__ import annotations

from surefoot.faulttree.formats.mef.collecting import noting
from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.elements import Element, Refused, only, require_parts
from surefoot.faulttree.formats.mef.formulas import formula
from surefoot.faulttree.formats.mef.instructions import Truth, renamed_truth
from surefoot.faulttree.formats.mef.sequences import free_name
from surefoot.faulttree.formula import Formula

TAG = "define-substitution"
PARTS = ("hypothesis", "source", "target")
REWRITES = "rewrites cut sets after they are found, which no tree can say."


def read_substitutions(draft: Draft) -> None:
    """What substitutions ask for beside the top event; those that rewrite cut sets are left out."""
    for element, scope in draft.later[TAG]:
        with noting(scope.findings):
            require_parts(element, PARTS)
            hypothesis, target = (renamed_truth(_part(element, tag), scope) for tag in ("hypothesis", "target"))
            if element.first("source") is not None:
                place = scope.findings.place(element.line)
                draft.left_out.append(f"{place}: the substitution {element.need('name')!r}, which {REWRITES}")
                continue
            _require_type(element, hypothesis, target)
            denied = Formula("not", (hypothesis,))
            draft.conditions.append(denied if target is False else Formula("or", (denied, target)))


def with_substitutions(draft: Draft, top: str) -> str:
    """The top event under the substitutions of the model: a new gate where there are any."""
    if not draft.conditions:
        return top
    name = free_name(draft, f"{top}-with-substitutions")
    draft.gates[name] = Formula("and", (top, *draft.conditions))
    return name


def _require_type(element: Element, hypothesis: Truth, target: Truth) -> None:
    """Refuse a type that says something else than the parts do."""
    both = isinstance(hypothesis, str) or (isinstance(hypothesis, Formula) and hypothesis.kind == "and")
    fits = {"delete-terms": target is False, "recovery-rule": both and not isinstance(target, bool)}
    said = element.attributes.get("type")
    if said is not None and not fits.get(said, False):
        text = (
            f"the substitution {element.need('name')!r} has the type {said[:40]!r}, and its parts say something else."
        )
        hint = "delete-terms has the target false, recovery-rule a conjunction and an event, exchange-event a source."
        raise Refused("tree-syntax", text, element.line, hint)


def _part(element: Element, tag: str) -> Truth:
    holder = element.first(tag)
    if holder is None:
        raise Refused("tree-syntax", f"a substitution has a <{tag}>.", element.line)
    return formula(only(holder))
