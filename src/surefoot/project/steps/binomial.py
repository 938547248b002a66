"""The step that bounds a failure probability from counted failures, of all rows or part by part."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds import bound, clopper_pearson, sequence
from surefoot.bounds.assumption_tests import IDENTICAL
from surefoot.bounds.statement import FAILURE_PROBABILITY, INDEPENDENT, plain_array
from surefoot.core import Artefact, Check, Estimate, Evidence, InvalidInput, Table, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.drawing import Interval
from surefoot.project.registry import meaning, step
from surefoot.project.steps import parameters
from surefoot.project.steps.parameters import (
    COUNT_METHODS,
    Agreement,
    By,
    CountMethod,
    DetectorFunction,
    GroupsOrTrials,
    Level,
    Line,
    MaxGroupSize,
    OfClass,
    ShareBelow,
    Undesired,
    limit,
    one_sided,
)
from surefoot.project.steps.test_data import (
    Sets,
    bounded_by_group,
    drift,
    drift_of_groups,
    examined,
    failures,
    independence,
    known_groups,
    of_kind,
    read_in_blocks_to_use,
    scope_of,
)
from surefoot.project.tasks.judging import FIRST_RUN, KEYS_OF_FUNCTIONS

GROWTH, GROWTH_POINTS = 100, 60


@step
@meaning(2, when=read_in_blocks_to_use)
def binomial_bound(
    tested: Tested,
    *,
    level: Level = 0.95,
    of: OfClass = None,
    undesired: Undesired = None,
    method: CountMethod = "clopper_pearson",
    by: By = None,
    groups: GroupsOrTrials = "check",
    max_group_size: MaxGroupSize = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the failure probability from counted failures.

    A row fails when its answer is wrong, or is undesired where undesired answers are named; a tie for the highest score
    is a failure. Gives `failure probability`.
    """
    chosen = tested.of_class(of)
    if by == "failure":
        return _by_failure(tested, level, method, groups, max_group_size, seed)
    counting = _Counting(chosen, failures(chosen, undesired), undesired, level, method, groups, max_group_size, seed)
    parts = counting.parts(by, of)
    lines = [counting.line(part) for part in parts]
    asked = zip(parts, lines, strict=True) if by else [(parts[0], lines[0])]
    figure = _intervals(lines, level) if len(lines) > 1 or counting.by != "row" else counting.growth()
    return Evidence(
        tuple(
            of_kind(examined(line.estimate, counting.checks(part), also=[IDENTICAL]), chosen) for part, line in asked
        ),
        tables={"answers": parameters.answers(chosen), "failures": parameters.failures(lines, level)},
        artefacts={"failure probability": figure},
    )


def _by_failure(
    tested: Tested, level: float, method: str, groups: str, max_group_size: int | None, seed: int
) -> Evidence:
    """One estimate for the failure of the task, and one for each other kind of it."""
    if tested.classifies or not tested.kinds:
        remedy = "Leave it out, or write by: class." if tested.classifies else "Leave it out."
        raise InvalidInput("by: failure, and there is one kind of failure", where=tested.component, remedy=remedy)
    estimates, lines = [], []
    for name in (None, *tested.kinds):
        chosen = tested.of_class(name)
        counting = _Counting(chosen, chosen.failed, None, level, method, groups, max_group_size, seed)
        line = counting.line(Part(np.ones(len(chosen), dtype=bool), name))
        checks = counting.checks(Part(np.ones(len(chosen), dtype=bool)))
        estimates.append(of_kind(examined(line.estimate, checks, also=[IDENTICAL]), chosen))
        lines.append(replace(line, name=name or "failure"))
    counted = parameters.failures(lines, level)
    sorts = [parameters.demands_of(tested.of_class(name)) for name in (None, *tested.kinds)]
    rows = tuple((*row, sort) for row, sort in zip(counted.rows, sorts, strict=True))
    return Evidence(
        tuple(estimates),
        tables={
            "answers": parameters.answers(tested),
            "failures": Table(("kind of failure", *counted.columns[1:], "demands"), rows),
        },
        artefacts={"failure probability": _intervals(lines, level)},
    )


