"""Parts of the work that nodes of templates belong to, and the clauses of standards on each.

A clause stands here only where what templates write for that part of the work is what the clause is about, and is left
out elsewhere. A tag says where a node belongs; it does not say that a standard is fulfilled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from surefoot.case.standards import clause_of_or_none, standards_named
from surefoot.core import validate

Role = Literal[
    "scope",
    "hazard analysis",
    "safety target",
    "system requirements",
    "requirements",
    "data",
    "learning",
    "verification",
    "system test",
    "system analysis",
    "monitoring",
    "operation",
    "argument",
    "configuration",
]
ROLES: tuple[Role, ...] = get_args(Role)
USUAL = ("AMLAS", "UL 4600", "ISO/PAS 8800")
"""The standards on learned components whose tags templates write unless somebody names others."""

CLAUSES: Mapping[Role, tuple[str, ...]] = {
    "scope": ("AMLAS: stage 1",),
    "hazard analysis": (
        "UL 4600: section 6",
        "ISO 26262-3: clause 6",
        "ISO 21448: clause 6",
        "ISO 14971: clause 5",
    ),
    "safety target": (
        "AMLAS: stage 1",
        "UL 4600: section 6",
        "ISO/PAS 8800: clause 9",
        "ISO 21448: clause 6.5",
    ),
    "system requirements": ("ISO 26262-8: clause 6",),
    "requirements": ("AMLAS: stage 2", "ISO/PAS 8800: clause 9"),
    "data": ("AMLAS: stage 3", "UL 4600: section 8.5", "ISO/PAS 8800: clause 11", "EU AI Act: article 10"),
    "learning": ("AMLAS: stage 4", "UL 4600: section 8.5", "ISO/PAS 8800: clause 10"),
    "verification": ("AMLAS: stage 5", "UL 4600: section 12", "ISO/PAS 8800: clause 12", "EU AI Act: article 15"),
    "system test": ("AMLAS: stage 6", "UL 4600: section 12", "ISO/PAS 8800: clause 12"),
    "system analysis": (
        "UL 4600: section 6",
        "ISO/PAS 8800: clause 13",
        "ISO 26262-4: clause 6.4.4",
        "EN 50129: part 4",
        "ISO 14971: clause 5",
    ),
    "monitoring": ("AMLAS: stage 6", "ISO/PAS 8800: clause 14"),
    "operation": (
        "AMLAS: stage 6",
        "UL 4600: section 16",
        "ISO/PAS 8800: clause 14",
        "ISO 21448: clause 13",
        "ISO 14971: clause 10",
    ),
    "argument": ("UL 4600: section 5", "ISO/PAS 8800: clause 8"),
    "configuration": ("ISO 26262-8: clause 7", "IEC 62304: clause 8"),
}


def tags(*roles: Role) -> tuple[str, ...]:
    """The tags of these roles, each once, of all standards.

    >>> tags("verification")[0]
    'AMLAS: stage 5'
    """
    for role in roles:
        validate.choice(role, ROLES, where="tags", name="role")
    return tuple(dict.fromkeys(tag for role in roles for tag in CLAUSES[role]))


def tags_of(written: Iterable[str], standards: Iterable[str]) -> tuple[str, ...]:
    """Those tags that name one of these standards, or none at all.

    >>> tags_of(tags("data"), ["AMLAS", "EU AI Act"])
    ('AMLAS: stage 3', 'EU AI Act: article 10')
    """
    wanted = {each.name for name in standards for each in standards_named(name)}
    found = ((tag, clause_of_or_none(tag)) for tag in written)
    return tuple(tag for tag, clause in found if clause is None or clause.standard in wanted)


def left_by(author: Iterable[str], standards: Iterable[str]) -> tuple[str, ...]:
    """Standards that an author's own tags do not name: where they do, the author alone says what belongs where.

    >>> left_by(["AMLAS: artefact X", "release 2"], ["AMLAS", "EU AI Act"])
    ('EU AI Act',)
    """
    named = {clause.standard for tag in author if (clause := clause_of_or_none(tag)) is not None}
    every = (each.name for name in standards for each in standards_named(name))
    return tuple(name for name in every if name not in named)


# Where in an argument each assumption belongs: which aspect of the method it speaks of, and which part of the work.

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
        "fixed-exposure",
        "poisson-events",
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
        "variation-keeps-labels",
        "better-than-chance",
        "uniform-inside",
        "variation-as-in-operation",
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
        "counted-as-documented",
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
    "returns": "monitoring",
    "threshold": "monitoring",
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
    """The part of the work that an assumption belongs to."""
    aspect = aspect_of(identity, conditions)
    return "verification" if aspect is None else ASPECT_ROLES[aspect]
