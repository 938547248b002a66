"""``surefoot improve`` and ``trials``: what to do about targets that are not met, and how many tests to run."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surefoot.cli.console import listed, say, table, tell
from surefoot.cli.conventions import (
    PROJECT_FILE,
    STDOUT,
    AsJson,
    ProjectFile,
    StorePlace,
    check_places,
    figure,
    say_written,
    share,
)

if TYPE_CHECKING:
    from surefoot.core import Table
    from surefoot.hazards.labels import LabelPlan
    from surefoot.project import Answer, Project, Result, Store


MOST_LABELS = 1_000_000
Label = Annotated[
    int | None,
    typer.Option(
        "--label", metavar="N", min=1, max=MOST_LABELS, help="Also say which N operational inputs to label next."
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="DATASET",
        help="Data set of inputs from operation to choose from; they need no labels.",
        show_default="that of the step, or operation",
    ),
]
Sheet = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write the inputs to label as a sheet to fill in.")
]
Strata = Annotated[
    str | None,
    typer.Option("--strata", metavar="RULE", help="How inputs are grouped: risk, prediction, or an attribute."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="S", min=0, help="Seed of the draw.", show_default="the project's")
]


def improve(
    file: ProjectFile = Path(PROJECT_FILE),
    label: Label = None,
    on: On = None,
    csv: Sheet = None,
    strata: Strata = None,
    seed: Seed = None,
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """Say what to improve where a target is not met.

    Shows for each such target what its events would need, and how earlier iterations did. With --label it chooses
    operational inputs whose labels tighten the top event most: by chance inside strata, more where failures are
    likely, so that the bound stays right. Fill in the column label of the sheet and name it under labels of the step
    stratified_bound. The project must have been assessed. Exits with 0, with 2 when something is wrong.
    """
    if label is None and any(option is not None for option in (on, csv, strata, seed)):
        raise typer.BadParameter("--on, --csv, --strata and --seed need --label, which says how many labels there are")
    if csv == STDOUT:
        raise typer.BadParameter("--csv needs a file; --json prints the same rows")
    check_places(csv)
    from surefoot.project import Store, load, run
    from surefoot.project.runner import store_location

    project = load(file)
    opened = Store.open(store_location(project, store))
    result = run(project, store=opened, only_stored=True)
    plan = _planned(project, opened, result, label, on, strata, seed, csv) if label else None
    if plan is not None and csv is not None:
        plan.write(csv)
    typer.echo(as_text(result, plan)) if json else show(result, plan, sheet=csv)
    say_written([csv] if csv is not None else [])


def _planned(
    project: Project,
    store: Store,
    result: Result,
    labels: int,
    data: str | None,
    strata: str | None,
    seed: int | None,
    csv: Path | None,
) -> LabelPlan:
    from surefoot.cli.console import progress_shown
    from surefoot.project.next_labels import SHEET, label_next

    with progress_shown(quiet=False) as progress:
        return label_next(
            project,
            store=store,
            labels=labels,
            data=data,
            strata=strata,
            seed=seed,
            sheet=SHEET if csv is None else _seen_from(project, csv),
            result=result,
            progress=progress,
        )


def _seen_from(project: Project, place: Path) -> str:
    """The place as the project file names it: from its folder, where it is inside."""
    place, folder = place.resolve(), project.folder.resolve()
    return (place.relative_to(folder) if place.is_relative_to(folder) else place).as_posix()


# What to improve, as people and as programs read it.

TEST_PLAN = "test plan"
TABLES = ("requirements", "improvements", "candidates", TEST_PLAN)
"""What the evidence of a fault tree says about targets that are not met."""
LEFT_OUT = {
    "improvements": ("top event if perfect", "times better alone"),
    "test plan": ("component", "today", "bound today", "tests with 1 failure", "tests with 2 failures"),
}
"""Columns that a terminal has no room for; report and JSON have them."""


def show(result: Result, plan: LabelPlan | None, *, sheet: Path | None) -> None:
    """Targets that are not met with what would help, earlier iterations, and the labels."""
    unmet = list(_unmet(result))
    for answer in unmet:
        _show_answer(answer, result)
    if not unmet:
        say(f"{_nothing(result)}\n")
    if len(result.iterations) > 1:
        from surefoot.project.iterations import history_table

        _show_table("iterations", _with_days(history_table(result.iterations)))
    if plan is not None:
        _show_plan(plan, sheet)


def as_text(result: Result, plan: LabelPlan | None) -> str:
    """The same as JSON."""
    from surefoot.project.iterations import history_table

    said: dict[str, Any] = {
        "met": result.met,
        "targets": {answer.name: _about(answer, result) for answer in _unmet(result)},
        "iterations": history_table(result.iterations).to_dict() if result.iterations else None,
        "labels": None if plan is None else _labels(plan),
    }
    return json.dumps(said, indent=2, ensure_ascii=False)


def _unmet(result: Result) -> Iterator[Answer]:
    return (answer for answer in result.answers if answer.refuted or not answer.met)


def _nothing(result: Result) -> str:
    if not result.answers:
        return "No targets are stated, so that nothing needs to be improved."
    return "Every target is met: nothing needs to be improved."


def _tables(answer: Answer, result: Result) -> dict[str, Table]:
    """Of a target that operation refuted nothing that plans tests."""
    found = result.evidence[answer.reference.partition(".")[0]].tables
    return {name: found[name] for name in TABLES if name in found and not (answer.refuted and name == TEST_PLAN)}


def _show_answer(answer: Answer, result: Result) -> None:
    tell(f"{answer.name}: {answer.refuted or answer.verdict.text}", style="bold")
    listed(answer.needed)
    say()
    for name, content in _tables(answer, result).items():
        _show_table(name, _without(content, LEFT_OUT.get(name, ())))


def _without(content: Table, columns: Collection[str]) -> Table:
    kept = [place for place, name in enumerate(content.columns) if name not in columns]
    rows = tuple(tuple(row[place] for place in kept) for row in content.rows)
    return replace(content, columns=tuple(content.columns[place] for place in kept), rows=rows)


def _with_days(history: Table) -> Table:
    rows = tuple((number, str(date).partition("T")[0], *others) for number, date, *others in history.rows)
    return replace(history, rows=rows)


def _show_table(name: str, content: Table) -> None:
    numbers = [
        column
        for place, column in enumerate(content.columns)
        if any(isinstance(row[place], int | float) for row in content.rows)
    ]
    say(name, style="bold")
    table(content.columns, [[_cell(value) for value in row] for row in content.rows], right=numbers)
    say()


def _cell(value: object) -> str:
    if value is None or isinstance(value, float):
        return figure(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _show_plan(plan: LabelPlan, sheet: Path | None) -> None:
    _show_table("labels", plan.table())
    _show_table(f"upper bounds (one-sided, each at {100 * plan.level:.10g}%)", plan.outlook())
    listed(plan.notes)
    if sheet is None and plan.rows:
        say("\n--csv FILE writes the inputs to label.")


def _about(answer: Answer, result: Result) -> dict[str, Any]:
    tables = {name: content.to_dict() for name, content in _tables(answer, result).items()}
    return {"verdict": answer.refuted or answer.verdict.text, "needed": list(answer.needed), "tables": tables}


def _labels(plan: LabelPlan) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "level": plan.level,
        "strata": plan.table().to_dict(),
        "outlook": plan.outlook().to_dict(),
        "rows": [asdict(row) for row in plan.rows],
        "notes": list(plan.notes),
    }


# ``surefoot trials``: how many tests a target needs, and what given tests show.

USUAL_FAILURES = (0, 1, 2, 5)
ROUNDING = 1e-9
POWERS = (0.5, 0.8, 0.95)
BEFOREHAND = "Decide on the number of tests before the first one, and do not test until it looks good."


def trials(
    at_most: Annotated[
        str | None, typer.Option("--at-most", metavar="P", help="Failure probability to be shown, such as 0.05.")
    ] = None,
    level: Annotated[str, typer.Option("--level", metavar="L", help="Confidence level.")] = "0.95",
    tests: Annotated[
        int | None, typer.Option("--tests", metavar="N", help="Tests run: ask what they show instead.")
    ] = None,
    failures: Annotated[
        int | None, typer.Option("--failures", metavar="K", help="Failures among them; 0 unless given.")
    ] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", metavar="R", help="Failure rate that I expect, below P: plan for it.")
    ] = None,
) -> None:
    """Say how many tests I need.

    With --at-most: the smallest number of independent tests that shows the failure probability to be at most P.
    With --rate too: how many show it with 50, 80 and 95% probability if tests fail at rate R; with --tests N,
    how probably those N do. With --tests alone: the failure probability that N tests with K failures show. All rest on
    the exact binomial bound (Clopper and Pearson, 1934), for a number of tests that was fixed beforehand.
    """
    limit = None if at_most is None else share(at_most, "--at-most", "0.05")
    confidence = share(level, "--level", "0.95")
    if rate is not None:
        if limit is None or failures is not None:
            raise typer.BadParameter("--rate plans tests: give --at-most with it, and no --failures")
        _show_power(limit, share(rate, "--rate", "0.01"), tests, level=confidence)
    elif tests is not None:
        _show_bound(tests, failures or 0, level=confidence, at_most=limit)
    elif limit is not None:
        _show_needed(limit, level=confidence, failures=USUAL_FAILURES if failures is None else (failures,))
    else:
        raise typer.BadParameter("give --at-most, --tests, or both")


def _show_needed(at_most: float, *, level: float, failures: tuple[int, ...]) -> None:
    from surefoot.bounds import Demonstration, trials_needed

    rows = []
    for count in failures:
        test = Demonstration.of(trials_needed(at_most, level=level, failures=count), count, at_most / 2)
        rows.append((f"{count:,}", f"{test.trials:,}", _percent(test.power), _percent(test.power_at(at_most / 10))))
    head = ("failures seen", "tests needed", f"passed at {at_most / 2:.4g}", f"passed at {at_most / 10:.4g}")
    say(f"To show a failure probability of at most {at_most:g} at level {level:g}:\n")
    table(head, rows, right=head)
    say(f"\nPassed: how probably, if tests really fail at that rate. --rate plans for yours.\n{BEFOREHAND}")
    _say_first_look(level)


def _show_power(at_most: float, rate: float, tests: int | None, *, level: float) -> None:
    from surefoot.bounds import demonstration
    from surefoot.documents import counted

    claim = f"a failure probability of at most {at_most:g} at level {level:g}"
    if tests is not None:
        found = demonstration(at_most, rate=rate, trials=tests, level=level)
        allowed = counted(found.failures, "failure")
        power = f"probability {_percent(found.power)} if they fail at a rate of {rate:g}"
        say(f"{tests:,} tests show {claim} with at most {allowed}: {power}.")
        return
    plans = [demonstration(at_most, rate=rate, power=power, level=level) for power in POWERS]
    head = ("probability", "tests", "failures allowed")
    rows = [
        (_percent(power), f"{each.trials:,}", f"{each.failures:,}") for power, each in zip(POWERS, plans, strict=True)
    ]
    say(f"To show {claim}, if tests fail at a rate of {rate:g}:\n")
    table(head, rows, right=head)
    say(f"\n{BEFOREHAND}")
    _say_first_look(level)


def _say_first_look(level: float) -> None:
    from surefoot.project.looks import corrected_level

    first = corrected_level(level, 1)
    say(f"A project judges the first look at a test set at level {first:g}, to cover later ones: plan with that.")


def _percent(probability: float) -> str:
    """Rounded down: nothing becomes certain."""
    return f"{math.floor(100 * probability + ROUNDING)}%"


def _show_bound(tests: int, failures: int, *, level: float, at_most: float | None) -> None:
    from surefoot.bounds import clopper_pearson
    from surefoot.core import Target
    from surefoot.documents import counted

    found = clopper_pearson(failures, tests, level=level)
    seen = f"{counted(failures, 'failure')} in {tests:,} tests"
    say(f"{seen}: failure probability at most {found.upper(level):.4g} at level {level:g}.")
    if at_most is not None:
        verdict = found.meets(Target(at_most=at_most, level=level))
        say(f"Target of at most {at_most:g}: {verdict.status}.")
