"""``surefoot hazop new``, ``check`` and ``table``: worksheets of a hazard analysis, from the first row on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from surefoot.cli.console import console, counted, plain, quoted, say, show_findings, show_left, tell, waiting
from surefoot.cli.console import table as console_table
from surefoot.cli.conventions import (
    LEFT_TO_DO,
    UNUSABLE,
    AsJson,
    ThemeName,
    check_places,
    free_place,
    not_folders,
    not_the_source,
    put,
    say_written,
)

if TYPE_CHECKING:
    from surefoot.core import Diagnostic, Table
    from surefoot.drawing import Theme
    from surefoot.hazards import Hazop, Row


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
    from surefoot.hazards.guide_words import start, with_every_deviation

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
    with waiting(f"reading {file.name}"):
        found = WorksheetCheck.of(file, scenarios)
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


# Files that ``surefoot hazop`` writes.

PAGE = ".html"


@dataclass(frozen=True)
class TableFiles:
    """The worksheet in another form, and a picture of its system, where somebody asked for them."""

    source: Path
    output: Path | None
    diagram: Path | None
    theme: Theme | None = None
    written: list[Path] = field(default_factory=list)

    def check(self) -> None:
        """Refuse places that cannot be written to, and to write over what is read, before any work is done."""
        check_places(self.output, self.diagram)
        not_folders(self.output, self.diagram)
        if self.output is not None:
            worksheet_place(self.output, PAGE)
            not_the_source(self.output, self.source)
        if self.diagram is not None:
            from surefoot.drawing import ending_of

            ending_of(self.diagram)

    def write(self, hazop: Hazop) -> None:
        """Write each whole or not at all."""
        if self.output is not None:
            put(hazop.table_html(), self.output) if self.output.suffix.lower() == PAGE else hazop.write(self.output)
            self.written.append(self.output)
        if self.diagram is not None:
            from surefoot.drawing import save

            save(hazop.scene(), self.diagram, theme=self.theme)
            self.written.append(self.diagram)


def worksheet_place(path: Path, *others: str) -> Path:
    """A place whose ending says the format of a worksheet, or one of the others."""
    from surefoot.core import validate
    from surefoot.hazards.files.hazop_files import ENDINGS

    validate.choice(path.suffix.lower(), (*ENDINGS, *others), where=str(path), name="ending of the file")
    return path


def worksheet_places(path: Path) -> list[Path]:
    """All files that a worksheet of that name may have: CSV has one for each sheet."""
    if worksheet_place(path).suffix.lower() != ".csv":
        return [path]
    from surefoot.hazards.files.sheets import SIBLINGS, sibling

    return [path, *(sibling(path, title) for title in SIBLINGS)]


# What a worksheet, and the chains that come from it, still lack: in words and as JSON.

VERSION = 1


@dataclass(frozen=True)
class WorksheetCheck:
    """A worksheet's state, and what was found."""

    name: str
    progress: Table
    findings: tuple[Diagnostic, ...]

    @classmethod
    def of(cls, worksheet: Path, scenarios: Path | None) -> WorksheetCheck:
        """Read and check; problems of the chains are findings, those of the worksheet an error."""
        from surefoot.hazards import Hazop
        from surefoot.hazards.completeness import Progress

        hazop = Hazop.read(worksheet)
        chains = [] if scenarios is None else chain_findings(scenarios, hazop)
        return cls(hazop.name, Progress.of(hazop).table(), (*hazop.check(), *chains))

    @property
    def errors(self) -> bool:
        """Whether something cannot be used."""
        return any(found.severity == "error" for found in self.findings)

    @property
    def done(self) -> bool:
        """Whether nothing is left to do; notes are no work."""
        return all(found.severity == "note" for found in self.findings)

    def as_json(self) -> str:
        """One object with stable keys."""
        data = {
            "version": VERSION,
            "name": self.name,
            "done": self.done,
            "progress": dict(self.progress.rows),
            "findings": [found.to_dict() for found in self.findings],
        }
        return json.dumps(data, indent=2, ensure_ascii=False)

    def show(self) -> None:
        """The state, then the findings by what they are about, then whether anything is left."""
        say(self.name, style="bold")
        console_table(
            ("", "count"), [(str(what), f"{count:,}") for what, count in self.progress.rows], right=("count",)
        )
        show_findings(self.findings)
        show_left(self.findings)


