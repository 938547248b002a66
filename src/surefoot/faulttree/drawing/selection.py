"""What is drawn of a tree: gates in full, single inputs, lists of inputs; of a large tree as much as can be read.

Gates drawn in full are grown from the top, level by level, each at most once, those that matter first.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from surefoot.core import InvalidInput, validate
from surefoot.drawing.text import text_width
from surefoot.faulttree.formula import Formula

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


FEW, FEWEST = 3, 1
"""More inputs than these that nothing stands below are written as a list, if there is room and if there is not."""
IN_ORDER = ("pand", "imply", "inhibit")
"""Gates whose inputs keep their places."""
MOST_GATES = 80
"""More gates than these are drawn in full only where they are highlighted."""
Role = Literal["gate", "leaf", "transfer", "collapsed", "list"]
MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class Row:
    """An input in a list."""

    item: int
    role: Role


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the drawing. A list has the item of its gate."""

    item: int
    role: Role
    depth: int
    parent: int | None
    rows: tuple[Row, ...] = ()
    hidden: tuple[int, ...] = ()
    """Inputs that the last row of a list counts instead of naming them."""
    condition: int | None = None
    """The event that stands in an oval beside an inhibit gate."""


def plan(growth: Growth, *, keep: Collection[int], most_rows: int | None) -> list[Part]:
    """Blocks, each after its parent, siblings from left to right; rows in ``keep`` are never left out."""
    roles = _roles(growth)
    parts: list[Part] = []
    waiting: list[tuple[int, int | None, bool]] = [(0, None, False)]
    while waiting:
        number, parent, as_list = waiting.pop()
        one = growth.occurrences[number]
        if as_list:
            rows = [Row(growth.occurrences[row].item, roles[row]) for row in growth.listed(number)]
            parts.append(_list(Part(one.item, "list", one.depth + 1, parent), rows, keep, most_rows))
            continue
        condition = growth.condition(number) if one.inputs else None
        parts.append(Part(one.item, roles[number], one.depth, parent, condition=condition))
        place = len(parts) - 1
        waiting += [(below, place, is_list) for below, is_list in reversed(list(_below(growth, number)))]
    return parts


def _below(growth: Growth, number: int) -> Iterator[tuple[int, bool]]:
    """What stands below a gate; its list goes by the number of the gate and stands where the first row would."""
    listed = growth.listed(number)
    rows = set(listed)
    for below in growth.below(number):
        if below not in rows:
            yield below, False
        elif below == listed[0]:
            yield number, True


def _list(part: Part, rows: Sequence[Row], keep: Collection[int], most: int | None) -> Part:
    shown = _shown(rows, keep, len(rows) if most is None else most)
    kept = tuple(rows[place] for place in sorted(shown))
    hidden = tuple(row.item for place, row in enumerate(rows) if place not in shown)
    return Part(part.item, part.role, part.depth, part.parent, kept, hidden)


def _shown(rows: Sequence[Row], keep: Collection[int], most: int) -> set[int]:
    if len(rows) <= most:
        return set(range(len(rows)))
    needed = [place for place, row in enumerate(rows) if row.item in keep]
    others = [place for place, row in enumerate(rows) if row.item not in keep]
    return {*needed, *others[: max(0, most - 1 - len(needed))]}


def _roles(growth: Growth) -> list[Role]:
    """A gate that is collapsed at several places is collapsed at the first, and a transfer elsewhere."""
    drawn = set(growth.in_full)
    roles: list[Role] = []
    for number, one in enumerate(growth.occurrences):
        if one.inputs:
            roles.append("gate")
        elif not growth.item(number).is_gate:
            roles.append("leaf")
        else:
            roles.append("transfer" if one.item in drawn else "collapsed")
            drawn.add(one.item)
    return roles


@dataclass(slots=True)
class Occurrence:
    """An item at one of the places where it stands; it has inputs where it is drawn in full."""

    item: int
    depth: int
    parent: int | None
    inputs: list[int] = field(default_factory=list)


