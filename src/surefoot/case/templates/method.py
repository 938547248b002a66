"""What the argument of a method consists of: its block, its sentence, and the parts that its assumptions go to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.case.node import Block
from surefoot.case.templates.aspects import Aspect
from surefoot.case.templates.standards import Role
from surefoot.core import Estimate, Evidence

ABOUT = "{about}"
"""Stands in texts for the quantity and what it is about."""


@dataclass(frozen=True)
class Part:
    """Why one aspect of the evidence may be believed: a side-claim, argued from the assumptions of its aspects."""

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
            ("operation",),
            always=True,
        ),
        Part(
            "threshold",
            "The monitor in operation is the one that was judged.",
            "The alarms judged here are those of operation: monitor and threshold were fixed on other data.",
            ("threshold",),
            "substitution",
            ("operation",),
        ),
        DATA,
    ),
    "Safety gain, residual hazard and availability cost are means over returns; the first two sum to the hazard of the "
    "model alone.",
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
)
CALCULATED = Method("calculated", "calculation", (DATA,))
STATED = Method("stated", "evidence incorporation")
CONDITION_MIX = ("stated-mix", "counted-mix", "calibrated-mix", "corruptions-stand-for-conditions")


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
