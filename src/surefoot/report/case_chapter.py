"""The chapter on the case: how surely all targets hold, the doubts, and the outline that becomes a graph."""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

from surefoot.case.evaluation import Doubt, Evaluation
from surefoot.case.model import NOTATIONS, Case, Notation
from surefoot.case.standards import clause_of_or_none
from surefoot.case.wording import state_words, surely
from surefoot.core import Diagnostic, validate
from surefoot.documents import counted, shortened, significant
from surefoot.drawing import tree_layout, wrapped
from surefoot.drawing.shapes import CENTRED, Shape, module_symbol, moved, side_at, top_at
from surefoot.drawing.shapes import outline as outline_of
from surefoot.drawing.tree_layout import Part, place_tree, shape_cost
from surefoot.report.case_outline import SIGNS, Link, Row, fragments, outline

if TYPE_CHECKING:
    from markupsafe import Markup


FIRST_DOUBTS = 8
MOST_DOUBTS = 200
"""Beyond the first they are folded; what is more is counted."""
MOST_FINDINGS = 6
LONGEST_TEXT = 140


@dataclass(frozen=True)
class Listed:
    """A doubt as a line of the page."""

    id: str
    fragment: str
    text: str
    kind: str
    state: str
    by: str
    said: str
    """What became of it, in words."""
    decides: str
    chain: str
    """From the doubt up to the top claim."""


@dataclass(frozen=True)
class Chapter:
    """Everything the chapter shows."""

    name: str
    notation: Notation
    rows: tuple[Row, ...]
    top: Row | None
    counts: tuple[tuple[str, int], ...]
    """Standings with how many nodes have them, doubts left out."""
    surely: str
    """How surely all targets hold together and given what, or why there is no number."""
    doubts: tuple[Listed, ...]
    """What decides most first."""
    more_doubts: int
    """How many more there are than are listed."""
    first_doubts: ClassVar[int] = FIRST_DOUBTS
    states: tuple[tuple[str, int], ...]
    """How many doubts are open, accepted and eliminated."""
    findings: tuple[Diagnostic, ...]
    more_findings: int
    weakest: str
    """Fragment of the weakest link; empty where all is supported."""
    assessed: bool
    """Whether anything is known of how nodes stand."""
    standards: tuple[tuple[str, tuple[str, ...]], ...]
    """Standards with the activities that nodes are tagged with."""

    @property
    def tags(self) -> tuple[str, ...]:
        """All activities, as the outline numbers them."""
        return tuple(tag for _, tags in self.standards for tag in tags)

    def titled(self, tag: str) -> str:
        """A tag with the title of its clause, where it names one by its number."""
        clause = clause_of_or_none(tag)
        return f"{tag}, {clause.shown}" if clause and clause.title and clause.tag == tag else tag

    @cached_property
    def graph(self) -> Graph:
        """The rows as boxes with their sizes, and the places of those that are open at first."""
        return Graph(self.rows, self.weakest)

    @property
    def script(self) -> Markup:
        """The script that turns the outline into a graph."""
        from markupsafe import Markup

        return Markup(case_script())


@validate.arguments
def case_chapter(
    case: Case,
    evaluation: Evaluation | None,
    *,
    anchors: Mapping[str, str],
    cut: Mapping[str, int] | None = None,
    told: Mapping[str, str] | None = None,
) -> Chapter:
    """What to show of a case.

    Parameters
    ----------
    case, evaluation
        The case, assessed; without an evaluation nothing is said of how nodes stand.
    anchors
        For ``step.quantity``, steps and ids of assumptions where the page shows them: ids of elements.
    cut
        How many nodes were left out below each, of a part of a case.
    told
        Nodes whose numbers stand elsewhere on the page: ids of elements.

    Returns
    -------
    Chapter
        Rows of the outline, doubts and findings.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.case import Case, Node
    >>> case = Case.of([Node("C1", "claim", "It stops", undeveloped=True)])
    >>> sf.report.case_chapter(case, case.evaluate(), anchors={}).counts
    (('not shown', 1),)

    """
    assessed = evaluation is not None
    evaluation = evaluation or Evaluation(case, {})
    rows = outline(evaluation, case, anchors, cut or {})
    if told:
        rows = tuple(_told_elsewhere(row, told[row.id]) if row.id in told and not row.again else row for row in rows)
    if not assessed:
        rows = tuple(replace(row, standing_words="") for row in rows)
    return Chapter(
        name=case.name,
        notation=case.notation,
        rows=rows,
        top=rows[0] if case.tops else None,
        counts=_counts(rows),
        surely=surely(evaluation, case.top.id) if case.tops else "",
        doubts=tuple(_listed(case, evaluation)),
        more_doubts=max(len(evaluation.doubts) - MOST_DOUBTS, 0),
        states=tuple((state, count) for state, count in evaluation.counted().items() if count)[::-1],
        findings=evaluation.findings[:MOST_FINDINGS],
        more_findings=max(0, len(evaluation.findings) - MOST_FINDINGS),
        weakest=fragments(case)[evaluation.weakest] if evaluation.weakest in case else _worst(rows),
        assessed=assessed,
        standards=_standards(rows),
    )


