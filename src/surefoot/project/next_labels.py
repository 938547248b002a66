"""Which inputs to label next: from a project that was assessed to a plan of labels.

``FedProbability`` is a failure probability that feeds top events, ``LabelCandidates`` the labelled and the operational
rows behind it, ``Top`` says how much it matters. This is the second loop of Figure 4 of paper RAM (Dong et al. 2023,
section 3.2); the statistics live in ``surefoot.hazards.labels``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Frame, Tested
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.core import DiagnosticsError, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import scalar
from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.logic.engines import BeyondBudget
from surefoot.faulttree.quantities import probabilities
from surefoot.faulttree.uncertainty import TopEvent
from surefoot.hazards.labels import LabelPlan, LabelRequest, plan_labels
from surefoot.hazards.labels.label_plan import Expected, Marks, labelled_before, marks, path
from surefoot.hazards.labels.strata import BINS, PROBABILITY
from surefoot.project.components import Components
from surefoot.project.definition import FAULT_TREE, TREE_STEPS
from surefoot.project.inputs import files_at, hazop_of, scenarios_of, tree_of
from surefoot.project.plan import Task, plan, quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.result import Result
from surefoot.project.runner import Event, Listener, run, store_location
from surefoot.project.steps.fault_tree import fed
from surefoot.project.steps.parameters import limit
from surefoot.project.steps.stratified import RISK, StratifiedRows
from surefoot.project.store import Store

STRATIFIED = "stratified_bound"
OPERATION = "operation"
SHEET = "labels.csv"
CREDIBLE = "jeffreys"
"""The method of steps whose result is credible, which must stay so to combine with the rest of a tree."""
LEVEL = 0.95
"""Used where no target says at which level it compares a bound."""
IDENTIFIERS = ("id", "file", "path", "name")
UNKNOWN_RISK = 0.01
"""Expected where the scores are no probabilities; the plan hardly depends on it."""


@validate.arguments
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

    Rows are drawn by chance inside strata, more where failures are likely, so that the step ``stratified_bound``, which
    reads the filled sheet, keeps its level.

    Parameters
    ----------
    project
        Assessed before, unless its ``result`` is given.
    store
        Where its evidence is kept; as in ``run``.
    labels
        How many inputs to choose.
    data
        The data set of inputs from operation, which need no labels; by default that of the step, or ``operation``.
    strata
        How inputs are grouped, as in the step ``stratified_bound``: ``risk``, ``prediction`` or an attribute.
    seed
        Seed of the draw; by default the project's.
    sheet
        What the project file will call the filled sheet.
    result
        What the assessment found, where it is at hand.
    progress
        Told what is being scored.

    Returns
    -------
    LabelPlan
        The rows to label, what they promise, and what to do with them; ``write`` makes the sheet.

    Raises
    ------
    DiagnosticsError
        Where no failure probability of a component feeds a top event or a target.

    References
    ----------
    Dong et al. (2023), section 3.2 and Figure 4 (RAM): the loop from a missed target to better tests.

    See Also
    --------
    surefoot.hazards.labels.plan_labels : The same for rows in memory.

    Examples
    --------
    >>> import surefoot as sf
    >>> plan = sf.project.label_next(sf.load("surefoot.yaml"), labels=200)  # doctest: +SKIP
    >>> plan.write("labels.csv")  # doctest: +SKIP

    """
    opened = store if isinstance(store, Store) else Store.open(store_location(project, store))
    known = result or run(project, store=opened, only_stored=True)
    tasks = plan(project)
    wanted = found(project, tasks)
    if not wanted:
        raise _nothing(project)
    tops = [Top.of(project, task, known) for task in _to_improve(tasks, known)]
    level = max((1 - answer.target.alpha for answer in known.answers), default=LEVEL)
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
    return replace(planned, notes=(*_refuted(known), *planned.notes, *way_back(list(chosen), planned, sheet), *notes))


def _refuted(result: Result) -> list[str]:
    """What labels cannot help any more."""
    named = [answer.name for answer in result.answers if answer.refuted]
    text = "Operation refuted {}: labels tell how often it fails, and do not restore the claim; find the cause first."
    return [text.format(", ".join(named))] if named else []


