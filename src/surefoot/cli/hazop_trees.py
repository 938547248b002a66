"""``surefoot hazop to-tree`` and ``diff``: from rows over chains of events to fault trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.failures import UNUSABLE, show_diagnostics
from surefoot.cli.hazop import Chains, TopEvent, Worksheet
from surefoot.cli.hazop_files import TreeFiles, free_place
from surefoot.cli.numbers import share
from surefoot.cli.options import AsJson, ThemeName
from surefoot.cli.writing import check_places, say_written

if TYPE_CHECKING:
    from surefoot.drawing import Theme
    from surefoot.hazards import Study

DIFFERENT = 1
TreeFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the tree: .yaml, .json or .xml.", show_default=False),
]
Diagram = Annotated[
    Path | None,
    typer.Option("--diagram", metavar="FILE", help="Draw the tree: .svg, .png or .pdf.", show_default=False),
]
DraftFile = Annotated[
    Path | None,
    typer.Option(
        "--draft", metavar="FILE", help="Write the chains that rows give, to be refined: .yaml.", show_default=False
    ),
]
OldWorksheet = Annotated[Path, typer.Argument(metavar="OLD", help="The worksheet as it was.", show_default=False)]
NewWorksheet = Annotated[Path, typer.Argument(metavar="NEW", help="The worksheet as it is.", show_default=False)]
BothChains = Annotated[
    Path | None,
    typer.Option("--scenarios", metavar="FILE", help="Chains of events of both worksheets.", show_default=False),
]
OldChains = Annotated[
    Path | None,
    typer.Option("--old-scenarios", metavar="FILE", help="Chains of events as they were.", show_default=False),
]
NewChains = Annotated[
    Path | None,
    typer.Option("--new-scenarios", metavar="FILE", help="Chains of events as they are.", show_default=False),
]
Limit = Annotated[str | None, typer.Option("--target", metavar="P", help="The top event shall be at most so probable.")]


def to_tree(
    file: Worksheet,
    scenarios: Chains = None,
    top: TopEvent = None,
    output: TreeFile = None,
    diagram: Diagram = None,
    theme: ThemeName = None,
    draft: DraftFile = None,
) -> None:
    """Merge chains of events into a fault tree.

    Without --scenarios each row gives its own chains: cause, deviation, consequence. --draft writes them to a file, for
    people to add intermediate events, barriers, gates and probabilities. Shows which rows each basic event comes from.
    Exits with 2 where there are several top events and --top names none, and lists them.
    """
    from surefoot.cli.hazop_merged import Merged

    wanted = TreeFiles(output, diagram, cast("Theme | None", theme))
    _check_places(wanted, file, scenarios, draft)
    study = _study(file, scenarios)
    merged = Merged(study, wanted, file, scenarios, draft)
    show_diagnostics(merged.warnings)
    merged.write_draft()
    try:
        if not merged.choose(top):
            raise typer.Exit(UNUSABLE)
    finally:
        say_written(merged.written)


def diff(
    old: OldWorksheet,
    new: NewWorksheet,
    scenarios: BothChains = None,
    old_scenarios: OldChains = None,
    new_scenarios: NewChains = None,
    top: TopEvent = None,
    target: Limit = None,
    json: AsJson = False,
) -> None:
    """Show what edits of a worksheet, or of its chains, change.

    Names the rows that were added, removed or edited, with the events and top events that rest on them; what changes in
    the fault tree of each top event, or of --top; and with --target what each event of a learned component, or each
    event without one, may be at most. Exits with 0 when nothing differs, with 1 when something does, with 2 in trouble.
    """
    from surefoot.cli.hazop_diff import Changes
    from surefoot.cli.progress import waiting

    if scenarios is not None and (old_scenarios is not None or new_scenarios is not None):
        raise typer.BadParameter("--scenarios is for both worksheets; leave it out, or --old- and --new-scenarios")
    limit = None if target is None else share(target, "--target", "1e-6")
    with waiting("comparing"):
        studies = _study(old, old_scenarios or scenarios), _study(new, new_scenarios or scenarios)
        found = Changes.of(*studies, top=top, target=limit)
    typer.echo(found.as_json()) if json else found.show()
    show_diagnostics(found.warnings)
    if not found.empty:
        raise typer.Exit(DIFFERENT)


def _check_places(wanted: TreeFiles, file: Path, scenarios: Path | None, draft: Path | None) -> None:
    wanted.check(file, scenarios)
    if draft is not None:
        if scenarios is not None:
            raise typer.BadParameter("--draft writes the chains that rows give; leave out --scenarios")
        check_places(draft)
        free_place(draft)


def _study(file: Path, scenarios: Path | None) -> Study:
    from surefoot.hazards import Hazop, Scenarios, Study

    return Study(Hazop.read(file), None if scenarios is None else Scenarios.read(scenarios))
