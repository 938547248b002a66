"""Cases to draw, evaluations made by hand, and drawings taken apart."""

from hypothesis import strategies as st
from lxml import etree

from surefoot.case import KINDS, Assessed, Case, Choice, Evaluation, Module, Node, Number, drawings
from surefoot.core import Target

SVG = "{http://www.w3.org/2000/svg}"
NOTATIONS = ("cae", "gsn")
STANDINGS = ("supported", "not shown", "contradicted")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "\u202eabc\x00\x1b[31m\ud800",
    "x" * 10_000,
    "]]>&amp;<!--",
    "</style><style>@import url(http://example.com)</style>",
    "",
    "情報" * 400,
)
TEXTS = ("", "Short.", "It holds.", "A claim about something that takes a few more words than others. " * 3, "字" * 40)


def small():
    return Case.of(
        [
            Node(
                "C1",
                "claim",
                "The perception component fails in at most one of a hundred demands.",
                supported_by=("A1",),
                in_context_of=("X1",),
                number=Number("failure", Target(at_most=0.01)),
            ),
            Node("X1", "context", "Motorway, daylight, dry."),
            Node(
                "A1",
                "argument",
                "Weigh failures in cells by the operational profile.",
                block="calculation",
                supported_by=("C2", "C3"),
                in_context_of=("S1", "J1"),
            ),
            Node("S1", "side-claim", "Test data are drawn independently.", assumption="iid"),
            Node("J1", "justification", "The law of total probability."),
            Node("C2", "claim", "The profile is known.", supported_by=("E1",), tags=("AMLAS: stage 3",)),
            Node("C3", "claim", "The monitor catches the rest.", undeveloped=True),
            Node("E1", "evidence", "A kernel density estimate.", rests_on="profile.density"),
            Node("D1", "defeater", "The data are old.", challenges=("C2",)),
        ],
        name="Perception",
    )


def every_kind():
    nodes = [
        Node("C1", "claim", "{component} is safe.", ("A1", "A2"), ("X1", "S1"), uninstantiated=True),
        Node("X1", "context", "A context."),
        Node("S1", "side-claim", "A side-claim."),
        Node(
            "A1",
            "argument",
            "Over all parts.",
            ("C2", "C3", "C6", "C4", "C5"),
            ("J1",),
            block="decomposition",
            multiplicity={"C2": "n", "C3": "0..1"},
            choice=(Choice(("C4", "C5", "C6")),),
        ),
        Node("J1", "justification", "A justification."),
        Node("A2", "argument", "By a contract.", ("K1", "M1", "G1", "B1"), ("S2",), combining="legs"),
        Node("S2", "side-claim", "A side-claim that something holds up.", ("E3",)),
        Node("E3", "evidence", "Argued."),
        Node("C2", "claim", "One of many.", ("E1",), defeated=True),
        Node("C3", "claim", "Optional.", undeveloped=True),
        Node("C4", "claim", "Either this.", undeveloped=True, uninstantiated=True),
        Node("C5", "claim", "Or that.", ("E1", "E2", "A1")),
        Node("C6", "claim", "Or something else.", undeveloped=True),
        Node("E1", "evidence", "Shared."),
        Node("E2", "evidence", "A text of evidence that is too long for a circle of decent size. " * 2),
        Node("K1", "contract", "A contract.", of="other"),
        Node("M1", "sub-case", "Argued elsewhere as a whole.", of="other"),
        Node("G1", "sub-case", "One claim argued elsewhere.", of="other/B1"),
        Node("B1", "claim", "The other module's claim.", ("B2", "nowhere"), module="other", public=True),
        Node("B2", "evidence", "The other module's evidence.", module="other"),
        Node("D1", "defeater", "A defeater.", challenges=("C2",)),
        Node("D2", "defeater", "An eliminated defeater.", ("E4",), challenges=("C5",), defeated=True),
        Node("E4", "evidence", "Counter-evidence."),
    ]
    return Case({node.id: node for node in nodes}, modules={"other": Module("other", "What others argue")})


def fan(count=40):
    leaves = [Node(f"E{n}", "evidence", f"Hazard number {n} is controlled.") for n in range(count)]
    argument = Node("A1", "argument", "Over all hazards.", tuple(leaf.id for leaf in leaves))
    return Case.of([Node("C1", "claim", "All is well.", ("A1",)), argument, *leaves])


def chain(count):
    below = {n: (f"C{n + 1}",) for n in range(count - 1)}
    return Case.of(Node(f"C{n}", "claim", f"Claim {n}.", below.get(n, ())) for n in range(count))


def bushy(count):
    """An argument with five children a node, contexts and some shared evidence."""
    nodes = []
    for n in range(count):
        kind = "claim" if n % 2 == 0 else "argument"
        below = tuple(f"N{5 * n + k}" for k in range(1, 6) if 5 * n + k < count)
        leaf = "evidence" if n % 3 else "claim"
        shared = (f"N{count - 1 - n}",) if below and n % 3 == 1 else ()
        text = f"Node number {n} keeps what it promises under the stated conditions."
        nodes.append(Node(f"N{n}", kind if below else leaf, text, (*below, *shared)))
    return Case.of(nodes)


@st.composite
def random_cases(draw, most=60):
    """Any relations between any nodes, of two modules: shared nodes, circles, self-references, missing ones."""
    count = draw(st.integers(0, most))
    places = st.integers(0, max(count, 1))
    edges = draw(st.lists(st.tuples(places, places), max_size=2 * count))
    acyclic = draw(st.booleans())
    relations = [[(), (), ()] for _ in range(count)]
    kinds = [draw(st.sampled_from(KINDS)) for _ in range(count)]
    for start, end in edges:
        source, target = sorted((start, end)) if acyclic else (start, end)
        if source >= count or (acyclic and source == target):
            continue
        beside = target < count and kinds[target] in ("side-claim", "justification", "context")
        which = 2 if kinds[source] == "defeater" else 1 if beside else 0
        relations[source][which] += (f"N{target}",)
    modules = draw(st.sampled_from([("",), ("", "other")]))
    return Case.of(
        Node(
            f"N{n}",
            kinds[n],
            draw(st.sampled_from(TEXTS)),
            *relations[n],
            undeveloped=draw(st.booleans()),
            module=modules[n % len(modules)],
        )
        for n in range(count)
    )


def evaluated(case):
    """Every standing in turn."""
    found = {}
    for place, node in enumerate(case):
        found[node.id] = Assessed(STANDINGS[place % 3], why="Looked at by hand.")
    return Evaluation(case, found)


def parsed(case, **options):
    return etree.fromstring(drawings.svg(case, **options).encode())


def classes(element):
    return element.get("class", "").split()


def said(element, role):
    """The words of a role, such as ``word`` for the standing of a node."""
    return [text.text for text in element.iter(f"{SVG}text") if role in classes(text)]


def overlapping(boxes):
    """Pairs of boxes with a point in common, by brute force."""
    return [
        (one.id, other.id)
        for place, one in enumerate(boxes)
        for other in boxes[:place]
        if one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom
    ]
