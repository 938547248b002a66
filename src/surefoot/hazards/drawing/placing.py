"""Where everything of one band stands: order in columns, places down and across, and where lines meet boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from surefoot.hazards.drawing.cells import GAP, Cell, Chain
from surefoot.hazards.drawing.heights import settled
from surefoot.hazards.drawing.order import ordered

SWEEPS = 16
CROWD, WIDEST = 6, 30
"""Beside a column of more cells than this there is more room for lines, by at most so much."""
APART = {"node": 16.0, "elsewhere": 10.0, "flow": 7.0, "bend": 7.0}


STRAIGHT = (1.0, 2.0, 8.0)
"""How much lines want to be straight, by how many of their ends are no boxes (Gansner et al. 1993)."""


class _Pull(NamedTuple):
    """A neighbour and how far from it a cell wants to stand."""

    cell: int
    step: float
    weight: float


@dataclass(frozen=True)
class Band:
    """Cells with their centres, and the height of the ends of each step of each chain."""

    cells: tuple[Cell, ...]
    chains: tuple[Chain, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    left: tuple[float, ...]
    """Left edge of the column of each cell."""
    right: tuple[float, ...]
    ports: dict[tuple[int, int, str], float]
    """How far from the centre of a cell (second) the line of a chain (first) meets its side (third)."""
    width: float
    height: float


def placed(cells: Sequence[Cell], chains: Sequence[Chain]) -> Band:
    """Lay out one band, its left upper corner at the origin."""
    columns = _columns(cells, chains)
    place = {cell: number for column in columns for number, cell in enumerate(column)}
    ports = _ports(cells, chains, place)
    y = _down(cells, chains, columns, ports)
    x, left, right, width = _across(cells, columns)
    height = max((y[place] + cell.room / 2 for place, cell in enumerate(cells)), default=0.0)
    return Band(tuple(cells), tuple(chains), x, tuple(y), left, right, ports, width, height)


def _columns(cells: Sequence[Cell], chains: Sequence[Chain]) -> list[list[int]]:
    first, last = min(cell.column for cell in cells), max(cell.column for cell in cells)
    columns: list[list[int]] = [[] for _ in range(first, last + 1)]
    for place, cell in enumerate(cells):
        columns[cell.column - first].append(place)
    left: dict[int, list[int]] = {}
    right: dict[int, list[int]] = {}
    for chain in chains:
        for here, there in pairwise(chain.cells):
            right.setdefault(here, []).append(there)
            left.setdefault(there, []).append(here)
    return ordered(columns, left, right)


def _ports(cells: Sequence[Cell], chains: Sequence[Chain], place: dict[int, int]) -> dict[tuple[int, int, str], float]:
    """Lines at one side of a box stand in the order of where they come from or go to."""
    meeting: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for number, chain in enumerate(chains):
        for here, there in pairwise(chain.cells):
            meeting.setdefault((here, "right"), []).append((place[there], number))
            meeting.setdefault((there, "left"), []).append((place[here], number))
    ports = {}
    for (cell, side), lines in meeting.items():
        step = cells[cell].height / (len(lines) + 1)
        for rank, (_, number) in enumerate(sorted(lines), start=1):
            ports[number, cell, side] = rank * step - cells[cell].height / 2
    return ports


def _down(
    cells: Sequence[Cell], chains: Sequence[Chain], columns: list[list[int]], ports: dict[tuple[int, int, str], float]
) -> list[float]:
    """Centres: each column settles near to what its neighbours want, from left to right and back."""
    pulls: dict[tuple[int, str], list[_Pull]] = {}
    for number, chain in enumerate(chains):
        for here, there in pairwise(chain.cells):
            step = ports[number, here, "right"] - ports[number, there, "left"]
            weight = STRAIGHT[sum(cells[cell].kind in ("flow", "bend") for cell in (here, there))]
            pulls.setdefault((there, "left"), []).append(_Pull(here, step, weight))
            pulls.setdefault((here, "right"), []).append(_Pull(there, -step, weight))
    y = _stacked(cells, columns)
    for sweep in range(SWEEPS):
        sides = ("left", "right") if sweep >= SWEEPS - 4 else (("left",), ("right",))[sweep % 2]
        for column in columns if sweep % 2 == 0 else reversed(columns):
            _settle(column, cells, sides, pulls, y)
    top = min((y[place] - cell.room / 2 for place, cell in enumerate(cells)), default=0.0)
    return [value - top for value in y]


def _stacked(cells: Sequence[Cell], columns: list[list[int]]) -> list[float]:
    y = [0.0] * len(cells)
    for column in columns:
        gaps = _gaps(column, cells)
        start = -sum(gaps) / 2
        for cell, value in zip(column, accumulate(gaps, initial=start), strict=False):
            y[cell] = value
    return y


def _settle(
    column: list[int],
    cells: Sequence[Cell],
    sides: tuple[str, ...],
    pulls: dict[tuple[int, str], list[_Pull]],
    y: list[float],
) -> None:
    wanted, weights = [], []
    for cell in column:
        near = [pull for side in sides for pull in pulls.get((cell, side), ())]
        weight = sum(pull.weight for pull in near)
        wanted.append(sum(pull.weight * (y[pull.cell] + pull.step) for pull in near) / weight if near else y[cell])
        weights.append(weight or 0.1)
    for cell, value in zip(column, settled(wanted, _gaps(column, cells), weights), strict=True):
        y[cell] = value


def _gaps(column: list[int], cells: Sequence[Cell]) -> list[float]:
    """Least distance of the centres of neighbours."""
    pairs = ((cells[one], cells[two]) for one, two in pairwise(column))
    return [(one.room + two.room) / 2 + max(APART[one.kind], APART[two.kind]) for one, two in pairs]


def _across(
    cells: Sequence[Cell], columns: list[list[int]]
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...], float]:
    x, left, right = ([0.0] * len(cells) for _ in range(3))
    edge = end = 0.0
    for column in columns:
        width = max((cells[cell].width for cell in column), default=0.0)
        for cell in column:
            left[cell], x[cell], right[cell] = edge, edge + width / 2, edge + width
        edge += width
        end, edge = edge, edge + GAP + min(max(0, len(column) - CROWD), WIDEST)
    return tuple(x), tuple(left), tuple(right), end
