"""The riskiest inputs, each with an input inside its ball that fails, as a table and as pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table
from surefoot.core.validate import FloatArray
from surefoot.documents import significant
from surefoot.drawing import GREY, INK, RED, wrapped
from surefoot.reliability.balls.result import BallReliability, EvaluatedBalls
from surefoot.reliability.local_risk import Classifier, UniformInside
from surefoot.reliability.rare_events.problem import BELOW, BallProblem
from surefoot.reliability.rare_events.splitting import failing_neighbours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MOST_FEATURES = 8
TRIES = 512


def neighbours(found: BallReliability, most: int) -> list[Neighbour]:
    """The riskiest inputs, the riskiest first; at most half of them such that are answered wrongly themselves."""
    balls, problem = found.cells, found.problem
    places = riskiest(balls, problem.undesired[balls.label, balls.answer], most)
    if not places.size:
        return []
    numbers = balls.number[places]
    failing = _failing(problem, numbers, found.seed)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(failing).all(axis=1))
    inputs = problem.balls.as_inputs(np.where(there[:, None], failing, problem.balls.centres[numbers]))
    answers = Classifier(problem.model, balls.classes)(inputs.astype(problem.balls.centres.dtype))
    return [
        Neighbour(
            row=int(balls.number[place]),
            truth=balls.classes[balls.label[place]],
            answer=balls.classes[balls.answer[place]],
            failed=bool(problem.undesired[balls.label[place], balls.answer[place]]),
            log10_risk=float(balls.log_risk[place]) / math.log(10),
            centre=np.asarray(problem.balls.centres[balls.number[place]], float),
            failing=failing[i] if met else None,
            failing_answer=balls.classes[answers[i]] if met else "",
        )
        for i, (place, met) in enumerate(zip(places, there.tolist(), strict=True))
    ]


def _failing(problem: BallProblem, numbers: NDArray[np.int64], seed: int) -> FloatArray:
    """A failing input of each ball, by splitting; a model that answers with labels is only tried at random points."""
    if problem.decide is None or problem.model.returns != "label":
        return failing_neighbours(problem, numbers, seed=seed)
    points = UniformInside().draw(*problem.balls.corners(numbers), TRIES, np.random.default_rng(seed))
    pairs = zip(numbers.tolist(), points, strict=True)
    inputs = np.concatenate([problem.balls.inputs_at(ball, places) for ball, places in pairs])
    answers = problem.decide(inputs)
    fails = problem.undesired[problem.labels[numbers][:, None], answers.reshape(len(numbers), TRIES)]
    first = inputs.reshape(len(numbers), TRIES, -1)[np.arange(len(numbers)), fails.argmax(axis=1)]
    return np.where(fails.any(axis=1, keepdims=True), first, np.nan)


def riskiest(balls: EvaluatedBalls, failed: NDArray[np.bool_], most: int) -> NDArray[np.int64]:
    """Places of balls in which failures were found, the highest risk first; at most half of them fail at the centre.

    Where too few others are there, more of those are taken.
    """
    order = np.lexsort((balls.number, -balls.log_risk))
    order = order[np.isfinite(balls.log_risk[order]) & (balls.how[order] != BELOW)]
    few = ~failed[order] | (np.cumsum(failed[order]) <= most // 2)
    wanted = np.concatenate([np.flatnonzero(few), np.flatnonzero(~few)])[:most]
    return order[np.sort(wanted)]


def neighbour_table(found: Sequence[Neighbour]) -> Table:
    """The same for inputs that are no pictures."""
    columns = ("row", "true class", "answer", "log10 risk", "answer to a failing neighbour", "input", "neighbour")
    rows = [
        (
            each.row,
            each.truth,
            each.answer,
            each.log10_risk,
            each.failing_answer or "none found",
            _features(each.centre),
            "" if each.failing is None else _features(each.failing),
        )
        for each in found
    ]
    return Table(columns, tuple(rows))


def _features(values: FloatArray) -> str:
    few = ", ".join(f"{value:.4g}" for value in np.ravel(values)[:MOST_FEATURES])
    return few if np.size(values) <= MOST_FEATURES else f"{few}, ..."


# Pictures of the riskiest inputs, each beside a neighbour that fails and what tells them apart.

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


# Inputs as pictures: which axes are height, width and channels, and few enough pixels for a page.

CHANNELS = (1, 3)
FEWEST_PIXELS = 4
MOST_PIXELS = 72
"""Along a side: eight photographs and their neighbours then stay below what a page takes."""


def picture_shape(shape: Sequence[int], stated: Sequence[int] | None = None) -> tuple[int, ...] | None:
    """Height, width and, for colours, place and number of the channels: as stated, or as the shape of inputs shows.

    None where inputs are no pictures. ``(H, W)``, ``(C, H, W)`` and ``(H, W, C)`` with one or three channels are.
    """
    sizes = tuple(shape if stated is None else stated)
    if stated is not None and np.prod(sizes) != np.prod(tuple(shape)):
        raise InvalidInput(
            "picture must have as many values as an input",
            where="picture",
            found=f"{' x '.join(map(str, sizes))} for inputs of {int(np.prod(tuple(shape))):,} values",
        )
    if len(_height_and_width(sizes)) == 2 and min(_height_and_width(sizes)) >= FEWEST_PIXELS:
        return sizes
    if stated is None:
        return None
    raise InvalidInput(
        "picture must be [height, width], with one or three channels first or last where there are any",
        where="picture",
        found=" x ".join(map(str, sizes)),
    )


def _height_and_width(sizes: tuple[int, ...]) -> tuple[int, ...]:
    if len(sizes) == 3 and sizes[0] in CHANNELS:
        return sizes[1:]
    return sizes[:2] if len(sizes) == 2 or (len(sizes) == 3 and sizes[2] in CHANNELS) else ()


def as_picture(values: NDArray[Any], shape: tuple[int, ...]) -> FloatArray:
    """Height by width, by three for colours; a large picture in fewer pixels, each the mean of several."""
    picture = np.asarray(values, dtype=float).reshape(shape)
    if picture.ndim == 3:
        picture = np.moveaxis(picture, 0, -1) if shape[0] in CHANNELS else picture
        picture = picture[..., 0] if picture.shape[-1] == 1 else picture
    step = coarseness(shape)
    rows, columns = (np.arange(0, size, step) for size in picture.shape[:2])
    sums = np.add.reduceat(np.add.reduceat(picture, rows, axis=0), columns, axis=1)
    counts = np.outer(np.diff([*rows, picture.shape[0]]), np.diff([*columns, picture.shape[1]]))
    return np.asarray(sums / (counts[..., None] if picture.ndim == 3 else counts))


def coarseness(shape: tuple[int, ...]) -> int:
    """How many pixels along a side become one."""
    return -(-max(_height_and_width(shape)) // MOST_PIXELS)