def _one_each(
    gathered: Sequence[LabelCandidates], asked: Sequence[LabelRequest]
) -> tuple[dict[LabelCandidates, LabelRequest], list[str]]:
    """For each component the result that matters most, and notes about the others."""
    order = sorted(zip(gathered, asked, strict=True), key=lambda pair: -abs(pair[1].weight) * (pair[1].bound or 1.0))
    first: dict[str, LabelCandidates] = {}
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
    wanted: FedProbability,
    data: str | None,
    *,
    strata: str | None,
    labels: int,
    level: float,
    progress: Listener | None,
) -> LabelCandidates:
    name = wanted.operation(project, data)
    full = f"{wanted.component}.{name}"

    def scoring(done: int, total: int) -> None:
        if progress:
            progress(Event("scoring", full, done, total))

    tested = components.tested(wanted.component, wanted.task.data or "")
    operation = components.answers(wanted.component, name, scoring)
    return LabelCandidates.of(wanted, (tested, operation), name, strata=strata, labels=labels, level=level)


def _to_improve(tasks: Sequence[Task], result: Result) -> Sequence[Task]:
    """Trees whose target is not met, or all where every target is."""
    unmet = {step_of(answer.reference) for answer in result.answers if not answer.met}
    every = trees(tasks)
    return [task for task in every if task.name in unmet] or every


def _asked(gathered: LabelCandidates, tops: Sequence[Top], result: Result, level: float) -> LabelRequest:
    reference = gathered.found.reference
    slopes = [top.weights.get(reference, 0.0) for top in tops if top.weights is not None]
    weight = sum(map(abs, slopes)) if slopes else 1.0
    return gathered.asked(weight=weight, bound=limit(result[reference], "upper", level))


def _nothing(project: Project) -> DiagnosticsError:
    text = "no failure probability of a component feeds a top event or a target, so that labels would not help."
    hint = "Feed an event of the tree by a step that counts failures, such as binomial_bound."
    return DiagnosticsError.of("unknown-reference", text, where=project.where(), hint=hint)


# The failure probabilities of learned components that feed the top events, or targets, of a project.


@dataclass(frozen=True, eq=False)
class FedProbability:
    """A failure probability, and the step that measures it on labelled rows."""

    reference: str
    task: Task
    folder: Path

    @property
    def component(self) -> str:
        """The component that fails."""
        return self.task.component or ""

    def said(self, name: str) -> Any:
        """What the project file says, or the default; None for what the step does not know."""
        return self.task.values.get(name)

    @property
    def sheet(self) -> str | None:
        """The sheet of labels that the step reads."""
        named = self.task.files.get(("labels",))
        return None if named is None else str(self.folder / named)

    @property
    def is_stratified(self) -> bool:
        """Whether the step already weighs strata, so that their number is settled."""
        return self.task.step.name == STRATIFIED

    def operation(self, project: Project, named: str | None) -> str:
        """The data set to choose from: the one that is named, that of the step, or the one called operation."""
        known = project.definition.components[self.component].data
        name = named or self.task.named.get(OPERATION, OPERATION)
        if name not in known or name == self.task.data:
            others = [each for each in known if each != self.task.data]
            text = f"component {self.component!r} has no data set {name!r} of inputs from operation."
            known_ones = f" Known: {', '.join(others)}." if others else ""
            raise DiagnosticsError.of(
                "unknown-reference",
                text,
                where=project.where("components", self.component, "data"),
                hint=f"Add one under data (labels are not needed), or name one with --on.{known_ones}",
            )
        return name


def trees(tasks: Sequence[Task]) -> list[Task]:
    """The steps that analyse fault trees."""
    return [task for task in tasks if task.step.name in TREE_STEPS]


def found(project: Project, tasks: Sequence[Task]) -> list[FedProbability]:
    """Failure probabilities that feed fault trees; without a tree, those that targets ask about. Each once."""
    steps = {task.name: task for task in tasks}
    fed = [text for task in trees(list(steps.values())) for text in task.references.get("events", {}).values()]
    asked = [source.estimate for source in project.definition.all_targets.values()]
    return list(_countable(project, dict.fromkeys(fed or asked), steps))


def _countable(project: Project, references: Iterable[str], steps: dict[str, Task]) -> Iterator[FedProbability]:
    for reference in references:
        task = steps[step_of(reference)]
        if "tested" in task.step.roles.values() and quantity_of(reference) == FAILURE_PROBABILITY:
            yield FedProbability(reference, task, project.folder)


