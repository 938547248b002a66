"""Which gate or sequence is the top event."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.faulttree.formats.mef.alignments import Phase
from surefoot.faulttree.formats.mef.draft import Draft
from surefoot.faulttree.formats.mef.instructions import Way
from surefoot.faulttree.formats.mef.sequences import add_sequence
from surefoot.faulttree.formats.mef.walking import Walker
from surefoot.faulttree.gate_problems import input_names

MOST_LISTED = 30
TOP = "top= (--top at the prompt)"
ALL_FILES = "Name the file with the gates; a model in several files is read when all of them are named."
_NO_FORMULA = frozenset({str, bool})


@dataclass(frozen=True)
class Chosen:
    """The top event, the tree's name, and whether the file holds more than belongs to it."""

    top: str
    name: str
    whole: bool
    label: str | None = None


def choose_phase(draft: Draft, phases: list[Phase], top: str | None) -> str | None:
    """Set the house events of the phase after ``@``, and return what stands before it."""
    wanted, _, phase_name = (top or "").partition("@")
    if not phase_name:
        _leave_out(draft, phases)
        return top
    matching = [phase for phase in phases if phase_name in (phase.name, phase.path)]
    if len(matching) != 1:
        known = [phase.path for phase in phases]
        raise _unclear(draft, f"{phase_name!r} names {len(matching)} phases", known)
    draft.houses |= matching[0].houses
    draft.about["phase"] = f"{matching[0].alignment}: {matching[0]}"
    return wanted or None


def choose_top(draft: Draft, wanted: str | None) -> Chosen:
    """The gate or sequence that is wanted, or the only one that can be meant."""
    roots = _roots(draft)
    if wanted is not None:
        name = draft.events.public.get(wanted) or draft.events.paths.get(wanted) or wanted
        if name in draft.gates:
            return Chosen(name, _tree_of(draft, name), roots == [name])
        return _sequence(draft, wanted)
    if "top" in draft.stated:
        return Chosen(draft.stated["top"], draft.stated.get("name", draft.main), whole=True)
    if not draft.gates:
        return _only_sequence(draft)
    return _root(draft, roots)


def _root(draft: Draft, roots: list[str]) -> Chosen:
    """The only root of all, or of the first fault tree that has one; a cycle without root is found later."""
    if len(roots) <= 1:
        top = roots[0] if roots else next(iter(draft.gates))
        return Chosen(top, _tree_of(draft, top), whole=True)
    firsts = ([root for root in roots if _home(draft, root) == tree] for tree in draft.trees)
    first = next((found for found in firsts if found), roots)
    if len(first) > 1:
        raise _unclear(draft, f"{len(first)} gates are inputs of no other gate", first)
    return Chosen(first[0], _tree_of(draft, first[0]), whole=False)


def _sequence(draft: Draft, wanted: str) -> Chosen:
    walker = Walker(draft)
    ways = walker.ways()
    matching = [key for key in ways if wanted in (key[1], "/".join(key))]
    if not matching:
        sequences = ["/".join(key) for key in ways]
        near = get_close_matches(wanted, [*draft.gates, *sequences])
        raise _unclear(draft, f"{wanted!r} is neither a gate nor a sequence", near or [*_roots(draft), *sequences])
    if len(matching) > 1:
        raise _unclear(draft, f"several initiating events lead to {wanted!r}", ["/".join(key) for key in matching])
    return _chosen_sequence(draft, walker, matching[0], ways[matching[0]])


def _only_sequence(draft: Draft) -> Chosen:
    walker = Walker(draft)
    ways = walker.ways()
    if len(ways) != 1:
        problem = f"the file has no gates and {len(ways)} sequences" if ways else "the file has no gates"
        raise _unclear(draft, problem, ["/".join(key) for key in ways])
    key, found = next(iter(ways.items()))
    return _chosen_sequence(draft, walker, key, found)


def _chosen_sequence(draft: Draft, walker: Walker, key: tuple[str, str], ways: list[Way]) -> Chosen:
    initiating, sequence = key
    element = walker.model.sequence(sequence, ways[0].tree)
    label = element.first("label") if element is not None else None
    draft.about["initiating event"] = initiating
    top = add_sequence(draft, sequence, ways)
    return Chosen(top, ways[0].tree, whole=False, label=label.text() if label else None)


def _roots(draft: Draft) -> list[str]:
    used: set[object] = set()
    for formula in draft.gates.values():
        used.update(formula.inputs if _NO_FORMULA.issuperset(map(type, formula.inputs)) else input_names(formula))
    return [name for name in draft.gates if name not in used]


def _home(draft: Draft, name: str) -> str:
    return draft.events.homes[name].tree if name in draft.events.homes else ""


def _tree_of(draft: Draft, name: str) -> str:
    return _home(draft, name) or next(iter(draft.trees), "") or draft.about.get("model", "") or "fault tree"


def _leave_out(draft: Draft, phases: list[Phase]) -> None:
    for alignment in dict.fromkeys(phase.alignment for phase in phases):
        own = [phase for phase in phases if phase.alignment == alignment]
        draft.about[f"alignment {alignment}"] = ", ".join(map(str, own))
        if any(phase.houses for phase in own):
            names = " or ".join(f"@{phase.name}" for phase in own)
            draft.left_out.append(f"alignment {alignment} (add {names} to the name of the top event for one phase)")


def _unclear(draft: Draft, problem: str, known: list[str]) -> DiagnosticsError:
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    listed = f" Possible are {', '.join(known[:MOST_LISTED])}{more}." if known else ""
    hint = f"Say which one is meant with {TOP}." if known else ALL_FILES
    where = ", ".join(findings.file for findings in draft.findings)
    return DiagnosticsError.of("tree-undefined", f"{problem}.{listed}", where=where, hint=hint)
