"""Problems of worksheets, and of chains of events with the evidence that feeds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surefoot.adapters.wording import suggestion
from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.project.checks.results import MOST_COMPARED
from surefoot.project.checks.trees import without_probability
from surefoot.project.definition import HAZOP, SCENARIO_TREE, EvidenceSource
from surefoot.project.draft import Draft
from surefoot.project.problem import Keys, Problem, found
from surefoot.project.trees import INLINE, Inline, hazop_of, scenarios_of

if TYPE_CHECKING:
    from surefoot.hazards import Hazop, Scenarios


def hazard_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    """Everything about the worksheet and chains of a step; nothing for steps that have none."""
    if source.step == HAZOP:
        yield from _sheet_problems(draft, source.parameters.get("file"), (*at, "file"))
    elif source.step == SCENARIO_TREE:
        yield from _Reading(draft, source.parameters, at).problems()


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


class _Reading:
    """The chains of one step, read to be checked."""

    def __init__(self, draft: Draft, given: dict[str, Any], at: Keys) -> None:
        self.draft, self.given, self.at = draft, given, at

    def problems(self) -> Iterator[Problem]:
        file, inline, sheet = (self.given.get(key) for key in ("file", INLINE, "worksheet"))
        if file is None and inline is None and sheet is None:
            hint = "Name a file of chains, or add the section hazards."
            yield Problem("missing-key", self.at, "needs chains: a file, inline ones or a worksheet.", hint)
            return
        try:
            hazop = _sheet(self.draft, sheet)
        except DiagnosticsError as error:
            yield from (_in_file(problem, sheet, (*self.at, "worksheet")) for problem in error.diagnostics)
            return
        missing = isinstance(file, str) and not (self.draft.folder / file).is_file()
        if missing or (sheet is not None and hazop is None):
            return
        try:
            scenarios = scenarios_of(self.draft.folder / file if file else None, inline, hazop)
        except DiagnosticsError as error:
            yield from map(self._chain_problem, error.diagnostics)
        except InvalidInput as error:
            yield Problem("wrong-value", self.at, f"cannot be: {error.problem}; found {error.found}.", error.remedy)
        else:
            yield from self._of_chains(scenarios, hazop)

    def _of_chains(self, scenarios: Scenarios, hazop: Hazop | None) -> Iterator[Problem]:
        from surefoot.hazards import trace

        if hazop is not None:
            yield from map(self._chain_problem, trace(scenarios).findings(scenarios, hazop))
        try:
            tree = scenarios.fault_tree(self.given.get("top"))
        except DiagnosticsError as error:
            yield from map(self._chain_problem, error.diagnostics)
        except InvalidInput as error:
            text = f"cannot be: {error.problem}; found {error.found}."
            yield Problem("unknown-reference", self.at, text, error.remedy or "Name it under tops.")
        else:
            fed = self.given.get("events")
            names = list(fed) if isinstance(fed, dict) else []
            yield from self._unknown_events(scenarios, names)
            yield from without_probability(tree, names, (*self.at, "events"))

    def _unknown_events(self, scenarios: Scenarios, names: list[str]) -> Iterator[Problem]:
        from surefoot.hazards.scenarios.links import gates, inputs_of

        inputs = inputs_of(gates(scenarios))
        basic = [name for names in inputs.values() for name in names if name not in inputs]
        for name in names:
            if name not in basic:
                text = f"names {found(name)}, which is no event without causes in the chains."
                hint = suggestion(name, basic[:MOST_COMPARED])
                yield Problem("unknown-reference", (*self.at, "events", name), text, hint)

    def _chain_problem(self, problem: Diagnostic) -> Problem:
        inline = self.given.get(INLINE)
        if inline is not None and problem.where.startswith(INLINE):
            path = (*self.at, INLINE, *Inline(inline).path_of(problem.where))
            return Problem(problem.code, path, f"is wrong: {problem.text}", problem.hint, problem.severity)
        return _in_file(problem, self.given.get("file") or self.given.get("worksheet") or "", (*self.at, "file"))
