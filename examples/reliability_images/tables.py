"""Tables of the example, one function each."""

from __future__ import annotations

from collections.abc import Iterable

from images import ImageSet
from rich.table import Table
from said import Statement
from study import LEVEL, Found

from surefoot.core import Estimate
from surefoot.core import Table as Plain
from surefoot.profile import Separation

COLOURS = {"holds": "green", "does not hold": "red", "open": "yellow"}


def table(title: str, *headings: str) -> Table:
    """An empty table."""
    made = Table(title=title, title_justify="left")
    for heading in headings:
        made.add_column(heading, overflow="fold")
    return made


def network(found: Found) -> Table:
    """What was found about one network."""
    subject, balls = found.subject, found.balls
    share, worth = f"{found.distances.rows[0][-1]:.0%}", f"{found.weights.effective_rows:,.0f}"
    label, weight, part = found.heaviest
    rows = {
        "test error": f"{subject.test_error:.4f} ({subject.failures:,} of {len(subject.labels):,})",
        "ACU": _limits(balls.acu),
        "pmi by balls, density weights": _limits(balls.by_balls),
        "weights are worth": f"{worth} of {len(found.weights):,} balls ({found.flatness:.1%})",
        "heaviest class": f"{label}, with {weight:.0%} of the weights and {part:.0%} of the images",
        "tests contradict pmi by balls": "yes" if balls.contradicted else "no",
        "balls looked into": f"{len(balls.cells):,}",
        "ACU around decoded images": f"{_limits(found.decoded.acu)}, from {len(found.decoded.cells):,} balls",
        "decoded images within the radius": f"{share} of the images",
        "decoded images that get another class": _centres(found),
    }
    made = table(f"{subject.name}, radius {subject.images.radius:g}; limits at {LEVEL:.1%} each", "what", "found")
    for row in rows.items():
        made.add_row(*row)
    return made


def separations(measured: Iterable[tuple[ImageSet, Separation, float]]) -> Table:
    """Printed half distances beside measured distances."""
    made = table(
        "Separation of classes in the maximum norm",
        "images",
        "printed r",
        "measured distance",
        "half",
        "radius",
        "fits",
        "s",
    )
    for set_, found, seconds in measured:
        fits = "yes" if set_.radius < found / 2 else "no"
        made.add_row(
            set_.name,
            f"{set_.printed_separation}",
            f"{found:.4f}",
            f"{found / 2:.4f}",
            f"{set_.radius}",
            fits,
            f"{seconds:.0f}",
        )
    return made


def radii(name: str, found: Plain) -> Table:
    """The answer for each radius."""
    made = table(f"{name}, by radius", *found.columns)
    for row in found.rows:
        made.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row))
    return made


def statements(said: Iterable[Statement]) -> Table:
    """Sentences of the paper, and ours."""
    made = table("RAM, section 4.4", "what the paper says", "ours", "")
    for each in said:
        made.add_row(each.text, each.ours, f"[{COLOURS[each.verdict]}]{each.verdict}[/]")
    return made


def _limits(found: Estimate) -> str:
    return f"{found.value:.4f} ({found.lower(LEVEL):.4f} to {found.upper(LEVEL):.4f})"


def _centres(found: Found) -> str:
    failed, rows = found.decoded.stated.centres
    return f"{failed / rows:.4f} ({failed:,} of {rows:,})"
