"""Layers: a graph whose links lead from left to right, in columns of cells with lines between them.

Links that close circles are turned, nodes get layers, cells of a column are put into an order with few crossings
(Sugiyama, Tagawa and Toda 1981) and then stand where their lines are as straight as can be (Gansner et al. 1993).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Generic, NamedTuple, TypeVar

MOST_IN_LAYER = 16
ORDER_SWEEPS, HEIGHT_SWEEPS = 12, 16
GAP = 19.0
"""Room for lines between columns."""
CROWD, WIDEST = 6, 30
"""Beside a column of more cells than this there is more room for lines, by at most so much."""
STRAIGHT = (1.0, 2.0, 8.0)
"""How much lines want to be straight, by how many of their ends are soft."""

Pair = tuple[int, int]
Columns = list[list[int]]
Joins = Mapping[int, Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Something in a column."""

    column: int
    width: float = 0.0
    height: float = 4.0
    hanging: float = 0.0
    """Height of what hangs below it."""
    apart: float = 7.0
    """Least distance to a neighbour."""
    soft: bool = True
    """Whether it is the bend or the words of a line, which wants to be straight there, and no box."""

    @property
    def room(self) -> float:
        """Height with what hangs below, and as much above."""
        return self.height + 2 * self.hanging


AnyCell = TypeVar("AnyCell", bound=Cell)


@dataclass(frozen=True)
class Chain:
    """A line through cells, one in each column from left to right; ``back`` where its link leads from right to left."""

    link: int
    cells: tuple[int, ...]
    back: bool


@dataclass(frozen=True)
class Band(Generic[AnyCell]):
    """Cells with their centres, and the height of the ends of each step of each chain."""

    cells: tuple[AnyCell, ...]
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


def place_layers(cells: Sequence[AnyCell], chains: Sequence[Chain]) -> Band[AnyCell]:
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


class _Pull(NamedTuple):
    """A neighbour and how far from it a cell wants to stand."""

    cell: int
    step: float
    weight: float


def _down(
    cells: Sequence[Cell], chains: Sequence[Chain], columns: list[list[int]], ports: dict[tuple[int, int, str], float]
) -> list[float]:
    """Centres: each column settles near to what its neighbours want, from left to right and back."""
    pulls: dict[tuple[int, str], list[_Pull]] = {}
    for number, chain in enumerate(chains):
        for here, there in pairwise(chain.cells):
            step = ports[number, here, "right"] - ports[number, there, "left"]
            weight = STRAIGHT[sum(cells[cell].soft for cell in (here, there))]
            pulls.setdefault((there, "left"), []).append(_Pull(here, step, weight))
            pulls.setdefault((here, "right"), []).append(_Pull(there, -step, weight))
    y = _stacked(cells, columns)
    for sweep in range(HEIGHT_SWEEPS):
        sides = ("left", "right") if sweep >= HEIGHT_SWEEPS - 4 else (("left",), ("right",))[sweep % 2]
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
    return [(one.room + two.room) / 2 + max(one.apart, two.apart) for one, two in pairs]


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


def backward(nodes: int, pairs: Sequence[Pair]) -> frozenset[int]:
    """Places of pairs without which there is no circle: few of them.

    Of those that close circles, either the ones against the order in which nodes are listed, or the ones with it, or
    the ones that lead back to where a walk from the sources came from; the first of the smallest.
    """
    part = _parts(nodes, pairs)
    inside = [place for place, (source, target) in enumerate(pairs) if part[source] == part[target]]
    against = frozenset(place for place in inside if pairs[place][0] > pairs[place][1])
    return min(against, frozenset(inside) - against, _walked(nodes, pairs), key=len)


def _parts(nodes: int, pairs: Sequence[Pair]) -> list[int]:
    """The strongly connected part of each node: two walks (Kosaraju; Sharir 1981)."""
    after: list[list[int]] = [[] for _ in range(nodes)]
    before: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in pairs:
        after[source].append(target)
        before[target].append(source)
    seen, finished = [False] * nodes, list[int]()
    for start in range(nodes):
        finished += _reached(start, after, seen)
    part, seen = [0] * nodes, [False] * nodes
    for start in reversed(finished):
        for node in _reached(start, before, seen):
            part[node] = start
    return part


def _reached(start: int, after: list[list[int]], seen: list[bool]) -> list[int]:
    """What was not seen before, in the order in which it is left."""
    if seen[start]:
        return []
    seen[start] = True
    left: list[int] = []
    way = [(start, iter(after[start]))]
    while way:
        node, rest = way[-1]
        target = next((each for each in rest if not seen[each]), None)
        if target is None:
            left.append(node)
            way.pop()
        else:
            seen[target] = True
            way.append((target, iter(after[target])))
    return left


def _walked(nodes: int, pairs: Sequence[Pair]) -> frozenset[int]:
    leaving: list[list[int]] = [[] for _ in range(nodes)]
    for place, (source, _) in enumerate(pairs):
        leaving[source].append(place)
    entered = {target for _, target in pairs}
    found: set[int] = set()
    state = [0] * nodes
    for start in sorted(range(nodes), key=lambda node: node in entered):
        if not state[start]:
            _walk(start, leaving, pairs, state, found)
    return frozenset(found)


