"""Trees to draw, and drawings taken apart."""

from xml.etree import ElementTree

from surefoot.drawing import Text
from surefoot.faulttree import FaultTree, Fixed, Formula, drawing
from surefoot.faulttree.drawing import blocks as placed
from surefoot.faulttree.drawing import selection

SVG = "{http://www.w3.org/2000/svg}"


def tree(gates, **options):
    """A tree from gates alone, the first on top; every other name is an event."""
    formulas = {
        name: Formula(kind, inputs, **more) for name, (kind, inputs, *rest) in gates.items() for more in (rest or [{}])
    }
    named = {*formulas, *options.get("houses", {})}
    events = dict.fromkeys(name for formula in formulas.values() for name in formula.names() if name not in named)
    known = {name: Fixed(0.01) for name in events}
    return FaultTree(next(iter(gates)), formulas, known | options.pop("events", {}), **options)


def vehicle(**options):
    """An ML event beneath a shared power supply."""
    return tree(
        {
            "collision": ("and", ("undetected", "pedestrian")),
            "undetected": ("and", ("camera", "radar")),
            "camera": ("or", ("missed", "dirt", "power")),
            "radar": ("or", ("clutter", "power")),
            "power": ("or", ("battery", "fuse")),
        },
        attributes={"missed": {"component": "detector"}},
        labels={"collision": "Collision with a pedestrian"},
        **options,
    )


def chain(length, kind="or"):
    """Every gate above the next, with an event beside it."""
    gates = {f"g{n}": (kind, (f"g{n + 1}", f"e{n}")) for n in range(length - 1)}
    return tree(gates | {f"g{length - 1}": (kind, ("last", "first"))})


def bushy(gates):
    """A binary tree with three events below each gate without gates."""
    below = {n: [f"g{m}" for m in (2 * n + 1, 2 * n + 2) if m < gates] for n in range(gates)}
    return tree({f"g{n}": ("or", tuple(below[n] or [f"{x}{n}" for x in "abc"])) for n in range(gates)})


def items(tree):
    """The tree as it is drawn, item by item."""
    return selection.graph(tree)


def blocks(tree, few=3, values=None):
    """All blocks of the whole tree."""
    grown = selection.chosen(items(tree), (), None, few)
    return placed.lay_out(selection.plan(grown, keep=(), most_rows=None), writer(tree, values))


def writer(tree, values=None):
    """What puts words to the blocks of a tree."""
    return placed.Writer(items(tree), selection.sizes_for(items(tree)), values or {})


def texts(tree, **options):
    """Everything that is written in a drawing."""
    return [
        mark.text for group in drawing.picture(tree, **options).groups for mark in group.marks if isinstance(mark, Text)
    ]


def titles(tree, **options):
    """What each group of a drawing says of itself."""
    return [group.title for group in drawing.picture(tree, **options).groups if group.title]


def lit(tree, highlight):
    """The names of the gates and events that are highlighted in a drawing of the whole tree."""
    found = set()
    for group in drawing.picture(tree, highlight=highlight, collapse=()).groups:
        pens = {mark.pen.name for mark in group.marks if not isinstance(mark, Text)}
        # The condition of an inhibit gate stands in the group of its gate, which has a box.
        bright = "box lit" in pens if pens & {"box", "box lit"} else "symbol lit" in pens
        if bright and group.title:
            named = group.title.partition(": ")[0]
            found.add(named.rpartition(" (")[2].removesuffix(")"))
    return found


def parsed(tree, **options):
    """The drawing as elements."""
    return ElementTree.fromstring(tree.draw(**options))
