"""What an assessment found: evidence, an answer for each target, the case, and what all of it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from surefoot.case import Case
from surefoot.core import (
    Bound,
    BoundFamily,
    Diagnostic,
    Distribution,
    Estimate,
    Evidence,
    InvalidInput,
    Summary,
    Table,
    Target,
    Verdict,
)
from surefoot.core.canonical import FrozenDict, FrozenMap, digest, reading, thaw, unthaw
from surefoot.core.summary import table_html
from surefoot.project.iterations.comparison import last_two
from surefoot.project.iterations.iteration import Iteration

RESULT_VERSION = 1
ANSWER_FIELDS = ("name", "claim", "reference", "margin", "looks", "corrected_level", "previous")
WORDS = {"met": "met", "violated": "violated", "unproven": "not shown"}


@dataclass(frozen=True)
class Looks:
    """How often a test set has been looked at."""

    data: str
    """``component.data set``."""
    count: int


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
    corrected_level: float | None = None
    """After repeated looks: the level at which all looks together keep the target's level."""
    corrected: Verdict | None = None
    """The verdict at that level."""
    previous: str = ""
    """What earlier assessments asked of the same number, where that was something else."""
    derivation: Table | None = None
    """How the limit follows from a principle and its reference; None where the limit was stated."""

    @property
    def alone(self) -> bool:
        """Met at the target's level, and not at the level that covers all looks."""
        return bool(self.verdict) and self.corrected is not None and not self.corrected

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "claim": self.claim,
            "reference": self.reference,
            "target": _target_to_dict(self.target),
            "estimate": self.estimate.to_dict(),
            "verdict": _verdict_to_dict(self.verdict),
            "margin": self.margin,
            "needed": list(self.needed),
            "looks": self.looks,
            "corrected_level": self.corrected_level,
            "corrected": _verdict_to_dict(self.corrected) if self.corrected is not None else None,
            "previous": self.previous,
            **({} if self.derivation is None else {"derivation": self.derivation.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("answer"):
            target, derivation = _target_from_dict(data["target"]), data.get("derivation")
            corrected = data["corrected"]
            return cls(
                **{name: data[name] for name in ANSWER_FIELDS},
                target=target,
                estimate=Estimate.from_dict(data["estimate"]),
                verdict=_verdict_from_dict(data["verdict"], target),
                needed=tuple(data["needed"]),
                corrected=_verdict_from_dict(corrected, target) if corrected else None,
                derivation=None if derivation is None else Table.from_dict(derivation),
            )


@dataclass(frozen=True, repr=False)
class Result:
    """Everything a report shows; a plain value without links to files or processes."""

    definition: Mapping[str, Any]
    """The project as it was run, without what was left at its default."""
    evidence: Mapping[str, Evidence]
    answers: tuple[Answer, ...]
    case: Case
    keys: Mapping[str, str]
    """Key of each step."""
    digests: Mapping[str, str]
    """Digests of models and data: ``component.model``, ``component.data set``."""
    versions: Mapping[str, str]
    looks: tuple[Looks, ...] = ()
    caveats: tuple[Diagnostic, ...] = ()
    created: str = field(default="", compare=False)
    """When it was assessed; no part of the digest."""
    iterations: tuple[Iteration, ...] = field(default=(), compare=False)
    """The last iterations of the project, this one among them; no part of the digest."""

    def __post_init__(self) -> None:
        for name in ("definition", "keys", "digests", "versions"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        object.__setattr__(self, "evidence", FrozenMap(self.evidence))

    @property
    def met(self) -> bool:
        """Whether there are targets and every one is met."""
        return bool(self.answers) and all(answer.verdict for answer in self.answers)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each target."""
        return {answer.name: answer.verdict for answer in self.answers}

    @property
    def digest(self) -> str:
        """Hash of all of it but the date and the history."""
        return digest({name: value for name, value in self.to_dict().items() if name not in ("created", "iterations")})

    @property
    def since(self) -> tuple[str, ...]:
        """For each target a line that compares bound and verdict with the iteration before; empty without one."""
        compared = last_two(self.iterations)
        return compared.lines() if compared else ()

    def __getitem__(self, reference: str) -> Estimate:
        """The estimate of ``step.quantity``."""
        step, _, quantity = reference.partition(".")
        if step not in self.evidence:
            raise InvalidInput(
                "no such step", where="Result", found=repr(step), remedy=f"Known: {list(self.evidence)}."
            )
        return self.evidence[step][quantity]

    def summary(self) -> Summary:
        """A line for each target, for terminal and notebook."""
        rows = [(answer.name, f"{WORDS[answer.verdict.status]}: {answer.verdict.text}") for answer in self.answers]
        rows += [("before", line) for line in self.since]
        return Summary(str(self.definition["system"]["name"]), rows or [("targets", "none stated")])

    def __str__(self) -> str:
        return str(self.summary())

    def __repr__(self) -> str:
        met = sum(map(bool, self.verdicts.values()))
        return f"Result({str(self.definition['system']['name'])!r}, {met} of {len(self.answers)} targets met)"

    def _repr_html_(self) -> str:
        """Targets with their bounds, and what would be needed, for notebooks."""
        header = ("target", "asked", "shown", "margin", "verdict")
        needed = [f"{answer.name}: {sentence}" for answer in self.answers for sentence in answer.needed]
        looks = [f"{item.data} has been looked at {item.count} times." for item in self.looks if item.count > 1]
        name = str(self.definition["system"]["name"])
        return table_html(name, header, [_row(answer) for answer in self.answers], [*needed, *looks])

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "version": RESULT_VERSION,
            "created": self.created,
            "met": self.met,
            "definition": thaw(self.definition),
            "answers": [answer.to_dict() for answer in self.answers],
            "evidence": {name: item.to_dict() for name, item in self.evidence.items()},
            "case": self.case.to_dict(),
            "keys": thaw(self.keys),
            "digests": thaw(self.digests),
            "versions": thaw(self.versions),
            "looks": [{"data": item.data, "count": item.count} for item in self.looks],
            "caveats": [caveat.to_dict() for caveat in self.caveats],
            "iterations": [iteration.to_dict() for iteration in self.iterations],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        with reading("result"):
            if data["version"] != RESULT_VERSION:
                raise InvalidInput(f"a result of version {RESULT_VERSION} is needed", found=data["version"])
            return cls(
                definition=unthaw(data["definition"]),
                evidence={name: Evidence.from_dict(item) for name, item in data["evidence"].items()},
                answers=tuple(Answer.from_dict(item) for item in data["answers"]),
                case=Case.from_dict(data["case"]),
                keys=data["keys"],
                digests=data["digests"],
                versions=data["versions"],
                looks=tuple(Looks(**item) for item in data["looks"]),
                caveats=tuple(Diagnostic.from_dict(item) for item in data["caveats"]),
                created=data["created"],
                iterations=tuple(Iteration.from_dict(item) for item in data.get("iterations", ())),
            )


def _row(answer: Answer) -> tuple[str, ...]:
    bound = answer.verdict.bound
    margin = "" if answer.margin is None else f"{answer.margin:.3g}"
    words = "met at this look alone" if answer.alone else WORDS[answer.verdict.status]
    return (
        answer.name,
        str(answer.target),
        f"{bound.side} bound {bound.limit:.4g}" if bound else "nothing",
        margin,
        words,
    )


def _target_to_dict(target: Target) -> dict[str, Any]:
    names = ("at_most", "at_least", "level", "per", "source")
    unsure = {} if target.uncertainty is None else {"uncertainty": target.uncertainty.to_dict()}
    return {name: getattr(target, name) for name in names} | {"kinds": list(target.kinds)} | unsure


def _target_from_dict(data: Mapping[str, Any]) -> Target:
    unsure = Distribution.from_dict(data["uncertainty"]) if "uncertainty" in data else None
    return Target(**{**data, "kinds": tuple(data["kinds"]), "uncertainty": unsure})


def _verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    bound = verdict.bound.to_dict() if verdict.bound else None
    return {"status": verdict.status, "text": verdict.text, "bound": bound, "level": verdict.target.level}


def _verdict_from_dict(data: Mapping[str, Any], target: Target) -> Verdict:
    bound = BoundFamily.from_dict(data["bound"]) if data["bound"] else None
    if bound is not None and not isinstance(bound, Bound):
        raise InvalidInput("a verdict holds one limit", found=type(bound).__name__)
    return Verdict(data["status"], replace(target, level=data["level"]), bound, data["text"])
