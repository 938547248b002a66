"""Open-PSA files as fault trees: the top events of a model, and the tree of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.core.canonical import reading
from surefoot.core.diagnostics import Diagnostic, DiagnosticsError
from surefoot.documents import Findings, close, listed, shown
from surefoot.faulttree.formats.assembly import CHOOSE, Parts, wrong_numbers
from surefoot.faulttree.formats.mef.definitions import Collector, declare_members, noting, read_groups, resolve
from surefoot.faulttree.formats.mef.elements import (
    MODEL,
    Draft,
    Element,
    Names,
    Refused,
    Scope,
    content,
    only,
    parse,
    require_parts,
)
from surefoot.faulttree.formats.mef.event_trees import (
    Truth,
    Walker,
    Way,
    add_sequence,
    free_name,
    house_setting,
    renamed_truth,
)
from surefoot.faulttree.formats.mef.expressions import apply_exact
from surefoot.faulttree.formats.mef.expressions import formula as read_formula
from surefoot.faulttree.formula import Formula, structure_problems

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


PIECE = 1 << 18


def read_mef(paths: Iterable[Path], *, top: str | None = None) -> FaultTree:
    """Read a fault tree from a model in the Open-PSA Model Exchange Format (Epstein and Rauzy 2008).

    ``paths`` are the files of one model. ``top`` names the gate, or the sequence of an
    event tree, that is the top event; it can be left out where the model has only one. A sequence that several
    initiating events reach is named ``initiating-event/sequence``. House events of a phase of an alignment are set by
    ``top="gate@phase"``. What is private in a container is named by its path, as in ``tree.component.gate``.

    A tree of a sequence holds the disjunction over its paths; its probability is that of the sequence given the
    initiating event. What a static tree cannot say is named in ``left_out``.
    """
    draft, phases = _drafted(paths)
    return Finisher(draft).tree(the_top(draft, phases, top))


def read_mef_all(paths: Iterable[Path], *, top: str | None = None) -> dict[str, FaultTree]:
    """The trees of all top events of a model, or of those that ``top`` may mean, by the names that ``top`` takes."""
    draft, phases = _drafted(paths)
    finisher = Finisher(draft)
    return {each.name: finisher.tree(each) for each in tops(draft, phases, top)}


def _drafted(paths: Iterable[Path]) -> tuple[Draft, list[Phase]]:
    """What the files say, with every name resolved; all that is wrong with them is raised together."""
    draft = Draft()
    for path in paths:
        parse(_pieces(path), Collector(draft, Findings(path.name, MODEL)))
    declare_members(draft)
    resolve(draft)
    read_groups(draft)
    if draft.stated or any(names.exact for names in (draft.events, draft.shared, draft.grouped)):
        apply_exact(draft)
    phases = read_phases(draft)
    read_substitutions(draft)
    if any(findings.errors for findings in draft.findings):
        raise_problems(draft)
    _tell_what_changes_nothing(draft, phases)
    draft.left_out += [*unknown_attributes(draft), *draft.stated.get("left out", ())]
    return draft, phases


def _pieces(path: Path) -> Iterator[bytes]:
    if not path.exists():
        text = f"there is no file {path.name!r}."
        raise DiagnosticsError.of("file-missing", text, where=str(path), hint="Check the path.")
    if not path.is_file():
        raise DiagnosticsError.of("file-unreadable", "it is not a plain file.", where=str(path), hint="Name a file.")
    try:
        with open(path, "rb") as stream:
            while piece := stream.read(PIECE):
                yield piece
    except OSError as error:
        text = f"the file cannot be read: {error.strerror or error}."
        raise DiagnosticsError.of("file-unreadable", text, where=str(path), hint="Check its permissions.") from error


def _tell_what_changes_nothing(draft: Draft, phases: list[Phase]) -> None:
    """Foreign code, the use of which is refused, and alignments that set no house event."""
    for tag in ("define-extern-library", "define-extern-function"):
        for element, scope in draft.later[tag]:
            name, place = element.attributes.get("name", tag), scope.findings.place(element.line)
            draft.about[f"foreign code {name}"] = f"{place}, which nothing uses"
    for alignment in dict.fromkeys(phase.alignment for phase in phases):
        own = [phase for phase in phases if phase.alignment == alignment]
        draft.about[f"alignment {alignment}"] = ", ".join(map(str, own))


# Which gates and sequences are top events of a model, and in which phase.

MOST_LISTED = 30
ALL_FILES = "Name the file with the gates; a model in several files is read when all of them are named."


@dataclass(frozen=True)
class Top:
    """A gate, or a sequence with the ways that lead to it, in a phase where the model has some.

    ``name`` is what ``top`` calls it, ``tree`` the name of its tree; ``whole``: the file is about nothing else.
    """

    name: str
    tree: str
    gate: str = ""
    sequence: str = ""
    initiating: str = ""
    ways: tuple[Way, ...] = ()
    label: str | None = None
    whole: bool = False
    phase: Phase | None = None


def the_top(draft: Draft, phases: list[Phase], wanted: str | None) -> Top:
    """The top event that is wanted, or the only one that the model has."""
    found = tops(draft, phases, wanted)
    if len(found) > 1:
        text = f"the model has {len(found):,} top events" if wanted is None else f"{wanted!r} may be several top events"
        raise _unclear(draft, text, [top.name for top in found], CHOOSE)
    return found[0]


def tops(draft: Draft, phases: list[Phase], wanted: str | None) -> list[Top]:
    """The top events that are wanted, or all: gates that are no input of another one, and sequences, in every phase."""
    before, _, in_phase = (wanted or "").partition("@") if wanted not in draft.gates else (wanted or "", "", "")
    chosen = _phases(draft, phases, in_phase)
    found = _named(draft, before) if before else _all(draft)
    return [
        top if phase is None else replace(top, name=f"{top.name}@{name}", phase=phase)
        for top in found
        for name, phase in chosen.items()
    ]


def _phases(draft: Draft, phases: list[Phase], wanted: str) -> dict[str, Phase | None]:
    """The phase that is wanted, or all that set a house event in one of the phases of their alignment."""
    if wanted:
        matching = [phase for phase in phases if wanted in (phase.name, phase.path)]
        if len(matching) != 1:
            known = [phase.path for phase in phases]
            raise _unclear(draft, f"{wanted!r} names {len(matching)} phases", known, CHOOSE)
        return {wanted: matching[0]}
    setting = {phase.alignment for phase in phases if phase.houses}
    told = [phase for phase in phases if phase.alignment in setting]
    uses = Counter(phase.name for phase in told)
    return {phase.name if uses[phase.name] == 1 else phase.path: phase for phase in told} or {"": None}


def _named(draft: Draft, wanted: str) -> list[Top]:
    gate = draft.events.public.get(wanted) or draft.events.paths.get(wanted) or wanted
    if gate in draft.gates:
        return [_gate(draft, gate, roots=_roots(draft))]
    known = _sequences(draft)
    found = [top for top in known if wanted in (top.sequence, top.name)]
    if not found:
        names = [top.name for top in known]
        near = close(wanted, [*draft.gates, *names]) or [*_roots(draft), *names]
        raise _unclear(draft, f"{wanted!r} is neither a gate nor a sequence", near, CHOOSE)
    return found


def _all(draft: Draft) -> list[Top]:
    if "top" in draft.stated:
        top = draft.stated["top"]
        return [Top(top, draft.stated.get("name", draft.main), gate=top, whole=True)]
    roots = _roots(draft)
    # Gates without a root contain each other, which is found when the tree is made.
    gates = roots or list(draft.gates)[:1]
    found = [*(_gate(draft, gate, roots=gates) for gate in gates), *_sequences(draft)]
    if not found:
        raise _unclear(draft, "the file has no gates", [], ALL_FILES)
    return found


def _gate(draft: Draft, gate: str, *, roots: list[str]) -> Top:
    home = draft.events.homes[gate].tree if gate in draft.events.homes else ""
    tree = home or next(iter(draft.trees), "") or draft.about.get("model", "") or "fault tree"
    return Top(gate, tree, gate=gate, whole=roots == [gate] and not draft.later["define-event-tree"])


def _sequences(draft: Draft) -> list[Top]:
    if not draft.later["define-event-tree"]:
        return []
    walker = Walker(draft)
    found = []
    for (initiating, sequence), ways in walker.ways().items():
        element = walker.model.sequence(sequence, ways[0].tree)
        label = element.first("label") if element is not None else None
        told = label.text() if label else None
        name, tree = f"{initiating}/{sequence}", ways[0].tree
        found.append(Top(name, tree, "", sequence, initiating, tuple(ways), told))
    return found


def _roots(draft: Draft) -> list[str]:
    used: set[str] = set()
    for formula in draft.gates.values():
        used.update(formula.names())
    return [name for name in draft.gates if name not in used]


def _unclear(draft: Draft, problem: str, known: list[str], hint: str) -> DiagnosticsError:
    possible = f" Possible are {listed(known, MOST_LISTED)}." if known else ""
    where = ", ".join(findings.file for findings in draft.findings)
    return DiagnosticsError.of(
        "tree-undefined", f"{problem}.{possible}", where=where, hint=hint if known else ALL_FILES
    )


# From all that the files say, the tree of a top event.

CONTAINER = "container"
"""The attribute with the path of the container of a public name, where that is not the tree's own."""


