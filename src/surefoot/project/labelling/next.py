"""From a project that was assessed to a plan of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from surefoot.core import DiagnosticsError
from surefoot.hazards.labels import Asked, LabelPlan, plan_labels
from surefoot.project.components import Components
from surefoot.project.events import Event, Listener
from surefoot.project.labelling.advice import SHEET, set_aside, way_back
from surefoot.project.labelling.found import Found, found, trees
from surefoot.project.labelling.gathering import Gathered
from surefoot.project.labelling.weights import Top
from surefoot.project.plan import Task, plan, step_of
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.runner import run, store_location
from surefoot.project.steps.tables import limit
from surefoot.project.store import Store

LEVEL = 0.95


def label_next(
    project: Project,
    *,
    store: Store | str | Path | None = None,
    labels: int = 200,
    data: str | None = None,
    strata: str | None = None,
    seed: int | None = None,
    sheet: str = SHEET,
    result: Result | None = None,
    progress: Listener | None = None,
) -> LabelPlan:
    """Which operational inputs to label next, so that the top event is known best.

    The project must have been assessed, unless its ``result`` is given. ``data`` names the data set of inputs from
    operation, which need no labels (by default the one of the step, or ``operation``); ``strata`` is as in the step
    ``stratified_bound``, which reads the filled sheet. Rows are drawn by ``seed``, the project's by default.
    ``sheet`` is what the project file will call the filled sheet.
    """
    opened = store if isinstance(store, Store) else Store.open(store_location(project, store))
    known = result or run(project, store=opened, only_stored=True)
    tasks = plan(project)
    wanted = found(project, tasks)
    if not wanted:
        raise _nothing(project)
    tops = [Top.of(project, task, known) for task in _to_improve(tasks, known)]
    level = _level(known)
    components = Components(project, opened)
    gathered = [
        _gathered(project, components, each, data, strata=strata, labels=labels, level=level, progress=progress)
        for each in wanted
    ]
    chosen, notes = _one_each(gathered, [_asked(each, tops, known, level) for each in gathered])
    top = tops[0] if tops and tops[0].weights is not None else None
    planned = plan_labels(
        list(chosen.values()),
        labels=labels,
        level=level,
        seed=project.definition.seed if seed is None else seed,
        top=top.probability if top else None,
    )
    return replace(planned, notes=(*planned.notes, *way_back(list(chosen), planned, sheet), *notes))


def _one_each(gathered: Sequence[Gathered], asked: Sequence[Asked]) -> tuple[dict[Gathered, Asked], list[str]]:
    """For each component the result that matters most, and notes about the others."""
    order = sorted(zip(gathered, asked, strict=True), key=lambda pair: -abs(pair[1].weight) * (pair[1].bound or 1.0))
    first: dict[str, Gathered] = {}
    chosen, notes = {}, []
    for each, question in order:
        leader = first.setdefault(question.component, each)
        if leader is each:
            chosen[each] = question
        else:
            notes.append(set_aside(each, leader))
    return chosen, notes


def _gathered(
    project: Project,
    components: Components,
    wanted: Found,
    data: str | None,
    *,
    strata: str | None,
    labels: int,
    level: float,
    progress: Listener | None,
) -> Gathered:
    name = wanted.operation(project, data)
    full = f"{wanted.component}.{name}"

    def scoring(done: int, total: int) -> None:
        if progress:
            progress(Event("scoring", full, done, total))

    tested = components.tested(wanted.component, wanted.task.data or "")
    operation = components.answers(wanted.component, name, scoring)
    return Gathered.of(wanted, (tested, operation), name, strata=strata, labels=labels, level=level)


def _to_improve(tasks: Sequence[Task], result: Result) -> Sequence[Task]:
    """Trees whose target is not met, or all where every target is."""
    unmet = {step_of(answer.reference) for answer in result.answers if not answer.met}
    every = trees(tasks)
    return [task for task in every if task.name in unmet] or every


def _asked(gathered: Gathered, tops: Sequence[Top], result: Result, level: float) -> Asked:
    reference = gathered.found.reference
    slopes = [top.weights.get(reference, 0.0) for top in tops if top.weights is not None]
    weight = sum(map(abs, slopes)) if slopes else 1.0
    return gathered.asked(weight=weight, bound=limit(result[reference], "upper", level))


def _level(result: Result) -> float:
    """The strictest level at which a target compares a bound."""
    return max((1 - answer.target.alpha for answer in result.answers), default=LEVEL)


def _nothing(project: Project) -> DiagnosticsError:
    text = "no failure probability of a component feeds a top event or a target, so that labels would not help."
    hint = "Feed an event of the tree by a step that counts failures, such as binomial_bound."
    return DiagnosticsError.of("unknown-reference", text, where=project.where(), hint=hint)