@step
def judged_bound(
    tested: Tested,
    *,
    agreement: Agreement,
    level: Level = 0.95,
    of: OfClass = None,
) -> Evidence:
    """Bound of the failure probability where a judge that errs, such as a language model, told the failures.

    Its own errors are counted on answers that people have checked, and the bound is the worst that agrees with the
    exact limits of its sensitivity, its specificity and of what it said (Rogan and Gladen 1978). Gives `failure
    probability`.
    """
    if FIRST_RUN in tested.kinds and of != FIRST_RUN:
        raise InvalidInput(
            "people agree with a judge answer by answer, and a demand here is several answers",
            where=tested.component,
            remedy=f"Ask about one run of each input: of: {FIRST_RUN}.",
        )
    chosen = tested.of_class(of)
    failures_said, trials = int(chosen.failed.sum()), len(chosen)
    found = bound.get("judged")(failures_said, trials, **agreement, level=level, scope=scope_of(chosen, of=of))
    checks = {IDENTICAL.id: drift(chosen.failed, chosen.labels), INDEPENDENT.id: independence(chosen, chosen.failed)}
    caught = clopper_pearson(agreement["failures_caught"], agreement["failures_checked"], level=level)
    passed = clopper_pearson(agreement["right_passed"], agreement["right_checked"], level=level)
    said = clopper_pearson(failures_said, trials, level=level)
    rows = [
        (name, each.details["failures"], each.details["trials"], each.value, each.lower(level), each.upper(level))
        for name, each in (("called failures", said), ("sensitivity", caught), ("specificity", passed))
    ]
    bounds_of = (f"lower bound ({parameters.one_sided(level)})", f"upper bound ({parameters.one_sided(level)})")
    return Evidence(
        (examined(found, checks, also=[IDENTICAL]),),
        tables={
            "answers": parameters.answers(chosen),
            "judge": Table(("share", "counted", "of", "value", *bounds_of), tuple(rows)),
        },
    )


# What RAM (section 5.1) asks of a detector beside classification, encounter by encounter.

DELAY = "delay"
FUNCTION_KINDS = {"classification": "first class", "localisation": "first place", "timing": "late", "tracking": "lost"}
FUNCTION_KINDS[DELAY] = "encounter"
OF_FUNCTIONS = {
    "classification": "misclassification probability",
    "localisation": "misplacement probability",
    "timing": "late detection probability",
    "tracking": "lost track probability",
}
MEASURED = {
    "classification": "1 - IoU",
    "localisation": "1 - IoU",
    "timing": "frames until it is found",
    "tracking": "longest time it was missing, in frames",
}
PER_ENCOUNTER = "per encounter"


@step
@meaning(2, when=read_in_blocks_to_use)
def encounter_bound(
    tested: Tested,
    *,
    function: DetectorFunction,
    level: Level = 0.95,
    by: By = None,
    groups: GroupsOrTrials = "check",
    max_group_size: MaxGroupSize = None,
    share: ShareBelow = 0.95,
    seed: int = 0,
) -> Evidence:
    """Bound of how often a detector fails an object that comes into view: in class, in place, in time, or later on.

    An encounter is an object from the frame in which it comes into view to the last one (RAM, sections 5.1 and 8.2).
    `classification` and `localisation` look at the first box in its place, `timing` at how many frames pass until it is
    found (`late:` of the component), `tracking` at whether it is lost again (`lost:`). `delay` bounds the time in
    which the `share` of objects are found (order statistics): in seconds where times are known, and else in frames; one
    that is never found is infinitely late. Encounters that begin in one image, or are in one film where there are
    several, are a group. Gives `misclassification probability`, `misplacement probability`, `late detection
    probability`, `lost track probability` or `95% quantile of the delay in seconds`; a target on it, `per: encounter`,
    develops that claim of the case.
    """
    chosen = tested.of_class(_kind_of(tested, function))
    if function == DELAY:
        return _delays(chosen, share, level, by, groups)
    quantity = OF_FUNCTIONS[function]
    counting = _Counting(chosen, chosen.failed, None, level, "clopper_pearson", groups, max_group_size, seed)
    lines, estimates = [], []
    for part in counting.parts(by, None):
        line = counting.line(part)
        details = {**line.estimate.details, "function": function}
        unit = line.estimate.unit if groups == "trial" else PER_ENCOUNTER
        named = replace(line.estimate, quantity=quantity, unit=unit, details=details)
        lines.append(replace(line, estimate=named))
        estimates.append(of_kind(examined(named, counting.checks(part), also=[IDENTICAL]), chosen))
    tables = {"answers": parameters.answers(chosen), "encounters": parameters.failures(lines, level)}
    known = np.ones(len(chosen), dtype=bool) if chosen.outcomes is None else chosen.outcomes != "never found"
    if chosen.errors is not None and known.any():
        tables[MEASURED[function]] = _spread(chosen.errors[known])
    label = f"{quantity} with lower and upper bound ({one_sided(level)})"
    figure = parameters.intervals([_interval(line.name, line.estimate, level) for line in lines], label)
    return Evidence(tuple(estimates), tables=tables, artefacts={quantity: figure})


