"""Problems of worksheets, and of chains of events with the evidence that feeds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.documents import Keys, Problem, did_you_mean, shown
from surefoot.project.checks.combinations import tree_combination
from surefoot.project.checks.improvement import improvement_problems, mapping
from surefoot.project.checks.results import MOST_COMPARED
from surefoot.project.checks.trees import without_probability
from surefoot.project.definition import HAZOP, SCENARIO_TREE, EvidenceSource
from surefoot.project.draft import Draft
from surefoot.project.trees import INLINE, Inline, hazop_of, scenarios_of

if TYPE_CHECKING:
    from surefoot.hazards import Hazop, Scenarios


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
    return hazop_of(draft.folder / file) if isinstance(file, str) and (draft.folder / file).is_file() else None


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
        if isinstance(file, str) and not (self.draft.folder / file).is_file():
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
