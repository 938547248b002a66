"""What every frame begins with: the hazard, the context in which the top claim is made, and what was assessed."""

from __future__ import annotations

from surefoot import documents
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.standards import tags

SHOWN = 12
"""Characters of a content hash that people compare."""


def stated_context(draft: Draft) -> tuple[str, ...]:
    """Contexts of the top claim."""
    given, found = draft.ingredients, []
    if given.hazard:
        found.append(draft.add("context.hazard", "context", f"Hazard: {given.hazard}", tags=tags("hazard analysis")))
    for number, text in enumerate(given.context, start=1):
        found.append(draft.add(f"context.{number}", "context", text, tags=tags("scope")))
    if given.conditions:
        text = f"Operating conditions: {' '.join(given.conditions.values())}"
        found.append(draft.add("context.conditions", "context", text, tags=tags("scope")))
    if given.digests:
        named = [f"{name} {digest[:SHOWN]}" for name, digest in given.digests.items()]
        text = f"Assessed, by content: {documents.listed(named, len(named))}."
        found.append(draft.add("context.artefacts", "context", text, tags=tags("tools")))
    return tuple(found)
