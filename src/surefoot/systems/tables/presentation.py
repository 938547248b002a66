"""Tables as paper SYS prints them, and figures of drops and of tested statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import InvalidInput, Table
from surefoot.documents import percent, shortened, visible
from surefoot.drawing import BLUE, COLOURS, GREY, INK, PALE, RED, new_axes, open_frame
from surefoot.systems.data import Condition
from surefoot.systems.tables.degradation import Drop, Interval, Performance
from surefoot.systems.tables.inference import Cell, Tested

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL = 8.5
LONGEST_NAME = 34
GAP, SMALL_GAP = 0.8, 0.25
"""Space between two corruptions in lines and in a heat map, in steps of severity."""
MEANING = {
    "effect": "effect: share of items whose score is above that in the next milder condition",
    "overlap": "overlap: share of the top items that two modules have in common",
    "rho": "rho: rank correlation of two modules' scores",
    "tau": "tau: rank correlation of changes against clean",
}
LETTERS, NAMES = 13, 1.5
"""Letters an inch holds, and inches that the names of rows take."""
STEP = 0.34
"""Inches a condition or a row takes."""
UNDEFINED = "-"
NOT_SIGNIFICANT = "*"


def as_in_paper(
    found: Tested | Performance | Mapping[str, Performance], *, for_all: bool = False, intervals: bool = False
) -> Table:
    """A table of words as paper SYS prints it; ``*`` marks what is not significant, ``-`` what is undefined.

    Parameters
    ----------
    found
        Tests, a performance, or several performances (``side_by_side``), which stand beside each other.
    for_all
        Whether significance is judged for all tests together, or test by test as in the paper.
    intervals
        Whether intervals are added.

    Returns
    -------
    Table
        A row for each corruption and severity, a column for each module or system.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> from surefoot.systems.tables import shifts
    >>> as_in_paper(shifts(measured, "uncertainty")).rows
    (('fog', '3 - clean', '0.71'),)

    """
    if isinstance(found, Tested):
        return _of_tests(found, for_all, intervals)
    return _of_performances({"": found} if isinstance(found, Performance) else found, intervals)


def _of_tests(tested: Tested, for_all: bool, intervals: bool) -> Table:
    rows = dict.fromkeys((cell.condition, cell.against) for cell in tested.cells)
    columns = dict.fromkeys(tested.label(cell) for cell in tested.cells)
    cells = {(cell.condition, tested.label(cell)): cell for cell in tested.cells}
    words = [
        (*_where(condition, against), *(_cell(tested, cells.get((condition, c)), for_all, intervals) for c in columns))
        for condition, against in rows
    ]
    return Table(("corruption", "severity", *columns), tuple(words))


def _where(condition: Condition, against: Condition | None) -> tuple[str, str]:
    if condition.clean:
        return "clean", UNDEFINED
    milder = "" if against is None else " - clean" if against.clean else f" - {against.severity}"
    return condition.corruption, f"{condition.severity}{milder}"


def _cell(tested: Tested, cell: Cell | None, for_all: bool, intervals: bool) -> str:
    if cell is None or cell.value is None:
        return UNDEFINED
    share = tested.statistic == "overlap"
    significant = cell.significant_all if for_all else cell.significant
    number = f"{100 * cell.value:.1f}%" if share else fixed(cell.value, 2)
    return f"{number}{'' if significant else NOT_SIGNIFICANT}{_range(cell.interval, 2) if intervals else ''}"


def fixed(value: float, digits: int) -> str:
    """A number with so many digits, and no sign on a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _range(interval: Interval | None, digits: int) -> str:
    return "" if interval is None else f" [{fixed(interval[0], digits)}, {fixed(interval[1], digits)}]"


def _of_performances(several: Mapping[str, Performance], intervals: bool) -> Table:
    conditions = dict.fromkeys(drop.condition for each in several.values() for drop in each.drops)
    known = {(name, drop.condition): drop for name, each in several.items() for drop in each.drops}
    heads = [f"{name} {head}".strip() for name, each in several.items() for head in (each.metric.name, "drop (%)")]
    rows = [
        (
            *_where(condition, None),
            *(text for name in several for text in _texts(known.get((name, condition)), intervals)),
        )
        for condition in conditions
    ]
    return Table(("corruption", "severity", *heads), tuple(rows))


def _texts(drop: Drop | None, intervals: bool) -> tuple[str, str]:
    if drop is None:
        return UNDEFINED, UNDEFINED
    ends = None if drop.drop_interval is None else (100 * drop.drop_interval[0], 100 * drop.drop_interval[1])
    value = UNDEFINED if drop.value is None else fixed(drop.value, 3)
    share = UNDEFINED if drop.drop is None else fixed(100 * drop.drop, 1)
    return (value + _range(drop.interval, 3), share + _range(ends, 1)) if intervals else (value, share)


