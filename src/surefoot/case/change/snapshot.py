"""A case at one time: what it says, how it stood, and what it rested on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from surefoot.case.case import Case
from surefoot.case.evaluation import Assessed, Evaluation
from surefoot.case.measured import Measured, Measurements
from surefoot.case.node import Node
from surefoot.core import Assumption, Estimate, Evidence, Provenance
from surefoot.core.canonical import FrozenDict, FrozenMap, digest

if TYPE_CHECKING:
    from surefoot.case.confidence.feedback import Feedback


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A case with everything that is known of its assessment; what is left out is unknown, not unchanged."""

    case: Case
    evaluation: Evaluation | None = None
    evidence: Measurements = field(default_factory=FrozenMap)
    """What was measured, by step."""
    digests: Mapping[str, str] = field(default_factory=FrozenDict)
    """Of data, models and files: ``component.model``, ``component.data set``, ``evidence.step.parameter``."""
    versions: Mapping[str, str] = field(default_factory=FrozenDict)
    targets: Mapping[str, Any] = field(default_factory=FrozenDict)
    """What was asked, by the name of the target, as plain data."""
    feedback: tuple[Feedback, ...] = ()
    """What operation brought."""
    system: str = ""

    def __post_init__(self) -> None:
        for name in ("digests", "versions", "targets"):
            object.__setattr__(self, name, FrozenDict(getattr(self, name)))
        object.__setattr__(self, "evidence", FrozenMap(self.evidence))

    @property
    def assessed(self) -> bool:
        """Whether it is known how nodes stand."""
        return self.evaluation is not None

    @property
    def measured(self) -> bool:
        """Whether it is known what was measured."""
        return bool(self.evidence) or self.assessed

    def node(self, identity: str) -> Assessed | None:
        """How a node stands, where that is known."""
        return None if self.evaluation is None else self.evaluation.nodes.get(identity)

    def probability(self, identity: str) -> float | None:
        """The projected probability of a node, where an opinion is known."""
        found = self.node(identity)
        return None if found is None else float(found.opinion.probability)

    def estimate(self, node: Node) -> Estimate | None:
        """What was measured for a node, where that is known."""
        if node.rests_on and (found := self._measured.estimate(node.rests_on)) is not None:
            return found
        assessed = self.node(node.id)
        return None if assessed is None else assessed.estimate

    def assumption(self, node: Node) -> Assumption | None:
        """The assumption that a side-claim states, as its check found it, where that is known."""
        return self._measured.assumption(node.rests_on, node.assumption) if node.assumption else None

    def content(self, node: Node) -> str:
        """Content hash of what was measured or checked, or else the one in the case; empty where neither is known."""
        found = self.assumption(node) if node.assumption else self.estimate(node)
        if isinstance(found, Assumption):
            return digest(found.to_dict())
        return node.digest if found is None else found.digest

    def shown(self, node: Node) -> str:
        """What was measured or checked, in a word; empty where that is not known."""
        if node.assumption:
            assumption = self.assumption(node)
            return "" if assumption is None else assumption.status
        estimate = self.estimate(node)
        return "" if estimate is None else f"{estimate.value:.6g}"

    @cached_property
    def _measured(self) -> Measured:
        return Measured(self.evidence)

    @cached_property
    def operation(self) -> Mapping[str, str]:
        """What operation brought, in words, by the id of the claim."""
        found: dict[str, list[str]] = {}
        for entry in self.feedback:
            period = " ".join(
                f"{word} {date}" for word, date in (("since", entry.since), ("until", entry.until)) if date
            )
            told = f"{entry.incidents} in {entry.exposure:.12g} ({entry.per}) {period}".rstrip()
            found.setdefault(entry.claim, []).append(told)
        return {claim: "; ".join(entries) for claim, entries in found.items()}

    @cached_property
    def steps(self) -> Mapping[str, Provenance]:
        """Where the result of each step comes from, by its name."""
        return {name: item.provenance for name, item in self.evidence.items() if isinstance(item, Evidence)}

    @cached_property
    def contents(self) -> Mapping[str, str]:
        """Content hash of every estimate, by ``step.quantity[scope]``."""
        found: dict[str, str] = {}
        for name, item in self.evidence.items():
            if isinstance(item, Estimate):
                found[name] = item.digest
            else:
                found |= {f"{name}.{estimate.reference}": estimate.digest for estimate in item.estimates}
        return found
