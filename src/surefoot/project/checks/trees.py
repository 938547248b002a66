"""Problems of fault trees: those of the tree itself, and of the evidence that feeds its basic events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import Keys, Problem, did_you_mean, listed, shown
from surefoot.project.checks.combinations import tree_combination
from surefoot.project.checks.improvement import improvement_problems, mapping
from surefoot.project.checks.results import MOST_COMPARED
from surefoot.project.definition import FAULT_TREE, EvidenceSource
from surefoot.project.draft import Draft
from surefoot.project.trees import INLINE, Inline, tree_of

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree

MOST_NAMED = 5


def tree_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    """Everything about the tree of a step; nothing for steps that have none."""
    if source.step != FAULT_TREE:
        return
    given = source.parameters
    file, inline = given.get("file"), given.get(INLINE)
    if (file is None) == (inline is None):
        yield Problem("missing-key", at, "needs exactly one of file and inline.", "Name the file of the tree.")
    elif (isinstance(file, str) and (draft.folder / file).is_file()) or isinstance(inline, dict):
        yield from _read(draft, given, at)


def _read(draft: Draft, given: dict[str, Any], at: Keys) -> Iterator[Problem]:
    file, inline, top = given.get("file"), given.get(INLINE), given.get("top")
    try:
        tree = tree_of(draft.folder / file if file else None, inline, top if isinstance(top, str) else None)
    except DiagnosticsError as error:
        yield from (_problem(found, file, inline, at) for found in error.diagnostics)
        return
    yield from (_problem(found, file, inline, at) for found in tree.problems)
    yield from _event_problems(tree, given.get("events"), (*at, "events"))
    yield from tree_combination(draft, tree, given, at)
    yield from improvement_problems(tree, given, at)


def _problem(found: Diagnostic, file: str | None, inline: Any, at: Keys) -> Problem:
    if file is None:
        path = (*at, INLINE, *Inline(inline).path_of(found.where))
        return Problem(found.code, path, f"is wrong: {found.text}", found.hint, found.severity)
    return Problem(found.code, (*at, "file"), found.text, found.hint, found.severity, found.where or file)


def _event_problems(tree: FaultTree, fed: Any, at: Keys) -> Iterator[Problem]:
    """Evidence for events that the tree does not have, and events that have no probability from anywhere."""
    names = list(mapping(fed))
    for name in names:
        if name not in tree.events:
            text = f"names {shown(name)}, which is no basic event of the tree."
            yield Problem("unknown-reference", (*at, name), text, did_you_mean(name, list(tree.events)[:MOST_COMPARED]))
    yield from without_probability(tree, names, at)


def without_probability(tree: FaultTree, names: list[str], at: Keys) -> Iterator[Problem]:
    """Events below the top event that have no probability, and are not among the names that are fed."""
    from surefoot.hazards.scenarios.links import below, inputs_of

    reached = below(tree.top, inputs_of(tree.gates))
    bare = [repr(name) for name in reached if tree.events.get(name, name) is None and name not in names]
    if bare:
        text = f"leaves out {listed(bare, MOST_NAMED)}, which the tree gives no probability."
        yield Problem("missing-key", at, text, "Feed them with evidence, or write probabilities into the tree.")
