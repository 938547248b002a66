"""What a seal holds: the claims that held, and digests of everything they rest on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from surefoot.case.change.plain import case_digest
from surefoot.case.change.resting import assumptions_of, evidence_below, result_digest
from surefoot.case.change.snapshot import Snapshot
from surefoot.case.node import Node
from surefoot.case.number import Number
from surefoot.core import InvalidInput, Target
from surefoot.core.canonical import FrozenDict, FrozenMap, canonical_json, digest, reading, unthaw
from surefoot.documents import json

OPINION = ("belief", "disbelief", "uncertainty", "base_rate")
TEXTS = ("system", "by", "date", "case", "result")
TEXT_MAPS = ("not_held", "evidence", "digests", "versions", "operation")


@dataclass(frozen=True)
class SealedClaim:
    """A claim that held, as it held; numbers are rounded to 12 significant digits."""

    text: str
    number: Number | None
    standing: str
    opinion: Mapping[str, float]
    evidence: tuple[str, ...] = ()
    """References of the evidence directly below it, ``step.quantity``."""

    @property
    def probability(self) -> float:
        """Its projected probability when it was sealed."""
        return self.opinion["belief"] + self.opinion["base_rate"] * self.opinion["uncertainty"]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        parts = {"text": self.text, "standing": self.standing, "evidence": list(self.evidence)}
        return {**parts, "opinion": dict(self.opinion), "number": number_to_dict(self.number)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        _only(data, ("text", "standing", "evidence", "opinion", "number"))
        _only(data["opinion"], OPINION)
        _texts(data["text"], data["standing"], *data["evidence"])
        opinion = FrozenDict({name: float(value) for name, value in data["opinion"].items()})
        return cls(data["text"], _number(data["number"]), data["standing"], opinion, tuple(data["evidence"]))


@dataclass(frozen=True)
class Sealed:
    """Everything that is sealed."""

    system: str
    claims: Mapping[str, SealedClaim]
    """The claims that held, by their ids."""
    not_held: Mapping[str, str] = field(default_factory=FrozenDict)
    """The other claims, with how they stood: nobody sealed those."""
    assumptions: Mapping[str, Mapping[str, str]] = field(default_factory=FrozenDict)
    """What the claims rest on, by the id of the side-claim or assumption: text and standing."""
    case: str = ""
    result: str = ""
    """Digests of what the case says, and of all that was measured with where it comes from."""
    evidence: Mapping[str, str] = field(default_factory=FrozenDict)
    digests: Mapping[str, str] = field(default_factory=FrozenDict)
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    targets: Mapping[str, Any] = field(default_factory=FrozenDict)
    operation: Mapping[str, str] = field(default_factory=FrozenDict)
    """What operation had brought, by the id of the claim."""
    by: str = ""
    """Who answers for it."""
    date: str = ""
    """When, as stated by who sealed it: nothing proves it."""

    @classmethod
    def of(cls, snapshot: Snapshot, *, by: str = "", date: str = "") -> Self:
        """What is to be sealed of an assessed case."""
        if snapshot.evaluation is None:
            raise InvalidInput("only an assessed case can be sealed", where="seal", remedy="Assess the project first.")
        standing = {node.id: found.standing for node in snapshot.case if (found := snapshot.node(node.id))}
        claims = [node for node in snapshot.case if node.kind == "claim" and node.id in standing]
        held = [node for node in claims if standing[node.id] == "supported"]
        return cls(
            system=snapshot.system or snapshot.case.name,
            claims=FrozenMap({node.id: _claim(snapshot, node) for node in held}),
            not_held={node.id: standing[node.id] for node in claims if standing[node.id] != "supported"},
            assumptions=dict(assumptions_of(snapshot, [node.id for node in held])),
            case=case_digest(snapshot.case),
            result=result_digest(snapshot),
            evidence=snapshot.contents,
            digests=snapshot.digests,
            versions=snapshot.versions,
            targets=snapshot.targets,
            operation=snapshot.operation,
            by=by,
            date=date,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data in canonical form: keys sorted, numbers rounded."""
        return dict(json.loads(canonical_json(self._data())))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote, and nothing else."""
        with reading("seal"):
            _only(data, tuple(each.name for each in fields(cls)))
            _texts(*(data[name] for name in TEXTS))
            _texts(*(value for name in TEXT_MAPS for value in data[name].values()))
            for assumption in data["assumptions"].values():
                _only(assumption, ("text", "standing"))
                _texts(*assumption.values())
            claims = {identity: SealedClaim.from_dict(claim) for identity, claim in data["claims"].items()}
            rest = {name: unthaw(value) for name, value in data.items() if name != "claims"}
            return cls(claims=FrozenMap(claims), **rest)

    @property
    def digest(self) -> str:
        """One hash over the canonical form of all of it."""
        return digest(self._data())

    def _data(self) -> dict[str, Any]:
        claims = {identity: claim.to_dict() for identity, claim in self.claims.items()}
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"claims": claims}


def number_to_dict(number: Number | None) -> dict[str, Any] | None:
    """A stated number as plain data."""
    if number is None:
        return None
    return {"quantity": number.quantity, "strict_level": number.strict_level, "target": number.target.to_dict()}


def rounded(number: Number | None) -> Number | None:
    """The number as a seal keeps it, so that the two can be compared."""
    return _number(json.loads(canonical_json(number_to_dict(number))))


def _claim(snapshot: Snapshot, node: Node) -> SealedClaim:
    assessed = snapshot.node(node.id)
    if assessed is None:
        raise InvalidInput("only an assessed claim can be sealed", where="seal", found=node.id)
    opinion = FrozenDict({name: float(getattr(assessed.opinion, name)) for name in OPINION})
    return SealedClaim(node.text, node.number, assessed.standing, opinion, evidence_below(snapshot, node))


def _number(data: Any) -> Number | None:
    if data is None:
        return None
    _only(data, ("quantity", "strict_level", "target"))
    return Number(data["quantity"], Target.from_dict(unthaw(data["target"])), data["strict_level"])


def _only(data: Any, names: tuple[str, ...]) -> None:
    if not isinstance(data, Mapping) or set(data) != set(names):
        found = sorted(map(str, data)) if isinstance(data, Mapping) else type(data).__name__
        raise InvalidInput(f"a seal has the parts {sorted(names)} here", found=found)


def _texts(*values: object) -> None:
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise InvalidInput("text is needed", found=repr(wrong)[:80])