# The labelled and the operational rows behind a failure probability.


@dataclass(frozen=True, eq=False)
class LabelCandidates:
    """Rows of one failure probability, in strata."""

    found: FedProbability
    rows: StratifiedRows
    data: str

    @classmethod
    def of(
        cls,
        found: FedProbability,
        rows: tuple[Tested, Data],
        data: str,
        *,
        strata: str | None,
        labels: int,
        level: float,
    ) -> LabelCandidates:
        """In the strata of the step, where it has some; else in as many as promise the lowest bound."""
        rule = strata or found.said("strata") or RISK
        bins = [found.said("bins")] if found.is_stratified else [BINS, 1]
        said = {name: found.said(name) for name in ("of", "undesired")} | {"labels": found.sheet}
        choices = [cls(found, StratifiedRows(*rows, rule, each, **said), data) for each in bins]
        if rule != RISK or len(choices) == 1:
            return choices[0]
        return min(choices, key=lambda each: each.promise(labels, level))

    @property
    def forecasts(self) -> tuple[FloatArray, FloatArray]:
        """Shares of each stratum that count and fail, and that count, as the model itself sees it."""
        rows, size = self.rows, len(self.rows.names)
        if rows.tested.output == PROBABILITY:
            sums = [
                np.bincount(rows.operational, each, size) for each in rows.failing.predicted(rows.operational_scores)
            ]
            counts = np.bincount(rows.operational, minlength=size)
            return sums[0] / counts, sums[1] / counts
        even = UNKNOWN_RISK / (size * rows.weights) if rows.strata == RISK else np.full(size, UNKNOWN_RISK)
        return np.minimum(even, 0.5), np.full(size, float(rows.failing.counted.mean()))

    def promise(self, labels: int, level: float) -> float:
        """About the bound that so many labels promise, before any outcome is looked at."""
        tally = self.rows.tally
        expected = Expected.before_outcomes(tally.shares, *self.forecasts, float(tally.trials.sum()) + labels)
        room = np.bincount(self.rows.operational, minlength=len(tally.names))
        route = path(expected, tally.trials, room, labels, level)
        return float(expected.limits(tally.trials + np.bincount(route, minlength=len(tally.names)), level))

    def asked(self, *, weight: float, bound: float | None) -> LabelRequest:
        """What the plan needs to know."""
        rows, operation = self.rows, self.rows.operation
        assert operation is not None
        known, same = self._labelled()
        failing, counting = self.forecasts
        scores = rows.operational_scores
        return LabelRequest(
            self.found.reference,
            self.found.component,
            self.data,
            operation.digest,
            rows.tally,
            failing,
            counting,
            rows.operational,
            ~known,
            np.asarray(scores.argmax(axis=1)),
            np.asarray(scores.max(axis=1)),
            rows.tested.classes,
            _identifiers(operation),
            same,
            weight,
            bound,
        )

    def _labelled(self) -> tuple[NDArray[np.bool_], Marks | None]:
        """Operational rows that have a label, in the sheet or in the test set, and fingerprints of all."""
        operation, tested = self.rows.operation, self.rows.tested
        assert operation is not None
        known = np.zeros(self.rows.operational.size, dtype=bool)
        known[[row.row for row in self.rows.labelled]] = True
        if operation.inputs is None:
            return known, None
        if tested.inputs is None:
            inputs = _comparable(operation.inputs)
            return known, marks(inputs, inputs.dtype)
        inputs, labelled = _comparable(operation.inputs), _comparable(tested.inputs)
        kind = np.result_type(inputs, labelled)
        same = marks(inputs, kind)
        return known | labelled_before(same, marks(labelled, kind)), same


def _comparable(inputs: NDArray[Any] | Frame) -> NDArray[Any]:
    return inputs.marks() if isinstance(inputs, Frame) else inputs


def _identifiers(operation: Data) -> NDArray[Any] | None:
    """How people call the rows: a column with a usual name, or the groups."""
    named = (operation.attributes[name] for name in IDENTIFIERS if name in operation.attributes)
    return next(named, operation.groups)


# How much a top event rises with each failure probability that feeds it.


