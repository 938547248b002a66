"""An assurance case: nodes by id, modules, and how they are to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from surefoot.case.extensions import Choice, ClaimPoint, Module, Relation, developed, frozen, relation_in
from surefoot.core import InvalidInput, Target, validate
from surefoot.core.canonical import FrozenMap
from surefoot.opinions import Opinion

if TYPE_CHECKING:
    from surefoot.case.confidence.feedback import Feedback
    from surefoot.case.evaluation import Evaluation, Measurements
    from surefoot.core import Diagnostic
    from surefoot.drawing import Scene, Theme


# One element of an assurance case, in a vocabulary that CAE and GSN share.
#
# A claim is a GSN goal, an argument a strategy, evidence a solution. A side-warrant (why an argument is valid) is a GSN
# assumption where nothing holds it up, and a goal where something does. A sub-case stands for what another module
# argues: an away goal, or a whole module (GSN Community Standard, version 3, parts 1:2 to 1:5; Bloomfield and
# Netkachova 2014).

Kind = Literal[
    "claim", "argument", "evidence", "side-claim", "justification", "context", "sub-case", "contract", "defeater"
]
Block = Literal["decomposition", "substitution", "evidence incorporation", "concretion", "calculation"]
Combining = Literal["all", "legs", "deduction"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BLOCKS: tuple[Block, ...] = get_args(Block)
COMBININGS: tuple[Combining, ...] = get_args(Combining)
BESIDE: tuple[Kind, ...] = ("side-claim", "justification", "context")
"""Kinds that stand beside what they belong to (``in_context_of``), not below it."""
GIVEN: tuple[Kind, ...] = ("context", "justification")
"""Kinds that explain and are taken as given: neither shown nor open."""
STANDING_IN: tuple[Kind, ...] = ("sub-case", "contract")
"""Kinds that stand for what is argued elsewhere (``of``)."""


@dataclass(frozen=True)
class Node:
    """One element of a case: what it says, what it stands on, and what is known of it.

    Parameters
    ----------
    id, kind, text
        What others refer to, one of ``KINDS``, and the sentence it says.
    supported_by, in_context_of, challenges
        Ids of what holds it up, of what stands beside it, and of what it speaks against.
    block, combining
        Of an argument: which of the five CAE blocks it is; how what holds it up combines.
    number
        Of a claim: the number it states.
    rests_on, assumption, digest
        The result that was measured, the assumption of it whose check decides, and its content hash.
    stated
        What a person answers for.

    References
    ----------
    Bloomfield and Netkachova (2014), "Building blocks for assurance cases"; GSN Community Standard, version 3.

    Examples
    --------
    >>> from surefoot.case import Node
    >>> Node("C1", "claim", "It stops in time", supported_by=("A1",)).below
    ('A1',)

    """

    id: str
    kind: Kind
    text: str
    supported_by: tuple[str, ...] = ()
    """Ids of what holds it up."""
    in_context_of: tuple[str, ...] = ()
    """Ids of side-warrants, justifications and contexts."""
    challenges: tuple[str, ...] = ()
    """Ids of what it speaks against, or relations as ``G1 -> S1``: a defeater, or evidence that counts against."""
    block: Block | None = None
    """Of an argument: which of the five CAE blocks it is."""
    combining: Combining = "all"
    """How what holds it up combines: all are needed, independent legs each suffice, or deduction by ``stated``."""
    undeveloped: bool = False
    by_contract: bool = False
    """Of a claim: a contract between modules is to support it."""
    module: str = ""
    """The module it is written in; the main one has no name."""
    of: str = ""
    """Of a sub-case or contract: the module it stands for, or ``module/id`` of one claim there."""
    public: bool = False
    """Whether other modules may refer to it."""
    number: Number | None = None
    """Of a claim: the number it states."""
    rests_on: str = ""
    """Of evidence and side-warrants: the result that was measured, as ``step.quantity``."""
    assumption: str = ""
    """Of a side-warrant: the id of the assumption of that result whose check decides."""
    digest: str = ""
    """Content hash of what was measured when the case was written; when it differs, the evidence is stale."""
    stated: Stated | None = None
    """What a person answers for where nothing was measured, or the conditionals of a deduction."""
    defeated: bool = False
    """Of what is challenged: the challenge won. Of a defeater: it was eliminated."""
    defeated_relations: tuple[str, ...] = ()
    """Ids below or beside it whose relation to it is defeated."""
    claim_points: Mapping[str, ClaimPoint] = field(default_factory=FrozenMap)
    """Assurance claim points on it and on its relations, by name."""
    multiplicity: Mapping[str, str] = field(default_factory=FrozenMap)
    """Of a pattern: for a node below how many of it there will be: ``n``, ``1..n``, ``0..1`` (optional)."""
    choice: tuple[Choice, ...] = ()
    uninstantiated: bool = False
    """Of a pattern: placeholders in braces are still to be filled."""
    tags: tuple[str, ...] = ()
    """Activities of standards, such as ``AMLAS: model verification``."""
    note: str = ""
    url: str = ""
    attributes: Mapping[str, Any] = field(default_factory=FrozenMap)
    """What another tool says of it besides, such as layers and hints of layout, kept as it was."""

    def __post_init__(self) -> None:
        where = f"case node {self.id!r}"
        if not isinstance(self.id, str) or not isinstance(self.text, str) or not self.id.strip():
            raise InvalidInput("a node of a case needs an id and a text", where="case", found=repr(self.id))
        validate.choice(self.kind, KINDS, where=where, name="kind")
        validate.choice(self.combining, COMBININGS, where=where, name="combining")
        if self.block is not None:
            validate.choice(self.block, BLOCKS, where=where, name="block")
        for name in ("supported_by", "in_context_of", "challenges", "defeated_relations", "choice", "tags"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("multiplicity", "claim_points"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        object.__setattr__(self, "attributes", frozen(self.attributes))

    @property
    def called(self) -> str:
        """What messages call it, as CAE does."""
        return CAE[self.kind]

    @property
    def confidence(self) -> tuple[str, ...]:
        """Ids of the claims that its assurance claim points are argued by."""
        return tuple(dict.fromkeys(point.argued_by for point in self.claim_points.values() if point.argued_by))

    @property
    def below(self) -> tuple[str, ...]:
        """Ids of what holds it up, of what stands beside it and of its claims of confidence, each once."""
        return tuple(dict.fromkeys((*self.supported_by, *self.in_context_of, *self.confidence)))

    @property
    def related(self) -> tuple[str, ...]:
        """Ids of all nodes it refers to."""
        return tuple(dict.fromkeys((*self.below, *self.challenges)))


# Numbers that claims state, and what people answer for.


@dataclass(frozen=True)
class Number:
    """What a claim says of a quantity: the target that it is shown to keep.

    Parameters
    ----------
    quantity
        The quantity, as estimates of it are called.
    target
        The limit, its level and exposure.
    strict_level
        The level that covers all looks at the test data, where it was looked at before.

    Examples
    --------
    >>> import surefoot as sf
    >>> print(sf.case.Number("misses", sf.Target(at_most=0.01)))
    misses at most 0.01 ...

    """

    quantity: str
    target: Target
    strict_level: float | None = None
    """The level that covers all looks at the test data, where it was looked at before."""

    def __str__(self) -> str:
        return f"{self.quantity} {self.target}"


@dataclass(frozen=True)
class Stated:
    """An opinion that somebody answers for; of a deduction, the opinions given that what holds it up is true or not.

    Parameters
    ----------
    opinion
        What is believed of the node.
    given_true, given_false
        Both conditionals of a deduction, or neither.
    by, why
        Who answers for it, and the reason.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.case.Stated(sf.Opinion(0.8, 0.0, 0.2), by="A. Tester", why="Reviewed.").by
    'A. Tester'

    """

    opinion: Opinion | None = None
    given_true: Opinion | None = None
    given_false: Opinion | None = None
    by: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        validate.fields(self)
        if (self.given_true is None) != (self.given_false is None):
            raise InvalidInput("a deduction needs both conditionals", where="Stated", remedy="Give both or neither.")
        for opinion in (self.opinion, self.given_true, self.given_false):
            if opinion is not None and opinion.shape:
                raise InvalidInput("one opinion is needed", where="Stated", found=f"shape {opinion.shape}")


# The two notations: what each kind of node is called in CAE and in GSN.

Notation = Literal["cae", "gsn"]
NOTATIONS: tuple[Notation, ...] = get_args(Notation)
CAE = {
    "claim": "claim",
    "argument": "argument",
    "evidence": "evidence",
    "side-claim": "side-warrant",
    "justification": "justification",
    "context": "context",
    "sub-case": "sub-case",
    "contract": "contract",
    "defeater": "defeater",
}
GSN = {
    "claim": "goal",
    "argument": "strategy",
    "evidence": "solution",
    "side-claim": "assumption",
    "justification": "justification",
    "context": "context",
    "sub-case": "away goal",
    "contract": "contract",
    "defeater": "defeater",
}


AWAY: tuple[Kind, ...] = ("claim", "side-claim", "evidence", "context", "justification")
"""Kinds that have an away element in GSN; a strategy has none."""


def word(node: Node, notation: Notation, stands_for: Node | None = None) -> str:
    """What the node is called; a side-warrant that something holds up is a goal in GSN.

    >>> from surefoot.case.model import Node
    >>> word(Node("A1", "argument", "Over all hazards"), "gsn")
    'strategy'
    >>> tests = Node("Sn1", "evidence", "Tests", module="vision")
    >>> word(Node("E1", "sub-case", "Tests", of="vision/Sn1"), "gsn", tests)
    'away solution'
    """
    if notation == "cae":
        return CAE[node.kind]
    if node.kind == "side-claim" and (node.supported_by or node.undeveloped):
        return "goal"
    if node.kind == "sub-case" and "/" not in node.of:
        return "module"
    if node.kind == "sub-case" and stands_for is not None and stands_for.kind in AWAY:
        return f"away {word(stands_for, notation)}"
    return GSN[node.kind]


# How the confidence of a case is computed where its nodes do not say: conventions to agree on, not measurements.

Discounting = Literal["probability", "uncertainty"]


@dataclass(frozen=True)
class Policy:
    """Opinions on what no number speaks of.

    A check that finds nothing against an assumption does not prove it, so that belief in it stays below 1; one that
    nobody checked is simply not known; a contradicted one is disbelieved.

    Parameters
    ----------
    checked, unchecked, contradicted, undeveloped
        Opinions on assumptions by what their checks found, and on what is not argued yet.
    discounting
        How side-warrants discount an argument.

    Examples
    --------
    >>> from surefoot.case import Policy
    >>> round(float(Policy().checked.probability), 3)
    0.875

    """

    checked: Opinion = field(default_factory=lambda: Opinion(0.75, 0.0, 0.25))
    unchecked: Opinion = field(default_factory=lambda: Opinion(0.0, 0.0, 1.0))
    contradicted: Opinion = field(default_factory=lambda: Opinion(0.0, 1.0, 0.0))
    undeveloped: Opinion = field(default_factory=lambda: Opinion(0.0, 0.0, 1.0))
    discounting: Discounting = "probability"
    """How side-warrants discount an argument: by their projected probability, or by belief alone, which is stricter."""


@dataclass(frozen=True)
class Case:
    """All nodes of an assurance case, in the order they were written.

    One model for CAE and GSN. It says what a file says; ``check`` finds what is wrong with it, ``evaluate`` how each
    node stands, ``render`` draws it.

    Parameters
    ----------
    nodes
        Nodes by their ids; ``Case.of`` takes them as a list.
    name, description
        Of the whole.
    modules
        Modules by their name in nodes.
    notation
        ``cae`` or ``gsn``: how it is drawn unless somebody asks otherwise.
    policy
        Opinions on what no number speaks of.

    References
    ----------
    RAM section 2.1 (CAE); GSN Community Standard, version 3.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Case, Node
    >>> number = sf.case.Number("misses", sf.Target(at_most=0.01))
    >>> claim = Node("C1", "claim", "It misses at most 1%", ("A1",), number=number)
    >>> counting = Node("A1", "argument", "By counting", ("E1",), block="calculation")
    >>> case = Case.of([claim, counting, Node("E1", "evidence", "Tests", rests_on="tests.misses")])
    >>> tests = sf.bounds.clopper_pearson(1, 3000, level=0.95, quantity="misses")
    >>> case.evaluate({"tests.misses": tests}).top.standing
    'supported'

    """

    nodes: Mapping[str, Node]
    name: str = ""
    description: str = ""
    modules: Mapping[str, Module] = field(default_factory=FrozenMap)
    """Modules by their name in nodes; the main one is ``""`` and need not be listed."""
    notation: Notation = "cae"
    """How it is drawn unless somebody asks otherwise."""
    policy: Policy = field(default_factory=Policy)

    def __post_init__(self) -> None:
        validate.fields(self)
        validate.choice(self.notation, NOTATIONS, where="Case", name="notation")
        object.__setattr__(self, "nodes", FrozenMap(developed(self.nodes, self.modules)))
        object.__setattr__(self, "modules", FrozenMap(self.modules))
        wrong = next((key for key, node in self.nodes.items() if key != node.id), None)
        if wrong is not None:
            raise InvalidInput("nodes are kept by their ids", where="Case", found=f"{wrong!r}")

    @classmethod
    def of(cls, nodes: Iterable[Node], *, name: str = "", notation: Notation = "cae") -> Self:
        """A case from nodes.

        Parameters
        ----------
        nodes
            Each id once.
        name, notation
            Of the case.

        Returns
        -------
        Case
            With the nodes in this order.

        Raises
        ------
        InvalidInput
            Where two nodes have one id.

        """
        found: dict[str, Node] = {}
        for node in nodes:
            if node.id in found:
                raise InvalidInput("two nodes have one id", where="Case", found=repr(node.id))
            found[node.id] = node
        return cls(found, name=name, notation=notation)

    @classmethod
    def read(cls, path: str | Path) -> Case:
        """A case from a file: YAML, JSON, gsn2x YAML or SACM XMI.

        Parameters
        ----------
        path
            The file; its format follows from the name and, where that does not say, from the content.

        Returns
        -------
        Case
            What the file says, whatever ``check`` thinks of it.

        Raises
        ------
        DiagnosticsError
            With all problems of the file, each with its code and line.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from surefoot.case import Case, Node
        >>> case = Case.of([Node("C1", "claim", "It stops")])
        >>> with TemporaryDirectory() as folder:
        ...     print(Case.read(case.write(Path(folder) / "case.yaml")).top.text)
        It stops

        """
        from surefoot.case.formats.case_file import read

        return read(path)

    def write(self, path: str | Path) -> Path:
        """Write the case to a file that can be read again.

        Parameters
        ----------
        path
            Ends in .yaml, .json, .gsn.yaml or .xmi.

        Returns
        -------
        Path
            Where it is; a file is complete, or as it was.

        """
        from surefoot.case.formats.case_file import write

        return write(self, path)

    def check(
        self,
        evidence: Measurements | None = None,
        *,
        targets: Mapping[str, Target] | None = None,
        unattached: Sequence[str] = (),
    ) -> list[Diagnostic]:
        """Everything that is wrong or doubtful with it, worst first.

        Parameters
        ----------
        evidence
            What was measured; without it nothing is checked that needs it.
        targets
            What the system is asked for, by name.
        unattached
            Fragments that were offered and that it does not use, such as ``@target misses``.

        Returns
        -------
        list of Diagnostic
            Findings, each with a stable code and the node.

        Examples
        --------
        >>> from surefoot.case import Case, Node
        >>> [finding.code for finding in Case.of([Node("C1", "claim", "It stops", ("A1",))]).check()]
        ['case-unknown-node']

        """
        from surefoot.case.checks import check

        return check(self, evidence, targets=targets, unattached=unattached)

    def evaluate(self, evidence: Measurements | None = None, *, feedback: Sequence[Feedback] = ()) -> Evaluation:
        """How each node stands, how surely all targets below it hold together, and which doubts are left.

        Parameters
        ----------
        evidence
            Evidence by the name of its step, or Estimates by ``step.quantity``; what is missing is unknown.
        feedback
            Incidents in operation, which update the claims they are about.

        Returns
        -------
        Evaluation
            All nodes, assessed; the doubts, what decides most first; findings, and the view of subjective logic.

        References
        ----------
        Adams (1975), The Logic of Conditionals; Bonferroni (1936); Goodenough, Weinstock and Klein (2013) for doubts.

        Examples
        --------
        >>> from surefoot.case import Case, Node
        >>> Case.of([Node("C1", "claim", "It stops", undeveloped=True)]).evaluate().top.standing
        'not shown'

        """
        from surefoot.case.confidence.assessment import evaluate

        return evaluate(self, evidence, feedback=feedback)

    def render(
        self,
        path: str | Path,
        *,
        evidence: Measurements | None = None,
        evaluation: Evaluation | None = None,
        notation: Notation | None = None,
        tag: str | None = None,
        theme: Theme | None = None,
        **part: Any,
    ) -> Path:
        """Write what people look at, with how nodes stand where there is evidence or an evaluation.

        Parameters
        ----------
        path
            Ends in .svg, .pdf, .png, .html, .md, .mmd (Mermaid), or as a file that can be read again.
        evidence, evaluation
            What was measured, or an evaluation that was made already.
        notation
            ``cae`` or ``gsn``, unless the case's own.
        tag
            Only nodes that carry it are shown, and those above them.
        theme
            Colours; SVG and HTML follow the reader's setting, PDF and PNG are for print.
        **part
            ``module``, ``node`` and ``depth``, as ``surefoot.case.part`` takes them.

        Returns
        -------
        Path
            The file, complete or as it was.

        """
        from surefoot.case.formats.case_file import render

        part |= {"evidence": evidence, "evaluation": evaluation, "notation": notation, "tag": tag, "theme": theme}
        return render(self, path, **part)

    def scene(
        self,
        *,
        evaluation: Evaluation | None = None,
        notation: Notation | None = None,
        tag: str | None = None,
        legend: bool = True,
    ) -> Scene:
        """The diagram in CAE or GSN, for ``surefoot.drawing.save`` to write as SVG, PNG or PDF.

        With an ``evaluation`` every node shows how it stands; with a ``tag`` only nodes that carry it are drawn, and
        those above them.
        """
        from surefoot.case.drawings import picture

        return picture(self, evaluation=evaluation, notation=notation, tag=tag, explained=legend)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __contains__(self, identity: object) -> bool:
        return identity in self.nodes

    def __getitem__(self, identity: str) -> Node:
        try:
            return self.nodes[identity]
        except KeyError:
            raise InvalidInput("no such node", where="Case", found=repr(identity)) from None

    def resolved(self, identity: str) -> str:
        """The id of the node that a sub-case or contract stands for, as far as it is here; else the id itself."""
        node = self.nodes.get(identity)
        if node is None or node.kind not in STANDING_IN or not node.of:
            return identity
        return self.places.get(node.of, identity)

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Ids by ``module/id``; a module alone stands for its first top claim."""
        found = {f"{node.module}/{node.id}": node.id for node in self}
        first = {top.module: top.id for top in reversed(self.tops)}
        return FrozenMap(found | {name: first[name] for name in self.modules if name in first})

    @cached_property
    def parents(self) -> Mapping[str, tuple[str, ...]]:
        """For each node the ids of those it holds up or stands beside."""
        found: dict[str, list[str]] = {identity: [] for identity in self.nodes}
        for node in self:
            for below in node.below:
                if below in found:
                    found[below].append(node.id)
        return FrozenMap({identity: tuple(ids) for identity, ids in found.items()})

    def module_named(self, name: str) -> str | None:
        """What nodes call the module of that name; None where there is none."""
        called = {module.name: key for key, module in self.modules.items()} | {key: key for key in self.modules}
        return called.get(name, "" if name and name == self.name else None)

    def stands_for(self, node: Node) -> Node | None:
        """The node that a sub-case or contract stands for, as far as it is here."""
        return None if (identity := self.resolved(node.id)) == node.id else self.nodes[identity]

    def relation(self, challenged: str) -> Relation | None:
        """The relation that an entry of ``challenges`` names; None where it is the id of a node, or neither."""
        return None if challenged in self.nodes else relation_in(challenged)

    @cached_property
    def challengers(self) -> Mapping[str, tuple[str, ...]]:
        """For each node that is challenged the ids of those that speak against it.

        A challenge to a relation is one to the argument or evidence at its ends, else to what is held up.
        """
        found: dict[str, list[str]] = {}
        for node in self:
            for challenged in node.challenges:
                relation = self.relation(challenged)
                against = challenged if relation is None else self._weakened(relation)
                if node.id not in found.setdefault(against, []):
                    found[against].append(node.id)
        return FrozenMap({identity: tuple(ids) for identity, ids in found.items()})

    def challenged(self, node: Node) -> tuple[str, ...]:
        """Ids of what a node speaks against; of a relation both ends."""
        ends = ((each,) if (found := self.relation(each)) is None else found for each in node.challenges)
        return tuple(dict.fromkeys(each for pair in ends for each in pair))

    def _weakened(self, relation: Relation) -> str:
        source, target = (self.nodes.get(each) for each in relation)
        if source is not None and target is not None and source.kind != "argument":
            return target.id if target.kind in ("argument", "evidence") else source.id
        return relation.source

    @cached_property
    def tops(self) -> tuple[Node, ...]:
        """Claims that hold nothing else up, in the order they were written; of the main module first."""
        found = [node for node in self if node.kind == "claim" and not self.parents[node.id] and not node.challenges]
        return tuple(sorted(found, key=lambda node: node.module != ""))

    @property
    def top(self) -> Node:
        """The claim that the case is made for."""
        if not self.tops:
            raise InvalidInput("the case has no claim at its top", where="Case", found=f"{len(self)} nodes")
        return self.tops[0]

    @cached_property
    def upward(self) -> tuple[str, ...]:
        """All ids so that what a node rests on comes before it: below, beside, challengers, what a sub-case stands for.

        Nodes on a circle, which ``check`` reports, come last.
        """
        needs = {node.id: [each for each in self.needs(node) if each in self.nodes] for node in self}
        used: dict[str, list[str]] = {identity: [] for identity in self.nodes}
        for identity, below in needs.items():
            for each in below:
                used[each].append(identity)
        left = {identity: len(below) for identity, below in needs.items()}
        ready = [identity for identity, count in left.items() if not count]
        found: list[str] = []
        while ready:
            identity = ready.pop()
            found.append(identity)
            for parent in used[identity]:
                left[parent] -= 1
                if not left[parent]:
                    ready.append(parent)
        return (*found, *(identity for identity, count in left.items() if count))

    def needs(self, node: Node) -> Iterable[str]:
        """Ids of all that a node rests on, each once: below, beside, challengers, and what a sub-case stands for."""
        stands_for = self.resolved(node.id)
        aside = (stands_for,) if stands_for != node.id else ()
        return dict.fromkeys((*node.below, *self.challengers.get(node.id, ()), *aside))

    def with_nodes(self, nodes: Iterable[Node]) -> Self:
        """The case with these nodes put in the place of those with the same ids, or added."""
        return replace(self, nodes={**self.nodes, **{node.id: node for node in nodes}})
