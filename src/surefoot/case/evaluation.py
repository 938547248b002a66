"""What an evaluation of a case found: for each node how it stands, how far it can be trusted, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from surefoot.case.model import GIVEN, Case, Node
from surefoot.core import Assumption, Diagnostic, Estimate, Evidence, InvalidInput, Verdict
from surefoot.core.canonical import FrozenMap
from surefoot.core.target import Status

if TYPE_CHECKING:
    from surefoot.opinions import Opinion


Standing = Literal["supported", "not shown", "contradicted"]
RANK: dict[Standing, int] = {"contradicted": 0, "not shown": 1, "supported": 2}
CHECKS_WORST_FIRST = ("contradicted", "unchecked", "supported")
BY_STATUS: dict[Status, Standing] = {"met": "supported", "not shown": "not shown", "violated": "contradicted"}


@dataclass(frozen=True)
class Assessed:
    """One node, assessed.

    ``standing`` follows verdicts and checks alone: supported only where all that is needed is shown. ``opinion`` says
    how far that can be trusted.

    See Also
    --------
    Case.evaluate : Assesses all nodes.

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
    """A leaf of the case, and what certainty about it would do to the top claim.

    See Also
    --------
    Case.evaluate : Finds the levers of a case.

    """

    id: str
    effect: float
    """By how much the probability of the top claim would rise."""
    chain: tuple[str, ...]
    """From the leaf to the top claim."""
    factor: float = 1.0
    """The probability then, as a multiple of what it is now; infinite where that is 0."""


@dataclass(frozen=True)
class Methods:
    """One claim by four ways to reckon, which answer different questions and are never mixed.

    See Also
    --------
    Case.evaluate : Reckons every claim by all of them.

    References
    ----------
    Jøsang (2016), Subjective Logic; Shafer (1976); Pearl (1988); Goodenough, Weinstock and Klein (2013).

    """

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
    """All nodes of a case, assessed.

    See Also
    --------
    Case.evaluate : Makes it.

    Examples
    --------
    >>> from surefoot.case import Case, Node
    >>> found = Case.of([Node("C1", "claim", "It stops", undeveloped=True)]).evaluate()
    >>> found["C1"].standing, found.weakest
    ('not shown', 'C1')

    """

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


# How a standing is said. A check that finds nothing proves nothing, and its words say no more.

CHECK_WORDS = {"supported": "not contradicted", "contradicted": "contradicted", "unchecked": "not checked"}
NOT_CONTRADICTED = CHECK_WORDS["supported"]
SIGNS: dict[Standing, str] = {"supported": "✓", "not shown": "○", "contradicted": "✗"}
_TURNED: dict[Standing, Standing] = {"supported": "contradicted", "not shown": "not shown", "contradicted": "supported"}


def standing_word(node: Node, assessed: Assessed | None) -> str:
    """How the standing is said: a check that found nothing against an assumption proves nothing, a doubt stands."""
    if assessed is None or (node.kind in GIVEN and assessed.standing != "contradicted"):
        return ""
    if node.challenges:
        eliminated = "eliminated" if node.defeated else "refuted"
        return {"supported": "stands", "not shown": "not eliminated", "contradicted": eliminated}[assessed.standing]
    checked = node.kind == "side-claim" and node.assumption and assessed.standing == "supported"
    return NOT_CONTRADICTED if checked else assessed.standing


def for_the_case(node: Node, assessed: Assessed | None) -> Standing | None:
    """Good or bad for the case, by which signs and colours go: a doubt that stands is bad, one that is refuted good.

    None where nothing is said of it.
    """
    if assessed is None or not standing_word(node, assessed):
        return None
    return _TURNED[assessed.standing] if node.challenges else assessed.standing


# What was measured, as a case asks for it: by ``step.quantity``.

Measurements = Mapping[str, Evidence | Estimate]
"""Evidence by the name of its step, or estimates by ``step.quantity``."""


DOCUMENT = "step.document"
"""The method of evidence that is a document without numbers."""


