"""A case at one time: what it says, how it stood, and what it rested on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from surefoot.case.evaluation import Assessed, Checked, Evaluation, Measured, Measurements, checks, results_of
from surefoot.case.extensions import Choice, Module
from surefoot.case.model import Case, Kind, Node, Number, Policy, Stated
from surefoot.core import Assumption, Estimate, Evidence, Provenance, Target, validate
from surefoot.core.canonical import FrozenDict, FrozenMap, digest
from surefoot.documents import listed

if TYPE_CHECKING:
    from surefoot.case.confidence.feedback import Feedback


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A case with everything that is known of its assessment; what is left out is unknown, not unchanged.

    Parameters
    ----------
    case, evaluation, evidence
        What it says, how it stood, and what was measured.
    digests, versions, targets
        Of data, models and files; of libraries; what was asked.
    feedback
        What operation brought.
    system
        The name of the system.
    unattached
        Fragments that an own frame does not use.
    history, chain
        The last iteration in the store, by its hash and date; all of them, each with the one before and its date.
    page
        Digests of all that a page shows, by part.

    Examples
    --------
    >>> from surefoot.case import Case, Node, Snapshot
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True)])
    >>> Snapshot(case).assessed, Snapshot(case, case.evaluate()).node("C1").standing
    (False, 'not shown')

    """

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
    unattached: tuple[str, ...] = ()
    """Fragments that were offered and that the case does not use."""
    history: Mapping[str, str] = field(default_factory=FrozenDict)
    """``iteration``, a hash, and when it was ``created``; empty where there is no store."""
    chain: Mapping[str, tuple[str, str]] | None = None
    """Hash and date of the iteration before each, by hash; None where there is no store to look at."""
    page: Mapping[str, str] = field(default_factory=FrozenDict)
    """Digests of all that a page shows, by part; empty where no page was looked at."""

    def __post_init__(self) -> None:
        validate.fields(self)
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

    def confidence(self, identity: str) -> float | None:
        """How surely all targets of a node hold together, where that is known."""
        found = self.node(identity)
        return None if found is None else found.confidence

    def estimate(self, node: Node) -> Estimate | None:
        """What was measured for a node, where that is known."""
        if node.rests_on and (found := self._measured.estimate(node.rests_on)) is not None:
            return found
        assessed = self.node(node.id)
        return None if assessed is None else assessed.estimate

    def assumption(self, node: Node) -> Assumption | None:
        """The assumption that a side-warrant states, as its check found it; of several checks the worst."""
        found = self._checks(node)
        return found[0].assumption if found else None

    def reference(self, node: Node) -> str:
        """The result that a node is about; of several the one whose check found the worst."""
        found = () if node.rests_on else self._checks(node)
        return found[0].reference if found else node.rests_on

    def content(self, node: Node) -> str:
        """Content hash of what was measured or checked, or else the one in the case; empty where neither is known."""
        if node.assumption:
            found = {each.reference: each.assumption.to_dict() for each in self._checks(node)}
            several = found if len(found) > 1 else next(iter(found.values()), None)
            return node.digest if several is None else digest(several)
        estimate = self.estimate(node)
        return node.digest if estimate is None else estimate.digest

    def _checks(self, node: Node) -> list[Checked]:
        return checks(self._measured, results_of(self.case, node), node.assumption) if node.assumption else []

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


# What claims rest on: assumptions, evidence, and all that was measured.