def _delays(chosen: Tested, share: float, level: float, by: str | None, groups: str) -> Evidence:
    """A quantile of how long objects are in view until they are found; of a group the longest."""
    if groups == "use":
        remedy = "Use groups: trial, which takes the longest delay of each group, or leave it out."
        raise InvalidInput("a quantile has no bound by groups: use", where=chosen.component, remedy=remedy)
    waited = np.asarray(chosen.errors)
    parts = [whole(chosen, None), *(parts_by(chosen, by, None) if by is not None else ())]
    quantity = f"{100 * share:g}% quantile of the delay in {chosen.unit}"
    unit = "per group" if groups == "trial" else PER_ENCOUNTER
    estimates, rows, lines = [], [], []
    for part in parts:
        delays, rest = waited[part.rows], chosen.where(part.rows, part.name)
        # Ranks alone count: what is never found comes after all others.
        ranked = np.where(np.isfinite(delays), delays, 2 * delays[np.isfinite(delays)].max(initial=1.0))
        checks = {IDENTICAL.id: drift(ranked, rest.labels), INDEPENDENT.id: independence(rest, ranked)}
        if groups == "trial":
            which = np.unique(known_groups(rest), return_inverse=True)[1].reshape(-1)
            delays = np.zeros(which.max() + 1)
            np.maximum.at(delays, which, waited[part.rows])
            checks = {}
        about = {"quantity": quantity, "unit": unit, "scope": part.scope(chosen, None)}
        _require_found(delays, share, "groups" if groups == "trial" else "encounters", part.scope(chosen, None))
        found = bound.get("quantile")(delays, share, level=level, **about)
        details = {**found.details, "function": "timing", "never_found": int(np.isinf(delays).sum())}
        found = examined(replace(found, details=details), checks, also=[IDENTICAL])
        limits = [limit(found, side, level) for side in ("lower", "upper")]
        shares = np.quantile(delays, DELAYS, method="inverted_cdf").tolist()
        shown = [value if np.isfinite(value) else None for value in shares]
        rows.append((part.name, delays.size, details["never_found"], *shown, found.value, *limits))
        lines.append((part.name, limits[0] or 0.0, found.value, limits[1]))
        estimates.append(found)
    bounds_of = (f"lower bound ({one_sided(level)})", f"upper bound ({one_sided(level)})")
    spread = (f"{100 * s:g}% found within" for s in DELAYS)
    counted = "groups" if groups == "trial" else "encounters"
    columns = ("delay", counted, "never found", *spread, quantity, *bounds_of)
    known = [(name, low, value, high) for name, low, value, high in lines if high is not None]
    label = f"{quantity}, with lower and upper bound ({one_sided(level)})"
    artefacts = {quantity: parameters.intervals(known, label)} if known else {}
    return Evidence(tuple(estimates), tables={"delays": Table(columns, tuple(rows))}, artefacts=artefacts)


DELAYS = (0.5, 0.9)


def _require_found(delays: FloatArray, share: float, counted: str, scope: str) -> None:
    """A share that more encounters miss for good than it leaves out has no time in which it is found."""
    n, never = delays.size, int(np.isinf(delays).sum())
    if n - never >= max(math.ceil(share * n - 1e-9), 1):
        return
    most = math.floor(100 * (n - never) / n)
    smaller = (
        f"Write share: {most / 100:g} or less" if most else "No share is: look at score: and iou: of the component"
    )
    raise Undefined(
        f"fewer than {100 * share:g}% of the objects are ever found, so that no time bounds their delay",
        where=scope,
        found=f"{never} of {n} {counted} in which an object is never found",
        remedy=f"{smaller}, or count objects that are found late or never: function: timing, with late: beside task:.",
    )