def _walk(start: int, leaving: list[list[int]], pairs: Sequence[Pair], state: list[int], found: set[int]) -> None:
    """Mark nodes as on the way (1) and done (2)."""
    state[start] = 1
    way = [(start, iter(leaving[start]))]
    while way:
        node, rest = way[-1]
        place = next(rest, None)
        if place is None:
            state[node] = 2
            way.pop()
            continue
        target = pairs[place][1]
        if state[target] == 1:
            found.add(place)
        elif not state[target]:
            state[target] = 1
            way.append((target, iter(leaving[target])))


def layers(nodes: int, pairs: Collection[Pair], most: int = MOST_IN_LAYER) -> list[int]:
    """The layer of each node of a graph without circles: every pair leads to a later layer, no layer is crowded.

    Nodes stand as near to what they lead to as they can, and ends as near to what leads to them.
    """
    after: list[list[int]] = [[] for _ in range(nodes)]
    before: list[list[int]] = [[] for _ in range(nodes)]
    for source, target in dict.fromkeys(pairs):
        after[source].append(target)
        before[target].append(source)
    from_end, crowd = [0] * nodes, dict[int, int]()
    for node in reversed(_in_order(after, before)):
        level = max((from_end[each] + 1 for each in after[node]), default=0)
        from_end[node] = _with_room(level, crowd, most)
    deepest = max(from_end, default=0)
    found = [deepest - level for level in from_end]
    crowd = {level: found.count(level) for level in set(found)}
    for node in (node for node in range(nodes) if before[node] and not after[node]):
        crowd[found[node]] -= 1
        found[node] = _with_room(max(found[each] for each in before[node]) + 1, crowd, most)
    return _without_gaps(found)


def _without_gaps(found: list[int]) -> list[int]:
    rank = {level: place for place, level in enumerate(sorted(set(found)))}
    return [rank[level] for level in found]


def _with_room(level: int, crowd: dict[int, int], most: int) -> int:
    while crowd.get(level, 0) >= most:
        level += 1
    crowd[level] = crowd.get(level, 0) + 1
    return level


def _in_order(after: list[list[int]], before: list[list[int]]) -> list[int]:
    waiting = [len(each) for each in before]
    ready = [node for node, count in enumerate(waiting) if not count]
    for node in ready:
        for target in after[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ready


def ordered(columns: Columns, left: Joins, right: Joins) -> Columns:
    """Columns with the fewest crossings that sweeps find; ``left`` and ``right`` are the neighbours of each cell."""
    best = current = columns
    fewest = crossings(columns, right)
    for sweep in range(ORDER_SWEEPS):
        current = _swept(current, right, backwards=True) if sweep % 2 else _swept(current, left, backwards=False)
        count = crossings(current, right)
        if count < fewest:
            best, fewest = current, count
    return best


def crossings(columns: Columns, right: Joins) -> int:
    """How many pairs of lines between neighbouring columns cross."""
    total = 0
    for here, there in pairwise(columns):
        place = {cell: number for number, cell in enumerate(there)}
        seen: list[int] = []
        for cell in here:
            ends = sorted(place[other] for other in right.get(cell, ()))
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _swept(columns: Columns, joins: Joins, *, backwards: bool) -> Columns:
    done = columns[-1:] if backwards else columns[:1]
    for column in columns[-2::-1] if backwards else columns[1:]:
        place = {cell: number / max(1, len(done[-1]) - 1) for number, cell in enumerate(done[-1])}
        done.append(_by_neighbours(column, joins, place))
    return done[::-1] if backwards else done


def _by_neighbours(column: list[int], joins: Joins, place: Mapping[int, float]) -> list[int]:
    def wanted(number: int) -> tuple[float, int]:
        beside = joins.get(column[number], ())
        share = sum(place[cell] for cell in beside) / len(beside) if beside else number / max(1, len(column) - 1)
        return share, number

    return [column[number] for number in sorted(range(len(column)), key=wanted)]


def settled(wanted: Sequence[float], apart: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Places in the same order, each at least ``apart`` below the one before, nearest to the wanted ones.

    Weighted least squares under order: pools of adjacent violators (Ayer et al. 1955), the distances taken off before.

    >>> settled([0.0, 0.0, 30.0], [10.0, 10.0], [1.0, 3.0, 1.0])
    [-7.5, 2.5, 30.0]
    """
    shift = [0.0]
    for distance in apart:
        shift.append(shift[-1] + distance)
    pools: list[tuple[float, float, int]] = []
    for value, offset, weight in zip(wanted, shift, weights, strict=True):
        total, count = weight * (value - offset), 1
        while pools and pools[-1][0] / pools[-1][1] > total / weight:
            earlier = pools.pop()
            total, weight, count = total + earlier[0], weight + earlier[1], count + earlier[2]
        pools.append((total, weight, count))
    level = [total / weight for total, weight, count in pools for _ in range(count)]
    return [value + offset for value, offset in zip(level, shift, strict=True)]