def plot_drops(found: Performance | Mapping[str, Performance], *, ax: Axes | None = None) -> Axes:
    """Relative drop against severity for each corruption, with intervals; a colour for each configuration.

    Parameters
    ----------
    found
        A performance, or several by name.
    ax
        Where to draw.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    performance, side_by_side

    """
    several = {found.system: found} if isinstance(found, Performance) else dict(found)
    conditions = _conditions([drop.condition for each in several.values() for drop in each.drops])
    places = _places(conditions, GAP)
    axes = open_frame(new_axes(max(4.6, 1.6 + STEP * places[-1]), 3.6) if ax is None else ax)
    for number, (name, each) in enumerate(several.items()):
        _drop_lines(axes, each, dict(zip(conditions, places, strict=True)), name, number, len(several))
    axes.axhline(0, color=INK, lw=0.8)
    level = next(iter(several.values())).level
    axes.set_ylabel(f"relative drop, {percent(level)} intervals", fontsize=SMALL)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes.tick_params(axis="y", labelsize=SMALL)
    axes.grid(True, axis="y", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    _severities(axes, conditions, places)
    if len(several) > 1:
        legend = axes.legend(frameon=False, fontsize=SMALL)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return axes


def _conditions(given: Sequence[Condition]) -> list[Condition]:
    """Corrupted ones once each, severities of one corruption together and in order."""
    once = [condition for condition in dict.fromkeys(given) if not condition.clean]
    if not once:
        raise InvalidInput("there is no corrupted condition to draw", where="figures", remedy="Measure one.")
    names = list(dict.fromkeys(condition.corruption for condition in once))
    return sorted(once, key=lambda condition: (names.index(condition.corruption), condition.severity))


def _places(conditions: Sequence[Condition], gap: float) -> list[float]:
    new = [a.corruption != b.corruption for a, b in pairwise(conditions)]
    return [0.0, *np.cumsum([1 + gap * apart for apart in new]).tolist()]


def _drop_lines(
    axes: Axes, found: Performance, places: Mapping[Condition, float], name: str, number: int, count: int
) -> None:
    colour, aside = COLOURS[number % len(COLOURS)], 0.5 * (number - (count - 1) / 2) / max(count, 1)
    style = ("-", "--", ":")[number // len(COLOURS) % 3]
    known = [drop for drop in found.drops if drop.drop is not None]
    for word, corruption in enumerate(dict.fromkeys(drop.condition.corruption for drop in known)):
        drops = [drop for drop in known if drop.condition.corruption == corruption]
        x = [places[drop.condition] + aside for drop in drops]
        label = shortened(visible(name), LONGEST_NAME) if not word else None
        axes.plot(
            x,
            np.array([drop.drop for drop in drops], float),
            style,
            marker="o",
            color=colour,
            ms=3.5,
            lw=1.2,
            label=label,
        )
        _whiskers(axes, x, drops, colour)


def _whiskers(axes: Axes, x: Sequence[float], drops: Sequence[Drop], colour: str) -> None:
    for place, drop in zip(x, drops, strict=True):
        if drop.drop_interval is not None:
            axes.vlines(place, *drop.drop_interval, color=colour, lw=1.8, alpha=0.5)


def _severities(axes: Axes, conditions: Sequence[Condition], places: Sequence[float]) -> None:
    """Severities at the ticks, and each corruption once under its own."""
    axes.set_xticks(list(places), [str(condition.severity) for condition in conditions], fontsize=SMALL)
    for name in dict.fromkeys(condition.corruption for condition in conditions):
        middle = np.mean([p for p, c in zip(places, conditions, strict=True) if c.corruption == name])
        text = shortened(visible(name.replace("_", " ")), 18)
        axes.annotate(
            text,
            (float(middle), 0),
            (0, -20),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=SMALL,
            parse_math=False,
        )


def plot_cells(tested: Tested, *, ax: Axes | None = None) -> Axes:
    """A heat map: a row for each module and score, a column for each condition; what is not significant is grey.

    Blue is above the value that means no relation or no shift, red below; significant is what holds for all tests.

    Parameters
    ----------
    tested
        Tests.
    ax
        Where to draw.

    Returns
    -------
    Axes
        What was drawn on.

    See Also
    --------
    shifts, error_changes

    """
    conditions = _conditions([cell.condition for cell in tested.cells])
    labels = list(dict.fromkeys(map(tested.label, tested.cells)))
    places = _places(conditions, SMALL_GAP)
    axes = new_axes(2.6 + 0.44 * (places[-1] + 1), 1.1 + STEP * len(labels)) if ax is None else ax
    column, row = dict(zip(conditions, places, strict=True)), {label: i for i, label in enumerate(labels)}
    for cell in tested.cells:
        if cell.condition in column:
            _square(axes, column[cell.condition], row[tested.label(cell)], cell, tested)
    axes.set_xlim(-0.55, places[-1] + 0.55)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    names = [shortened(visible(label), LONGEST_NAME) for label in labels]
    axes.set_yticks(range(len(labels)), names, fontsize=SMALL, parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure = axes.get_figure(root=True)
    width = figure.get_figwidth() if figure else NAMES
    said = fill(f"{MEANING[tested.statistic]}; grey: not significant", max(20, int(LETTERS * (width - NAMES))))
    axes.set_title(said, fontsize=SMALL, loc="left")
    _severities(axes, conditions, places)
    return axes


def _square(axes: Axes, x: float, y: float, cell: Cell, tested: Tested) -> None:
    from matplotlib.patches import Rectangle

    colour, text, ink = PALE, "", INK
    if cell.value is not None:
        none, most = (tested.none, 0.5 if tested.none else 1.0) if tested.none is not None else (0.0, 1.0)
        strength = min(abs(cell.value - none) / most, 1.0)
        colour = _mixed(BLUE if cell.value >= none else RED, strength) if cell.significant_all else "#ffffff"
        ink = GREY if not cell.significant_all else "#ffffff" if strength > 0.6 else INK
        text = fixed(cell.value, 2)
    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=colour, edgecolor=PALE, lw=0.6))
    axes.text(x, y, text, ha="center", va="center", fontsize=SMALL - 1.5, color=ink)


def _mixed(colour: str, strength: float) -> str:
    """A colour on white, from pale to full."""
    share = 0.12 + 0.88 * strength
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - (255 - part) * share):02x}" for part in parts)
