"""Rows of a worksheet in a terminal: item by item, only those that somebody asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.cli.console import console, plain, say, tell

if TYPE_CHECKING:
    from surefoot.hazards import Hazop, Row

COLUMNS = ("row", "causes", "consequences", "mitigations")


def chosen(hazop: Hazop, *, items: Sequence[str], statuses: Sequence[str], risks: Sequence[str]) -> Hazop:
    """The worksheet with the rows that fit; an unknown choice is refused."""
    from surefoot.core import validate
    from surefoot.hazards.worksheet.progress import NOT_RATED, risk_class
    from surefoot.hazards.worksheet.row import STATUSES

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
    from surefoot.hazards.worksheet.progress import risk_class

    levels = " / ".join(filter(None, (row.severity, row.likelihood)))
    yield f"{row.id}: {row.parameter}, {row.guide_word}"
    yield ": ".join(filter(None, (risk_class(hazop, row), levels)))
    yield f"endangers {', '.join(row.endangers)}" if row.endangers else ""
    yield ", ".join(filter(None, (row.status, row.reviewer)))
    yield row.remark