def _kind_of(tested: Tested, function: str) -> str:
    kind = FUNCTION_KINDS[validate.choice(function, FUNCTION_KINDS, where=tested.component, name="function")]
    if kind in tested.kinds:
        return kind
    key = KEYS_OF_FUNCTIONS.get(function)
    if "encounter" not in tested.kinds:
        remedy = "Use task: detection, with a track for each true box: the column track, or track_id in COCO."
        raise InvalidInput(
            "encounter_bound is about objects that are followed",
            where=tested.component,
            found=tested.task,
            remedy=remedy,
        )
    remedy = (
        f"Write {key}: and a number of frames in the component." if key else "Give images in which something is found."
    )
    raise InvalidInput(f"nothing says when {function} fails", where=tested.component, remedy=remedy)


def _spread(errors: FloatArray) -> Table:
    shares = (0.5, 0.75, 0.9, 0.95, 1.0)
    values = np.quantile(errors, shares, method="inverted_cdf").tolist()
    return Table(("encounters", *(f"{100 * s:g}% at most" for s in shares)), ((errors.size, *values),))


@dataclass(frozen=True, eq=False)
class _Counting:
    """Failures of rows, and how to bound their probability in a part of the rows."""

    tested: Tested
    failed: NDArray[np.bool_]
    undesired: Sets
    level: float
    method: str
    groups: str
    max_group_size: int | None
    seed: int

    def __post_init__(self) -> None:
        where = f"binomial_bound of {self.tested.component}"
        COUNT_METHODS.choice(self.method, where=where, name="method")
        validate.choice(self.groups, ("check", "use", "trial"), where=where, name="use of groups")
        if self.groups != "check" and self.method != "clopper_pearson":
            raise InvalidInput(f"groups: {self.groups} has its own method", where=where, found=self.method)
        if self.by == "sequence" and self.method != "clopper_pearson":
            raise InvalidInput("rows: sequence has its own method", where=where, found=self.method)

    @property
    def by(self) -> str:
        """What the bound counts: rows, rows of a sequence, or groups."""
        if self.groups != "check":
            return "group"
        return "row" if self.tested.places is None else "sequence"

    def parts(self, by: str | None, of: str | None) -> list[Part]:
        """All rows, and the parts that were asked for; without ``by``, the classes that fail most, to be shown."""
        if by is not None:
            return [whole(self.tested, of), *parts_by(self.tested, by, of)]
        shown = worst_classes(self.tested, self.failed, parameters.MOST_LINES) if self.by == "row" else []
        return [whole(self.tested, of), *shown]

    def line(self, part: Part) -> Line:
        """The bound in a part of the rows, and what was counted for it: rows, or groups where they are the trials."""
        failed, scope = self.failed[part.rows], part.scope(self.tested, self.undesired)
        failures, trials = int(failed.sum()), failed.size
        if self.by == "row":
            found = bound.get(self.method)(failures, trials, level=self.level, scope=scope)
            return Line(part.name, failures, trials, found)
        if self.by == "sequence":
            places = np.asarray(self.tested.places)[part.rows]
            about: dict[str, Any] = {"quantity": FAILURE_PROBABILITY, "scope": scope}
            found = sequence(failed, level=self.level, block=self.tested.block, positions=places, **about)
            return Line(part.name, failures, trials, replace(found, details={**found.details, "failures": failures}))
        groups = known_groups(self.tested)[part.rows]
        found = self._by_group(failed, groups, scope)
        if self.groups == "use":
            return Line(part.name, failures, trials, found)
        return Line(part.name, found.details["failures"], found.details["trials"], found)

    def checks(self, part: Part) -> dict[str, Check | None]:
        """What the rows of a part, and no others, say about the assumptions."""
        rows = self.tested if part.rows.all() else self.tested.where(part.rows, part.name)
        failed = self.failed[part.rows]
        if self.by == "row":
            return {IDENTICAL.id: drift(failed, rows.labels), INDEPENDENT.id: independence(rows, failed)}
        return {IDENTICAL.id: drift_of_groups(failed, rows)}

    def _by_group(self, failed: NDArray[np.bool_], groups: NDArray[Any], scope: str) -> Estimate:
        found = bounded_by_group(
            self.tested,
            failed.astype(float),
            groups,
            level=self.level,
            max_group_size=self.max_group_size,
            per="input" if self.groups == "use" else "group",
            seed=self.seed,
            quantity=FAILURE_PROBABILITY,
            scope=scope,
        )
        if self.groups == "use":
            return found
        trials = found.details["groups"]
        return replace(found, details={**found.details, "failures": round(found.value * trials), "trials": trials})

    def growth(self) -> Artefact:
        """The bound as rows come in."""
        rows = self.failed.size
        sizes = np.unique(np.geomspace(max(rows / GROWTH, 1), rows, GROWTH_POINTS).astype(int))
        counts = np.cumsum(self.failed)[sizes - 1].tolist()
        found = [clopper_pearson(k, n, level=self.level) for k, n in zip(counts, sizes.tolist(), strict=True)]
        limits = np.array([(e.value, e.lower(self.level), e.upper(self.level)) for e in found])
        return parameters.growth(sizes, *limits.T, level=self.level)


