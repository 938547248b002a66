"""``surefoot improve``: what to do about targets that are not met."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.options import PROJECT_FILE, AsJson, ProjectFile, StorePlace
from surefoot.cli.writing import STDOUT, check_places, say_written

if TYPE_CHECKING:
    from surefoot.hazards.labels import LabelPlan
    from surefoot.project import Project, Result, Store

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
    from surefoot.cli.improve_shown import as_text, show
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
    from surefoot.cli.progress import progress_shown
    from surefoot.project.labelling import label_next
    from surefoot.project.labelling.advice import SHEET

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