def chain_findings(scenarios: Path, hazop: Hazop) -> Sequence[Diagnostic]:
    """Conflicts, loops, and chains and rows that do not know each other."""
    from surefoot.core import DiagnosticsError
    from surefoot.hazards import Scenarios, trace

    try:
        chains = Scenarios.read(scenarios)
    except DiagnosticsError as error:
        return error.diagnostics
    return [*chains.problems, *trace(chains).findings(chains, hazop)]


# Rows of a worksheet in a terminal: item by item, only those that somebody asked for.

COLUMNS = ("row", "causes", "consequences", "mitigations")


def chosen(hazop: Hazop, *, items: Sequence[str], statuses: Sequence[str], risks: Sequence[str]) -> Hazop:
    """The worksheet with the rows that fit; an unknown choice is refused."""
    from surefoot.core import validate
    from surefoot.hazards.completeness import NOT_RATED, risk_class
    from surefoot.hazards.worksheet import STATUSES

    named = dict.fromkeys((*hazop.item, *(row.item for row in hazop.rows)))
    for said, known, option in (
        (items, named, "--item"),
        (statuses, STATUSES, "--status"),
        (risks, (*hazop.matrix.order, NOT_RATED), "--risk"),
    ):
        for each in said:
            validate.choice(each, known, where=option, name=option.removeprefix("--"))
    kept = [
        row
        for row in hazop.rows
        if (not items or row.item in items)
        and (not statuses or row.status in statuses)
        and (not risks or (risk_class(hazop, row) or NOT_RATED) in risks)
    ]
    return replace(hazop, rows=tuple(kept))


def show_rows(hazop: Hazop) -> None:
    """Every row that says something, and the others by their guide words."""
    say(hazop.name, style="bold")
    if hazop.description:
        tell(hazop.description, style="dim")
    for item, rows in _by_item(hazop):
        say(f"\n{_about(hazop, item)}", style="bold")
        filled = [row for row in rows if not row.blank]
        if filled:
            _table(hazop, filled)
        for parameter, words in _blank(rows):
            tell(f"nobody has worked on {parameter}: {', '.join(words)}", style="dim")
    if not hazop.rows:
        say("no rows")


def _by_item(hazop: Hazop) -> Iterator[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {name: [] for name in hazop.item}
    for row in hazop.rows:
        found.setdefault(row.item, []).append(row)
    return ((name, rows) for name, rows in found.items() if rows)


def _about(hazop: Hazop, name: str) -> str:
    item = hazop.item.get(name)
    ends = f" (from {item.source} to {item.target})" if item and item.source else ""
    return f"{name}{ends}{', learned' if item and item.learned else ''}"


def _blank(rows: Iterable[Row]) -> Iterable[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.blank:
            found.setdefault(row.parameter, []).append(f"{row.guide_word} ({row.id})")
    return found.items()


def _table(hazop: Hazop, rows: Iterable[Row]) -> None:
    """Four columns, which also fit a narrow terminal, with an empty line between rows."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", leading=1, expand=True)
    for name in COLUMNS:
        shown.add_column(plain(name), overflow="fold", ratio=1)
    for row in rows:
        shown.add_row(*(plain(cell) for cell in _cells(hazop, row)))
    console().print(shown)


def _cells(hazop: Hazop, row: Row) -> Iterator[str]:
    yield "\n".join(filter(None, _facts(hazop, row)))
    for said in (row.causes, row.consequences, row.mitigations):
        yield ";\n".join(map(str, said))


def _facts(hazop: Hazop, row: Row) -> Iterator[str]:
    """What a row is about, and how far it is."""
    from surefoot.hazards.completeness import risk_class

    levels = " / ".join(filter(None, (row.severity, row.likelihood)))
    yield f"{row.id}: {row.parameter}, {row.guide_word}"
    yield ": ".join(filter(None, (risk_class(hazop, row), levels)))
    yield f"endangers {', '.join(row.endangers)}" if row.endangers else ""
    yield ", ".join(filter(None, (row.status, row.reviewer)))
    yield row.remark
