"""From what a project file says of a principle to the target that it gives."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.hazards.targets import Derivation, Exposure, Reference
    from surefoot.project.definition import ExposureSource, LimitSource, ReferenceSource

CONVERSION = "exposure"
"""The key that every principle takes, beside its own."""


def derivation(source: LimitSource) -> Derivation:
    """The target of a principle with the steps that led to it; the source in the file is added to its own."""
    from surefoot.hazards.targets import derive

    found = derive(
        source.principle or "",
        **_said(source),
        exposure=exposure_of(source.exposure),
        per=source.per,
        level=source.level,
        kinds=tuple(source.kinds),
    )
    cited = "; ".join(filter(None, (found.target.source, source.source)))
    return replace(found, target=replace(found.target, source=cited))


def reference_of(source: ReferenceSource | None) -> Reference | None:
    """The reference, as far as it is one."""
    from surefoot.hazards.targets import Reference

    return None if source is None else Reference(**source.model_dump())


def exposure_of(source: ExposureSource | None) -> Exposure | None:
    """How often the system is used, as far as that can be."""
    from surefoot.hazards.targets import Exposure

    return None if source is None else Exposure(**source.model_dump())


def keys_of(principle: str) -> dict[str, bool]:
    """The keys that a principle takes, each with whether it needs it."""
    from surefoot.hazards.targets import PRINCIPLES

    options = inspect.signature(PRINCIPLES[principle]).parameters.values()
    return {each.name: each.default is each.empty for each in options if each.name != "asked"} | {CONVERSION: False}


def all_keys() -> dict[str, Mapping[str, bool]]:
    """The keys of every principle."""
    from surefoot.hazards.targets import PRINCIPLES

    return {principle: keys_of(principle) for principle in PRINCIPLES}


def _said(source: LimitSource) -> dict[str, Any]:
    own = {key: getattr(source, key) for key in keys_of(source.principle or "") if key != CONVERSION}
    return own if "reference" not in own else {**own, "reference": reference_of(source.reference)}
