"""Problems of fault trees, worksheets and chains: of these themselves, of what feeds them, and of improvements.

What a tree combines is tried out with stand-ins of the same kinds of bounds, before anything is measured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefoot import bounds
from surefoot.core import Bound, Diagnostic, DiagnosticsError, Estimate, InvalidInput, Provenance, SurefootError
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.propagation import NO_CONFIDENCE
from surefoot.documents import Keys, Problem, did_you_mean, listed, shown
from surefoot.project.checks.parameters import MOST_COMPARED
from surefoot.project.checks.validation import Draft, step_in
from surefoot.project.definition import FAULT_TREE, HAZOP, SCENARIO_TREE, EvidenceSource
from surefoot.project.inputs import INLINE, Inline, hazop_of, scenarios_of, tree_of

if TYPE_CHECKING:
    from surefoot.faulttree import FaultTree
    from surefoot.hazards import Hazop, Scenarios


MOST_NAMED = 5


def tree_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    """Everything about the tree of a step; nothing for steps that have none."""
    if source.step != FAULT_TREE:
        return
    given = source.parameters
    file, inline = given.get("file"), given.get(INLINE)
    if (file is None) == (inline is None):
        yield Problem("missing-key", at, "needs exactly one of file and inline.", "Name the file of the tree.")
    elif _is_file(draft, file) or (file is None and isinstance(inline, dict)):
        yield from _read(draft, given, at)


def _is_file(draft: Draft, name: Any) -> bool:
    """Whether it names a file that is there; what is no text, or too long for a name, is told elsewhere."""
    return isinstance(name, str) and os.path.isfile(draft.folder / name)


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
    from surefoot.hazards.chains import below, inputs_of

    reached = below(tree.top, inputs_of(tree.gates))
    bare = [repr(name) for name in reached if tree.events.get(name, name) is None and name not in names]
    if bare:
        text = f"leaves out {listed(bare, MOST_NAMED)}, which the tree gives no probability."
        yield Problem("missing-key", at, text, "Feed them with evidence, or write probabilities into the tree.")


# Problems of worksheets, and of chains of events with the evidence that feeds them.


def hazard_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    """Everything about the worksheet and chains of a step; nothing for steps that have none."""
    if source.step == HAZOP:
        yield from _sheet_problems(draft, source.parameters.get("file"), (*at, "file"))
    elif source.step == SCENARIO_TREE:
        yield from _Chains(draft, source.parameters, at).problems()


def _sheet_problems(draft: Draft, file: Any, at: Keys) -> Iterator[Problem]:
    """What makes a worksheet unreadable; what it lacks is for the report."""
    try:
        _sheet(draft, file)
    except DiagnosticsError as error:
        yield from (_in_file(problem, file, at) for problem in error.diagnostics)


def _sheet(draft: Draft, file: Any) -> Hazop | None:
    return hazop_of(draft.folder / file) if file is not None and _is_file(draft, file) else None


def _in_file(problem: Diagnostic, file: Any, at: Keys) -> Problem:
    return Problem(problem.code, at, problem.text, problem.hint, problem.severity, problem.where or str(file))


@dataclass(frozen=True)
class _Chains:
    """What a step says of its chains, to be checked."""

    draft: Draft
    given: dict[str, Any]
    at: Keys

    def problems(self) -> Iterator[Problem]:
        """The worksheet first: without it nothing can be said of chains that name its rows."""
        sheet = self.given.get("worksheet")
        if all(self.given.get(key) is None for key in ("file", INLINE, "worksheet")):
            hint = "Name a file of chains, or add the section hazards."
            yield Problem("missing-key", self.at, "needs chains: a file, inline ones or a worksheet.", hint)
            return
        try:
            hazop = _sheet(self.draft, sheet)
        except DiagnosticsError as error:
            yield from (_in_file(problem, sheet, (*self.at, "worksheet")) for problem in error.diagnostics)
            return
        if sheet is None or hazop is not None:
            yield from self._in_chains(hazop)

    def _in_chains(self, hazop: Hazop | None) -> Iterator[Problem]:
        """Nothing where the file of chains is missing, which is told elsewhere."""
        file = self.given.get("file")
        if file is not None and not _is_file(self.draft, file):
            return
        try:
            scenarios = scenarios_of(self.draft.folder / file if file else None, self.given.get(INLINE), hazop)
        except DiagnosticsError as error:
            yield from map(self._located, error.diagnostics)
        except InvalidInput as error:
            yield Problem("wrong-value", self.at, f"cannot be: {error.problem}; found {error.found}.", error.remedy)
        else:
            yield from () if hazop is None else map(self._located, scenarios.trace.findings(scenarios, hazop))
            yield from self._in_tree(scenarios)

    def _in_tree(self, scenarios: Scenarios) -> Iterator[Problem]:
        try:
            tree = scenarios.fault_tree(self.given.get("top"))
        except DiagnosticsError as error:
            yield from map(self._located, error.diagnostics)
        except InvalidInput as error:
            text = f"cannot be: {error.problem}; found {error.found}."
            yield Problem("unknown-reference", self.at, text, error.remedy or "Name it under tops.")
        else:
            inputs, names = scenarios.inputs, list(mapping(self.given.get("events")))
            basic = {name: None for takes in inputs.values() for name in takes if name not in inputs}
            yield from self._unknown_events(list(basic), names)
            yield from without_probability(tree, names, (*self.at, "events"))
            yield from tree_combination(self.draft, tree, self.given, self.at)
            known = {"other_events": basic, "other_names": (*basic, *inputs)}
            yield from improvement_problems(tree, self.given, self.at, **known)

    def _unknown_events(self, basic: list[str], names: list[str]) -> Iterator[Problem]:
        known = set(basic)
        for name in names:
            if name not in known:
                text = f"names {shown(name)}, which is no event without causes in the chains."
                hint = did_you_mean(name, basic[:MOST_COMPARED])
                yield Problem("unknown-reference", (*self.at, "events", name), text, hint)

    def _located(self, problem: Diagnostic) -> Problem:
        inline = self.given.get(INLINE)
        if inline is not None and problem.where.startswith(INLINE):
            path = (*self.at, INLINE, *Inline(inline).path_of(problem.where))
            return Problem(problem.code, path, f"is wrong: {problem.text}", problem.hint, problem.severity)
        return _in_file(problem, self.given.get("file") or self.given.get("worksheet") or "", (*self.at, "file"))


# Problems of candidate improvements and costs: names that no tree has, and changes that cannot be made.

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
    from surefoot.hazards.improvement.countermeasures import names_of

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
    from surefoot.hazards.improvement.countermeasures import check, in_tree

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


# Whether the results that a step combines can be combined: tried out with stand-ins, before anything is measured.
#
# A stand-in has the kind of bounds that the result of a step will have, and goes through the same calculation. Where
# the kind is known only once a step has run, nothing is said.

LEVEL, DRAWS = 0.9, 100
MOST_NODES, MOST_SECONDS = 200_000, 2.0
"""A tree that takes more is not tried out here."""


def tree_combination(draft: Draft, tree: FaultTree, given: Mapping[str, Any], at: Keys) -> Iterator[Problem]:
    """What would stop a tree from being analysed with the kinds of bounds that its events are fed with."""
    from surefoot.faulttree import BeyondBudget, Budget
    from surefoot.faulttree.uncertainty import top_event

    fed = _StandIns(draft).of({n: r for n, r in mapping(given.get("events")).items() if n in tree.events})
    bare = [name for name, quantity in tree.events.items() if quantity is None and name not in (fed or {})]
    if not fed or bare or all(estimate.dist is not None for estimate in fed.values()):
        return
    try:
        tried = tree.with_events(fed)
        tried.compile(Budget(MOST_NODES, MOST_SECONDS))
        top_event(tried, level=LEVEL, draws=DRAWS, mix=given.get("mix") is True)
    except BeyondBudget:
        return
    except SurefootError as error:
        yield _combinations_problem(error, (*at, "events"))


def product_combination(draft: Draft, given: Mapping[str, Any], at: Keys) -> Iterator[Problem]:
    """What would stop factors from being multiplied."""
    try:
        _StandIns(draft).product(given)
    except SurefootError as error:
        yield _combinations_problem(error, (*at, "factors"))


def _combinations_problem(error: SurefootError, at: Keys) -> Problem:
    seen = "" if error.found is None else f"; found {error.found}"
    hint = error.remedy.replace("pass mix=True", "say mix: true")
    return Problem("cannot-combine", at, f"cannot be combined: {error.problem}{seen}.", hint)


@dataclass(frozen=True)
class _StandIns:
    """Estimates of the kinds that the steps of a project will give."""

    draft: Draft

    def of(self, references: Mapping[str, Any]) -> dict[str, Estimate] | None:
        """One for each reference; None where the kind of one of them is not known."""
        found = {name: self._of(text) for name, text in references.items()}
        known = {name: estimate for name, estimate in found.items() if estimate is not None}
        return known if len(known) == len(found) else None

    def product(self, given: Mapping[str, Any], name: str = "product") -> Estimate | None:
        """The product of stand-ins for factors."""
        from surefoot.project.steps.hazards import product

        factors = self.of(mapping(given.get("factors")))
        if not factors:
            return None
        (found,) = product(factors=factors, quantity=name, unit=PER_DEMAND, mix=given.get("mix") is True).estimates
        return found

    def _of(self, text: Any) -> Estimate | None:
        name = step_in(text)
        source = self.draft.definition.steps.get(name) if name else None
        if name is None or source is None:
            return None
        if source.step == "product":
            try:
                return self.product(source.parameters, text)
            except (SurefootError, RecursionError):
                return None
        made = MADE.get(source.step)
        estimate = made(source.parameters) if made else None
        if estimate is None:
            return None
        measured = {} if source.step == "stated" else {"data": f"{source.component} {source.on}"}
        return replace(estimate, scope=text, provenance=Provenance(source.step, {"result": text}, data=measured))


def _stated(given: Mapping[str, Any]) -> Estimate:
    return Estimate.known("stand-in", 0.01, source="stand-in")


def _sure(given: Mapping[str, Any]) -> Estimate:
    return bounds.clopper_pearson(1, 100, level=LEVEL)


def _vague(given: Mapping[str, Any]) -> Estimate:
    return bounds.wilson(1, 100, level=LEVEL)


def _believed(given: Mapping[str, Any]) -> Estimate:
    return bounds.jeffreys(1, 100, level=LEVEL)


def _on_average(given: Mapping[str, Any]) -> Estimate:
    return Estimate("stand-in", 0.01, bounds=(Bound(0.05, "upper", NO_CONFIDENCE, "expectation"),))


def _counted(given: Mapping[str, Any]) -> Estimate:
    if given.get("groups") == "use" and given.get("max_group_size") is None:
        return _vague(given)
    return {"jeffreys": _believed, "wilson": _vague}.get(str(given.get("method")), _sure)(given)


def _mean(given: Mapping[str, Any]) -> Estimate:
    vague = given.get("method") == "normal_approximation" or given.get("groups") == "use"
    return _vague(given) if vague and given.get("max_group_size") is None else _sure(given)


MADE: dict[str, Callable[[Mapping[str, Any]], Estimate]] = {
    "binomial_bound": _counted,
    "loss_bound": _mean,
    "normal_bound": _sure,
    "normal_score": _on_average,
    "stated": _stated,
}
