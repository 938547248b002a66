"""The argument over the four steps of the reliability assessment model (RAM, sections 4 and 5.2; Figures 9 to 13).

The figures are not in the text. Their structure is rebuilt from the sections: SubC11-C1 states the bound, and the four
steps are C2 to C5, since the text places SubC11-C3.2 and SubC11-C3.3, on the estimator of the operational profile as a
learned model, in step 2. Each step warrants the bound: where one fails, the bound is not shown, neither way. Each
modelling assumption of section 4 is a side-claim of the step that makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.case.templates.aspects import Aspect
from surefoot.case.templates.method import DATA, Method, Part
from surefoot.core import Estimate

PARTITION = Part(
    "partition",
    "Step 1: the input space is divided so finely that no region lies in two classes.",
    "Regions, which are cells or balls around data, are smaller than the distance between classes.",
    ("partition",),
    "concretion",
    ("verification",),
    always=True,
    note="SubC11-C2 of RAM, Figure 10.",
)
PROFILE = Part(
    "profile",
    "Step 2: the share of operation in each region is known, with its uncertainty.",
    "The share of operation in each region is estimated, with its uncertainty, from data that follow it.",
    ("profile",),
    "calculation",
    ("data",),
    always=True,
    note="SubC11-C3 of RAM, Figure 11.",
)
ROBUSTNESS = Part(
    "robustness",
    "Step 3: it is known how often the component departs from the label inside each region.",
    "The label of each region is found, and how often the component departs from it inside is measured or proven.",
    ("robustness",),
    "calculation",
    ("verification",),
    always=True,
    note="SubC11-C4 of RAM, Figure 12.",
)
ASSEMBLY = Part(
    "assembly",
    "Step 4: regions add up to the failure probability and its bound.",
    "Each share of operation times what goes wrong inside its region is summed; the variance of the sum gives the "
    "bound.",
    ("assembly",),
    "calculation",
    ("verification",),
    always=True,
    note="SubC11-C5 of RAM, Figure 13.",
)
STEPS = (PARTITION, PROFILE, ROBUSTNESS, ASSEMBLY)
FOUR_STEPS = Method(
    "classification",
    "calculation",
    (*STEPS, DATA),
    "Argued over the four steps of the reliability assessment model (RAM, section 5.2).",
)
CORRECTED = Method(
    "corrected",
    "calculation",
    (DATA,),
    "Held-out tests correct what the four steps of the reliability assessment model predict.",
)
ESTIMATOR = {
    "learned": ("The estimator of the profile behind the {about} is chosen and tuned for its data.", "SubC11-C3.2"),
    "verified": ("The estimator of the profile behind the {about} is verified on data not seen.", "SubC11-C3.3"),
}
"""What is asked of the estimator of the profile, as of any learned model, and where in the paper."""


@dataclass(frozen=True)
class Modelled:
    """A modelling assumption of section 4: who carries it, and what is said where nobody does."""

    number: int
    aspect: Aspect
    cells: str
    balls: str
    text: str
    not_needed: Mapping[str, str]
    """By ``cells`` and ``balls``: why a number that does not carry it does not need it."""

    def carried_by(self, kind: str) -> str:
        """The id under which a number from cells, or from balls, carries it; empty where none does."""
        return self.cells if kind == "cells" else self.balls


COVARIANCES = "Assumption 6 of RAM is not needed: the variance counts how estimates of different cells depend."
MODELLED = (
    Modelled(
        1,
        "partition",
        "separated-classes",
        "",
        "There is a distance within which the label does not change, and the data at hand show it (Assumption 1).",
        {},
    ),
    Modelled(
        2,
        "profile",
        "labelled-data-represent-operation",
        "frame-represents-operation",
        "The data are drawn from the operational profile (Assumption 2).",
        {},
    ),
    Modelled(
        3,
        "robustness",
        "single-label-cells",
        "single-label-balls",
        "All inputs in a region have one label (Assumption 3).",
        {},
    ),
    Modelled(
        4,
        "robustness",
        "better-than-chance",
        "",
        "In every region without labelled data the component is right more often than chance (Assumption 4).",
        {"balls": "Assumption 4 of RAM is not needed: every ball has the label of the row in its centre."},
    ),
    Modelled(
        5,
        "robustness",
        "uniform-inside",
        "uniform-inside",
        "Inputs inside a region are distributed uniformly (Assumption 5).",
        {},
    ),
    Modelled(
        6,
        "assembly",
        "independent-cells",
        "",
        "Estimates of different regions are independent (Assumption 6).",
        {"cells": COVARIANCES, "balls": "Assumption 6 of RAM is not needed: balls are drawn, not all of them added."},
    ),
    Modelled(
        7,
        "assembly",
        "",
        "sampling-of-balls-dominates",
        "The sampling of balls is the major source of uncertainty (Assumption 7).",
        {
            "cells": "Assumption 7 of RAM is not needed: no region is left out.",
            "balls": "Assumption 7 of RAM is not needed: the variance counts what is not known inside balls too.",
        },
    ),
)
CARRIED = frozenset(filter(None, (identity for each in MODELLED for identity in (each.cells, each.balls))))


def kind_of(estimate: Estimate) -> str:
    """Whether the number comes from ``cells`` or ``balls``."""
    return "balls" if "assess_balls" in estimate.provenance.method else "cells"


def is_corrected(estimate: Estimate) -> bool:
    """Whether held-out tests carry the number, so that it holds whatever the four steps assume."""
    return not CARRIED.intersection(assumption.id for assumption in estimate.assumptions)
