"""Problems of candidate improvements and costs: names that no tree has, and changes that cannot be made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.checks.results import MOST_COMPARED

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree

STAND_IN = 0.5
"""For the probability of an event that evidence feeds, which is known only once that has run."""


def improvement_problems(
    tree: FaultTree,
    given: Mapping[str, Any],
    at: Keys,
    *,
    other_events: Collection[str] = (),
    other_names: Collection[str] = (),
) -> Iterator[Problem]:
    """Everything about ``candidates`` and ``costs``; several trees may share them, so names of others are none."""
    from surefoot.hazards.improvement.applied import names_of

    fed = {name: STAND_IN for name in mapping(given.get("events")) if name in tree.events}
    plain = tree.with_events(fed).expanded
    events = dict.fromkeys((*other_events, *plain.events))
    names = dict.fromkeys((*other_names, *names_of(plain)))
    yield from _unknown(mapping(given.get("costs")), events, (*at, "costs"), "is no basic event of the tree")
    yield from _candidate_problems(plain, mapping(given.get("candidates")), names, (*at, "candidates"))


def mapping(said: Any) -> Mapping[str, Any]:
    """What was said, where it is a mapping; what is wrong otherwise is told by the kinds of parameters."""
    return said if isinstance(said, Mapping) else {}


def _candidate_problems(
    tree: FaultTree, said: Mapping[str, Any], names: Collection[str], at: Keys
) -> Iterator[Problem]:
    from surefoot.hazards.improvement import candidates_from_plain
    from surefoot.hazards.improvement.applied import check, in_tree

    for candidate, parts in said.items():
        if isinstance(parts, Mapping):
            changes = mapping(parts.get("events"))
            yield from _unknown(changes, names, (*at, candidate, "events"), "is nothing in the tree")
            places = {f"candidate {candidate!r}, {name!r}": ("events", name) for name in changes}
            try:
                check(tree, in_tree(tree, candidates_from_plain({candidate: parts})))
            except DiagnosticsError as error:
                yield from (_located(each, (*at, candidate), places) for each in error.diagnostics)


def _unknown(said: Mapping[str, Any], known: Collection[str], at: Keys, what: str) -> Iterator[Problem]:
    for name in said:
        if name not in known:
            hint = did_you_mean(str(name), list(known)[:MOST_COMPARED])
            yield Problem("unknown-reference", (*at, name), f"names {shown(name)}, which {what}.", hint)


def _located(problem: Diagnostic, at: Keys, places: Mapping[str, Keys]) -> Problem:
    path = (*at, *places.get(problem.where, ()))
    return Problem(problem.code, path, f"is wrong: {problem.text}", problem.hint, problem.severity)