def assumptions_of(snapshot: Snapshot, claims: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Side-warrants below these claims, and assumptions of what was measured for them that no side-warrant states."""
    below = list(_below(snapshot.case, claims))
    stated = {node.assumption for node in below}
    for node in below:
        found = snapshot.node(node.id)
        if node.kind == "side-claim":
            yield node.id, {"text": node.text, "standing": found.standing if found else "unknown"}
        estimate = snapshot.estimate(node) if node.kind == "evidence" else None
        for assumption in estimate.assumptions if estimate else ():
            name = f"{assumption.id}[{assumption.scope}]" if assumption.scope else assumption.id
            if stated.isdisjoint((assumption.id, name)):
                yield name, {"text": assumption.text, "standing": assumption.status}


def result_digest(snapshot: Snapshot) -> str:
    """Hash of all that was measured, and of where it comes from; the same from a project and from its report."""
    keys = {name: provenance.key for name, provenance in snapshot.steps.items()}
    inputs = [snapshot.digests, snapshot.versions, snapshot.targets, snapshot.operation]
    return digest([snapshot.contents, keys, inputs])


def evidence_below(snapshot: Snapshot, claim: Node) -> tuple[str, ...]:
    """References of evidence under a claim without another claim in between."""
    found: dict[str, None] = {}
    seen, todo = {claim.id}, [*claim.supported_by]
    while todo:
        node = snapshot.case.nodes.get(snapshot.case.resolved(todo.pop()))
        if node is None or node.id in seen or node.kind not in ("argument", "evidence"):
            continue
        seen.add(node.id)
        if node.rests_on:
            found[node.rests_on] = None
        todo.extend(node.supported_by)
    return tuple(sorted(found))


def stated_below(snapshot: Snapshot, claim: Node) -> tuple[str, ...]:
    """The stated values that numbers below a claim rest on, each with who answers for it."""
    estimates = (snapshot.estimate(node) for node in _below(snapshot.case, [claim.id]) if node.kind == "evidence")
    stated = {assumption for estimate in estimates if estimate for assumption in estimate.stated}
    told = (f"{each.text} {each.answer or 'Nobody answers for it.'}" for each in stated)
    return tuple(sorted(told))


def _below(case: Case, claims: Iterable[str]) -> Iterator[Node]:
    """Everything that these claims rest on, each once."""
    todo = list(claims)
    seen = set(todo)
    while todo:
        node = case.nodes.get(case.resolved(todo.pop()))
        if node is None:
            continue
        yield node
        new = [each for each in node.below if each not in seen]
        seen.update(new)
        todo.extend(new)


# Nodes as plain data, to be compared and hashed.

RECORDS = (Node, Number, Stated, Choice, Module, Policy, Target)


def plain(value: Any) -> Any:
    """Nested plain data of a part of a case."""
    if isinstance(value, RECORDS):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def case_digest(case: Case) -> str:
    """Hash of what a case says; how it is drawn, and what was measured, are no part of it."""
    nodes = {node.id: _said(node) for node in case}
    modules, policy = plain(case.modules), plain(case.policy)
    return digest([case.name, case.description, nodes, list(nodes), modules, policy])


def _said(node: Node) -> dict[str, Any]:
    """What a node says, without what it leaves out; every field is empty by default, but one that has a name."""
    return {name: plain(value) for name, value in vars(node).items() if value and name != "digest"}


# Nodes that came, went, got another id, or say something else.

What = Literal["added", "removed", "renamed", "changed"]
RELATIONS = ("supported_by", "in_context_of", "challenges")
WORDS = ("text", "note", "url", "tags", "public")
"""What a node says to people, which does not decide how anything stands."""
COMPARED_ELSEWHERE = ("id", "number", "digest", *RELATIONS)


@dataclass(frozen=True)
class NodeChange:
    """One node, and how it differs: added, removed, renamed or changed.

    See Also
    --------
    compare : Finds all of them.

    """

    id: str
    kind: Kind
    what: What
    text: str
    details: tuple[str, ...] = ()
    number: tuple[NumberChange, ...] = ()
    decisive: bool = False
    """Whether something differs that can decide how a claim stands, beside what was measured."""
    before: str = ""
    """The id it had before, where that was another one."""

    @property
    def only_notes(self) -> bool:
        """Whether nothing but the note differs."""
        return not self.decisive and all(detail.startswith("note: ") for detail in self.details) and bool(self.details)

    @property
    def judged(self) -> bool:
        """Whether what somebody answers for differs, and nothing else that decides."""
        beside = tuple(f"{name}: " for name in WORDS)
        decisive = [detail for detail in self.details if not detail.startswith(beside)]
        return bool(decisive) and all(detail.startswith("stated: ") for detail in decisive)

    @property
    def told(self) -> str:
        """How it differs."""
        was = f" (was {self.before})" if self.before else ""
        return f"{self.what}{was}: {'; '.join([*map(str, self.number), *self.details]) or self.text}"

    def __str__(self) -> str:
        return f"{self.id} {self.told}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        numbers = [vars(change) for change in self.number]
        found = {"id": self.id, "kind": self.kind, "change": self.what, "text": self.text, "before": self.before}
        return {**found, "details": list(self.details), "number": numbers}


def renamed_nodes(before: Case, after: Case) -> dict[str, str]:
    """New ids of nodes that are gone, where exactly one new node has their kind, text, number and reference."""
    gone = _by_words(node for node in before if node.id not in after)
    new = _by_words(node for node in after if node.id not in before)
    return {
        old[0].id: new[words][0].id for words, old in gone.items() if len(old) == 1 and len(new.get(words, ())) == 1
    }


def node_changes(before: Case, after: Case, renamed: Mapping[str, str]) -> Iterator[NodeChange]:
    """All differences of nodes, in the order of the newer case; what is gone comes last."""
    former = {new: old for old, new in renamed.items()}
    for node in after:
        old = before.nodes.get(former.get(node.id, node.id))
        if old is None:
            yield NodeChange(node.id, node.kind, "added", node.text)
        elif change := _compared(old, node, renamed):
            yield change
    for node in before:
        if node.id not in after and node.id not in renamed:
            yield NodeChange(node.id, node.kind, "removed", node.text)


def _by_words(nodes: Iterator[Node]) -> dict[Any, list[Node]]:
    found: dict[Any, list[Node]] = {}
    for node in nodes:
        words = (node.kind, node.text, str(node.number), node.rests_on, node.assumption)
        found.setdefault(words, []).append(node)
    return found


def _compared(old: Node, new: Node, renamed: Mapping[str, str]) -> NodeChange | None:
    if old == new:
        return None
    numbers = number_changes(old.number, new.number)
    words = [_detail(name, old, new) for name in WORDS if getattr(old, name) != getattr(new, name)]
    decisive = [*_relations(old, new, renamed), *_fields(old, new)]
    another = "" if old.id == new.id else old.id
    if not (numbers or words or decisive or another):
        return None
    what: What = "changed" if numbers or words or decisive else "renamed"
    details = (*decisive, *words)
    return NodeChange(new.id, new.kind, what, new.text, details, numbers, bool(numbers or decisive), another)


def _relations(old: Node, new: Node, renamed: Mapping[str, str]) -> Iterator[str]:
    for name in RELATIONS:
        before = dict.fromkeys(renamed.get(each, each) for each in getattr(old, name))
        after = dict.fromkeys(getattr(new, name))
        signed = [f"+{each}" for each in after if each not in before]
        signed += [f"-{each}" for each in before if each not in after]
        if signed:
            yield f"{name.replace('_', ' ')} {listed(signed)}"


def _fields(old: Node, new: Node) -> Iterator[str]:
    for name in vars(new):
        if name not in (*COMPARED_ELSEWHERE, *WORDS) and getattr(old, name) != getattr(new, name):
            yield _detail(name, old, new)


def _detail(name: str, old: Node, new: Node) -> str:
    return f"{name.replace('_', ' ')}: {_shown(getattr(old, name))} -> {_shown(getattr(new, name))}"


def _shown(value: Any) -> str:
    if isinstance(value, Stated) and value.opinion is not None:
        by, why = f" by {value.by}" if value.by else "", f": {value.why}" if value.why else ""
        return f"{value.opinion}{by}{why}"
    found = plain(value)
    return repr(found) if isinstance(found, str) else "none" if found in (None, [], {}) else str(found)


# Whether a number that a claim states was loosened or tightened.

Direction = Literal["loosened", "tightened", "changed"]


@dataclass(frozen=True)
class NumberChange:
    """One part of a number that differs."""

    part: str
    direction: Direction
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.part} {self.direction}: {self.before} -> {self.after}"


def number_changes(before: Number | None, after: Number | None) -> tuple[NumberChange, ...]:
    """What differs between two numbers, in parts that can be ordered; none where nothing does."""
    if before is None or after is None:
        if before is after:
            return ()
        direction: Direction = "tightened" if before is None else "loosened"
        return (NumberChange("number", direction, str(before or "none"), str(after or "none")),)
    if _sort(before) != _sort(after):
        return (NumberChange("number", "changed", str(before), str(after)),)
    return tuple(_parts(before, after))


def weaker(before: Number | None, after: Number | None) -> tuple[NumberChange, ...]:
    """Those differences by which the number says less than before, or something else."""
    return tuple(change for change in number_changes(before, after) if change.direction != "tightened")


def _sort(number: Number) -> tuple[str, str, str]:
    return number.quantity, number.target.relation, number.target.counted


def _parts(before: Number, after: Number) -> Iterator[NumberChange]:
    old, new = before.target, after.target
    if old.limit != new.limit:
        looser = (new.limit > old.limit) == (old.at_most is not None)
        yield NumberChange("limit", _towards(looser), f"{old.relation} {old.limit:g}", f"{new.relation} {new.limit:g}")
    if old.level != new.level:
        yield NumberChange("level", _towards(new.level < old.level), f"{old.level:g}", f"{new.level:g}")
    if before.strict_level != after.strict_level:
        looser = (after.strict_level or 0) < (before.strict_level or 0)
        yield NumberChange("level over all looks", _towards(looser), _level(before), _level(after))
    if set(old.kinds) != set(new.kinds):
        yield _kinds(old, new)
    if old.uncertainty != new.uncertainty:
        yield NumberChange("uncertainty of the limit", _leniency(old, new), _interval(old), _interval(new))


def _kinds(old: Target, new: Target) -> NumberChange:
    looser, tighter = set(new.kinds) > set(old.kinds), set(new.kinds) < set(old.kinds)
    direction: Direction = "loosened" if looser else "tightened" if tighter else "changed"
    return NumberChange("accepted bounds", direction, ", ".join(old.kinds), ", ".join(new.kinds))


def _leniency(old: Target, new: Target) -> Direction:
    """By the end of the limit that a bound is compared with."""
    before, after = old.cautious_limit(old.alpha), new.cautious_limit(new.alpha)
    if before == after:
        return "changed"
    return _towards((after > before) == (old.at_most is not None))


def _towards(looser: bool) -> Direction:
    return "loosened" if looser else "tightened"


def _level(number: Number) -> str:
    return "none" if number.strict_level is None else f"{number.strict_level:g}"


def _interval(target: Target) -> str:
    low, high = target.interval
    return "none" if target.uncertainty is None else f"{low:g} to {high:g}"
