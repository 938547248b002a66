"""How the step for systems of many modules names, cuts and draws what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from surefoot.core import Artefact, Estimate, Table
from surefoot.drawing import Interval
from surefoot.project.steps import figures
from surefoot.project.steps.tables import one_sided
from surefoot.systems import Acceptance
from surefoot.systems.rejection.rows import ALL_CONDITIONS
from surefoot.systems.tables import Tested
from surefoot.systems.tables.figures import MEANING


def heading(name: str, tested: Tested) -> str:
    """The name of a table, what its numbers are and what its mark means."""
    return f"{name}: {MEANING[tested.statistic].partition(': ')[2]}; * not significant at {tested.significance:g}"


def together(table: Table) -> Table:
    """The rows of all conditions, without the columns that say so."""
    return Table(table.columns[2:], tuple(row[2:] for row in table.rows if row[0] == ALL_CONDITIONS))


def stated(accepted: Acceptance) -> tuple[Estimate, Estimate]:
    """What is said about accepted answers."""
    return (
        replace(accepted.error, quantity="failure among accepted answers"),
        replace(accepted.coverage, quantity="share of answers accepted"),
    )


def intervals(estimates: Sequence[Estimate], level: float) -> Artefact:
    """Failure probabilities with their bounds, one below the other."""
    rows: list[Interval] = [
        (each.quantity.removeprefix("failure under "), each.lower(level), each.value, each.upper(level))
        for each in estimates
    ]
    return figures.intervals(rows, f"probability of failure ({one_sided(level)})")
