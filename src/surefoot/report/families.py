"""Families of assumptions, by what happens to a number when one of them is false."""

from __future__ import annotations

ABOUT_INPUTS = (
    "operational-profile",
    "inside-operating-conditions",
    "covered-conditions",
    "complete-conditions",
    "labelled-data-represent-operation",
    "frame-represents-operation",
    "corruptions-stand-for-conditions",
    "same-inputs",
)
"""Assumptions that fail for a share of inputs, of which nothing is known then; stated conditions are of them too."""
OF_A_MODEL = (
    "normal-margins",
    "predicted-before",
    "partial-prior",
    "separated-classes",
    "single-label-cells",
    "single-label-balls",
    "better-than-chance",
    "uniform-inside",
    "independent-cells",
    "sampling-of-balls-dominates",
    "splitting-reaches-all-failures",
    "normal-mean",
)
"""Assumptions that plain counting of the same tests does not need."""
COMPLETENESS = ("complete-logic", "chains-complete", "hazards-complete")
INDEPENDENCE = ("independent-trials", "independent-samples")
REPRESENTATION = ("operational-profile", "labelled-data-represent-operation", "frame-represents-operation")


def kin(identity: str) -> frozenset[str]:
    """Assumptions that fail together with this one, itself among them."""
    return frozenset((identity,)).union(*(each for each in (INDEPENDENCE, REPRESENTATION) if identity in each))
