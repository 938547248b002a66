"""What an evaluation of a case found: for each node how it stands, how surely, given what, and the doubts left.

A side-warrant that names an assumption and no result is about every result whose argument it stands beside. Where the
check of one of these results contradicts it, the arguments from that result are broken and no others; the node itself
shows the worst that was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, get_args, overload

from surefoot.case.model import GIVEN, Case, Node
from surefoot.core import Assumption, Diagnostic, Estimate, Evidence, InvalidInput, Provenance, Verdict
from surefoot.core.target import Status

if TYPE_CHECKING:
    from surefoot.opinions import Opinion


Standing = Literal["supported", "not shown", "contradicted"]
RANK: dict[Standing, int] = {"contradicted": 0, "not shown": 1, "supported": 2}
CHECKS_WORST_FIRST = ("contradicted", "unchecked", "supported")
BY_STATUS: dict[Status, Standing] = {"met": "supported", "not shown": "not shown", "violated": "contradicted"}


class Ids(Sequence[str]):
    """Ids out of a list that many such sets share, kept as bits and spelt out when somebody reads them.

    >>> Ids(0b101, ("A", "B", "C"))
    ('A', 'C')
    """

    __slots__ = ("_mask", "_names")

    def __init__(self, mask: int = 0, names: Sequence[str] = ()) -> None:
        self._mask, self._names = mask, names

    def __iter__(self) -> Iterator[str]:
        mask = self._mask
        while mask:
            lowest = mask & -mask
            yield self._names[lowest.bit_length() - 1]
            mask ^= lowest

    def __len__(self) -> int:
        return self._mask.bit_count()

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True)
class Assessed:
    """One node, assessed.

    ``standing`` follows verdicts and checks alone: supported only where all that is needed is shown. ``confidence``
    says how surely all targets below hold together, given what is taken as given.

    See Also
    --------
    Case.evaluate : Assesses all nodes.

    """

    standing: Standing
    why: str = ""
    """What decided, in words."""
    estimate: Estimate | None = None
    """Of evidence: what was measured."""
    verdict: Verdict | None = None
    """Of a claim with a number: what evidence says of it."""
    confidence: float | None = None
    """At least so surely all targets it needs hold together: 1 less the sum of their miss probabilities and of all
    stated doubts. None unless it stands supported and everything that it needs is known."""
    given: Sequence[str] = ()
    """Ids of assumptions and documents that are taken as given."""
    targets: int = 0
    """How many targets hold together."""
    open: Sequence[str] = ()
    """Ids of what it needs and what is not known, so that there is no number."""


DoubtKind = Literal["assumption", "document", "evidence", "claim", "defeater", "inference", "operation", "missing"]
DoubtState = Literal["eliminated", "accepted", "open"]


@dataclass(frozen=True)
class Doubt:
    """A reason for which the case may fail, and what became of it.

    See Also
    --------
    Case.evaluate : Finds the doubts of a case.

    References
    ----------
    Goodenough, Weinstock and Klein (2013), "Eliminative induction: a basis for arguing system confidence".

    """

    id: str
    """The node that it is about."""
    kind: DoubtKind
    state: DoubtState
    by: str = ""
    """Who accepted it."""
    why: str = ""
    probability: float | None = None
    """How probable it is that it is justified: stated by somebody, or the miss probability of a bound."""
    decides: Sequence[str] = ()
    """Ids of the claims that need it, the top claim among them where it does."""
    alone: bool = False
    """Whether nothing else keeps the top claim from being supported."""


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
    doubts: tuple[Doubt, ...] = ()
    """What the case rests on without proof and what is missing, what decides most first."""
    findings: tuple[Diagnostic, ...] = ()
    """What operation says, legs on common ground."""
    view: Callable[[], Mapping[str, Opinion]] | None = field(default=None, repr=False, compare=False)
    """Makes the opinions of subjective logic when somebody asks for them."""

    @property
    def top(self) -> Assessed:
        """The top claim."""
        return self.nodes[self.case.top.id]

    @property
    def confidence(self) -> float | None:
        """At least so surely all targets hold together, given what the top claim takes as given; None where unknown."""
        return self.top.confidence if self.case.tops else None

    @property
    def weakest(self) -> str:
        """The id of the open doubt that decides most; empty where none is open."""
        return self.doubts[0].id if self.doubts and self.doubts[0].state == "open" else ""

    def counted(self) -> dict[DoubtState, int]:
        """How many doubts are in each state."""
        return {state: sum(doubt.state == state for doubt in self.doubts) for state in get_args(DoubtState)}

    def chain(self, identity: str) -> tuple[str, ...]:
        """The shortest way from a node up to the top claim, both included; the node alone where there is none."""
        found, above = [identity], self._above
        while (at := above.get(found[-1])) is not None:
            found.append(at)
        return tuple(found)

    def opinions(self) -> Mapping[str, Opinion]:
        """Every node by subjective logic: a view that weighs what is not known by its base rate (paper SL).

        Returns
        -------
        mapping of str to Opinion
            One opinion a node, computed when it is first asked for.

        References
        ----------
        Jøsang (2016), Subjective Logic.

        Examples
        --------
        >>> from surefoot.case import Case, Node
        >>> found = Case.of([Node("C1", "claim", "It stops", undeveloped=True)]).evaluate()
        >>> found.opinions()["C1"]
        Opinion(belief=0, disbelief=0, uncertainty=1, base_rate=0.5)

        """
        return self._opinions

    @cached_property
    def _opinions(self) -> Mapping[str, Opinion]:
        return {} if self.view is None else self.view()

    @cached_property
    def _above(self) -> Mapping[str, str | None]:
        if not self.case.tops:
            return {}
        found: dict[str, str | None] = {self.case.top.id: None}
        ways = [self.case.top.id]
        for identity in ways:
            for below in self.case.needs(self.case.nodes[identity]):
                if below in self.case.nodes and below not in found:
                    found[below] = identity
                    ways.append(below)
        return found

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


def for_the_case(case: Case, node: Node, assessed: Assessed | None) -> Standing | None:
    """Good or bad for the case, by which signs and colours go: a doubt that stands is bad, what refutes it good.

    None where nothing is said of it.
    """
    if assessed is None or not standing_word(node, assessed):
        return None
    return _TURNED[assessed.standing] if speaks_against(case, node) else assessed.standing


def speaks_against(case: Case, node: Node) -> bool:
    """Whether it counts against the case: what challenges a doubt, or all that it challenges, speaks for the case.

    >>> doubt = Node("D", "defeater", "It rains", challenges=("C",))
    >>> answer = Node("E", "evidence", "It never rained", challenges=("D",))
    >>> case = Case.of([Node("C", "claim", "It stops"), doubt, answer])
    >>> speaks_against(case, doubt), speaks_against(case, answer)
    (True, False)
    """
    at: Node | None = node
    against, seen = False, set[str]()
    while at is not None and at.id not in seen and (at.challenges or at.kind == "defeater"):
        seen.add(at.id)
        against = not against
        others = [case.nodes[each] for each in case.challenged(at) if each in case.nodes]
        at = next((each for each in others if not each.challenges), others[0] if others else None)
    return against


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
    pinned: bool = False
    """Whether its hash was stated, so that another content is noticed."""

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
        return cls(
            str(title),
            **told,
            digest=found or stated,
            changed=bool(found and stated and found != stated),
            pinned=bool(stated),
        )

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

    def source(self, reference: str) -> Provenance | None:
        """Where the result of a step comes from; None for bare estimates."""
        evidence = self._given.get(reference.partition(".")[0])
        return evidence.provenance if isinstance(evidence, Evidence) else None

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


References = tuple[str, ...]
"""Results by ``step.quantity``."""
Shared = Mapping[str, Mapping[str, References]]
"""For each shared condition, by the nodes that it stands beside, the results that these argue from."""


class Checked(NamedTuple):
    """The assumption of one result, as its check found it."""

    reference: str
    assumption: Assumption


def is_shared(node: Node) -> bool:
    """Whether a side-warrant is about all results that it stands beside, and not about one that it names."""
    return node.kind == "side-claim" and bool(node.assumption) and not node.rests_on


def results_beside(case: Case) -> Shared:
    """For each shared condition, by the nodes that it stands beside, the results that these argue from.

    >>> counted = [Node("A", "argument", "Counted", ("E",), ("dry",)), Node("E", "evidence", "1 of 90", rests_on="a.b")]
    >>> case = Case.of([*counted, Node("dry", "side-claim", "It is dry.", assumption="dry")])
    >>> results_beside(case)
    {'dry': {'A': ('a.b',)}}
    """
    return {node.id: _by_user(case, node) for node in case if is_shared(node)}


def results_of(case: Case, node: Node) -> References:
    """All results that a side-warrant or evidence is about."""
    if not is_shared(node):
        return (node.rests_on,) if node.rests_on else ()
    return tuple(dict.fromkeys(each for found in _by_user(case, node).values() for each in found))


def checks(measured: Measured, references: Iterable[str], identity: str) -> list[Checked]:
    """The assumption of each result that has it, the one that stands worst first."""
    found = [
        Checked(reference, assumption)
        for reference in references
        if (assumption := measured.assumption(reference, identity)) is not None
    ]
    return sorted(found, key=lambda each: CHECKS_WORST_FIRST.index(each.assumption.status))


def _by_user(case: Case, node: Node) -> dict[str, References]:
    return {user: _argued_from(case, user) for user in case.parents.get(node.id, ()) if user in case.nodes}


def _argued_from(case: Case, identity: str) -> References:
    """Results that a node argues from; of one that argues from none, those of what it is argued for."""
    found = _below(case, identity)
    waiting, seen = [identity], {identity}
    while waiting and not found:
        above = [each for name in waiting for each in case.parents[name] if each not in seen]
        seen.update(above)
        found = tuple(dict.fromkeys(result for each in above for result in _at_or_below(case, each)))
        waiting = above
    return found


def _at_or_below(case: Case, identity: str) -> References:
    node = case.nodes[identity]
    own = node.rests_on if node.kind == "side-claim" and not node.assumption else ""
    return (own,) if own else _below(case, identity)


def _below(case: Case, identity: str) -> References:
    """Results of evidence that holds a node up, however far down."""
    found: dict[str, None] = {}
    waiting, seen = [identity], {identity}
    while waiting:
        node = case.nodes[waiting.pop()]
        if node.kind == "evidence" and node.rests_on:
            found[node.rests_on] = None
        stands_for = case.resolved(node.id)
        for each in (*node.supported_by, *(() if stands_for == node.id else (stands_for,))):
            if each in case.nodes and each not in seen:
                seen.add(each)
                waiting.append(each)
    return tuple(found)
