"""Activities of standards that parts of a case belong to, as tags that people filter by.

AMLAS names its six stages: Hawkins, Paterson, Picardi, Jia, Calinescu and Habli, "Guidance on the Assurance of Machine
Learning in Autonomous Systems (AMLAS)", 2021. UL 4600 is cited by the titles of its sections, whose numbers differ
between editions. ISO/PAS 8800:2024 is cited by its clauses. A tag says where a node belongs; it does not say that a
standard is fulfilled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from surefoot.core import validate

Standard = Literal["AMLAS", "UL 4600", "ISO/PAS 8800"]
Role = Literal[
    "scope",
    "hazard analysis",
    "safety target",
    "requirements",
    "data",
    "learning",
    "verification",
    "integration",
    "system analysis",
    "operation",
    "argument",
    "tools",
]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Activity:
    """What a standard calls a part of the work.

    Parameters
    ----------
    standard, name
        The standard, and its word for the activity.
    place
        Where the standard has it, as far as that is public.

    Examples
    --------
    >>> from surefoot.case import ACTIVITIES
    >>> ACTIVITIES["verification"][0].tag
    'AMLAS: model verification'

    """

    standard: Standard
    name: str
    place: str = ""
    """Where the standard has it, as far as that is public."""

    @property
    def tag(self) -> str:
        """What nodes carry."""
        return f"{self.standard}: {self.name}"


SCOPING = Activity("AMLAS", "ML safety assurance scoping", "stage 1")
REQUIREMENTS = Activity("AMLAS", "ML safety requirements assurance", "stage 2")
DATA = Activity("AMLAS", "data management", "stage 3")
LEARNING = Activity("AMLAS", "model learning", "stage 4")
VERIFICATION = Activity("AMLAS", "model verification", "stage 5")
DEPLOYMENT = Activity("AMLAS", "model deployment", "stage 6")
UL_ARGUMENT = Activity("UL 4600", "safety case and arguments")
UL_RISK = Activity("UL 4600", "risk assessment")
UL_AUTONOMY = Activity("UL 4600", "autonomy functions and support")
UL_DEPENDABILITY = Activity("UL 4600", "dependability")
UL_DATA = Activity("UL 4600", "data and networking")
UL_TEST = Activity("UL 4600", "verification, validation and test")
UL_TOOLS = Activity("UL 4600", "tool qualification, COTS and legacy components")
UL_METRICS = Activity("UL 4600", "metrics and safety performance indicators")
ISO_MANAGEMENT = Activity("ISO/PAS 8800", "AI safety management", "clause 7")
ISO_ARGUMENT = Activity("ISO/PAS 8800", "assurance arguments for AI systems", "clause 8")
ISO_REQUIREMENTS = Activity("ISO/PAS 8800", "derivation of AI safety requirements", "clause 9")
ISO_MEASURES = Activity("ISO/PAS 8800", "AI technologies, architectural and development measures", "clause 10")
ISO_DATA = Activity("ISO/PAS 8800", "data-related considerations", "clause 11")
ISO_TEST = Activity("ISO/PAS 8800", "verification and validation of the AI system", "clause 12")
ISO_ANALYSIS = Activity("ISO/PAS 8800", "safety analysis of AI systems", "clause 13")
ISO_OPERATION = Activity("ISO/PAS 8800", "measures during operation", "clause 14")
ISO_TOOLS = Activity("ISO/PAS 8800", "confidence in frameworks and software tools", "clause 15")

ACTIVITIES: Mapping[Role, tuple[Activity, ...]] = {
    "scope": (SCOPING, UL_ARGUMENT, ISO_MANAGEMENT),
    "hazard analysis": (SCOPING, UL_RISK, ISO_ANALYSIS),
    "safety target": (SCOPING, UL_RISK, ISO_REQUIREMENTS),
    "requirements": (REQUIREMENTS, UL_AUTONOMY, ISO_REQUIREMENTS),
    "data": (DATA, UL_DATA, ISO_DATA),
    "learning": (LEARNING, UL_AUTONOMY, ISO_MEASURES),
    "verification": (VERIFICATION, UL_TEST, ISO_TEST),
    "integration": (DEPLOYMENT, UL_DEPENDABILITY, ISO_MEASURES),
    "system analysis": (UL_RISK, UL_DEPENDABILITY, ISO_ANALYSIS),
    "operation": (DEPLOYMENT, UL_METRICS, ISO_OPERATION),
    "argument": (UL_ARGUMENT, ISO_ARGUMENT),
    "tools": (UL_TOOLS, ISO_TOOLS),
}


def tags(*roles: Role) -> tuple[str, ...]:
    """The tags of these roles, each once.

    >>> tags("verification")[0]
    'AMLAS: model verification'
    """
    for role in roles:
        validate.choice(role, ROLES, where="tags", name="role")
    return tuple(dict.fromkeys(activity.tag for role in roles for activity in ACTIVITIES[role]))


# Where in an argument each assumption belongs: which aspect of the method it speaks of, and which activity that is.

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
ASPECT_ROLES: Mapping[Aspect, Role] = {
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
    return "verification" if aspect is None else ASPECT_ROLES[aspect]