class Growth:
    """Occurrences of items; an input has a higher number than its gate."""

    def __init__(self, graph: Graph, few: int = FEW) -> None:
        self.graph, self.few = graph, few
        self.occurrences = [Occurrence(0, 0, None)]
        self.in_full: set[int] = set()
        self._expand(0)

    def grow(self, wanted: Callable[[int], bool]) -> None:
        """Draw all wanted occurrences in full, the upper ones first."""
        open_ones = [(one.depth, number) for number, one in enumerate(self.occurrences) if not one.inputs]
        heapify(open_ones)
        while open_ones:
            depth, number = heappop(open_ones)
            if self._may_expand(number) and wanted(number):
                for below in self._expand(number):
                    heappush(open_ones, (depth + 1, below))

    def item(self, number: int) -> Item:
        """What stands at an occurrence."""
        return self.graph.items[self.occurrences[number].item]

    def condition(self, number: int) -> int | None:
        """The input that stands in an oval beside an inhibit gate, if it is no gate itself."""
        item = self.item(number)
        last = item.inputs[-1] if item.inputs else 0
        return last if item.kind == "inhibit" and not self.graph.items[last].is_gate else None

    def below(self, number: int) -> list[int]:
        """Inputs that stand below the gate: all but the condition in its oval."""
        inputs = self.occurrences[number].inputs
        return inputs[:-1] if inputs and self.condition(number) is not None else inputs

    def listed(self, number: int) -> list[int]:
        """Inputs that are written as a list."""
        leaves = [below for below in self.below(number) if not self.occurrences[below].inputs]
        return leaves if len(leaves) > self.few and self.item(number).kind not in IN_ORDER else []

    def _expand(self, number: int) -> list[int]:
        gate = self.occurrences[number]
        start = len(self.occurrences)
        self.occurrences += [Occurrence(item, gate.depth + 1, number) for item in self.graph.items[gate.item].inputs]
        gate.inputs = list(range(start, len(self.occurrences)))
        self.in_full.add(gate.item)
        return gate.inputs

    def _may_expand(self, number: int) -> bool:
        item = self.occurrences[number].item
        return bool(self.graph.items[item].inputs) and item not in self.in_full


def chosen(graph: Graph, collapse: Collection[int], depth: int | None, few: int = FEW) -> Growth:
    """Everything in full but the gates named and those too deep."""
    growth = Growth(graph, few)
    ones = growth.occurrences
    growth.grow(lambda number: ones[number].item not in collapse and (depth is None or ones[number].depth < depth))
    return growth


def automatic(
    graph: Graph, sizes: Sizes, *, width: float, always: Collection[int], first: Collection[int], depth: int | None
) -> Growth:
    """All gates in ``always``, then those in ``first``, then others while the width suffices."""
    growth = Growth(graph, FEWEST)
    ones = growth.occurrences

    def shallow(number: int) -> bool:
        return depth is None or ones[number].depth < depth

    def few() -> bool:
        return len(growth.in_full) < MOST_GATES

    growth.grow(lambda number: ones[number].item in always and shallow(number))
    growth.grow(lambda number: ones[number].item in first and shallow(number) and few())
    widths = Widths(growth, sizes)
    growth.grow(lambda number: shallow(number) and few() and widths.take(number, width))
    return growth


class Widths:
    """How wide the drawing is at most, kept up to date while it grows."""

    def __init__(self, growth: Growth, sizes: Sizes) -> None:
        self.growth, self.sizes = growth, sizes
        self.of: dict[int, float] = {}
        for number in reversed(range(len(growth.occurrences))):
            if growth.occurrences[number].inputs:
                self.of[number] = self._width(number, self.of)

    def take(self, number: int, room: float) -> bool:
        """Whether there is room to draw one more gate in full; it is then counted."""
        changed = {number: self._row(number, [], len(self.growth.item(number).inputs))}
        widths = ChainMap(changed, self.of)
        parent = self.growth.occurrences[number].parent
        while parent is not None:
            changed[parent] = self._width(parent, widths)
            parent = self.growth.occurrences[parent].parent
        if changed[0] > room:
            return False
        self.of |= changed
        return True

    def _width(self, number: int, known: Mapping[int, float]) -> float:
        inputs = self.growth.occurrences[number].inputs
        gates = [known[below] for below in inputs if below in known]
        return self._row(number, gates, len(inputs) - len(gates))

    def _row(self, number: int, gates: list[float], leaves: int) -> float:
        """Widths of the inputs side by side."""
        kind = self.growth.item(number).kind
        if leaves > self.growth.few and kind not in IN_ORDER:
            gates, leaves = [*gates, self.sizes.list + self.sizes.box / 2], 0
        columns = len(gates) + leaves
        own = self.sizes.box + (self.sizes.oval if kind == "inhibit" else 0.0)
        return max(own, sum(gates) + leaves * self.sizes.box + (columns - 1) * GAP)


