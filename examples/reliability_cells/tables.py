"""Tables of the example, one function each."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import choices
import own_sets
import published
from rich.table import Table

from surefoot.core import Assumption, Estimate
from surefoot.reliability import Reliability

LEVEL = 0.975
COLOURS = {"supported": "green", "contradicted": "red", "unchecked": "yellow"}


def table(title: str, *headings: str) -> Table:
    """An empty table."""
    made = Table(title=title, title_justify="left")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made


def table_1(lines: Iterable[published.Line]) -> Table:
    """Printed figures beside those that come out."""
    made = table("RAM, Table 1, running example", "figure", "printed", "reproduced", "remark")
    for line in lines:
        made.add_row(line.name, line.printed, line.reproduced, line.remark)
    return made


def beside_tests(printed: Reliability, corrected: Reliability) -> Table:
    """The same quantity by what it rests on, and whether the tests object."""
    made = table("The same model, by what the number rests on", "pmi by", "value", "97.5% limits", "tests object")
    rows = {
        "RAM as printed": printed.pmi,
        "cells alone, with all covariances": corrected.by_cells,
        f"held-out labels ({corrected.pmi.details['method']})": corrected.pmi,
    }
    for name, found in rows.items():
        limits = f"{found.lower(LEVEL):.5f} to {found.upper(LEVEL):.5f}"
        made.add_row(name, f"{found.value:.5f}", limits, "[red]yes[/red]" if objection(found) else "no")
    return made


def known(assessed: Mapping[str, own_sets.Assessed]) -> Table:
    """What is said about each set, and what is true."""
    headings = ("set", "test error", "ACU", "cells alone", "its limit", "holds", "corrected limit", "holds", "true pmi")
    made = table("Sets whose truth is known; limits at 97.5%", *headings, "seconds")
    for name, one in assessed.items():
        found = one.found
        made.add_row(
            f"{name}: {len(one.known.inputs):,} points, {shape(found)} cells",
            f"{one.known.test_error:.4f}",
            f"{found.acu.value:.5f}",
            f"{found.by_cells.value:.5f}",
            f"{found.by_cells.upper(LEVEL):.5f}",
            _truth(one.cells_hold),
            f"{found.pmi.upper(LEVEL):.5f}",
            _truth(one.corrected_holds),
            f"{one.known.pmi:.5f}",
            f"{one.seconds:.1f}",
        )
    return made


def by_choice(made_choices: Iterable[choices.Choice], truth: float) -> Table:
    """The sum over cells and the corrected limit by side and bandwidth."""
    headings = ("choice", "cells", "labelled by vote", "sum over cells", "its limit", "corrected limit")
    made = table(f"The same model, other choices; true pmi {truth:.4f}, limits at 97.5%", *headings)
    for choice in made_choices:
        made.add_row(*choice.cells())
    return made


def own(name: str, found: Reliability, rows: Mapping[str, str]) -> Table:
    """The answer for the user's own points."""
    assert found.correction is not None
    failed = found.correction.failed
    numbers = {
        "test error": f"{failed.mean():.4f} ({failed.sum():,} of {failed.size:,})",
        "ACU": f"{found.acu.value:.6f}",
        "cells alone": f"{found.by_cells.value:.6f}, at most {found.by_cells.upper(LEVEL):.6f}",
        "corrected": f"{found.pmi.value:.6f}, at most {found.pmi.upper(LEVEL):.6f} ({found.pmi.details['method']})",
    }
    made = table(f"{name}; limits at 97.5%", "what", "found")
    for row in (rows | numbers).items():
        made.add_row(*row)
    return made


def checks(named: Mapping[str, Reliability]) -> Table:
    """What the data say about each assumption of the sum over cells."""
    made = table("Assumptions of the sum over cells", "assumption", *named)
    for row in zip(*(found.assumptions for found in named.values()), strict=True):
        made.add_row(row[0].id, *map(_check, row))
    return made


def objection(found: Estimate) -> str:
    """What the tests say against an estimate; empty where they do not object."""
    return next((caveat.text for caveat in found.caveats if caveat.code == "contradicted-by-tests"), "")


def shape(found: Reliability) -> str:
    """Cells along each feature."""
    return " x ".join(map(str, found.cells.grid.shape))


def peak_memory() -> str:
    """The most memory that this process has had."""
    try:
        import resource
    except ImportError:
        return "not measured on this system"
    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9:.2f} GB"


def _check(assumption: Assumption) -> str:
    method = f": {assumption.check.method}" if assumption.check else ""
    return f"[{COLOURS[assumption.status]}]{assumption.status}[/]{method}"


def _truth(holds: bool) -> str:
    return "[green]yes[/green]" if holds else "[red]no[/red]"