def _told_elsewhere(row: Row, fragment: str) -> Row:
    return replace(row, number="", surely="", reason="", marks="", links=(Link("its number", fragment),))


def _counts(rows: Sequence[Row]) -> tuple[tuple[str, int], ...]:
    found = Counter(row.standing for row in rows if row.standing and row.relation != "against")
    return tuple((standing, found[standing]) for standing in SIGNS if found[standing])


def _listed(case: Case, evaluation: Evaluation) -> Iterator[Listed]:
    places = fragments(case)
    for doubt in evaluation.doubts[:MOST_DOUBTS]:
        node = case[doubt.id]
        yield Listed(
            doubt.id,
            places[doubt.id],
            shortened(node.text, LONGEST_TEXT),
            doubt.kind,
            doubt.state,
            doubt.by,
            state_words(doubt),
            decides(doubt),
            " < ".join(evaluation.chain(doubt.id)),
        )


def decides(doubt: Doubt) -> str:
    """What a doubt decides, in words.

    >>> decides(Doubt("C1", "claim", "open", decides=("C0", "C1"), alone=True))
    'alone keeps the top claim from being supported; 2 claims need it'
    """
    alone = "alone keeps the top claim from being supported; " if doubt.alone else ""
    count = len(doubt.decides)
    size = "" if doubt.probability is None else f"; probability at most {significant(doubt.probability, rounding='up')}"
    return f"{alone}{counted(count, 'claim')} {'needs' if count == 1 else 'need'} it{size}"


def _worst(rows: Sequence[Row]) -> str:
    """Of the leaves the first that is contradicted, else the first that is not shown."""
    leaves = [row for row in rows if not row.opens and not row.again]
    for standing in ("contradicted", "not shown"):
        for row in leaves:
            if row.standing == standing:
                return row.fragment
    return ""


