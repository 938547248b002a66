"""The answer to a project in one line: how many of its numbers are met, and what its case leaves open."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from surefoot.case.evaluation import DocumentEvidence
from surefoot.case.model import STANDING_IN, Case, Kind, Node
from surefoot.case.templates.builder import goal_id
from surefoot.documents import counted

if TYPE_CHECKING:
    from surefoot.case import Evaluation
    from surefoot.project.result import Result

Status = Literal["met", "not shown", "violated", "none"]
TARGET = "@target "
MOST_NAMED = 5


@dataclass(frozen=True)
class Headline:
    """The answer in one line, and what it counts: ``Result.headline``.

    A number that is met while the case leaves a claim open is not shown: the claim is what somebody signs.

    Examples
    --------
    >>> Headline("not shown", "Not shown: 7 of 7 numbers met, the case leaves 1 claim open.", 7, 7, ("labels",)).open
    True

    """

    status: Status
    """``none`` where the project states no target."""
    text: str
    numbers_met: int
    """Targets that count as met, and that operation does not speak against."""
    numbers: int
    open_claims: tuple[str, ...] = ()
    """Ids of claims that the top claim needs and that nothing shows, where this begins; targets count as numbers."""
    doubts: tuple[str, ...] = ()
    """Ids of defeaters of what the top claim needs that nobody eliminated."""
    unattached: tuple[str, ...] = ()
    """Targets that are answered and that the case of an author does not use."""
    unaccepted: tuple[str, ...] = ()
    """Steps of documents that the top claim rests on and that nobody accepted."""

    @property
    def open(self) -> bool:
        """Whether the case leaves anything open, whatever the numbers say."""
        return bool(self.open_claims or self.doubts or self.unattached or self.unaccepted)

    @property
    def left(self) -> str:
        """What is left open, by name; empty where nothing is."""
        parts = (
            ("open", self.open_claims),
            ("doubts that stand", self.doubts),
            ("not accepted", self.unaccepted),
            ("not used", self.unattached),
        )
        return "; ".join(f"{word}: {_few(ids)}" for word, ids in parts if ids)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}


def _few(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return f"{', '.join(ids[:MOST_NAMED])}{more}"


def headline_of(result: Result) -> Headline:
    """The headline of a result, from its answers, its case and what operation says."""
    met = {answer.name for answer in result.answers if answer.met and not result.against(answer.name)}
    unmet = {goal_id(answer.name) for answer in result.answers} - set(map(goal_id, met))
    found = Openness.of(result.case, result.evaluation, unmet)
    unattached = tuple(each.removeprefix(TARGET) for each in result.unattached if each.startswith(TARGET))
    documents = {name: document for name, item in result.evidence.items() if (document := DocumentEvidence.of(item))}
    unaccepted = tuple(name for name in found.rests_on if name in documents and not documents[name].accepted)
    case = _of_case(found, unattached, unaccepted, len(result.answers))
    status = _status(result, len(met), bool(case))
    text = f"{_lead(result, status)}{_numbers(result)}{case or _nothing_open(status)}."
    numbers = len(met), len(result.answers)
    return Headline(status, text, *numbers, found.claims, found.doubts, unattached, unaccepted)


def _status(result: Result, met: int, anything_open: bool) -> Status:
    if not result.answers:
        return "none"
    if result.contradictions or any(answer.status == "violated" for answer in result.answers):
        return "violated"
    doubtful = anything_open or result.disagreements or result.uncounted
    return "not shown" if doubtful or met < len(result.answers) else "met"


def _lead(result: Result, status: Status) -> str:
    if status == "none":
        return "Nothing is concluded: the project states no target"
    if result.contradictions:
        names = {goal_id(answer.name): answer.name for answer in result.answers}
        named = list(dict.fromkeys(names.get(finding.where, finding.where) for finding in result.contradictions))
        return f"No: operation contradicts {counted(len(named), 'claim')} ({_few(named)}); by tests "
    if status == "violated":
        return "No: "
    if result.uncounted:
        return "Not shown: feedback from operation could not be counted; by tests "
    if result.disagreements:
        return "Not shown: estimates of one quantity contradict each other; "
    by = "target" if len(result.answers) == 1 else "targets"
    return "Not shown: " if status == "not shown" else f"Yes, by its {by}: "


ALONE = {
    "met": "its number is met",
    "alone": "its number is met at this look alone",
    "not shown": "its number is neither met nor violated",
    "violated": "its number is violated",
}


def _numbers(result: Result) -> str:
    """How many are met by the tests; what operation says stands before."""
    statuses = [answer.status for answer in result.answers]
    stated = sum(answer.met and bool(answer.verdict.answered_by) for answer in result.answers)
    if len(statuses) < 2:
        return "".join(f"{ALONE[status]}{', on what is stated' if stated else ''}" for status in statuses)
    words = [f"{statuses.count('met')} of {len(statuses)} numbers met"]
    words += [f"{stated} of them on what is stated"] if stated else []
    words += [f"{violated} violated"] if (violated := statuses.count("violated")) else []
    words += [f"{alone} more at this look alone"] if (alone := statuses.count("alone")) else []
    return ", ".join(words)


def _nothing_open(status: Status) -> str:
    return ", and the case leaves no claim open" if status == "met" else ""


def _of_case(found: Openness, unattached: Sequence[str], unaccepted: Sequence[str], numbers: int) -> str:
    """What the case leaves open, as the end of a sentence."""
    words = []
    if found.claims:
        words.append(f"the case leaves {counted(len(found.claims), 'claim')} open")
    if found.doubts:
        words.append(f"{counted(len(found.doubts), 'doubt')} {'stands' if len(found.doubts) == 1 else 'stand'}")
    if unaccepted:
        words.append(f"{counted(len(unaccepted), 'document')} {'is' if len(unaccepted) == 1 else 'are'} not accepted")
    if unattached:
        words.append(f"the case does not use {len(unattached)} of the {counted(numbers, 'number')}")
    return f", {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else ""


# What a case leaves open: where claims that the top one needs are not shown, and doubts about them that stand.

CLAIMING: tuple[Kind, ...] = ("claim", "side-claim", *STANDING_IN)


@dataclass(frozen=True)
class Openness:
    """Claims where not being shown begins, and defeaters that nobody eliminated."""

    claims: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    """Results, and steps of documents, that the top claim rests on."""

    @classmethod
    def of(cls, case: Case, evaluation: Evaluation, numbers: Collection[str] = ()) -> Openness:
        """Of all that the top claim needs; claims of ``numbers`` are told as such.

        An assumption that nobody checked is no open claim: it overrules nothing, and is counted among the assumptions.
        """
        if not case.tops:
            return cls()
        reading = _Reading(case, evaluation, numbers)
        needed = [identity for identity in case.nodes if identity in reading.needed]
        doubts = (each for identity in needed for each in reading.doubts(identity))
        resting = (case[identity].rests_on for identity in needed)
        return cls(
            tuple(each for each in needed if each in reading.open),
            tuple(dict.fromkeys(doubts)),
            tuple(dict.fromkeys(filter(None, resting))),
        )


class _Reading:
    """A case that is read from below upward: which nodes are open, and which are explained by others."""

    def __init__(self, case: Case, evaluation: Evaluation, numbers: Collection[str]) -> None:
        self.case, self.nodes, self._numbers = case, evaluation.nodes, numbers
        self.open: set[str] = set()
        self._explained: set[str] = set()
        """Nodes that are not shown because of something below them that is told by itself."""
        for identity in case.upward:
            if self.nodes[identity].standing != "supported":
                self._read(case.nodes[identity])
        self.needed = self._reached()

    def doubts(self, identity: str) -> Iterator[str]:
        """Defeaters, and evidence against a node, that are not refuted."""
        for each in self.case.challengers.get(identity, ()):
            if not self.case.nodes[each].defeated and self.nodes[each].standing != "contradicted":
                yield each

    def _read(self, node: Node) -> None:
        if node.id in self._numbers:
            self._explained.add(node.id)
            return
        bare = node.kind == "side-claim" and not (node.undeveloped or self._parts(node))
        if bare:
            if self.nodes[node.id].standing == "not shown":
                self._explained.add(node.id)
            return
        broken = [each for each in self._warrants(node) if self._standing(each) == "contradicted"]
        below = [each for each in self._parts(node) if self._standing(each) != "supported"]
        explained = any(each in self._explained for each in (*below, *broken))
        itself = node.undeveloped or any(self.doubts(node.id))
        if node.kind in CLAIMING and (itself or not explained):
            self.open.add(node.id)
            explained = True
        if explained and not (itself and node.kind not in CLAIMING):
            self._explained.add(node.id)

    def _standing(self, identity: str) -> str:
        return self.nodes[identity].standing if identity in self.nodes else "not shown"

    def _parts(self, node: Node) -> tuple[str, ...]:
        """What holds a node up; an argument that rests on nothing else is held up by its side-warrants."""
        stands_for = self.case.resolved(node.id)
        below = (*node.supported_by, *(() if stands_for == node.id else (stands_for,)))
        return below or (self._beside(node) if node.kind == "argument" else ())

    def _warrants(self, node: Node) -> tuple[str, ...]:
        return tuple(each for each in self._beside(node) if each not in self._parts(node))

    def _beside(self, node: Node) -> tuple[str, ...]:
        nodes: Mapping[str, Node] = self.case.nodes
        return tuple(each for each in node.in_context_of if each in nodes and nodes[each].kind in CLAIMING)

    def _reached(self) -> set[str]:
        """All that the top claim needs, down to numbers that are not met; of independent legs those that show it."""
        waiting = [self.case.top.id]
        found = set(waiting)
        while waiting:
            node = self.case.nodes[waiting.pop()]
            if node.id in self._numbers:
                continue
            shown = node.combining == "legs" and self._standing(node.id) == "supported"
            parts = [each for each in self._parts(node) if not shown or self._standing(each) == "supported"]
            for each in (*parts, *self._beside(node)):
                if each in self.case.nodes and each not in found:
                    found.add(each)
                    waiting.append(each)
        return found
