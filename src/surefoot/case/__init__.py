"""Assurance cases: claims, arguments and evidence that stay true.

One model for CAE (paper RAM, section 2.1) and GSN (Community Standard, version 3), in ``model``; ``formats`` read and
write its files, ``checks`` find what is wrong with it, ``templates`` fill it with what a project measured,
``confidence`` says how far each claim can be trusted (paper SL), ``change`` compares and seals cases, ``drawings`` show
them. Everything but the model is loaded when it is first used. May import ``core``, ``documents``, ``drawing``
and the domain packages below; nothing of ``project`` or above.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.case.evaluation import Assessed, Doubt, Evaluation, Goal
from surefoot.case.extensions import Choice, ClaimPoint, Module
from surefoot.case.model import BLOCKS, COMBININGS, KINDS, NOTATIONS, Case, Node, Number, Policy, Stated
from surefoot.case.parts import Part, part, tagged

if TYPE_CHECKING:
    from surefoot.case import drawings, formats
    from surefoot.case.change.causes import Cause, EvidenceChange
    from surefoot.case.change.diff import CaseDiff, ClaimChange, compare
    from surefoot.case.change.keys import PrivateKey, PublicKey, Signature, make_key
    from surefoot.case.change.seal import Seal, Sealed, SealedClaim, seal, verify
    from surefoot.case.change.snapshot import NodeChange, Snapshot
    from surefoot.case.checks import case_check
    from surefoot.case.confidence.feedback import Feedback
    from surefoot.case.confidence.judgement import Judgement, judge
    from surefoot.case.coverage_matrix import Coverage, coverage, coverage_line, coverage_table
    from surefoot.case.standards import (
        ACTIVITIES,
        ARTEFACTS,
        STANDARDS,
        Activity,
        Clause,
        Standard,
        clause_of,
        standards_named,
    )
    from surefoot.case.templates import FRAMES, PATTERNS, Ingredients, instantiate, pattern

__all__ = [
    "ACTIVITIES",
    "ARTEFACTS",
    "BLOCKS",
    "COMBININGS",
    "FRAMES",
    "KINDS",
    "NOTATIONS",
    "PATTERNS",
    "STANDARDS",
    "Activity",
    "Assessed",
    "Case",
    "CaseDiff",
    "Cause",
    "Choice",
    "ClaimChange",
    "ClaimPoint",
    "Clause",
    "Coverage",
    "Doubt",
    "Evaluation",
    "EvidenceChange",
    "Feedback",
    "Goal",
    "Ingredients",
    "Judgement",
    "Module",
    "Node",
    "NodeChange",
    "Number",
    "Part",
    "Policy",
    "PrivateKey",
    "PublicKey",
    "Seal",
    "Sealed",
    "SealedClaim",
    "Signature",
    "Snapshot",
    "Standard",
    "Stated",
    "case_check",
    "clause_of",
    "compare",
    "coverage",
    "coverage_line",
    "coverage_table",
    "drawings",
    "formats",
    "instantiate",
    "judge",
    "make_key",
    "part",
    "pattern",
    "seal",
    "standards_named",
    "tagged",
    "verify",
]
_HOMES = (
    {"Feedback": "confidence.feedback", "case_check": "checks"}
    | dict.fromkeys(("Judgement", "judge"), "confidence.judgement")
    | dict.fromkeys(("FRAMES", "PATTERNS", "Ingredients", "instantiate", "pattern"), "templates")
    | dict.fromkeys(
        ("ACTIVITIES", "ARTEFACTS", "STANDARDS", "Activity", "Clause", "Standard", "clause_of", "standards_named"),
        "standards",
    )
    | dict.fromkeys(("Coverage", "coverage", "coverage_line", "coverage_table"), "coverage_matrix")
    | dict.fromkeys(("Cause", "EvidenceChange"), "change.causes")
    | dict.fromkeys(("CaseDiff", "ClaimChange", "compare"), "change.diff")
    | dict.fromkeys(("NodeChange", "Snapshot"), "change.snapshot")
    | dict.fromkeys(
        ("Seal", "Sealed", "SealedClaim", "seal", "verify"),
        "change.seal",
    )
    | dict.fromkeys(("PrivateKey", "PublicKey", "Signature", "make_key"), "change.keys")
)


def __getattr__(name: str) -> Any:
    if name in ("drawings", "formats"):
        return import_module(f"surefoot.case.{name}")
    if name in _HOMES:
        return getattr(import_module(f"surefoot.case.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot.case' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