@dataclass(frozen=True)
class DocumentEvidence:
    """A document without numbers on which nodes may rest: its state, and who says so.

    See Also
    --------
    Case.evaluate : Takes evidence that is one.

    """

    title: str
    kind: str
    state: str
    by: str = ""
    date: str = ""
    digest: str = ""
    """SHA-256 of its content; empty where that is not known."""
    changed: bool = False
    """Whether its file is another one than the document whose hash was stated."""

    @classmethod
    def of(cls, evidence: Evidence) -> Self | None:
        """What a step gave; None where that is no document."""
        made = evidence.provenance
        if made.method != DOCUMENT:
            return None
        said = made.params["document"]
        found, stated = made.data.get("file of document path", ""), said["sha256"] or ""
        told = {name: str(made.params.get(name) or "") for name in ("kind", "state", "by", "date")}
        title = said["title"] or said["id"] or said["path"] or said["url"]
        return cls(str(title), **told, digest=found or stated, changed=bool(found and stated and found != stated))

    @property
    def accepted(self) -> bool:
        """Whether a claim may rest on it: accepted, by somebody named, and still the same."""
        return self.state == "accepted" and bool(self.by) and not self.changed

    @property
    def why(self) -> str:
        """How it stands, as a sentence."""
        when = f", {self.date}" if self.date else ""
        if self.changed:
            return f"The content of {self.title!r} is no longer that of the document that was {self.state}."
        if self.state == "accepted" and not self.by:
            return f"{self.title!r} is said to be accepted, and nobody is named who accepted it."
        return f"The {self.kind} {self.title!r} is {self.state}{f' by {self.by}' if self.by else ''}{when}."


class Measured:
    """Finds estimates, documents and assumptions in what was measured; what is not there is None."""

    def __init__(self, measurements: Measurements | None) -> None:
        self._given = dict(measurements or {})
        wrong = next((key for key, item in self._given.items() if not isinstance(item, Evidence | Estimate)), None)
        if wrong is not None:
            found = f"{wrong!r}: {type(self._given[wrong]).__name__}"
            raise InvalidInput(
                "evidence is Evidence by step or an Estimate by step.quantity", where="case", found=found
            )
        self._found: dict[str, Estimate | None] = {}

    @cached_property
    def known(self) -> bool:
        """Whether anything was given at all."""
        return bool(self._given)

    def estimate(self, reference: str) -> Estimate | None:
        """The estimate of ``step.quantity``."""
        if reference not in self._found:
            self._found[reference] = self._look_up(reference)
        return self._found[reference]

    def document(self, reference: str) -> DocumentEvidence | None:
        """The document without numbers that a step names; nodes rest on it by the name of the step alone."""
        evidence = self._given.get(reference)
        return DocumentEvidence.of(evidence) if isinstance(evidence, Evidence) else None

    def assumption(self, reference: str, identity: str) -> Assumption | None:
        """The assumption with this id that the result rests on; the one that stands worst where there are several."""
        step = reference.partition(".")[0]
        estimate = self.estimate(reference)
        evidence = self._given.get(step)
        held = estimate.assumptions if estimate else evidence.assumptions if isinstance(evidence, Evidence) else ()
        matching = [each for each in held if each.id == identity or f"{each.id}[{each.scope}]" == identity]
        return min(matching, key=lambda each: CHECKS_WORST_FIRST.index(each.status), default=None)

    def _look_up(self, reference: str) -> Estimate | None:
        given = self._given.get(reference)
        if isinstance(given, Estimate):
            return given
        step, _, quantity = reference.partition(".")
        evidence = self._given.get(step)
        if not isinstance(evidence, Evidence) or not quantity:
            return None
        try:
            return evidence[quantity]
        except InvalidInput:
            return None


# One target as part of a case.


@dataclass(frozen=True)
class Goal:
    """One target as part of a case: its claim in words, the verdict, and the estimate behind it.

    Parameters
    ----------
    name, text
        What the target is called, and its claim.
    verdict, estimate, reference
        What was found, from which estimate, and where that is: ``step.quantity``.
    alone
        Met at its level, and no longer at the level that covers all looks at the test data.
    strict_level
        The level that covers all looks.

    Examples
    --------
    >>> import surefoot as sf
    >>> tests = sf.bounds.clopper_pearson(1, 3000, level=0.95, quantity="misses")
    >>> verdict = tests.meets(sf.Target(at_most=0.01))
    >>> sf.case.Goal("misses", "It misses at most 1%.", verdict, tests, "tests.misses").standing
    'supported'

    """

    name: str
    text: str
    verdict: Verdict
    estimate: Estimate
    reference: str
    alone: bool = False
    """Met at its level, and no longer at the level that covers all looks at the test data."""
    strict_level: float | None = None
    """The level that covers all looks at the test data, where it was looked at before."""

    @property
    def standing(self) -> Standing:
        """How the claim stands."""
        return "not shown" if self.alone else BY_STATUS[self.verdict.status]

    @property
    def defeated(self) -> bool:
        """Whether the argument fails, so that the claim is not shown: an assumption it needs is contradicted."""
        return any(assumption.status == "contradicted" for assumption in self.estimate.assumptions)