# A tree as numbered items, so that gates with and without a name, events and constants are handled alike.
#
# With that goes what is highlighted: a cut set with the gates that it makes true, or the ways from a gate to an event.


@dataclass(frozen=True, slots=True)
class Item:
    """A gate, a formula without a name, a basic event, a house event or a constant.

    ``kind`` is the kind of the formula, or event, undeveloped (an event without a quantity), house or constant.
    """

    kind: str
    name: str = ""
    label: str = ""
    component: str = ""
    formula: Formula | None = None
    state: bool = False
    inputs: tuple[int, ...] = ()

    @property
    def is_gate(self) -> bool:
        """Whether something can stand below."""
        return self.formula is not None


@dataclass(frozen=True)
class Graph:
    """Everything below one gate, level by level; the first item is that gate."""

    items: tuple[Item, ...]

    @cached_property
    def index(self) -> dict[str, int]:
        """Items by name."""
        return {item.name: place for place, item in enumerate(self.items) if item.name}

    @cached_property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Which gates have the item as an input."""
        above: list[list[int]] = [[] for _ in self.items]
        for place, item in enumerate(self.items):
            for child in item.inputs:
                above[child].append(place)
        return tuple(map(tuple, above))

    @cached_property
    def bottom_up(self) -> tuple[int, ...]:
        """Every item after its inputs."""
        missing = [len(item.inputs) for item in self.items]
        ready = [place for place, count in enumerate(missing) if not count]
        for place in ready:
            for parent in self.parents[place]:
                missing[parent] -= 1
                if not missing[parent]:
                    ready.append(parent)
        return tuple(ready)

    def below(self, start: Iterable[int]) -> set[int]:
        """The items and all that stands below them."""
        return _reached(start, [item.inputs for item in self.items])

    def above(self, start: Iterable[int]) -> set[int]:
        """The items and all that stands above them."""
        return _reached(start, self.parents)

    def ways(self, ends: Iterable[int]) -> set[int]:
        """A shortest way from the first item to each of these; items are numbered by their distance from the first."""
        found: set[int] = set()
        for end in ends:
            place = end
            while place not in found:
                found.add(place)
                place = min(self.parents[place], default=place)
        return found


def graph(tree: FaultTree, root: str | None = None) -> Graph:
    """The tree from a gate downwards; the top event is the default."""
    first = tree.top if root is None else validate.choice(root, tree.gates, where="draw", name="gate")
    contents: list[str | bool | Formula] = [first]
    places: dict[str, int] = {first: 0}
    items: list[Item] = []
    for content in contents:
        formula = _formula(tree, content)
        inputs = tuple(_place(child, contents, places) for child in formula.inputs) if formula else ()
        items.append(_item(tree, content, formula, inputs))
    return Graph(tuple(items))


def _place(content: str | bool | Formula, contents: list[str | bool | Formula], places: dict[str, int]) -> int:
    if isinstance(content, str) and content in places:
        return places[content]
    contents.append(content)
    if isinstance(content, str):
        places[content] = len(contents) - 1
    return len(contents) - 1


def _formula(tree: FaultTree, content: str | bool | Formula) -> Formula | None:
    if isinstance(content, str):
        return tree.gates.get(content)
    return content if isinstance(content, Formula) else None


def _item(tree: FaultTree, content: str | bool | Formula, formula: Formula | None, inputs: tuple[int, ...]) -> Item:
    if not isinstance(content, str):
        return Item(formula.kind if formula else "constant", formula=formula, state=content is True, inputs=inputs)
    label = tree.labels.get(content, "")
    component = tree.attributes.get(content, {}).get("component", "")
    if formula:
        return Item(formula.kind, content, label, component, formula, inputs=inputs)
    if content in tree.houses:
        return Item("house", content, label, component, state=tree.houses[content])
    known = tree.events.get(content) is not None or any(content in group.members for group in tree.groups)
    return Item("event" if known else "undeveloped", content, label, component)


def _reached(start: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    waiting = list(start)
    found = set(waiting)
    while waiting:
        for place in steps[waiting.pop()]:
            if place not in found:
                found.add(place)
                waiting.append(place)
    return found


def highlighted(tree: FaultTree, graph: Graph, highlight: Sequence[str]) -> frozenset[int]:
    """The items to highlight; an edge is, where both its ends are.

    Names of events only are a cut set. With a gate among them, the names are stations of a path, from the top down.
    """
    known = (*tree.gates, *tree.events, *tree.houses)
    for name in highlight:
        validate.choice(name, known, where="highlight", name="name")
    if any(name in tree.gates for name in highlight):
        return _path(graph, highlight)
    return _cut_set(graph, {graph.index[name] for name in highlight if name in graph.index})


def _path(graph: Graph, stations: Sequence[str]) -> frozenset[int]:
    places = [graph.index[name] for name in stations if name in graph.index]
    found = set(places)
    for (upper, lower), names in zip(pairwise(places), pairwise(stations), strict=False):
        between = graph.below([upper]) & graph.above([lower])
        if not between:
            raise InvalidInput(
                f"{names[1]!r} does not stand below {names[0]!r}",
                where="highlight",
                found=", ".join(stations),
                remedy="Name the gates of a path from the top down, then the event.",
            )
        found |= between
    return frozenset(found)


def _cut_set(graph: Graph, events: set[int]) -> frozenset[int]:
    """The events and the gates that are true with them and false without; if the top is, only those on the way."""
    before, after = truth(graph, set()), truth(graph, events)
    changed = {place for place, item in enumerate(graph.items) if item.is_gate and after[place] and not before[place]}
    if 0 not in changed:
        return frozenset(changed | events)
    on_the_way = {0}
    waiting = [0]
    while waiting:
        for child in graph.items[waiting.pop()].inputs:
            if child in changed and child not in on_the_way:
                on_the_way.add(child)
                waiting.append(child)
    return frozenset(on_the_way | events)


def truth(graph: Graph, events: set[int]) -> list[bool]:
    """Which items are true when these events happen and no others."""
    truth = [False] * len(graph.items)
    for place in graph.bottom_up:
        item = graph.items[place]
        known = [truth[child] for child in item.inputs]
        truth[place] = _holds(item, known) if item.is_gate else item.state or place in events
    return truth


def _holds(item: Item, inputs: list[bool]) -> bool:
    count, formula = sum(inputs), item.formula
    assert formula is not None
    match item.kind:
        case "or" | "pass":
            return count > 0
        case "and" | "inhibit" | "pand":
            return count == len(inputs)
        case "nor" | "not":
            return count == 0
        case "nand":
            return count < len(inputs)
        case "xor":
            return count % 2 == 1
        case "iff":
            return inputs[0] == inputs[1]
        case "imply":
            return inputs[1] or not inputs[0]
    return (formula.minimum or 0) <= count <= (len(inputs) if formula.maximum is None else formula.maximum)


# Sizes of letters, boxes and symbols, and how much room the words of a tree want.

TITLE, MAIN, NOTE = 15.0, 11.0, 9.5
PADDING = 6.0
STEM, SYMBOL, HALF = 8.0, 36.0, 19.0
"""Line between box and symbol, height of a symbol, half its width."""
DROP = 28.0
"""Between a gate and its inputs: room for the lines."""
GAP = 14.0
"""Between neighbours."""
TRUNK, TEXT_AT, ROW_GAP = 9.0, 27.0, 6.0
"""A list of inputs: from its left end to the line, from the line to the words, between rows."""
ML_TAG = 21.0
OVAL, OVAL_GAP, OVAL_SIDE = 44.0, 12.0, 15.0
"""The condition of an inhibit gate: its height, how far away it stands, room that its round ends take from words."""
ROW = 150.0
"""The most that the words of a row may take."""
_BOX = (78.0, 132.0)
_VALUE = 50.0
_LOOKED_AT = 40


@dataclass(frozen=True)
class Sizes:
    """Width of all boxes, and about the width of a list of inputs."""

    box: float
    list: float

    @property
    def room(self) -> float:
        """Room for words inside a box."""
        return self.box - 2 * PADDING

    @property
    def oval(self) -> float:
        """Width of the condition beside an inhibit gate."""
        return self.box + OVAL_SIDE


def sizes_for(graph: Graph) -> Sizes:
    """Boxes as wide as the longest words need, within limits, so that short names make a narrow drawing."""
    widest = _widest(item.label or item.name for item in graph.items)
    box = min(max(widest + 2 * PADDING, _BOX[0]), _BOX[1])
    return Sizes(box, TRUNK + TEXT_AT + min(widest + _VALUE, ROW) + PADDING)


def spoken(item: Item) -> str:
    """What an item is called: its label, or else its name."""
    return item.label or item.name


def _widest(texts: Iterable[str]) -> float:
    most = 0.0
    for text in texts:
        most = max(most, text_width(text[:_LOOKED_AT], MAIN))
        if most > ROW:
            break
    return most
