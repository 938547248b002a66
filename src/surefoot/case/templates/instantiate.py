"""From ingredients to a case: a frame, an argument for each target, and what the user wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from surefoot.case.case import Case
from surefoot.case.templates.component_frame import over_components
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.ingredients import Ingredients
from surefoot.case.templates.merging import merged
from surefoot.case.templates.system_frame import over_system
from surefoot.case.templates.targets_frame import over_targets
from surefoot.core import validate

Frame = Literal["targets", "component", "system"]
FRAMES: Mapping[Frame, Callable[[Draft], None]] = {
    "targets": over_targets,
    "component": over_components,
    "system": over_system,
}


def instantiate(ingredients: Ingredients, *, frame: Frame = "targets", own: Case | None = None) -> Case:
    """The case of a system.

    ``frame`` says what it begins with: all targets beside each other, learned components by their functions (RAM,
    Figure 8), or the whole system (Figure 3). ``own`` is what the user wrote: nodes with ids of the template add to it,
    others are new. Ids are stable: a target keeps its name, and the same assumption has one id wherever it appears.
    """
    validate.choice(frame, tuple(FRAMES), where="instantiate", name="frame")
    draft = Draft(ingredients)
    FRAMES[frame](draft)
    case = draft.case(ingredients.system)
    return case if own is None else merged(case, own)