def _standards(rows: Sequence[Row]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: dict[str, dict[str, None]] = {}
    for tag in (tag for row in rows for tag in row.tags):
        found.setdefault(tag.partition(":")[0].strip(), {})[tag] = None
    return tuple((standard, tuple(sorted(tags))) for standard, tags in sorted(found.items()))


# Style and script of the chapter on the case; the page's policy lets this script run and no other.

_COMMENT = re.compile(r"^\s*/\*.*?\*/$", re.DOTALL | re.MULTILINE)
SCRIPTS = ("case_layout.js", "case_boxes.js", "case_moving.js", "case.js")


@cache
def case_style() -> str:
    """The style, which needs the colours of the page."""
    return asset("case.css")


@cache
def case_script() -> str:
    """The script as it stands between its tags, without comments and indentation."""
    lines = "".join(map(asset, SCRIPTS))
    return "\n".join(filter(None, map(str.strip, _COMMENT.sub("", lines).splitlines())))


@cache
def script_hash() -> str:
    """The source expression of a content security policy that allows the script: ``'sha256-...'``."""
    return f"'sha256-{b64encode(sha256(case_script().encode()).digest()).decode()}'"


def asset(name: str) -> str:
    """A template, style or script of the report, as text."""
    return files("surefoot.report").joinpath("templates", name).read_text(encoding="utf-8")


# The graph of the case: how large every box is, which are open at first, and where these stand.
#
# The script places boxes by the same tree layout when a reader opens and closes branches; all lengths are told to it.

FIRST_SHOWN = 22
"""About so many boxes are open at first."""
MOST_KIDS = 120
"""Of more below one node the first are shown."""
WIDTH, AGAIN_WIDTH, ROUND_WIDTH = 216, 170, 184
HEAD = 21
"""Height of the line with the id; this and all that follows are as the style has them."""
LETTERS, SMALL_LETTERS, LINE, SMALL_LINE = 13.0, 12.0, 18, 16
MOST_LINES, FEW_LINES, MOST_LETTERS = 4, 3, 300
PADDING = (11, 15, 12)
"""Above, at the sides and below."""
PADDINGS: dict[Shape, tuple[int, int, int]] = {
    "rounded": (13, 20, 13),
    "dashed": (13, 20, 13),
    "slanted": (11, 24, 12),
    "stadium": (11, 22, 12),
    "folder": (20, 15, 12),
    "contract": (20, 15, 21),
    "octagon": (11, 19, 12),
    "circle": (34, 24, 28),
    "oval": (18, 30, 18),
}
"""The same by shapes that are not plain boxes."""
FOREIGN = 24
"""Height of the lower part of what stands for something in another module."""
AGAIN = "belongs here too. Go to its place ↗"
DROP, BESIDE, STACK, APART, COLUMN = 46, 30, 14, 44, 4
"""Room below a node, beside it, between what stands beside it and between trees; and how many stand in a column."""
METRICS = {
    "gap": tree_layout.GAP,
    "trunk": tree_layout.TRUNK,
    "close": tree_layout.CLOSE,
    "aligned": tree_layout.ALIGNED,
    "rounds": tree_layout.ROUNDS,
    "narrower": tree_layout.NARROWER,
    "narrowest": tree_layout.NARROWEST,
    "drop": DROP,
    "beside": BESIDE,
    "stack": STACK,
    "apart": APART,
    "column": COLUMN,
    "narrow": tree_layout.NARROW,
    "widest": tree_layout.WIDEST_SHAPE,
    "tallest": tree_layout.TALLEST_SHAPE,
    "kids": MOST_KIDS,
}
Size = tuple[int, int, int]
"""Width and height of a box, and lines of its text."""
Look = tuple[Size, Size, Shape, Shape, bool, bool, bool]
"""Sizes and shapes in both notations; whether there is a lower part, it is public, a contract is to support it."""
Point = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """Rows of an outline as a tree of boxes; each is known by its place in the outline."""

    rows: Sequence[Row]
    weakest: str
    """Fragment of the weakest link, the way to which is open at first."""

    @cached_property
    def sizes(self) -> list[tuple[Size, Size]]:
        """Of every box, in CAE and in GSN."""
        return [(size(row, "cae"), size(row, "gsn")) for row in self.rows]

    @cached_property
    def looks(self) -> list[Look]:
        """Of every row its sizes and shapes, and whether it has a lower part."""
        rows = zip(self.rows, self.sizes, strict=True)
        return [(*sizes, *row.shapes, bool(row.foreign), row.public, row.by_contract) for row, sizes in rows]

    @cached_property
    def kinds(self) -> list[Look]:
        """The looks there are: few, so that a row need only name one."""
        return list(dict.fromkeys(self.looks))

    @cached_property
    def kind(self) -> list[int]:
        """For every row the place of its look."""
        numbers = {look: number for number, look in enumerate(self.kinds)}
        return [numbers[look] for look in self.looks]

    @cached_property
    def up(self) -> list[int | None]:
        """The row above each."""
        found: list[int | None] = []
        places, way = dict[str, int](), list[int]()
        for place, row in enumerate(self.rows):
            found.append(places[row.up] if row.up else way[row.depth - 1] if row.depth else None)
            way[row.depth :] = [place]
            if not row.again:
                places[row.fragment] = place
        return found

    @cached_property
    def kids(self) -> list[list[int]]:
        """The rows below each."""
        found: list[list[int]] = [[] for _ in self.rows]
        for place, above in enumerate(self.up):
            if above is not None:
                found[above].append(place)
        return found

    @cached_property
    def start(self) -> list[int]:
        """What is shown at first: the way to the weakest link where few stand beside it, and the levels at the top."""
        roots = [place for place, above in enumerate(self.up) if above is None]
        ways = list(self._above(next((place for place, row in enumerate(self.rows) if self._is_weakest(row)), None)))
        opened = set(ways if sum(len(self.kids[place]) for place in ways) <= 3 * FIRST_SHOWN else ())
        count = len(roots) + sum(len(self.kids[place]) for place in opened)
        waiting = list(roots)
        for place in waiting:
            if place not in opened and count + min(len(self.kids[place]), MOST_KIDS) <= FIRST_SHOWN:
                opened.add(place)
                count += len(self.kids[place])
            waiting += self.kids[place] if place in opened else ()
        return sorted(waiting)

    def places(self, notation: Notation, shown: Sequence[int]) -> list[Point]:
        """The upper left corners of boxes, of which each has the one above it among them."""
        number = {place: index for index, place in enumerate(shown)}
        boxes = [self.sizes[place][NOTATIONS.index(notation)] for place in shown]
        families = [self._family(place, number) for place in shown]
        parts = [
            _part(box, [boxes[number[each]] for each in beside])
            for box, (beside, _) in zip(boxes, families, strict=True)
        ]
        for part, (_, below) in zip(parts, families, strict=True):
            part.below = [number[each] for each in below]
        roots = [number[place] for place in shown if self.up[place] is None]
        placed = place_tree([*parts, Part(0.0, 0.0, 0.0, roots, gap=APART, trunk=0.0)], len(parts), cost=shape_cost)
        found: dict[int, tuple[float, float]] = {}
        for place in shown:
            index = number[place]
            x, y = found.setdefault(place, (placed.axes[index] - boxes[index][0] / 2, placed.tops[index]))
            found |= zip(
                families[index][0],
                _beside(x, y, boxes[index], [boxes[number[each]] for each in families[index][0]]),
                strict=True,
            )
        return [(math.floor(x + 0.5), math.floor(y + 0.5)) for x, y in (found[place] for place in shown)]

    def attributes(self) -> Iterator[tuple[str, str]]:
        """What the script is told, by names of ``data-`` attributes."""
        yield "metrics", json.dumps(METRICS, separators=(",", ":"))
        yield "sizes", ";".join(",".join(" ".join(map(str, each)) for each in look[:2]) for look in self.kinds)
        yield "shapes", ";".join(" ".join(look[2:4]) for look in self.kinds)
        yield "outlines", ";".join("|".join(_outlines(look)) for look in self.kinds)
        yield "start", " ".join(map(str, self.start))
        for notation in NOTATIONS:
            yield notation, " ".join(f"{x} {y}" for x, y in self.places(notation, self.start))

    def _is_weakest(self, row: Row) -> bool:
        return not row.again and row.fragment == self.weakest

    def _above(self, place: int | None) -> Iterator[int]:
        while place is not None and (place := self.up[place]) is not None:
            yield place

    def _family(self, place: int, shown: dict[int, int]) -> tuple[list[int], list[int]]:
        """What stands beside a node, and what stands below it: what holds it up first, what speaks against it last."""
        kids = [each for each in self.kids[place] if each in shown]
        beside = [each for each in kids if self.rows[each].relation == "beside" and not self.kids[each]]
        order = {"": 0, "module": 0, "beside": 1, "against": 2}
        below = sorted(set(kids) - {*beside}, key=lambda each: (order[self.rows[each].relation], each))
        return beside, below


def size(row: Row, notation: Notation) -> Size:
    """Of the box of a row; its letters are those of the style, and their widths on the wide side."""
    shape = row.shapes[NOTATIONS.index(notation)]
    above, side, below = PADDINGS.get(shape, PADDING)
    letters, line = (SMALL_LETTERS, SMALL_LINE) if row.relation == "beside" else (LETTERS, LINE)
    most = FEW_LINES if row.relation == "beside" or row.kind == "evidence" else MOST_LINES
    circle = shape == "circle" and not row.again
    width = AGAIN_WIDTH if row.again else ROUND_WIDTH if circle else WIDTH
    text = AGAIN if row.again else row.text[:MOST_LETTERS]
    lines = len(wrapped(text, width - 2 * side, letters, most=most))
    height = above + HEAD + lines * line + below
    height += FOREIGN if row.foreign and not row.again else 0
    return (max(height, ROUND_WIDTH),) * 2 + (lines,) if circle else (width, height, lines)


def _outlines(look: Look) -> Iterator[str]:
    """The shapes of a box in both notations as pictures of a case draw them, with the line above a lower part."""
    for (width, height, _), shape in zip(look[:2], look[2:4], strict=True):
        path = outline_of(shape, width, height)
        if look[4]:
            y = height - PADDINGS.get(shape, PADDING)[2] - FOREIGN + 4
            left, right = side_at(shape, width, height, y)
            path += f" M {left:.1f} {y} L {width - right:.1f} {y}"
        if look[5]:
            x = (0.82 if shape in CENTRED else 1.0) * width - 25
            path += " " + moved(module_symbol(15, 11), x, top_at(shape, width, height, x + 7.5) - 6)
        if look[6]:
            path += " " + moved(module_symbol(22, 14, contract=True), width / 2 - 11, height + 2)
        yield path


def _part(box: Size, beside: Sequence[Size]) -> Part:
    """A box with the columns to its right."""
    columns = list(_columns(beside))
    right = box[0] / 2 + sum(BESIDE + max(each[0] for each in column) for column in columns)
    return Part(box[0] / 2, right, max([box[1], *map(_high, columns)]), drop=DROP)


def _columns(beside: Sequence[Size]) -> Iterator[Sequence[Size]]:
    return (beside[start : start + COLUMN] for start in range(0, len(beside), COLUMN))


def _high(column: Sequence[Size]) -> int:
    return sum(each[1] for each in column) + STACK * (len(column) - 1)


def _beside(x: float, y: float, box: Size, beside: Sequence[Size]) -> Iterator[tuple[float, float]]:
    """Beside a higher node in the middle, beside a lower one from the top down."""
    left = x + box[0] + BESIDE
    for column in _columns(beside):
        top = y + max(0.0, (box[1] - _high(column)) / 2)
        for _, high, _ in column:
            yield left, top
            top += high + STACK
        left += BESIDE + max(each[0] for each in column)
