"""What an evaluation of a case found: for each node how it stands, how far it can be trusted, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from surefoot.core import Diagnostic, Estimate, Verdict
from surefoot.core.canonical import FrozenMap
from surefoot.core.target import Status

if TYPE_CHECKING:
    from surefoot.case.case import Case
    from surefoot.opinions import Opinion

Standing = Literal["supported", "not shown", "contradicted"]
BY_STATUS: dict[Status, Standing] = {"met": "supported", "not shown": "not shown", "violated": "contradicted"}


@dataclass(frozen=True)
class Assessed:
    """One node, assessed.

    ``standing`` follows verdicts and checks alone: supported only where all that is needed is shown. ``opinion`` says
    how far that can be trusted.
    """

    standing: Standing
    opinion: Opinion
    why: str = ""
    """What decided, in words."""
    estimate: Estimate | None = None
    """Of evidence: what was measured."""
    verdict: Verdict | None = None
    """Of a claim with a number: what evidence says of it."""


@dataclass(frozen=True)
class Lever:
    """A leaf of the case, and what certainty about it would do to the top claim."""

    id: str
    effect: float
    """By how much the probability of the top claim would rise."""
    chain: tuple[str, ...]
    """From the leaf to the top claim."""
    factor: float = 1.0
    """The probability then, as a multiple of what it is now; infinite where that is 0."""


@dataclass(frozen=True)
class Methods:
    """One claim by four ways to reckon."""

    opinion: float
    """Projected probability of subjective logic."""
    belief: float
    plausibility: float
    """Dempster and Shafer: at least so much speaks for it, at most so much does not speak against it."""
    network: float
    """Probability in a Bayesian network."""
    eliminated: int
    doubts: int
    """Baconian: so many of so many doubts are eliminated."""


@dataclass(frozen=True)
class Evaluation:
    """All nodes of a case, assessed."""

    case: Case
    nodes: Mapping[str, Assessed]
    levers: tuple[Lever, ...] = ()
    """Leaves that would raise the top claim most, the strongest first."""
    methods: Mapping[str, Methods] = field(default_factory=FrozenMap)
    """Claims by other methods."""
    findings: tuple[Diagnostic, ...] = ()
    """Strong disagreement of methods, operation that contradicts a claim."""
    weakest: str = ""
    """The id of the leaf that pulls the top claim down most; empty where all are certain."""

    @property
    def top(self) -> Assessed:
        """The top claim."""
        return self.nodes[self.case.top.id]

    def __getitem__(self, identity: str) -> Assessed:
        return self.nodes[identity]
