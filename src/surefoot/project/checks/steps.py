"""Problems of the steps: those that are not registered, and all that stands in the evidence of the others."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from surefoot.core import DiagnosticsError
from surefoot.documents import Keys, Problem
from surefoot.project.checks.combinations import product_combination
from surefoot.project.checks.components import component_problems
from surefoot.project.checks.data_sets import data_set_problems
from surefoot.project.checks.modules import module_problems
from surefoot.project.checks.parameters import parameter_problems
from surefoot.project.checks.results import result_problems
from surefoot.project.checks.scenarios import hazard_problems
from surefoot.project.checks.sources import file_problems
from surefoot.project.checks.trees import tree_problems
from surefoot.project.draft import Draft
from surefoot.project.references import needed_steps
from surefoot.project.step import Step, find, rivals
from surefoot.project.step_files import NamesCode, NamesFile, files_named


def step_problems(draft: Draft) -> Iterator[Problem]:
    """Problems of every step, then circles among them."""
    waits_for: dict[str, list[str]] = {}
    for name, source in draft.definition.steps.items():
        at: Keys = draft.definition.place_of_step(name)
        try:
            step = find(source.step)
        except DiagnosticsError as error:
            yield from (Problem(d.code, (*at, "step"), f"cannot be used: {d.text}", d.hint) for d in error.diagnostics)
            continue
        yield from _rivals(step, at)
        yield from component_problems(draft, source, step, at)
        yield from data_set_problems(draft, source, step, at)
        yield from parameter_problems(draft, source, step, at)
        for place, (text, mark) in files_named(step.fields, source.parameters).items():
            yield from _named_problems(text, mark, draft.folder, (*at, *place))
        yield from result_problems(draft, source.parameters, step, at)
        yield from tree_problems(draft, source, at)
        yield from hazard_problems(draft, source, at)
        if source.step == "product":
            yield from product_combination(draft, source.parameters, at)
        waits_for[name] = needed_steps(step, source.parameters)
    yield from _circles(draft, waits_for)


def _named_problems(text: str, mark: NamesFile, folder: Path, at: Keys) -> Iterator[Problem]:
    if isinstance(mark, NamesCode):
        return module_problems(text, folder, at)
    return file_problems(text, folder, at, mark.suffixes)


def _rivals(step: Step, at: Keys) -> Iterator[Problem]:
    for source in rivals(step.name):
        text = f"is the step of Surefoot; {source} registers another one under the same name."
        yield Problem("unknown-step", (*at, "step"), text, f"Rename the entry point of {source}.", "warning")


def _circles(draft: Draft, waits_for: dict[str, list[str]]) -> Iterator[Problem]:
    while True:
        try:
            TopologicalSorter(waits_for).prepare()
            return
        except CycleError as error:
            circle = error.args[1][::-1]
        text = f"waits for itself: {' -> '.join(circle)}."
        yield Problem(
            "cyclic-steps", draft.definition.place_of_step(circle[0]), text, "Remove one of these references."
        )
        waits_for = {name: others for name, others in waits_for.items() if name not in circle}
