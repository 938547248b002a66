"""Problems of what a step says about its component and data set."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.definition import Component, EvidenceSource
from surefoot.project.draft import Draft
from surefoot.project.step import COMPONENT_KEYS, Step


def component_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Problems of ``component`` and ``on``, and of what the step needs of the component."""
    if not step.uses_component:
        yield from _needless(source, step, at)
        return
    yield from _choice_problems(draft, source, at)
    component = component_of(draft, source)
    if component is None:
        return
    if source.on not in component.data:
        text = f"names the data set {shown(source.on)}, which the component does not have."
        yield Problem("unknown-reference", (*at, "on"), text, did_you_mean(source.on, component.data))
    elif component.model is None:
        yield from _without_model(component, source, step, at)


def component_of(draft: Draft, source: EvidenceSource) -> Component | None:
    """The component a step works on; None where it is unclear or could not be read."""
    only = next(iter(draft.component_names)) if len(draft.component_names) == 1 else None
    return draft.definition.components.get(source.component or only or "")


def _needless(source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    for key in (key for key in COMPONENT_KEYS if key in source.model_fields_set):
        text = f"is not needed: the step {step.name!r} works on no component."
        yield Problem("unknown-key", (*at, key), text, "Leave it out.")


def _choice_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    known = draft.component_names
    if source.component is None and len(known) > 1:
        text = "is missing, and there are several components."
        yield Problem("missing-key", (*at, "component"), text, did_you_mean("", known))
    elif source.component is not None and known and source.component not in known:
        text = f"names the component {shown(source.component)}, which is not there."
        yield Problem("unknown-reference", (*at, "component"), text, did_you_mean(source.component, known))


def _without_model(component: Component, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    roles = step.roles.values()
    if "model" in roles:
        yield Problem("missing-key", at, "needs the model of its component, which has none.", "Add model: to it.")
    elif "tested" in roles and component.data[source.on].scores is None and has_scores(component):
        text = f"names the data set {shown(source.on)}, which has no scores, while the component has no model."
        yield Problem("missing-key", (*at, "on"), text, "Name its scores with scores:, or add a model.")


def has_scores(component: Component) -> bool:
    """Whether a data set brings scores, so that no model is needed."""
    return any(data.scores is not None for data in component.data.values())
