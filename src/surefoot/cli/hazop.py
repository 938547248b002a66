"""``surefoot hazop``: worksheets of a hazard analysis, from the first row to a fault tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.console import counted, quoted, say
from surefoot.cli.hazop_files import TableFiles, free_place, worksheet_place, worksheet_places
from surefoot.cli.options import AsJson, ThemeName
from surefoot.cli.writing import check_places, say_written

if TYPE_CHECKING:
    from surefoot.drawing import Theme
    from surefoot.hazards import Hazop

LEFT_TO_DO = 1
Worksheet = Annotated[
    Path, typer.Argument(metavar="FILE", help="The worksheet: .yaml, .csv or .xlsx.", show_default=False)
]
Chains = Annotated[
    Path | None,
    typer.Option(
        "--scenarios",
        metavar="FILE",
        help="Chains of events (.yaml); without, those that rows give.",
        show_default=False,
    ),
]
TopEvent = Annotated[
    str | None, typer.Option("--top", metavar="EVENT", help="The top event, or another event that has causes.")
]
NewFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file to write: .yaml, .csv or .xlsx.")]
Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What is analysed; by default the file's name.")
]
Source = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="WORKSHEET", help="Take this one, with a blank row for what has none.", show_default=False
    ),
]
ItemName = Annotated[
    list[str] | None, typer.Option("--item", metavar="NAME", help="Only rows of this node or flow; may be given again.")
]
Status = Annotated[
    list[str] | None,
    typer.Option("--status", metavar="STATUS", help="Only rows that are open, filled, reviewed or not credible."),
]
Risk = Annotated[
    list[str] | None,
    typer.Option("--risk", metavar="CLASS", help="Only rows of this class of the risk matrix, or not rated."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="A page to print (.html), or .yaml, .csv, .xlsx.", show_default=False
    ),
]
Diagram = Annotated[
    Path | None,
    typer.Option("--diagram", metavar="FILE", help="Draw nodes and flows: .svg, .png or .pdf.", show_default=False),
]


def new(file: NewFile, name: Name = None, source: Source = None) -> None:
    """Start a worksheet, or add a row for every deviation.

    Writes a small system with a learned component, two rows filled as examples and blank ones to fill. With --from it
    writes the given worksheet, with a blank row for every guide word that has none yet. Nothing is overwritten.
    """
    from surefoot.hazards import Hazop
    from surefoot.hazards.worksheet.start import start, with_every_deviation

    check_places(file)
    free_place(*worksheet_places(file))
    hazop = start(name or file.stem) if source is None else with_every_deviation(Hazop.read(source))
    hazop = replace(hazop, name=name) if name else hazop
    hazop.write(file)
    say_written([place for place in worksheet_places(file) if place.exists()])
    blank = sum(row.blank for row in hazop.rows)
    say(f"{_size(hazop)}, {blank:,} of them blank.")
    say(f"\nNext: fill rows, then\n  surefoot hazop check {quoted(file)}\n  surefoot hazop table {quoted(file)}")


def check(file: Worksheet, scenarios: Chains = None, json: AsJson = False) -> None:
    """Say what a worksheet still lacks.

    Shows how far the work is, and everything that is left to do: deviations that nobody considered, rows that lack
    something, mitigations that may create safety properties. With --scenarios also rows without a chain and chains
    without a row. Exits with 0 when nothing is left to do, with 1 when something is, with 2 when a file cannot be used.
    """
    from surefoot.cli.failures import UNUSABLE
    from surefoot.cli.hazop_check import Checked
    from surefoot.cli.progress import waiting

    with waiting(f"reading {file.name}"):
        found = Checked.of(file, scenarios)
    typer.echo(found.as_json()) if json else found.show()
    if found.errors:
        raise typer.Exit(UNUSABLE)
    if not found.done:
        raise typer.Exit(LEFT_TO_DO)


def table(
    file: Worksheet,
    output: Output = None,
    diagram: Diagram = None,
    theme: ThemeName = None,
    item: ItemName = None,
    status: Status = None,
    risk: Risk = None,
) -> None:
    """Show a worksheet as a table, print or convert it.

    Without -o the rows are shown here, item by item. With -o they become a page to print (.html), or a worksheet in
    another format. --item, --status and --risk choose rows; each may be given again.
    """
    from surefoot.cli.hazop_rows import chosen, show_rows
    from surefoot.hazards import Hazop

    wanted = TableFiles(worksheet_place(file), output, diagram, cast("Theme | None", theme))
    wanted.check()
    hazop = chosen(Hazop.read(file), items=item or (), statuses=status or (), risks=risk or ())
    wanted.write(hazop)
    if output is None and diagram is None:
        show_rows(hazop)
    else:
        say(f"{_size(hazop)}.")
    say_written(wanted.written)


def _size(hazop: Hazop) -> str:
    return f"{hazop.name}: {counted(hazop.items, 'item')}, {counted(hazop.rows, 'row')}"
