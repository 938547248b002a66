"""Where in an argument each assumption belongs: which aspect of the method it speaks of, and which activity that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from surefoot.case.templates.standards import Role

Aspect = Literal[
    "data",
    "statistics",
    "distribution",
    "partition",
    "profile",
    "robustness",
    "assembly",
    "returns",
    "threshold",
    "mix",
    "conditions",
    "opinion",
    "logic",
    "inputs",
    "source",
]
BY_ASPECT: Mapping[Aspect, tuple[str, ...]] = {
    "data": (
        "operational-profile",
        "identical-distribution",
        "inside-operating-conditions",
        "known-shares",
        "sampled-shares",
        "chosen-by-chance",
        "weights-are-ratios",
        "independent-within-strata",
        "covered-conditions",
        "complete-conditions",
        "stated-coverage",
        "same-inputs",
    ),
    "statistics": (
        "independent-trials",
        "independent-losses",
        "independent-groups",
        "distant-rows-independent",
        "returns-by-stratum",
        "independent-samples",
        "same-mean",
        "fixed-size",
        "order-before-outcomes",
        "predicted-before",
        "partial-prior",
        "two-valued-returns",
        "independent-units",
        "stated-range",
        "monotone",
    ),
    "distribution": ("normal-margins",),
    "partition": ("separated-classes",),
    "profile": ("labelled-data-represent-operation", "frame-represents-operation"),
    "robustness": (
        "single-label-cells",
        "single-label-balls",
        "better-than-chance",
        "uniform-inside",
        "deterministic-model",
        "splitting-reaches-all-failures",
    ),
    "assembly": ("independent-cells", "sampling-of-balls-dominates", "normal-mean"),
    "returns": ("returns-hold", "ideal-is-best", "weights-hold"),
    "threshold": ("monitor-fixed", "fitted-elsewhere", "exchangeable-units", "common-cause-model"),
    "mix": ("stated-mix", "counted-mix", "calibrated-mix"),
    "conditions": ("corruptions-stand-for-conditions",),
    "opinion": ("opinion-is-beta",),
    "logic": (
        "complete-logic",
        "chains-complete",
        "hazards-complete",
        "independent-basic-events",
        "order-of-events",
        "independent-subsets",
        "alike-members",
        "beta-factor",
        "exchangeable-channels",
        "blind-spots",
        "mission-time",
        "conditional-factors",
    ),
    "inputs": ("event-is-what-was-measured",),
    "source": (
        "stated-value",
        "exposure-as-stated",
        "reference-constant-rate",
        "reference-independent-trials",
        "independent-demands",
        "constant-rate",
    ),
}
BY_ID: Mapping[str, Aspect] = {identity: aspect for aspect, ids in BY_ASPECT.items() for identity in ids}
ROLES: Mapping[Aspect, Role] = {
    "data": "data",
    "statistics": "verification",
    "distribution": "verification",
    "partition": "verification",
    "profile": "data",
    "robustness": "verification",
    "assembly": "verification",
    "returns": "operation",
    "threshold": "operation",
    "mix": "data",
    "conditions": "data",
    "opinion": "verification",
    "logic": "system analysis",
    "inputs": "system analysis",
    "source": "safety target",
}


def aspect_of(identity: str, conditions: Mapping[str, str]) -> Aspect | None:
    """The aspect that an assumption speaks of; operating conditions speak of the data; None where it is not known."""
    known = BY_ID.get(identity)
    return "data" if known is None and identity in conditions else known


def role_of(identity: str, conditions: Mapping[str, str]) -> Role:
    """The activity that an assumption belongs to."""
    aspect = aspect_of(identity, conditions)
    return "verification" if aspect is None else ROLES[aspect]
