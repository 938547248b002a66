"""The shapes of nodes: which one a node has in a notation, and its outline.

CAE after Bloomfield and Netkachova (2014), GSN after the GSN Community Standard, version 3, parts 1:2 to 1:5.
"""

from __future__ import annotations

from surefoot.case.drawings.boxes import Box, Shape, Stub
from surefoot.case.drawings.metrics import BULGE, CHAMFER, FOOT, OVAL, ROUND, SKEW, TAB
from surefoot.case.node import Kind, Node
from surefoot.case.notation import Notation, word

CAE: dict[Kind, Shape] = {
    "claim": "rounded",
    "argument": "soft",
    "evidence": "rectangle",
    "side-claim": "dashed",
    "justification": "oval",
    "context": "stadium",
    "sub-case": "folder",
    "contract": "contract",
    "defeater": "octagon",
}
GSN: dict[str, Shape] = {
    "goal": "rectangle",
    "strategy": "slanted",
    "solution": "circle",
    "assumption": "oval",
    "justification": "oval",
    "context": "stadium",
    "away goal": "rectangle",
    "module": "folder",
    "contract": "contract",
    "defeater": "rectangle",
}
CENTRED: tuple[Shape, ...] = ("circle", "oval")
"""Shapes whose lines stand in the middle."""
CIRCLE = 0.5523
CORNERS: dict[Shape, float] = {"rounded": ROUND, "dashed": ROUND, "soft": 6.0, "rectangle": 0.0}


def shape_of(node: Node, notation: Notation, stub: Stub = "") -> Shape:
    """The shape of a node; one of another module keeps it in GSN, with a lower part that names the module."""
    if stub == "missing" or (stub and notation == "cae"):
        return "rounded" if stub == "away" else "rectangle"
    return CAE[node.kind] if notation == "cae" else GSN[word(node, notation)]


def insets(shape: Shape) -> tuple[float, float, float]:
    """How much of the room inside the shape takes: at each side, above, below."""
    return {
        "rounded": (2.0, 0.0, 0.0),
        "dashed": (2.0, 0.0, 0.0),
        "slanted": (SKEW, 0.0, 0.0),
        "stadium": (BULGE * 0.6, 0.0, 0.0),
        "folder": (0.0, TAB, 0.0),
        "contract": (0.0, TAB, TAB),
        "octagon": (4.0, 0.0, 0.0),
    }.get(shape, (0.0, 0.0, 0.0))


def side_inset(shape: Shape) -> float:
    """How far the outline lies inside the box half-way down, where edges to the side begin."""
    return SKEW / 2 if shape == "slanted" else 0.0


def top_inset(shape: Shape) -> float:
    """How far the outline lies below the top of the box in the middle."""
    return TAB if shape in ("folder", "contract") else 0.0


def bottom_inset(shape: Shape) -> float:
    """How far the outline lies above the bottom of the box in the middle."""
    return TAB if shape == "contract" else 0.0


def foot_at(box: Box, x: float) -> float:
    """Where a line leaves a box below: under the mark in its middle, if there is one, otherwise at its outline."""
    off = x - box.axis
    if abs(off) <= FOOT / 2:
        return box.bottom - (0.0 if box.words.foot else bottom_inset(box.words.shape))
    shape, low = box.words.shape, box.y + box.height
    if shape == "contract":
        return low - (TAB if off < box.width / 2 - _tab(box.width) else 0.0)
    return low - (0.0 if shape == "stadium" else curved(shape, box.width, box.height, off))


def side_at(shape: Shape, width: float, height: float, y: float) -> tuple[float, float]:
    """How far the outline lies inside the box at a height, on the left and on the right."""
    if shape == "slanted":
        return SKEW * (1.0 - y / height), SKEW * y / height
    inset = curved(shape, height, width, y - height / 2)
    return inset, inset


