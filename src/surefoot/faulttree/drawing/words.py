"""The words of a block, as lines that fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from surefoot.drawing import shortened, significant, text_width, visible, wrapped
from surefoot.faulttree.drawing.graph import Graph, Item
from surefoot.faulttree.drawing.metrics import LEADING, MAIN, ML_TAG, NOTE, OVAL_SIDE, ROW, Metrics, spoken
from surefoot.faulttree.drawing.plan import Part, Row

MOST_LINES, MOST_ROW_LINES = 3, 2
MOST_CHARACTERS = 300
SEPARATOR = " · "
_JOINTS = re.compile(r"(?<=[-_./:])(?=[^-_./:])")


@dataclass(frozen=True, slots=True)
class Words:
    """Lines: what it is called, then small ones; ``under`` stand below the symbol, ``aside`` ends the first line."""

    main: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    aside: str = ""
    tagged: bool = False
    """Whether the tag of an ML event stands before the words of a row."""

    @property
    def height(self) -> float:
        """Of the lines above the symbol."""
        return LEADING * (len(self.main) * MAIN + len(self.notes) * NOTE)

    @property
    def under_height(self) -> float:
        """Of the lines below the symbol."""
        return LEADING * NOTE * len(self.under) + (3.0 if self.under else 0.0)

    @property
    def width(self) -> float:
        """Of a row."""
        first = f"{self.main[0]}  {self.aside}" if self.aside else ""
        main = max(text_width(line, MAIN) for line in (first, *self.main))
        notes = max((text_width(line, NOTE) for line in self.notes), default=0.0)
        return max(main, notes) + (ML_TAG if self.tagged else 0.0)


@dataclass(frozen=True)
class Writer:
    """Puts words to blocks."""

    graph: Graph
    sizes: Metrics
    values: Mapping[str, float]

    def block(self, part: Part) -> Words:
        """Words of a block that is no list."""
        item = self.graph.items[part.item]
        room, most = self.sizes.room, 1 if part.role == "transfer" else MOST_LINES
        main = lines(spoken(item), room, MAIN, most=most)
        name = lines(item.name, room, NOTE, most=1) if _has_both(item) else []
        value = self._value(item)
        if part.role == "gate":
            return Words(tuple(main), (*name, *value))
        below = self._size_lines(part.item) if part.role == "collapsed" else _state(item)
        return Words(tuple(main), tuple(name), (*below, *value))

    def oval(self, item: Item) -> Words:
        """Words inside the oval of a condition."""
        room = self.sizes.oval - 2 * OVAL_SIDE - (ML_TAG if item.component else 0.0)
        return Words(tuple(lines(_called(item), room, NOTE, most=2)), under=(*_state(item), *self._value(item))[-1:])

    def rows(self, part: Part) -> Iterator[Words]:
        """Words of all rows of a list."""
        yield from map(self._row, part.rows)
        if part.hidden:
            yield self._more(part)

    def _row(self, row: Row) -> Words:
        """Words of a row."""
        item = self.graph.items[row.item]
        main = lines(_called(item), ROW, MAIN, most=MOST_ROW_LINES)
        below = self._size(row.item) if row.role == "collapsed" else ""
        name = item.name if _has_both(item) else ""
        said = SEPARATOR.join(filter(None, (name, below, *_state(item), *self._value(item))))
        if said and not name and len(main) == 1 and text_width(f"{main[0]}  {said}", MAIN) <= ROW:
            return Words(tuple(main), aside=said, tagged=bool(item.component))
        return Words(tuple(main), tuple(lines(said, ROW, NOTE, most=2)), tagged=bool(item.component))

    def _more(self, part: Part) -> Words:
        """Words of the last row of a list that leaves some out."""
        gates = sum(self.graph.items[place].is_gate for place in part.hidden)
        counts = [(gates, "gate"), (len(part.hidden) - gates, "event")]
        return Words((" and ".join(f"{count} more {_plural(kind, count)}" for count, kind in counts if count),))

    def spoken_in_full(self, item: Item) -> str:
        """For a title that is shown when pointed at."""
        name = f" ({item.name})" if _has_both(item) else ""
        component = f", depends on the ML component {item.component}" if item.component else ""
        value = "".join(f", probability {text}" for text in self._value(item))
        return f"{_called(item)}{name}: {item.kind}{component}{value}"

    def _value(self, item: Item) -> list[str]:
        value = self.values.get(item.name)
        return [] if value is None else [significant(float(value))]

    def _size_lines(self, item: int) -> list[str]:
        return self._size(item).replace(", ", ",\n").split("\n")

    def _size(self, item: int) -> str:
        """What stands below a gate that is not drawn in full."""
        below = self.graph.below(self.graph.items[item].inputs)
        gates = sum(self.graph.items[place].is_gate for place in below)
        counts = [(gates, "gate"), (len(below) - gates, "event")]
        return ", ".join(f"{count} {_plural(kind, count)}" for count, kind in counts if count)


def lines(text: str, room: float, size: float, *, most: int) -> list[str]:
    """Lines that fit; a name without spaces is broken behind its hyphens, dots and underscores."""
    short = shortened(visible(text), MOST_CHARACTERS)
    if " " in short or text_width(short, size) <= room:
        return wrapped(short, room, size, most=most)
    first, *others = _JOINTS.split(short)
    found = [first]
    for piece in others:
        if text_width(found[-1] + piece, size) <= room:
            found[-1] += piece
        else:
            found.append(piece)
    fits = all(text_width(line, size) <= room for line in found)
    return wrapped(" ".join(found) if fits else short, room, size, most=most)


def _called(item: Item) -> str:
    return spoken(item) or (f"{item.kind} gate" if item.is_gate else item.kind)


def _has_both(item: Item) -> bool:
    return bool(item.label) and item.label != item.name


def _state(item: Item) -> list[str]:
    return [("true" if item.state else "false")] if item.kind in ("house", "constant") else []


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
