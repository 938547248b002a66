"""How each method is argued: block, sentence, the parts that take its assumptions, and the four steps of RAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from surefoot.case.model import Block
from surefoot.case.templates.activities import Aspect, Role, tags
from surefoot.case.templates.builder import Draft, Job
from surefoot.case.wording import AS_DOCUMENTED, about
from surefoot.core import Estimate, Evidence

ABOUT = "{about}"
"""Stands in texts for the quantity and what it is about."""


@dataclass(frozen=True)
class Part:
    """Why one aspect of the evidence may be believed: a side-warrant, argued from the assumptions of its aspects."""

    name: str
    claim: str
    text: str
    """How the assumptions bear on the claim."""
    aspects: tuple[Aspect, ...]
    block: Block
    roles: tuple[Role, ...]
    always: bool = False
    """Whether it is there without assumptions too, as a justification."""
    note: str = ""


@dataclass(frozen=True)
class Method:
    """How a number is argued for: from evidence, warranted by parts; what no part takes warrants it directly."""

    name: str
    block: Block
    parts: tuple[Part, ...] = ()
    sentence: str = ""
    """Said before what the method's own documentation says."""
    roles: tuple[Role, ...] = ("verification",)
    """Parts of the work that its argument belongs to."""


DATA = Part(
    "data",
    f"What the tests showed of the {ABOUT} is what operation would show.",
    "The tests were made on inputs like those of operation, under its conditions.",
    ("data",),
    "substitution",
    ("data",),
)
COUNTED = Method("counted", "calculation", (DATA,))
NORMAL_SCORE = Method(
    "normal-score",
    "calculation",
    (
        Part(
            "margins",
            "Margins say which answers are failures.",
            "Failure is made precise: a margin is above 0 exactly where the answer is right (NRB, Eqn. (2)).",
            (),
            "concretion",
            ("verification",),
            always=True,
        ),
        Part(
            "normality",
            "A tail of the normal distribution says how often margins fall below 0.",
            "What is known of normal margins is taken for those that were measured (NRB, section 2).",
            ("distribution",),
            "substitution",
            ("verification",),
            always=True,
        ),
        DATA,
    ),
    "The bound follows from mean, spread and number of the margins.",
)
METRIC = Method(
    "metric",
    "calculation",
    (DATA,),
    "Counts are replaced by an opinion, and that by a Beta distribution; the opinion is discounted by how far model, "
    "data and input space can be trusted (SL).",
)
MONITOR = Method(
    "monitor",
    "calculation",
    (
        Part(
            "returns",
            "Returns say what safety and mission are worth.",
            "Safety and mission are made precise by returns, which say what an answer and an alarm lead to (MON).",
            ("returns",),
            "concretion",
            ("monitoring",),
            always=True,
        ),
        Part(
            "threshold",
            "The monitor in operation is the one that was judged.",
            "The alarms judged here are those of operation: monitor and threshold were fixed on other data.",
            ("threshold",),
            "substitution",
            ("monitoring",),
        ),
        DATA,
    ),
    "Safety gain, residual hazard and availability cost are means over returns; the first two sum to the hazard of the "
    "model alone.",
    ("monitoring",),
)
SYSTEM = Method(
    "ai-system",
    "calculation",
    (
        Part(
            "mix",
            "Conditions come in operation as often as is said here.",
            "Operation is made precise: conditions, in the shares that operation meets them (SYS, section 3).",
            ("mix",),
            "concretion",
            ("data",),
            always=True,
        ),
        Part(
            "conditions",
            "Corrupted inputs stand for the conditions of operation.",
            "Inputs met in a condition are replaced by corrupted ones, which fail the system as often.",
            ("conditions",),
            "substitution",
            ("data",),
        ),
        DATA,
    ),
    "All modules run together, so that errors that one passes on to another are in what is counted.",
    ("system test",),
)
CALCULATED = Method("calculated", "calculation", (DATA,), roles=("system analysis",))
DOCUMENTED = Method("documented", "calculation", (DATA,), roles=())
STATED = Method("stated", "evidence incorporation", roles=())
CONDITION_MIX = ("stated-mix", "counted-mix", "calibrated-mix", "corruptions-stand-for-conditions")


def claim_roles(method: Method) -> tuple[Role, ...]:
    """Parts of the work that the claim of a target belongs to; what is calculated is asked of the whole system."""
    return method.roles if method is CALCULATED else ("requirements", *method.roles)


def method_of(estimate: Estimate, evidence: Evidence | None) -> Method | None:
    """The method behind an estimate; None where it is the RAM, which is argued over its four steps."""
    method = estimate.provenance.method
    package, _, name = method.partition(".")
    if package == "reliability":
        return None
    if _is_of_system(estimate, evidence):
        return SYSTEM
    if package == "bounds" and name.startswith("normal_"):
        return NORMAL_SCORE
    if package == "bounds" and any(each.id == AS_DOCUMENTED for each in estimate.assumptions):
        return DOCUMENTED
    by_package: Mapping[str, Method] = {
        "opinions": METRIC,
        "monitors": MONITOR,
        "faulttree": CALCULATED,
        "fault tree": CALCULATED,
        "certified interval": CALCULATED,
        "propagate": CALCULATED,
        "stated": STATED,
    }
    return by_package.get(package, COUNTED)