@dataclass(frozen=True, eq=False)
class Top:
    """A fault tree with what an assessment found of its events."""

    tree: FaultTree
    references: Mapping[str, str]
    """For each event that is fed: the result that feeds it."""
    budget: Budget

    @classmethod
    def of(cls, project: Project, task: Task, result: Result) -> Top:
        """The tree of a step."""
        references = dict(task.references.get("events", {}))
        tree = _tree(project, task)
        known = {event: result[text] for event, text in references.items() if event in tree.events}
        return cls(
            fed(tree, known),
            {event: references[event] for event in known},
            Budget(task.values["nodes"], task.values["time_limit"]),
        )

    @cached_property
    def weights(self) -> dict[str, float] | None:
        """By result: the derivative of the top event (Birnbaum 1969); None where the tree is beyond its budget."""
        try:
            compiled = self.tree.compile(self.budget)
            known = probabilities(self.tree.expanded, events=compiled.events)
            slopes = compiled.gradient(np.array([float(known[name]) for name in compiled.events]))
        except BeyondBudget:
            return None
        exact = dict(zip(compiled.events, slopes.tolist(), strict=True))
        found: dict[str, float] = {}
        for event, reference in self.references.items():
            found[reference] = found.get(reference, 0.0) + exact.get(event, 0.0)
        return found

    def probability(self, limits: Mapping[str, float]) -> float:
        """The top event when results take these values."""
        changed = {event: limits[text] for event, text in self.references.items() if text in limits}
        tree = self.tree.with_events(changed)
        tree.compile(self.budget)
        return float(TopEvent(tree).at({}, 1)[0])


def _tree(project: Project, task: Task) -> FaultTree:
    said = dict(task.values) | files_at(task.files, project.folder)
    if task.step.name == FAULT_TREE:
        return tree_of(said["file"], said["inline"], said["top"])
    hazop = None if said["worksheet"] is None else hazop_of(said["worksheet"])
    return scenarios_of(said["file"], said["inline"], hazop).fault_tree(said["top"])


# What to do with a plan of labels, in sentences.


def way_back(gathered: Sequence[LabelCandidates], plan: LabelPlan, sheet: str) -> Iterator[str]:
    """How labels come back into the project by the sheet, and what to keep in mind."""
    for each, part in zip(gathered, plan.parts, strict=True):
        name = each.found.reference
        if not part.added.sum():
            yield f"{name}: labels help more elsewhere, so it gets none."
            continue
        if part.asked.marks is None:
            yield f"{name}: the data bring no inputs, so that rows that are labelled already cannot be recognised."
        yield _where_to(each, step_of(name), sheet)
    if plan.rows and any(each.found.said("method") == CREDIBLE for each in gathered):
        yield "Label every row of the sheet; where nobody can tell, write ? and use method: melded, a confidence bound."
    elif plan.rows:
        yield "Label every row of the sheet; write ? where nobody can tell, which counts as a failure."


def set_aside(each: LabelCandidates, chosen: LabelCandidates) -> str:
    """Why a result is not planned for: rows drawn for one rule of strata would bias another."""
    name, first = each.found.reference, chosen.found.reference
    return (
        f"{name}: labels of {each.found.component!r} are planned for {first}, which matters more; one plan serves one."
    )


def _where_to(each: LabelCandidates, step: str, sheet: str) -> str:
    if not each.found.is_stratified:
        return f"When the sheet is filled in, write for {step}: {_step(each, sheet)}"
    if each.found.sheet is None:
        return f"When the sheet is filled in, add to {step}: labels: {scalar(sheet)}"
    return f"Add the filled rows to the sheet of {step}: {each.found.task.files['labels',]}"


def _step(each: LabelCandidates, sheet: str) -> str:
    """The step that reads the labels, as the project file would say it."""
    rows = each.rows
    said: dict[str, Any] = {"step": "stratified_bound", "component": each.found.component, "on": each.found.task.data}
    said |= {"operation": each.data, "labels": sheet}
    said |= {"strata": rows.strata} if rows.strata != RISK else {"bins": rows.bins}
    said |= {"method": CREDIBLE} if each.found.said("method") == CREDIBLE else {}
    said |= {"of": rows.of} if rows.of else {}
    undesired = [f"undesired: {json.dumps(rows.undesired, ensure_ascii=False)}"] if rows.undesired else []
    return f"{{{', '.join([*(f'{name}: {scalar(value)}' for name, value in said.items()), *undesired])}}}"
