"""What a case is made from, and the case while it is being written: what two places say of one node is united."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from surefoot import documents
from surefoot.case.confidence.feedback import Feedback
from surefoot.case.evaluation import CHECK_WORDS, CHECKS_WORST_FIRST, Goal, Measured
from surefoot.case.extensions import Module
from surefoot.case.model import Block, Case, Kind, Node, Stated
from surefoot.case.standards import standards_named
from surefoot.case.templates.activities import USUAL, Role, role_of, tags, tags_of
from surefoot.core import Assumption, Estimate, Evidence, InvalidInput, Table, digest, validate
from surefoot.core.canonical import FrozenMap
from surefoot.documents import sentence, significant

RELATIONS = ("supported_by", "in_context_of", "challenges")
OF_SYSTEM = ("inside-operating-conditions",)
"""Assumptions that all components share beside the conditions that a project states: its table of conditions."""


@dataclass(frozen=True)
class _Assumed:
    """The node of an assumption, and the worst that a check found."""

    identity: str
    status: str

    @property
    def contradicted(self) -> bool:
        return self.status == "contradicted"


class Draft:
    """Nodes by id in the order they were written."""

    def __init__(self, ingredients: Ingredients) -> None:
        self.ingredients = ingredients
        self.nodes: dict[str, Node] = {}
        self.modules: dict[str, Module] = {}
        self._assumed: dict[tuple[str, str, str], _Assumed] = {}
        self._measured = Measured(ingredients.evidence)
        self._looked_at: dict[str, dict[str, Assumption]] = defaultdict(dict)
        """For conditions of the system, by what was looked at: the assumption as its check found it."""

    def add(self, identity: str, kind: Kind, text: str, **fields: Any) -> str:
        """Add a node, or unite its relations with those of the one that is there; gives the id."""
        node = Node(identity, kind, text, **fields)
        before = self.nodes.get(identity)
        self.nodes[identity] = node if before is None else _united(before, node)
        return identity

    def relate(self, identity: str, **relations: Iterable[str]) -> None:
        """Add relations to a node that is there."""
        node = self.nodes[identity]
        more = {name: _both(getattr(node, name), ids) for name, ids in relations.items()}
        self.nodes[identity] = replace(node, undeveloped=False, **more)  # type: ignore[arg-type]

    def split(self, identity: str) -> None:
        """Name the block of an argument by what it rests on: several parts, or the claim made precise by one."""
        node = self.nodes[identity]
        block: Block = "decomposition" if len(node.supported_by) > 1 else "concretion"
        self.nodes[identity] = replace(node, block=block)

    def module(self, name: str, brief: str) -> str:
        """Open a module; gives its name."""
        self.modules.setdefault(name, Module(name, brief))
        return name

    def side_warrants(self, reference: str, assumptions: Iterable[Assumption], *, module: str = "") -> tuple[str, ...]:
        """A side-warrant for each assumption of a result.

        The same assumption about the same thing is one node wherever it appears, and stands as the worst check says.
        Only where one result contradicts what another does not are there two, so that neither verdict is overruled.
        A condition of the system is one node however many components share it; each argument that it stands beside
        is judged by the check of its own results (``shared_conditions``).
        """
        return tuple(dict.fromkeys(self._side_warrant(reference, each, module) for each in assumptions))

    def _side_warrant(self, reference: str, assumption: Assumption, module: str) -> str:
        stated = (assumption.id, assumption.text, assumption.scope)
        if self.is_condition(assumption):
            return self._condition(reference, assumption, module)
        known = self._assumed.get(stated)
        if known is None:
            identity = self._unused(assumption)
        elif known.contradicted != (assumption.status == "contradicted"):
            identity = f"{known.identity}@{step_of(reference)}"
        elif CHECKS_WORST_FIRST.index(assumption.status) >= CHECKS_WORST_FIRST.index(known.status):
            return known.identity
        else:
            identity = known.identity
        if known is None or identity == known.identity:
            self._assumed[stated] = _Assumed(identity, assumption.status)
        named = f"{assumption.id}[{assumption.scope}]" if assumption.scope else assumption.id
        return self.add(
            identity,
            "side-claim",
            sentence(assumption.text),
            rests_on=reference,
            assumption=named,
            module=module,
            tags=tags(role_of(assumption.id, self.ingredients.conditions)),
            note=_looked_at(assumption),
            stated=_answered(assumption),
        )

    def is_condition(self, assumption: Assumption) -> bool:
        """Whether it is a condition of the whole system, whatever component was looked at."""
        stated = self.ingredients.conditions.get(assumption.id)
        return stated == assumption.text or (stated is None and assumption.id in OF_SYSTEM)

    def _condition(self, reference: str, assumption: Assumption, module: str) -> str:
        identity = f"assumption.{assumption.id}"
        looked_at = self._looked_at[identity]
        looked_at[assumption.scope or step_of(reference)] = assumption
        before = self.nodes.get(identity)
        role = role_of(assumption.id, self.ingredients.conditions)
        options: dict[str, Any] = {"assumption": assumption.id, "tags": tags(role), "module": module}
        self.add(identity, "side-claim", sentence(assumption.text), note=_looked_at_each(looked_at), **options)
        if before is not None and before.module != module:
            self.nodes[identity] = replace(self.nodes[identity], module="")
        return identity

    def _unused(self, assumption: Assumption) -> str:
        scope = f"[{assumption.scope}]" if assumption.scope else ""
        identity = f"assumption.{assumption.id}{scope}"
        return f"{identity}.{digest(assumption.text)[:8]}" if identity in self.nodes else identity

    def evidence(
        self, reference: str, estimate: Estimate, text: str, note: str = "", *, module: str = "", roles: Iterable[Role]
    ) -> str:
        """What was measured: one node for one result, wherever it is used; a target may add caveats to it."""
        found = self._measured.estimate(reference) or estimate
        return self.add(
            f"evidence.{reference}",
            "evidence",
            text,
            rests_on=reference,
            digest=found.digest,
            module=module,
            note=note,
            tags=tags(*roles),
        )

    def case(self, name: str) -> Case:
        """The finished case; what other modules refer to is public."""
        away = {
            below
            for node in self.nodes.values()
            for below in node.related
            if below in self.nodes and self.nodes[below].module != node.module
        }
        away |= {node.of.rpartition("/")[2] for node in self.nodes.values() if "/" in node.of}
        wanted = {each: tags_of(each, self.ingredients.standards) for each in {n.tags for n in self.nodes.values()}}
        nodes = {
            key: replace(node, public=node.public or key in away, tags=wanted[node.tags])
            for key, node in self.nodes.items()
        }
        return Case(nodes, name=name, modules=self.modules)


def _answered(assumption: Assumption) -> Stated | None:
    """Who answers for a stated value, which is no opinion on it."""
    answer = assumption.answer
    return None if answer is None else Stated(by=answer.by, why=f"{answer.reason.rstrip('.')} ({answer.date})")


def _looked_at(assumption: Assumption) -> str:
    check = assumption.check
    if check is None:
        return ""
    size = "" if check.effect is None else f" Size of the departure: {significant(check.effect)}."
    return f"Looked at: {check.method}.{size}"


def _looked_at_each(found: Mapping[str, Assumption]) -> str:
    """What was looked at, and where it was the same everywhere, once."""
    words = {scope: (CHECK_WORDS[each.status], _looked_at(each)) for scope, each in found.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))[1]
    return " ".join(f"{scope}: {said}. {looked}".rstrip() for scope, (said, looked) in words.items())


def _united(before: Node, node: Node) -> Node:
    more: dict[str, Any] = {name: _both(getattr(before, name), getattr(node, name)) for name in RELATIONS}
    return replace(node, **more, module=before.module, tags=_both(before.tags, node.tags), rests_on=node.rests_on)


def _both(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


# A result whose argument is to be written, and what is said of its assumptions and limits.


@dataclass(frozen=True)
class Job:
    """A result whose argument is to be written."""

    owner: str
    """What ids of its nodes begin with."""
    reference: str
    estimate: Estimate
    module: str = ""

    @property
    def argument(self) -> str:
        """The id of the main argument."""
        return f"{self.owner}.argument"


def derived(draft: Draft, goal: Goal) -> str:
    """Where a limit comes from, in one line; empty where nobody says."""
    given = draft.ingredients.derivations.get(goal.name, "") or goal.verdict.target.source
    if isinstance(given, str):
        return given
    return "; ".join(": ".join(filter(None, (str(cell) for cell in row))) for row in given.rows)


def stated(assumption: Assumption) -> tuple[str, str, str]:
    """What makes an assumption one, whatever its check found."""
    return assumption.id, assumption.text, assumption.scope


def names_of(assumption: Assumption) -> tuple[str, str]:
    """What side-warrants and authors call it: its id, and with what it is about."""
    return assumption.id, f"{assumption.id}[{assumption.scope}]"


def is_about(assumption: Assumption, label: str) -> bool:
    """Whether it says that what goes into a calculation under this label is what was measured."""
    return assumption.id == "event-is-what-was-measured" and assumption.scope == label


def of_input(assumption: Assumption, labels: Iterable[str]) -> bool:
    """Whether it says so of one of these labels."""
    return any(is_about(assumption, label) for label in labels)


# What every frame begins with: the hazard, the context in which the top claim is made, and what was assessed.

SHOWN = 12
"""Characters of a content hash that people compare."""


def stated_context(draft: Draft, *, only: Collection[str] | None = None, module: str = "") -> tuple[str, ...]:
    """Contexts of the top claim; all that there are, or those that are named."""
    given = draft.ingredients
    numbered: dict[str, tuple[str, Role]] = {str(n): (text, "scope") for n, text in enumerate(given.context, start=1)}
    roles: dict[str, Role] = {"hazard": "hazard analysis", "conditions": "scope", "artefacts": "configuration"}
    said: dict[str, tuple[str, Role]] = {name: (make(given), roles[name]) for name, make in CONTEXTS.items()}
    ordered = {"hazard": said.pop("hazard"), **numbered, **said}
    return tuple(
        draft.add(f"context.{name}", "context", text, tags=tags(role), module=module)
        for name, (text, role) in ordered.items()
        if text and (only is None or name in only)
    )


def _hazard(given: Ingredients) -> str:
    return f"Hazard: {given.hazard}" if given.hazard else ""


def _operating_conditions(given: Ingredients) -> str:
    return f"Operating conditions: {' '.join(given.conditions.values())}" if given.conditions else ""


def _artefacts(given: Ingredients) -> str:
    named = [f"{name} {digest[:SHOWN]}" for name, digest in given.digests.items()]
    return f"Assessed, by content: {documents.listed(named, len(named))}." if named else ""


CONTEXTS: Mapping[str, Callable[[Ingredients], str]] = {
    "hazard": _hazard,
    "conditions": _operating_conditions,
    "artefacts": _artefacts,
}
"""What a project says of the whole: its text, empty where nothing is said."""


# What a case is made from: targets with their estimates, evidence, and what is known of the system.

Function = Literal["classification", "localisation", "timing", "tracking"]
FUNCTIONS: tuple[Function, ...] = get_args(Function)


@dataclass(frozen=True)
class Ingredients:
    """All that templates are filled with; what is not given leaves its part of the case undeveloped.

    Parameters
    ----------
    system
        Its name.
    goals, evidence
        Targets with their verdicts, and what was measured, by step.
    claim, hazard, context
        What people say of the whole.
    components, functions, speaks_of
        Learned components with their descriptions, what they do, and which function a target speaks of.
    conditions, digests, derivations
        Operating conditions, content hashes, and where limits come from.
    operation, feedback
        What was measured in operation and what was told from it.
    standards
        Whose clauses nodes are tagged with.

    See Also
    --------
    instantiate : Makes the case.

    """

    system: str
    goals: tuple[Goal, ...] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=FrozenMap)
    """Evidence by the name of its step."""
    claim: str = ""
    """The top claim in the user's words."""
    hazard: str = ""
    context: tuple[str, ...] = ()
    components: Mapping[str, str] = field(default_factory=FrozenMap)
    """Learned components and their descriptions."""
    conditions: Mapping[str, str] = field(default_factory=FrozenMap)
    """Operating conditions by id."""
    digests: Mapping[str, str] = field(default_factory=FrozenMap)
    """Content hashes of models and data."""
    derivations: Mapping[str, Table | str] = field(default_factory=FrozenMap)
    """For targets: the steps that led to the limit, or its source in words."""
    functions: Mapping[str, tuple[Function, ...]] = field(default_factory=FrozenMap)
    """For components: what they do of what an object detector does; all four where nothing is said."""
    speaks_of: Mapping[str, Function] = field(default_factory=FrozenMap)
    """For targets: the function they speak of; classification where nothing is said."""
    operation: tuple[str, ...] = ()
    """Results measured in operation, as ``step.quantity``: they develop what is claimed of the future."""
    feedback: tuple[Feedback, ...] = ()
    """Incidents told from operation, by the claims they bear on: they develop it too."""
    standards: tuple[str, ...] = USUAL
    """Standards whose clauses nodes are tagged with; ``ISO 26262`` is all its parts."""

    def __post_init__(self) -> None:
        validate.fields(self, but=("speaks_of",))
        validate.kind(self.speaks_of, Mapping, where="Ingredients", name="speaks_of", example="{'misses': 'bounds'}")
        for name in ("goals", "context", "operation", "feedback", "standards"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("evidence", "components", "conditions", "digests", "derivations", "functions", "speaks_of"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        twice = [name for name, count in Counter(goal.name for goal in self.goals).items() if count > 1]
        if twice:
            raise InvalidInput("two targets have one name", where="Ingredients", found=repr(twice[0]))
        for function in (*self.speaks_of.values(), *(each for some in self.functions.values() for each in some)):
            validate.choice(function, FUNCTIONS, where="Ingredients", name="function")
        for standard in self.standards:
            standards_named(standard)

    def component_of(self, goal: Goal) -> str | None:
        """The learned component that a target speaks of; None where it is about the system."""
        return self.component_behind(goal.reference)

    def component_behind(self, reference: str) -> str | None:
        """The learned component that a result is about; None where it is about the system."""
        evidence = self.evidence.get(step_of(reference))
        named = evidence.provenance.params.get("component") if evidence else None
        return named if named in self.components else None


def step_of(reference: str) -> str:
    """The step in ``step.quantity``."""
    return reference.partition(".")[0]


# Results of steps, and which of them went into which.


class Results:
    """Estimates by ``step.quantity``."""

    def __init__(self, evidence: Mapping[str, Evidence]) -> None:
        self._evidence = evidence
        self._measured = Measured(evidence)

    def __contains__(self, reference: object) -> bool:
        return isinstance(reference, str) and self._measured.estimate(reference) is not None

    def __getitem__(self, reference: str) -> Estimate:
        estimate = self._measured.estimate(reference)
        if estimate is None:
            raise InvalidInput("no such result", where="case", found=repr(reference))
        return estimate

    def assumptions(self) -> Iterator[tuple[str, Assumption]]:
        """All that results rest on, each with the ``step.quantity`` of the result."""
        for step, evidence in self._evidence.items():
            for estimate in evidence.estimates:
                yield from ((f"{step}.{estimate.reference}", each) for each in estimate.assumptions)

    def fed_into(self, reference: str) -> dict[str, str]:
        """By label the results that a calculation was fed with, as its step says."""
        evidence = self._evidence.get(step_of(reference))
        found: dict[str, str] = {}
        for labelled in evidence.provenance.params.values() if evidence else ():
            if isinstance(labelled, Mapping):
                found |= {str(label): text for label, text in labelled.items() if text in self and text != reference}
        return found

    def behind(self, references: Iterable[str]) -> list[str]:
        """All results that went into these, directly or further down, each once."""
        references = tuple(references)
        asked = set(references)
        waiting, found = list(dict.fromkeys(references)), dict.fromkeys(references)
        while waiting:
            new = [each for each in self.fed_into(waiting.pop()).values() if each not in found]
            found |= dict.fromkeys(new)
            waiting += new
        return [each for each in found if each not in asked]


# Ids of nodes: stable from one assessment to the next, and never those of something else, whatever people call it.

OF_FRAMES = re.compile(r"(claim|argument|component\[.*|(LLC|LLA|LLSC|TLC|TLA|TLSC|SubC)\d.*)", re.DOTALL)
"""What frames call their own nodes; ids with a full stop are never those of a target."""
TARGET = "target:"


def goal_id(name: str) -> str:
    """The id of a target's claim: its name, or where that could be taken for something else a marked form of it.

    >>> goal_id("misses"), goal_id("claim"), goal_id("a.argument")
    ('misses', 'target:claim', 'target:a%2Eargument')
    """
    plain = bool(name.strip()) and not OF_FRAMES.fullmatch(name) and not name.startswith(TARGET)
    if plain and not set(name) & {".", "%", "/", "@"}:
        return name
    return TARGET + escaped(name)


def escaped(name: str) -> str:
    """A name without the characters that join parts of ids."""
    for character in "%./@":
        name = name.replace(character, f"%{ord(character):02X}")
    return name


def component_id(component: str, name: str) -> str:
    """The id of a node about one component."""
    return f"{name}[{escaped(component)}]"
