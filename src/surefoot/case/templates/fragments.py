"""Fragments of a case that an author attaches where he names them: ``@target misses``, ``@condition daylight``.

What templates write for a target, a component, a condition, an assumption or the context of the whole is offered, and
goes where a node of the author says so: below it (``supported by``) or beside it (``in context of``). Nothing of it is
ever a second top. Nodes keep the ids that they have in every frame.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from surefoot.case.model import Case, Node
from surefoot.case.templates.activities import role_of, tags
from surefoot.case.templates.arguments import Arguments
from surefoot.case.templates.builder import (
    CONTEXTS,
    Draft,
    Results,
    component_id,
    goal_id,
    names_of,
    stated_context,
)
from surefoot.case.templates.frames import grouped, one_component
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.canonical import FrozenMap
from surefoot.documents import did_you_mean, sentence, shown

MARK = "@"
UNKNOWN = "case-fragment-unknown"
Sort = Literal["target", "component", "condition", "assumption", "context"]
SORTS: tuple[Sort, ...] = get_args(Sort)
BELOW: tuple[Sort, ...] = ("target", "component")
"""Fragments that hold something up; the others stand beside it."""
Places = Mapping[tuple[str, str], str]
"""Where a file names a fragment, by the id of the node and the words."""


def fragment(sort: Sort, name: str) -> str:
    """How a fragment is named in a case.

    >>> fragment("target", "misses")
    '@target misses'
    """
    return f"{MARK}{sort} {name}"


def is_fragment(reference: str) -> bool:
    """Whether a reference of a node names a fragment, and no node."""
    return reference.startswith(MARK)


def parted(reference: str) -> tuple[str, str]:
    """Sort and name of a fragment, as somebody wrote them.

    >>> parted("@target misses at night")
    ('target', 'misses at night')
    """
    sort, _, name = reference.removeprefix(MARK).strip().partition(" ")
    return sort, name.strip()


@dataclass(frozen=True)
class Offered:
    """Names of what can be attached, by sort.

    Parameters
    ----------
    targets, components, conditions, contexts
        What the project states.
    assumptions
        Ids of what results rest on; None where nothing was measured yet.

    Examples
    --------
    >>> offered = Offered(targets=("misses",))
    >>> offered.problem("@target mises", "C1", "case.yaml:4").hint
    "Did you mean '@target misses'?"

    """

    targets: Collection[str] = ()
    components: Collection[str] = ()
    conditions: Collection[str] = ()
    contexts: Collection[str] = ()
    assumptions: Collection[str] | None = None

    def names(self, sort: Sort) -> Collection[str] | None:
        """The names of one sort; None where they are not known yet."""
        by_sort: dict[Sort, Collection[str] | None] = {
            "target": self.targets,
            "component": self.components,
            "condition": self.conditions,
            "assumption": self.assumptions,
            "context": self.contexts,
        }
        return by_sort[sort]

    def problem(self, reference: str, node: str, where: str) -> Diagnostic | None:
        """What is wrong with a name of a fragment; None where nothing is, or where that is not known yet."""
        sort, name = parted(reference)
        said = f"{shown(node)} names {shown(reference)}"
        if sort not in SORTS:
            known = [fragment(each, "NAME") for each in SORTS]
            close = did_you_mean(sort, SORTS)
            hint = close if close.startswith("Did") else f"Write one of {', '.join(known)}."
            return Diagnostic(UNKNOWN, f"{said}, and no fragment is called so.", "error", where, hint)
        names = self.names(sort)
        if names is None or name in names:
            return None
        close = did_you_mean(name, list(names))
        meant = close.removeprefix("Did you mean ").rstrip("?").strip("'\"") if close.startswith("Did") else ""
        every = ", ".join(fragment(sort, each) for each in sorted(names))
        hint = f"Did you mean {fragment(sort, meant)!r}?" if meant else f"Offered: {every or f'no {sort} at all'}."
        return Diagnostic(UNKNOWN, f"{said}, and there is no {sort} {shown(name)}.", "error", where, hint)


@dataclass(frozen=True)
class Attachment:
    """A node of the author, and the fragment that it names."""

    node: Node
    reference: str
    relation: str

    @classmethod
    def all_of(cls, own: Case) -> tuple[Attachment, ...]:
        """All of a case, in the order they are written."""
        return tuple(
            cls(node, reference, relation)
            for node in own
            for relation in ("supported_by", "in_context_of", "challenges")
            for reference in getattr(node, relation)
            if is_fragment(reference)
        )


def problems(own: Case, offered: Offered, places: Places | None = None) -> list[Diagnostic]:
    """What is wrong with the fragments that a case names, each with its place."""
    found = []
    for each in Attachment.all_of(own):
        where = (places or {}).get((each.node.id, each.reference), each.node.id)
        problem = offered.problem(each.reference, each.node.id, where)
        if problem is not None:
            found.append(problem)
    return found


def attached(draft: Draft, arguments: Arguments, own: Case, places: Places | None = None) -> Case:
    """The author's case with the ids of fragments in place of their names; the draft then holds their nodes.

    A fragment is written into the module of the node that names it first, and its claim takes the tags of all that do.
    """
    found = Attachment.all_of(own)
    DiagnosticsError.raise_if_any(problems(own, offered(draft), places))
    by_reference: dict[str, list[Attachment]] = defaultdict(list)
    for each in found:
        if each.relation != "challenges":
            by_reference[each.reference].append(each)
    ids = _Writing(draft, arguments).written({name: uses[0].node.module for name, uses in by_reference.items()})
    DiagnosticsError.raise_if_any(_unattached_challenges(found, ids, places))
    nodes = {node.id: _with_ids(node, ids) for node in own}
    for reference, uses in by_reference.items():
        for identity in ids[reference]:
            nodes[identity] = _inheriting(nodes.get(identity), draft.nodes[identity], uses)
    return replace(own, nodes=nodes)


def offered(draft: Draft) -> Offered:
    """What the templates can write."""
    given = draft.ingredients
    return Offered(
        targets=tuple(goal.name for goal in given.goals),
        components=tuple(given.components),
        conditions=tuple(given.conditions),
        contexts=tuple(name for name in CONTEXTS if CONTEXTS[name](given)),
        assumptions=tuple(
            dict.fromkeys(name for _, each in Results(given.evidence).assumptions() for name in names_of(each))
        ),
    )


def _inheriting(own: Node | None, written: Node, uses: Iterable[Attachment]) -> Node:
    """What a fragment takes from what it is attached to: tags, and that it is public where another module names it."""
    before = own or Node(written.id, written.kind, "")
    inherited = tuple(dict.fromkeys((*before.tags, *(tag for each in uses for tag in each.node.tags))))
    away = any(each.node.module != written.module for each in uses)
    return replace(before, tags=inherited, public=before.public or away)


def _unattached_challenges(
    found: Iterable[Attachment], ids: Mapping[str, Sequence[str]], places: Places | None
) -> Iterator[Diagnostic]:
    for each in found:
        if each.relation == "challenges" and each.reference not in ids:
            text = f"{shown(each.node.id)} challenges {shown(each.reference)}, which no node rests on."
            where = (places or {}).get((each.node.id, each.reference), each.node.id)
            yield Diagnostic(UNKNOWN, text, "error", where, "Name it in supported by of a node as well.")


def _with_ids(node: Node, ids: Mapping[str, Sequence[str]]) -> Node:
    """The node with ids in place of the names of fragments."""

    def known(references: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for name in references for each in ids.get(name, (name,))))

    return replace(
        node,
        supported_by=known(node.supported_by),
        in_context_of=known(node.in_context_of),
        challenges=known(node.challenges),
    )


@dataclass
class _Writing:
    """Writes fragments into a draft, those of targets in the order of the project, so that ids stay as they are."""

    draft: Draft
    arguments: Arguments
    ids: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def written(self, modules: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The ids of fragments by their names; ``modules`` says into which each is written."""
        given = self.draft.ingredients
        order = [fragment("target", goal.name) for goal in given.goals]
        rank = {parted(name): place for place, name in enumerate(order)}
        for reference in sorted(modules, key=lambda name: (SORTS.index(parted(name)[0]), rank.get(parted(name), 0))):
            sort, name = parted(reference)
            self.ids[reference] = getattr(self, f"_{sort}")(name, modules[reference])
        return self.ids

    def _target(self, name: str, module: str) -> tuple[str, ...]:
        goal = next(each for each in self.draft.ingredients.goals if each.name == name)
        if goal_id(name) in self.draft.nodes:
            return (goal_id(name),)
        return self.arguments.claims([goal], module=module)

    def _component(self, name: str, module: str) -> tuple[str, ...]:
        for known in ("SubC7", "LLC1"):
            if component_id(name, known) in self.draft.nodes:
                return (component_id(name, known),)
        return (one_component(self.draft, self.arguments, name, grouped(self.draft)[name], module=module),)

    def _condition(self, name: str, module: str) -> tuple[str, ...]:
        found = self._assumption(name, module)
        if found:
            return found
        options = {"module": module, "assumption": name, "tags": tags(role_of(name, self.draft.ingredients.conditions))}
        text = sentence(self.draft.ingredients.conditions[name])
        return (self.draft.add(f"assumption.{name}", "side-claim", text, **options),)

    def _assumption(self, name: str, module: str) -> tuple[str, ...]:
        """Of the results that the case rests on already, or else of all."""
        known = [pair for pair in Results(self.draft.ingredients.evidence).assumptions() if name in names_of(pair[1])]
        used = {node.rests_on for node in self.draft.nodes.values() if node.kind == "evidence"}
        chosen = [pair for pair in known if pair[0] in used] or known
        return tuple(
            dict.fromkeys(
                identity
                for reference, assumption in chosen
                for identity in self.draft.side_warrants(reference, [assumption], module=module)
            )
        )

    def _context(self, name: str, module: str) -> tuple[str, ...]:
        return stated_context(self.draft, only=(name,), module=module)