class Finisher:
    """Makes the trees of top events from one draft, each at the cost of what belongs to it."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.whole = whole = Parts(draft.findings[0], marks=draft.events.places, place_of=str)
        whole.other_marks = {f"parameter {name!r}": place for name, place in draft.shared.places.items()}
        whole.other_marks |= {f"common-cause group {name!r}": place for name, place in draft.grouped.places.items()}
        whole.groups, whole.gates, whole.events = draft.groups, draft.gates, draft.basic
        whole.houses, whole.parameters, whole.left_out = draft.houses, draft.parameters, draft.left_out
        self.checked = False

    @cached_property
    def places(self) -> dict[str, int]:
        """The order of names in the model."""
        return self.whole.places()

    def tree(self, top: Top) -> FaultTree:
        """The tree of a top event; problems of the file outside it count as well."""
        if not top.whole and not self.checked:
            raise_problems(self.draft)
            self.checked = True
        draft = _draft_for(self.draft, top)
        under = with_substitutions(draft, add_sequence(draft, top.sequence, list(top.ways)) if top.ways else top.gate)
        parts = replace(
            self.whole,
            top=under,
            name=top.tree,
            gates=draft.gates,
            events=draft.basic,
            houses=draft.houses,
            parameters=draft.parameters,
            labels={},
            attributes={},
        )
        if not top.whole:
            parts = parts.below(under, self.places)
            if under != top.gate and draft.gates is self.draft.gates:
                del draft.gates[under]
        _describe(parts, draft, top)
        return parts.tree()


def _draft_for(draft: Draft, top: Top) -> Draft:
    """A draft in which what holds for this top event only can be set."""
    own = replace(draft, about=dict(draft.about))
    if top.phase is not None:
        own.houses = draft.houses | top.phase.houses
        own.about |= {"phase": f"{top.phase.alignment}: {top.phase}", "time fraction": repr(top.phase.share)}
        own.about.pop(f"alignment {top.phase.alignment}", None)
    if top.ways or (top.whole and draft.conditions):
        own.gates, own.basic, own.parameters = dict(draft.gates), dict(draft.basic), dict(draft.parameters)
        own.houses = dict(own.houses)
    if top.ways:
        own.about["initiating event"] = top.initiating
    return own


def unknown_attributes(draft: Draft) -> Iterator[str]:
    """What files say in attributes that Open-PSA does not have, each with its first place."""
    for (tag, name), (place, times) in draft.foreign.items():
        more = f" and {times - 1:,} more" if times > 1 else ""
        yield f"{place}{more}: the attribute {shown(name)} of <{tag}>, which the format does not have."


def raise_problems(draft: Draft) -> None:
    """One error with everything that is wrong, the numbers included, where anything is."""
    findings = draft.findings
    structure = structure_of(draft, next(iter(draft.gates))) if draft.gates else ()
    wrong = [problem for problem in structure if problem.severity == "error"]
    if wrong or any(found.errors for found in findings):
        more = [error for found in findings[1:] for error in found.errors]
        findings[0].raise_if_any([*more, *wrong, *_numbers_of(draft)])


def _numbers_of(draft: Draft) -> Iterator[Diagnostic]:
    said = Parts(draft.findings[0], events=draft.basic, parameters=draft.parameters)
    shared = {f"parameter {name!r}": place for name, place in draft.shared.places.items()}
    unread = [f"parameter {name!r}" for name in draft.shared.places if name not in draft.parameters]
    events = {f"event {name!r}": place for name, place in draft.events.places.items()}
    yield from wrong_numbers(said, shared | events, unread)


def structure_of(draft: Draft, top: str) -> Iterator[Diagnostic]:
    """Problems of names and gates of the whole model; what was named and could not be read is not undefined."""
    defined = {*draft.gates, *draft.basic, *draft.houses}
    others = [name for name in draft.events.kinds if name not in defined]
    shape = top, draft.gates, draft.basic, draft.houses
    yield from structure_problems(*shape, members=others, places=draft.events.places)


def _describe(parts: Parts, draft: Draft, top: Top) -> None:
    """Labels and attributes of what is kept; what concerns the whole goes with the top event."""
    members = [member for group in parts.groups for member in group.members]
    kept = dict.fromkeys([*parts.gates, *parts.events, *parts.houses, *members])
    main = draft.main or top.tree
    _take(parts, draft.events, {name: name for name in kept}, main)
    _take(parts, draft.shared, {n: f"parameter {n}" if n in kept else n for n in parts.parameters}, main)
    _take(parts, draft.grouped, {group.name: group.name for group in parts.groups}, main)
    with reading("label"):
        parts.labels.update(draft.stated.get("labels", {}))
        for name, said in draft.stated.get("others", {}).items():
            parts.attributes.setdefault(name, {}).update(said)
    if top.label and parts.top:
        parts.labels[parts.top] = top.label
    if draft.about.get("model") == top.tree:
        del draft.about["model"]
    homes = {draft.events.homes[name].path for name in kept if name in draft.events.homes}
    for path in sorted({outer for home in homes for outer in _outward(home)} & draft.containers.keys()):
        draft.about |= draft.containers[path]
    if draft.about and parts.top:
        parts.attributes.setdefault(parts.top, {}).update(draft.about)


def _outward(path: str) -> Iterator[str]:
    """A container and all around it, the model last."""
    while path:
        yield path
        path = path.rpartition(".")[0]
    yield ""


def _take(parts: Parts, names: Names, kept: dict[str, str], main: str) -> None:
    """Labels and attributes of names, under the names in ``kept``, and the container of those not in ``main``."""
    for name, final in kept.items():
        if name in names.labels:
            parts.labels[final] = names.labels[name]
        said = names.attributes.get(name)
        if said is not None:
            parts.attributes.setdefault(final, {}).update(said)
        scope = names.homes.get(name)
        if scope is not None and scope.path != main and scope.path and name not in names.private:
            parts.attributes.setdefault(final, {})[CONTAINER] = scope.path


# Alignments: phases of a mission, which set house events for a share of the time.


@dataclass(frozen=True)
class Phase:
    """A part of the mission: its share of the time and the house events that it sets."""

    alignment: str
    name: str
    share: float
    houses: dict[str, bool]

    @property
    def path(self) -> str:
        """Alignment and name, as ``top`` can name it."""
        return f"{self.alignment}.{self.name}"

    def __str__(self) -> str:
        said = [f"{house}={str(value).lower()}" for house, value in self.houses.items()]
        return f"{self.name} {self.share!r}" + (f" ({', '.join(said)})" if said else "")


def read_phases(draft: Draft) -> list[Phase]:
    """The phases of all alignments; what is wrong with them is noted."""
    found: list[Phase] = []
    for element, scope in draft.later["define-alignment"]:
        with noting(scope.findings):
            phases = [_phase(element, child, scope, draft) for child in content(element)]
            total = sum(phase.share for phase in phases)
            if not isclose(total, 1.0, abs_tol=1e-6):
                text = f"the time fractions of {element.need('name')!r} sum to {total:g}; they must sum to 1."
                raise Refused("tree-probability", text, element.line)
            found += phases
    return found


def _phase(alignment: Element, element: Element | str, scope: Scope, draft: Draft) -> Phase:
    if isinstance(element, str) or element.tag != "define-phase":
        raise Refused("tree-syntax", "an alignment consists of <define-phase>.", alignment.line)
    text = element.need("time-fraction")
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise Refused("tree-probability", f"a time fraction lies in [0, 1], found {text[:40]!r}.", element.line)
    houses: dict[str, bool] = {}
    for child in content(element):
        if isinstance(child, str) or child.tag != "set-house-event":
            raise Refused("tree-syntax", "a phase sets house events and nothing else.", element.line)
        houses |= house_setting(child, scope, draft)
    return Phase(alignment.need("name"), element.need("name"), share, houses)


# Substitutions: what holds whenever a hypothesis does.
#
# A substitution without source says that its hypothesis implies its target, which is a condition on the top event. One
# with a source rewrites cut sets after they are found, which no static tree can say; it is left out.

TAG = "define-substitution"
PARTS = ("hypothesis", "source", "target")
REWRITES = "rewrites cut sets after they are found, which no tree can say."


def read_substitutions(draft: Draft) -> None:
    """What substitutions ask for beside the top event; those that rewrite cut sets are left out."""
    for element, scope in draft.later[TAG]:
        with noting(scope.findings):
            require_parts(element, PARTS)
            hypothesis, target = (renamed_truth(_part(element, tag), scope) for tag in ("hypothesis", "target"))
            if element.first("source") is not None:
                place = scope.findings.place(element.line)
                draft.left_out.append(f"{place}: the substitution {element.need('name')!r}, which {REWRITES}")
                continue
            _require_type(element, hypothesis, target)
            denied = Formula("not", (hypothesis,))
            draft.conditions.append(denied if target is False else Formula("or", (denied, target)))


def with_substitutions(draft: Draft, top: str) -> str:
    """The top event under the substitutions of the model: a new gate where there are any."""
    if not draft.conditions:
        return top
    name = free_name(draft, f"{top}-with-substitutions")
    draft.gates[name] = Formula("and", (top, *draft.conditions))
    return name


def _require_type(element: Element, hypothesis: Truth, target: Truth) -> None:
    """Refuse a type that says something else than the parts do."""
    both = isinstance(hypothesis, str) or (isinstance(hypothesis, Formula) and hypothesis.kind == "and")
    fits = {"delete-terms": target is False, "recovery-rule": both and not isinstance(target, bool)}
    said = element.attributes.get("type")
    if said is not None and not fits.get(said, False):
        text = (
            f"the substitution {element.need('name')!r} has the type {said[:40]!r}, and its parts say something else."
        )
        hint = "delete-terms has the target false, recovery-rule a conjunction and an event, exchange-event a source."
        raise Refused("tree-syntax", text, element.line, hint)


def _part(element: Element, tag: str) -> Truth:
    holder = element.first(tag)
    if holder is None:
        raise Refused("tree-syntax", f"a substitution has a <{tag}>.", element.line)
    return read_formula(only(holder))