def _is_of_system(estimate: Estimate, evidence: Evidence | None) -> bool:
    by_step = evidence is not None and evidence.provenance.method == "step.system_study"
    held = {assumption.id for assumption in estimate.assumptions}
    return (by_step or estimate.provenance.method.startswith("systems.")) or bool(held.intersection(CONDITION_MIX))


# The argument over the four steps of the reliability assessment model (RAM, sections 4 and 5.2; Figures 9 to 13).
#
# The figures are not in the text. Their structure is rebuilt from the sections: SubC11-C1 states the bound, and the
# four steps are C2 to C5, since the text places SubC11-C3.2 and SubC11-C3.3, on the estimator of the operational
# profile as a learned model, in step 2. Each step warrants the bound: where one fails, the bound is not shown, neither
# way. Each modelling assumption of section 4 is a side-warrant of the step that makes it.

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
    """By ``cells``, ``balls`` and ``variation``: why a number that does not carry it does not need it."""
    varied: str = ""
    """The id where balls are families of natural variation, if it is another than that of other balls."""

    def carried_by(self, kind: str) -> str:
        """The id under which a number from cells, or from balls, carries it; empty where none does."""
        return self.cells if kind == "cells" else self.balls if kind == "balls" else self.varied or self.balls

    def needless(self, kind: str) -> str:
        """Why a number that does not carry it does not need it; of a variation what holds of balls, if nothing else."""
        return self.not_needed.get(kind, self.not_needed.get("balls", "") if kind == "variation" else "")


COVARIANCES = "Assumption 6 of RAM is not needed: the variance counts how estimates of different cells depend."
MODELLED = (
    Modelled(
        1,
        "partition",
        "separated-classes",
        "",
        "There is a distance within which the label does not change, and the data at hand show it (Assumption 1).",
        {"variation": "Assumption 1 of RAM is not needed: inputs are varied by what they show, not by a distance."},
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
        "variation-keeps-labels",
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
        "variation-as-in-operation",
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
CARRIED = frozenset(filter(None, (name for each in MODELLED for name in (each.cells, each.balls, each.varied))))


def kind_of(estimate: Estimate) -> str:
    """Whether the number comes from ``cells`` or ``balls``, or from balls that are a ``variation``."""
    if "assess_balls" not in estimate.provenance.method:
        return "cells"
    return "variation" if "within" in estimate.provenance.params else "balls"


def is_corrected(estimate: Estimate) -> bool:
    """Whether held-out tests carry the number, so that it holds whatever the four steps assume."""
    return not CARRIED.intersection(assumption.id for assumption in estimate.assumptions)


# What the four steps of the RAM need beside the assumptions that a number carries.


def needed(draft: Draft, job: Job) -> dict[str, list[str]]:
    """For each step the modelling assumptions that the number does not carry, and what nobody has developed of step 2.

    The paper calls the latter claims; here they are side-warrants, so that the step is held up by all that it needs.
    """
    kind = kind_of(job.estimate)
    held = {assumption.id for assumption in job.estimate.assumptions}
    found: dict[str, list[str]] = {}
    for each in MODELLED:
        if each.carried_by(kind) not in held:
            found.setdefault(each.aspect, []).append(_stated(draft, job.owner, each, kind, job.module))
    if _estimated(job.estimate, kind):
        options: dict[str, Any] = {"undeveloped": True, "tags": tags("learning"), "module": job.module}
        for name, (text, place) in ESTIMATOR.items():
            identity, said = f"{job.owner}.profile.{name}", text.replace(ABOUT, about(job.estimate))
            draft.add(identity, "side-claim", said, note=f"{place} of RAM.", **options)
            found.setdefault("profile", []).append(identity)
    return found


def _stated(draft: Draft, owner: str, each: Modelled, kind: str, module: str) -> str:
    """Why an assumption is not needed; or the assumption itself, which nobody checked."""
    identity = f"{owner}.assumption {each.number}"
    options: dict[str, Any] = {"tags": tags("verification"), "module": module}
    if needless := each.needless(kind):
        return draft.add(identity, "justification", needless, **options)
    return draft.add(identity, "side-claim", each.text, note="Nobody checked it.", **options)


def _estimated(estimate: Estimate, kind: str) -> bool:
    """Whether shares of operation come from an estimator; rows that count alike are operation as it is."""
    if kind == "cells":
        return True
    signed = estimate.provenance.method.endswith(".pmi")
    return not signed or any(caveat.code == "approximate-coverage" for caveat in estimate.caveats)
