"""Pictures of the riskiest inputs, each beside a neighbour that fails and what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.drawing import GREY, INK, RED, wrapped
from surefoot.project.steps.ball_pixels import as_picture, coarseness

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BESIDE_EACH_OTHER = 2
WIDTH, LEFT, SIDE, GAP = 7.0, 0.2, 1.0, 0.09
HEAD, FOOT, TOP, BOTTOM = 0.23, 0.34, 0.52, 0.6
"""Inches above and below the pictures of a ball, above the first row, and below the last."""
TITLE = "Inputs at the highest risk, a neighbour of each that fails, and their difference"
NAMES = ("input", "failing neighbour", "difference")
SMALL = 8
CHANGES = "RdBu_r"
LOWEST_POWER = -300


@dataclass(frozen=True, eq=False)
class Neighbour:
    """An input, what it is and what it is taken for; and a failing input in its ball, where one was found."""

    row: int
    truth: str
    answer: str
    failed: bool
    """Whether the input itself is answered wrongly."""
    log10_risk: float
    centre: FloatArray
    failing: FloatArray | None
    failing_answer: str


def pictures(found: Sequence[Neighbour], shape: tuple[int, ...], *, low: float, high: float) -> Figure:
    """A grid of inputs, failing neighbours and differences; ``low`` and ``high`` are black and white."""
    from matplotlib.figure import Figure

    rows = -(-len(found) // BESIDE_EACH_OTHER)
    height = TOP + rows * (HEAD + SIDE + FOOT) + BOTTOM
    figure = Figure(figsize=(WIDTH, height))
    _whole(figure).set_title(TITLE, fontsize=9, loc="left", color=INK)
    reach = max((float(np.abs(change).max()) for each in found for change in _change(each, shape)), default=0.0) or high
    for place, each in enumerate(found):
        row, column = divmod(place, BESIDE_EACH_OTHER)
        trio = list(_trio(figure, column, height - TOP - row * (HEAD + SIDE + FOOT) - HEAD - SIDE))
        _words(trio, each)
        if row == 0:
            _column_names(trio)
        for axes, part in zip(trio, (each.centre, each.failing), strict=False):
            if part is not None:
                seen = np.clip((as_picture(part, shape) - low) / (high - low), 0, 1)
                axes.imshow(seen, cmap="gray", vmin=0, vmax=1, interpolation="none")
        for change in _change(each, shape):
            trio[2].imshow(change, cmap=CHANGES, vmin=-reach, vmax=reach, interpolation="none")
    _scale(figure, reach, shape)
    return figure


def _change(each: Neighbour, shape: tuple[int, ...]) -> list[FloatArray]:
    """How much lighter each pixel of the neighbour is, if there is one."""
    if each.failing is None:
        return []
    change = as_picture(each.failing, shape) - as_picture(each.centre, shape)
    return [change.mean(axis=-1) if change.ndim == 3 else change]


def _whole(figure: Figure) -> Axes:
    """Bears the title, from which the page takes what the figure says of itself."""
    axes = figure.add_axes((LEFT / WIDTH, 0, 1, 1 - 0.22 / figure.get_figheight()))
    axes.set_axis_off()
    return axes


def _trio(figure: Figure, column: int, bottom: float) -> Iterator[Axes]:
    """Three square panels beside each other, whose lower edge is so many inches up."""
    height = figure.get_figheight()
    for place in range(len(NAMES)):
        left = LEFT + column * (WIDTH - LEFT) / BESIDE_EACH_OTHER + place * (SIDE + GAP)
        axes = figure.add_axes((left / WIDTH, bottom / height, SIDE / WIDTH, SIDE / height))
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set(color=GREY, lw=0.5)
        yield axes


def _words(trio: Sequence[Axes], each: Neighbour) -> None:
    (head,) = wrapped(f"row {each.row}: true class {each.truth}", 72 * (2 * SIDE + GAP), SMALL, most=1)
    _said(trio[0], head, above=True, weight="bold")
    _said(trio[2], f"risk {_risk(each.log10_risk)}", above=True, right=True)
    _said(trio[0], _answered(each.answer), colour=RED if each.failed else INK)
    if each.failing is not None:
        _said(trio[1], _answered(each.failing_answer), colour=RED)
        return
    trio[1].text(0.5, 0.5, "none found", transform=trio[1].transAxes, fontsize=SMALL, ha="center", color=GREY)
    trio[2].spines[:].set_visible(False)


def _answered(name: str) -> str:
    return "\n".join(wrapped(f"answered {name}", 72 * (SIDE + GAP), SMALL, most=2))


def _column_names(trio: Sequence[Axes]) -> None:
    for axes, name in zip(trio, NAMES, strict=True):
        place = (0, 1 + (HEAD + 0.02) / SIDE)
        axes.text(*place, name, transform=axes.transAxes, fontsize=SMALL, color=GREY, va="bottom")


def _said(
    axes: Axes, text: str, *, above: bool = False, right: bool = False, colour: str = INK, weight: str = "normal"
) -> None:
    axes.text(
        1 if right else 0,
        1 + 0.04 / SIDE if above else -0.05 / SIDE,
        text,
        transform=axes.transAxes,
        fontsize=SMALL,
        color=colour,
        fontweight=weight,
        ha="right" if right else "left",
        va="bottom" if above else "top",
        parse_math=False,
    )


def _risk(log10: float) -> str:
    """Probabilities below what numbers can hold are written by their power of ten."""
    if log10 > LOWEST_POWER or np.isneginf(log10):
        return significant(float(10.0**log10))
    return f"below 1e{LOWEST_POWER}"


def _scale(figure: Figure, reach: float, shape: tuple[int, ...]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    height = figure.get_figheight()
    axes = figure.add_axes((LEFT / WIDTH, 0.36 / height, 2 * SIDE / WIDTH, 0.09 / height))
    shades = ScalarMappable(Normalize(-reach, reach), CHANGES)
    bar = figure.colorbar(shades, cax=axes, orientation="horizontal", ticks=[-reach, 0, reach])
    bar.ax.set_xticklabels([f"\u2212{reach:.3g}", "0", f"+{reach:.3g}"])
    bar.ax.tick_params(labelsize=SMALL, length=2)
    figure.text((LEFT + 2 * SIDE + 0.3) / WIDTH, 0.4 / height, _note(shape), fontsize=SMALL, color=INK, va="center")


def _note(shape: tuple[int, ...]) -> str:
    words = "difference: blue is darker, red is lighter than the input"
    words += ",\nmean of the channels" if len(shape) == 3 and 3 in (shape[0], shape[2]) else ""
    step = coarseness(shape)
    return words if step == 1 else f"{words};\n{step} x {step} pixels are shown as one"
