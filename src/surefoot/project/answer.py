"""The answer to one target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from surefoot.core import Bound, BoundFamily, Estimate, InvalidInput, Table, Target, Verdict
from surefoot.core.canonical import reading

FIELDS = ("name", "claim", "reference", "margin", "looks", "corrected_level", "previous")
VERDICTS = {"met": "met", "alone": "met at this look alone", "not shown": "not shown", "violated": "violated"}


@dataclass(frozen=True)
class Answer:
    """A target, the estimate it asks about, and what was found."""

    name: str
    claim: str
    reference: str
    target: Target
    estimate: Estimate
    verdict: Verdict
    margin: float | None
    """Limit divided by bound (``at_most``), bound divided by limit (``at_least``): above 1 is good.

    Of an uncertain limit the end that the verdict compared with.
    """
    needed: tuple[str, ...] = ()
    """When the target is not met: sentences that say what would be needed."""
    looks: int = 1
    """The number of this look at the test data that the target rests on."""
    corrected_level: float | None = None
    """The level of this look, so that all looks together keep the target's level; None where no look is counted."""
    corrected: Verdict | None = None
    """The verdict at that level; None where the verdict itself was judged at it, or no bound has a level."""
    previous: str = ""
    """What earlier assessments asked of the same number, where that was something else."""
    derivation: Table | None = None
    """How the limit follows from a principle and its reference; None where the limit was stated."""
    new_tests: Table | None = None
    """When new tests could show it: how many do with which probability, for several true rates."""

    @property
    def alone(self) -> bool:
        """Met by itself, and not so that all looks are covered: for no other look but this one."""
        if self.corrected is not None:
            return bool(self.verdict) and not self.corrected
        bound = self.verdict.bound
        return bool(self.verdict) and self.looks > 1 and bound is not None and bound.kind == "expectation"

    @property
    def met(self) -> bool:
        """Whether the target counts as met: at the level that covers all looks."""
        return self.status == "met"

    @property
    def deciding(self) -> Verdict:
        """The verdict that counts."""
        return self.corrected if self.alone and self.corrected is not None else self.verdict

    @property
    def status(self) -> str:
        """The status of the verdict, or ``alone`` where it does not outlast the correction for repeated looks."""
        return "alone" if self.alone else self.verdict.status

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "claim": self.claim,
            "reference": self.reference,
            "target": self.target.to_dict(),
            "estimate": self.estimate.to_dict(),
            "status": self.status,
            "verdict": _verdict_to_dict(self.verdict),
            "margin": self.margin,
            "needed": list(self.needed),
            "looks": self.looks,
            "corrected_level": self.corrected_level,
            "corrected": _verdict_to_dict(self.corrected) if self.corrected is not None else None,
            "previous": self.previous,
            **({} if self.new_tests is None else {"new_tests": self.new_tests.to_dict()}),
            **({} if self.derivation is None else {"derivation": self.derivation.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("answer"):
            target, derivation, tests = Target.from_dict(data["target"]), data.get("derivation"), data.get("new_tests")
            corrected = data["corrected"]
            return cls(
                **{name: data[name] for name in FIELDS},
                target=target,
                estimate=Estimate.from_dict(data["estimate"]),
                verdict=_verdict_from_dict(data["verdict"], target),
                needed=tuple(data["needed"]),
                new_tests=None if tests is None else Table.from_dict(tests),
                corrected=_verdict_from_dict(corrected, target) if corrected else None,
                derivation=None if derivation is None else Table.from_dict(derivation),
            )


def _verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    bound = verdict.bound.to_dict() if verdict.bound else None
    return {"status": verdict.status, "text": verdict.text, "bound": bound, "level": verdict.target.level}


def _verdict_from_dict(data: Mapping[str, Any], target: Target) -> Verdict:
    bound = BoundFamily.from_dict(data["bound"]) if data["bound"] else None
    if bound is not None and not isinstance(bound, Bound):
        raise InvalidInput("a verdict holds one limit", found=type(bound).__name__)
    return Verdict(data["status"], replace(target, level=data["level"]), bound, data["text"])