def _intervals(lines: list[Line], level: float) -> Artefact:
    """All rows and the worst parts."""
    worst = sorted(lines[1:], key=lambda line: line.estimate.value, reverse=True)[: parameters.MOST_LINES]
    shown = [lines[0], *(line for line in lines[1:] if line in worst)]
    label = f"failure probability with lower and upper bound ({one_sided(level)})"
    return parameters.intervals([_interval(line.name, line.estimate, level) for line in shown], label)


def _interval(name: str, estimate: Estimate, level: float) -> Interval:
    lower, upper = limit(estimate, "lower", level), limit(estimate, "upper", level)
    return name, 0.0 if lower is None else lower, estimate.value, 1.0 if upper is None else upper


# The parts of the rows that a step looks at one by one: true classes, or values of an attribute.

MOST_VALUES = 100
TOO_MANY = {
    True: "Name the classes that matter one by one with of:; without by:, a table shows the classes that fail most.",
    False: "Sort its values into a few ranges first.",
}


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows: their true class, if they have one, and further words for them."""

    rows: NDArray[np.bool_]
    of: str | None = None
    words: str | None = None

    @property
    def name(self) -> str:
        """As lines of tables and figures are named."""
        return self.words or self.of or "all rows"

    def scope(self, tested: Tested, undesired: Sets) -> str:
        """What a result on these rows is about."""
        return scope_of(tested, self.words, of=self.of, undesired=undesired)


def whole(tested: Tested, of: str | None) -> Part:
    """All rows."""
    return Part(np.ones(len(tested), dtype=bool), of)


def parts_by(tested: Tested, by: str, of: str | None) -> Iterator[Part]:
    """A part for each true class, or for each value of an attribute."""
    if by == "class" and of:
        raise InvalidInput("of: names one class, so by: class has nothing to tell apart", where=tested.component)
    column = _column(tested, by)
    for value in _few_values(tested, by, column):
        of_class, words = (tested.classes[value], None) if by == "class" else (of, f"{by} = {value}")
        yield Part(column == value, of_class, words)


def worst_classes(tested: Tested, failed: NDArray[np.bool_], most: int) -> list[Part]:
    """The classes that fail most, in their order, where there are several."""
    if not tested.classifies:
        return []
    present = np.unique(tested.labels)
    shares = np.bincount(tested.labels, failed)[present] / np.bincount(tested.labels)[present]
    worst = present[np.sort(np.argsort(-shares, kind="stable")[:most])]
    return [Part(tested.labels == number, tested.classes[number]) for number in worst if present.size > 1]


def _column(tested: Tested, by: str) -> NDArray[Any]:
    where, name = tested.component, f"attribute {by!r}"
    columns = {**tested.attributes, "class": tested.labels}
    column = plain_array(columns[validate.choice(by, columns, where=where, name="attribute")], where=where, name=name)
    return validate.numbers(column, where=where, name=name) if column.dtype.kind == "f" else column


def _few_values(tested: Tested, by: str, column: NDArray[Any]) -> list[Any]:
    values = np.unique(column).tolist()
    if len(values) > MOST_VALUES:
        raise InvalidInput(
            f"{by!r} has more than {MOST_VALUES} values",
            where=tested.component,
            found=f"{len(values)}",
            remedy=TOO_MANY[by == "class"],
        )
    return values
