"""Run every benchmark, print one table and write it to RESULTS.md.

Usage: python -m benchmarks [--no-save] [NAME ...]

With names, only these are measured, and their rows are printed and not written; each is a file of this folder.
"""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Row

MODULES = (
    "balls",
    "case_layout",
    "case_size",
    "cells",
    "corruptions",
    "detectors",
    "exact_trees",
    "fault_trees",
    "frames",
    "kde",
    "monte_carlo",
    "normal_score",
    "opinions",
    "pictures",
    "returns",
    "skeleton",
    "worksheets",
)
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADINGS = ("task", "seconds", "peer", "peer's seconds", "times faster", "note")


def cells(row: Row) -> tuple[str, ...]:
    """The row as text."""
    return (
        row.task,
        f"{row.seconds:.3g}",
        row.peer,
        f"{row.peer_seconds:.3g}",
        f"{row.ratio:,.0f}" if row.ratio >= 10 else f"{row.ratio:.2g}",
        row.note,
    )


def as_markdown(rows: list[Row]) -> str:
    """The table with the command, date and machine that produced it."""
    lines = [
        "# Benchmarks",
        "",
        f"Command `make bench`, {datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        f"{platform.machine()}. Seconds differ from machine to machine; the ratios were measured in the same run. "
        "Both sides do the whole work; where a peer takes too long, its note says what it costs once and for each.",
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|{' --- |' * len(HEADINGS)}",
        *(f"| {' | '.join(cells(row))} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, save."""
    options = {name for name in sys.argv[1:] if name.startswith("-")}
    named = [name for name in sys.argv[1:] if name not in options]
    files = {path.stem for path in Path(__file__).parent.glob("[a-z]*.py")}
    if options - {"--no-save"} or not files.issuperset(named):
        sys.exit(f"{__doc__}\nNames: {', '.join(MODULES)}")
    rows = [row for name in named or MODULES for row in import_module(f"benchmarks.{name}").measure()]
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*cells(row))
    Console(width=160).print(table)
    if named:
        print(as_markdown(rows))
    elif not options:
        RESULTS.write_text(as_markdown(rows))


if __name__ == "__main__":
    main()