# What is offered and not attached: the case does not use it, and says so.


def unattached(case: Case, offered: Offered, *, answered: Mapping[str, str] = FrozenMap()) -> tuple[str, ...]:
    """Fragments that are offered and that a case does not use, targets first.

    Parameters
    ----------
    case
        As it was made.
    offered
        What could be attached; assumptions come with what rests on them and are not named.
    answered
        For targets the results that answer them: what argues from one by a claim of its own uses it.

    Returns
    -------
    tuple of str
        Such as ``@target misses``.

    """
    resting = {node.rests_on for node in case if node.kind == "evidence"}
    stating = {node.number.quantity for node in case if node.number is not None} if resting else set()
    conditions = {node.assumption.partition("[")[0] for node in case}
    found: list[str] = []
    for name in offered.targets:
        reference = answered.get(name, "")
        by_hand = reference in resting and reference.partition(".")[2].partition("[")[0] in stating
        found += [] if goal_id(name) in case or by_hand else [fragment("target", name)]
    for name in offered.components:
        there = component_id(name, "LLC1") in case or component_id(name, "SubC7") in case
        found += [] if there else [fragment("component", name)]
    found += [fragment("condition", name) for name in offered.conditions if name not in conditions]
    found += [fragment("context", name) for name in offered.contexts if f"context.{name}" not in case]
    return tuple(found)