def curved(shape: Shape, along: float, across: float, off: float) -> float:
    """How far a round outline lies inside its box at a distance from the middle of a side that is ``along`` long."""
    reach = {"circle": across / 2, "oval": across / 2, "stadium": BULGE}.get(shape, 0.0)
    power = 3.0 if shape == "oval" else 2.0
    share = min(abs(off) / (along / 2), 1.0)
    return float(reach * (1.0 - (1.0 - share**power) ** (1.0 / power)))


def outline(shape: Shape, width: float, height: float) -> str:
    """Steps M, L, C and Z of the outline of a box that begins at (0, 0)."""
    if shape in CORNERS:
        return rounded_box(width, height, CORNERS[shape])
    if shape in CENTRED:
        return _oval(width, height, CIRCLE if shape == "circle" else OVAL)
    if shape == "stadium":
        return _stadium(width, height)
    return polygon(_corners(shape, width, height))


def polygon(points: list[tuple[float, float]]) -> str:
    """A closed line through points."""
    return "M " + " L ".join(f"{short(x)} {short(y)}" for x, y in points) + " Z"


def short(value: float) -> str:
    """A coordinate to a tenth of a pixel, without needless digits."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.1f}"


def _corners(shape: Shape, width: float, height: float) -> list[tuple[float, float]]:
    if shape == "slanted":
        return [(SKEW, 0), (width, 0), (width - SKEW, height), (0, height)]
    if shape == "octagon":
        cut = min(CHAMFER, height / 3)
        right, low = width - cut, height - cut
        return [(cut, 0), (right, 0), (width, cut), (width, low), (right, height), (cut, height), (0, low), (0, cut)]
    tab = _tab(width)
    above = [(0.0, 0.0), (tab - 7.0, 0.0), (tab, TAB), (width, TAB)]
    if shape == "folder":
        return [*above, (width, height), (0, height)]
    low = height - TAB
    return [*above, (width, height), (width - tab + 7.0, height), (width - tab, low), (0, low)]


def _tab(width: float) -> float:
    return min(64.0, 0.4 * width)


def rounded_box(width: float, height: float, radius: float) -> str:
    """A box with round corners."""
    r = min(radius, height / 2, width / 2)
    if not r:
        return polygon([(0, 0), (width, 0), (width, height), (0, height)])
    k = r * (1 - CIRCLE)
    return (
        f"M {_at(r, 0)} L {_at(width - r, 0)} C {_at(width - k, 0)} {_at(width, k)} {_at(width, r)} "
        f"L {_at(width, height - r)} C {_at(width, height - k)} {_at(width - k, height)} {_at(width - r, height)} "
        f"L {_at(r, height)} C {_at(k, height)} {_at(0, height - k)} {_at(0, height - r)} "
        f"L {_at(0, r)} C {_at(0, k)} {_at(k, 0)} {_at(r, 0)} Z"
    )


def _oval(width: float, height: float, fullness: float) -> str:
    a, b = width / 2, height / 2
    p, q = a * (1 - fullness), b * (1 - fullness)
    return (
        f"M {_at(a, 0)} C {_at(width - p, 0)} {_at(width, q)} {_at(width, b)} "
        f"C {_at(width, height - q)} {_at(width - p, height)} {_at(a, height)} "
        f"C {_at(p, height)} {_at(0, height - q)} {_at(0, b)} C {_at(0, q)} {_at(p, 0)} {_at(a, 0)} Z"
    )


def _stadium(width: float, height: float) -> str:
    """A box whose sides bulge."""
    b, k = height / 2, BULGE * (1 - CIRCLE)
    q = b * (1 - CIRCLE)
    return (
        f"M {_at(BULGE, 0)} L {_at(width - BULGE, 0)} C {_at(width - k, 0)} {_at(width, q)} {_at(width, b)} "
        f"C {_at(width, height - q)} {_at(width - k, height)} {_at(width - BULGE, height)} "
        f"L {_at(BULGE, height)} C {_at(k, height)} {_at(0, height - q)} {_at(0, b)} "
        f"C {_at(0, q)} {_at(k, 0)} {_at(BULGE, 0)} Z"
    )


def _at(x: float, y: float) -> str:
    return f"{short(x)} {short(y)}"
