"""The chapters of the page: which there are, in the order an assessor reads them, and which steps each one shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from surefoot.project.definition import HAZOP, TREE_STEPS
from surefoot.project.result import Result

HAZARDS, TREE, EVIDENCE = "hazards", "tree", "evidence"
OTHERS = "Other evidence"
STEPS = {
    HAZOP: HAZARDS,
    **dict.fromkeys(TREE_STEPS, TREE),
    "reliability_cells": "reliability",
    "reliability_balls": "reliability",
    "metric_opinion": "trust",
    "monitor": "monitors",
    "monitor_layer": "monitors",
    "system_study": "systems",
}
"""Chapters of steps; all others are further evidence."""


@dataclass(frozen=True)
class Chapter:
    """A chapter of evidence."""

    id: str
    short: str
    """Its name in the list of contents."""
    title: str
    says: str
    """What it is about."""


OF_EVIDENCE = (
    Chapter(
        HAZARDS,
        "Hazards",
        "Hazard analysis",
        "Where the requirements come from: for each node and flow of the system, guide words name deviations; a team "
        "says why each may happen, what follows and what is done about it. What a mitigation promises is a safety "
        "property of its own, which has to be examined in turn.",
    ),
    Chapter(
        TREE,
        "Fault tree",
        "The fault tree",
        "How failures of components lead to the hazard. Events that rest on a learned component are marked; what was "
        "measured of them is carried up to the top event, and what the top event may be is carried back to them.",
    ),
    Chapter(
        "reliability",
        "Reliability maps",
        "Reliability maps",
        "Where in the space of inputs operation lies, where the component fails, and how much each part adds to its "
        "failure probability.",
    ),
    Chapter(
        "trust",
        "Trust chain",
        "The trust chain",
        "A metric as an opinion: what speaks for it, what against it and what is not known; discounted by how far "
        "labels, calibration and coverage of the conditions can be trusted.",
    ),
    Chapter(
        "monitors",
        "Monitors",
        "Monitors",
        "What watches the component in operation: how much risk it takes away, how much is left, and what it costs.",
    ),
    Chapter(
        "systems",
        "Systems",
        "Systems of modules",
        "How errors of one module become errors of the next, and what the system does with inputs that it rejects.",
    ),
    Chapter(EVIDENCE, "Evidence", "Evidence", ""),
)


def evidence_chapters(result: Result) -> list[tuple[Chapter, list[str]]]:
    """Chapters of evidence that are there, with the names of their steps in the order of the project."""
    steps: dict[str, list[str]] = {}
    for name, item in result.evidence.items():
        steps.setdefault(STEPS.get(item.provenance.method.removeprefix("step."), EVIDENCE), []).append(name)
    there = [(chapter, steps[chapter.id]) for chapter in OF_EVIDENCE if chapter.id in steps]
    if len(there) > 1 and there[-1][0].id == EVIDENCE:
        there[-1] = (replace(there[-1][0], short=OTHERS, title=OTHERS), there[-1][1])
    return there


def contents(result: Result, *, iterations: bool) -> list[tuple[str, str]]:
    """Ids and names of the chapters that are there."""
    return [
        *([("targets", "Targets")] if result.answers else []),
        ("case", "Case"),
        *((chapter.id, chapter.short) for chapter, _ in evidence_chapters(result)),
        *([("iterations", "Iterations")] if iterations else []),
        ("assumptions", "Assumptions"),
        ("conditions", "Operating conditions"),
        ("caveats", "Caveats"),
        ("provenance", "Provenance"),
        ("signature", "Signature"),
        ("glossary", "Glossary"),
    ]
