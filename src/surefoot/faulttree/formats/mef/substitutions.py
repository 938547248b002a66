"""Substitutions: what holds whenever a hypothesis does.

A substitution without source says that its hypothesis implies its target, which is a condition on the top event. One
with a source rewrites cut sets after they are found, which no static tree can say; it is left out.
"""

from __future__ import annotations

from surefoot.faulttree.formats.mef.collecting import noting
from surefoot.faulttree.formats.mef.draft import Draft, Scope
from surefoot.faulttree.formats.mef.elements import Element, Refused, only
from surefoot.faulttree.formats.mef.formulas import formula
from surefoot.faulttree.formats.mef.instructions import Truth, renamed_truth
from surefoot.faulttree.formats.mef.sequences import free_name
from surefoot.faulttree.formula import Formula

TAG = "define-substitution"


def with_substitutions(draft: Draft, top: str) -> str:
    """The top event under the substitutions of the model: a new gate where there are any."""
    conditions: list[Truth] = []
    for element, scope in draft.later[TAG]:
        with noting(scope.findings):
            if element.first("source") is None:
                conditions.append(_condition(element, scope))
            else:
                where = scope.findings.place(element.line)
                text = f"substitution {element.need('name')} ({where}) rewrites cut sets, which a tree cannot say"
                draft.left_out.append(text)
    if not conditions:
        return top
    name = free_name(draft, f"{top}-with-substitutions")
    draft.gates[name] = Formula("and", (top, *conditions))
    return name


def _condition(element: Element, scope: Scope) -> Truth:
    """Not the hypothesis, or the target."""
    hypothesis, target = (renamed_truth(_part(element, tag), scope) for tag in ("hypothesis", "target"))
    denied = Formula("not", (hypothesis,))
    return denied if target is False else Formula("or", (denied, target))


def _part(element: Element, tag: str) -> Truth:
    holder = element.first(tag)
    if holder is None:
        raise Refused("tree-syntax", f"a substitution has a <{tag}>.", element.line)
    return formula(only(holder))
