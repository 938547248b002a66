"""Assurance cases: claims, arguments and evidence that stay true.

One model for CAE (paper RAM, section 2.1) and GSN (Community Standard, version 3): ``node``, ``number`` and ``case``
hold it, ``formats`` its files, ``checks`` what is wrong with it, ``templates`` fill it with what a project measured,
``confidence`` says how far each claim can be trusted (paper SL), ``change`` compares and seals cases, ``drawings`` and
``rendering`` show them. What compares, seals, draws and writes is loaded when it is first used. May import ``core``,
``drawing`` and the domain packages below; nothing of ``project`` or above.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefoot.case.confidence import Feedback, Judgement, judge
from surefoot.case.evaluation import Assessed, Evaluation, Goal, Lever, Methods
from surefoot.case.model import (
    BLOCKS,
    COMBININGS,
    KINDS,
    NOTATIONS,
    Case,
    Choice,
    Module,
    Node,
    Number,
    Policy,
    Stated,
    tagged,
)
from surefoot.case.templates import ACTIVITIES, FRAMES, PATTERNS, Activity, Ingredients, instantiate, pattern

if TYPE_CHECKING:
    from surefoot.case import drawings, formats
    from surefoot.case.change import (
        CaseDiff,
        Cause,
        ClaimChange,
        EvidenceChange,
        NodeChange,
        PrivateKey,
        PublicKey,
        Sealed,
        SealedClaim,
        Signature,
        Snapshot,
        compare,
        make_key,
        verify,
    )
    from surefoot.case.change.seal import Seal, seal
    from surefoot.case.checks import case_check

__all__ = [
    "ACTIVITIES",
    "BLOCKS",
    "COMBININGS",
    "FRAMES",
    "KINDS",
    "NOTATIONS",
    "PATTERNS",
    "Activity",
    "Assessed",
    "Case",
    "CaseDiff",
    "Cause",
    "Choice",
    "ClaimChange",
    "Evaluation",
    "EvidenceChange",
    "Feedback",
    "Goal",
    "Ingredients",
    "Judgement",
    "Lever",
    "Methods",
    "Module",
    "Node",
    "NodeChange",
    "Number",
    "Policy",
    "PrivateKey",
    "PublicKey",
    "Seal",
    "Sealed",
    "SealedClaim",
    "Signature",
    "Snapshot",
    "Stated",
    "case_check",
    "compare",
    "drawings",
    "formats",
    "instantiate",
    "judge",
    "make_key",
    "pattern",
    "seal",
    "tagged",
    "verify",
]
_PARTS = ("drawings", "formats")


def __getattr__(name: str) -> Any:
    """Pictures, files, checks and comparisons are loaded by who asks for them."""
    if name in _PARTS:
        return import_module(f"surefoot.case.{name}")
    if name in __all__:
        home = "checks" if name == "case_check" else "change"
        return getattr(import_module(f"surefoot.case.{home}"), name)
    raise AttributeError(f"module 'surefoot.case' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
