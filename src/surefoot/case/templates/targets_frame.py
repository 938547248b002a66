"""The frame of a case about targets: the top claim holds if each of them is met."""

from __future__ import annotations

from surefoot.case.templates.argue import Arguments
from surefoot.case.templates.context import stated_context
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.standards import tags

OVER_TARGETS = "The claim holds if every quantitative target is met under the operating conditions."


def over_targets(draft: Draft) -> None:
    """Top claim, decomposition over targets, and the argument of each."""
    given = draft.ingredients
    text = given.claim or f"{given.system} meets its safety targets under the stated operating conditions."
    options = {"in_context_of": stated_context(draft), "tags": tags("scope", "argument")}
    if not given.goals:
        draft.add("claim", "claim", text, undeveloped=True, note="No targets are stated.", **options)
        return
    draft.add("claim", "claim", text, supported_by=("argument",), **options)
    draft.add("argument", "argument", OVER_TARGETS, tags=tags("argument"))
    draft.relate("argument", supported_by=Arguments(draft).claims(given.goals))
    draft.split("argument")
