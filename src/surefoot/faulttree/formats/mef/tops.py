"""Which gates and sequences are top events of a model, and in which phase."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import close, listed
from surefoot.faulttree.formats.building import CHOOSE
from surefoot.faulttree.formats.mef.alignments import Phase
from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.instructions import Way
from surefoot.faulttree.formats.mef.walking import Walker
from surefoot.faulttree.gate_problems import input_names

MOST_LISTED = 30
ALL_FILES = "Name the file with the gates; a model in several files is read when all of them are named."
_NO_FORMULA = frozenset({str, bool})


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
    before, _, phase = (wanted or "").partition("@") if wanted not in draft.gates else (wanted or "", "", "")
    chosen = _phases(draft, phases, phase)
    found = _named(draft, before) if before else _all(draft)
    return [_in_phase(top, each, name) for top in found for name, each in chosen.items()]


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


def _in_phase(top: Top, phase: Phase | None, name: str) -> Top:
    return top if phase is None else replace(top, name=f"{top.name}@{name}", phase=phase)


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
    used: set[object] = set()
    for formula in draft.gates.values():
        used.update(formula.inputs if _NO_FORMULA.issuperset(map(type, formula.inputs)) else input_names(formula))
    return [name for name in draft.gates if name not in used]


def _unclear(draft: Draft, problem: str, known: list[str], hint: str) -> DiagnosticsError:
    possible = f" Possible are {listed(known, MOST_LISTED)}." if known else ""
    where = ", ".join(findings.file for findings in draft.findings)
    return DiagnosticsError.of(
        "tree-undefined", f"{problem}.{possible}", where=where, hint=hint if known else ALL_FILES
    )
