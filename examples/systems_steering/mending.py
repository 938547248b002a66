"""Section 5 of SYS: which network the error comes through, and what mending them gives."""

from __future__ import annotations

from collections.abc import Mapping

import drive
import learning
import networks
import sturdier
import system

from surefoot.core import Table
from surefoot.systems import Findings, Improvement, Localisation, Study, System, improvement, localise
from surefoot.systems.repair.localisation import Progress


def mended(train: drive.Part) -> dict[str, System]:
    """The system with networks that were taught more, or with frames that are cleaned first."""
    taught = {name: learning.load(f"{name}{learning.STURDIER}") for name in networks.BUILDERS}
    return {
        "taught more": system.steering(taught, name="taught more"),
        "levels": system.steering(clean=sturdier.Levels.of(train.frames), name="levels"),
        "median": system.steering(clean=sturdier.median, name="median"),
    }


def gains(before: Findings, after: Mapping[str, Findings], *, draws: int) -> dict[str, Improvement]:
    """What each way gives, on the same pairs."""
    return {name: improvement(before.whole, each.whole, draws=draws) for name, each in after.items()}


def side_by_side(found: Mapping[str, Improvement]) -> Table:
    """The RMSE before, and for each way the RMSE after, with the interval of the gain."""
    heads = [text for name in found for text in (name, "gain (95%)")]
    several = list(found.values())
    rows = []
    for place, first in enumerate(several[0].gains):
        each = [one.gains[place] for one in several]
        cells = [text for gain in each for text in (f"{gain.after.value:.3f}", _signed(*gain.gain.cells))]
        rows.append((first.condition.label, f"{first.before.value:.3f}", *cells))
    return Table(("condition", "as trained", *heads), tuple(rows))


def shares(study: Study, *, draws: int, progress: Progress | None = None) -> Localisation:
    """How much of the added error comes through each network."""
    return localise(
        study.system, study.items, study.conditions, "rmse", draws=draws, batch=study.chunk, progress=progress
    )


def shares_by_network(found: Localisation) -> Table:
    """A row for each condition, a column for each network."""
    names = list(dict.fromkeys(cause.module for cause in found.causes))
    rows = []
    for condition in dict.fromkeys(cause.condition for cause in found.causes):
        causes = {cause.module: cause for cause in found.causes if cause.condition == condition}
        added = causes[names[0]].added.value
        rows.append((condition.label, f"{added:+.3f}", *(_share(*causes[name].share.cells) for name in names)))
    return Table(("condition", "added RMSE", *names), tuple(rows))


def _signed(value: float | None, low: float | None, high: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}{_ends(low, high, '{:+.3f}')}"


def _share(value: float | None, low: float | None, high: float | None) -> str:
    return "-" if value is None else f"{value:.0%}{_ends(low, high, '{:.0%}')}"


def _ends(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f" ({form.format(low)} to {form.format(high)})"
