"""Cases with their evaluations, made by hand, for the tests of the chapter on the case."""

from surefoot.bounds import clopper_pearson
from surefoot.case import Assessed, Case, Doubt, Evaluation, Node, Number
from surefoot.core import Diagnostic, Target
from surefoot.report import case_page

ANCHORS = {"counted": "step-counted", "same-device": "assumption-same-device"}
ELSEWHERE = """<section id="step-counted"><h2>counted</h2></section>
<section id="assumption-same-device"><h2>check</h2></section></main>"""

TARGET = Number("failure probability", Target(at_most=0.05))
SMALL = (
    Node("C1", "claim", "The screening misses malignant tumours rarely enough.", ("A1",), ("X1",)),
    Node("X1", "context", "Second reader in the clinic, adults only."),
    Node(
        "A1",
        "argument",
        "Over each target of the component",
        ("C2", "C3", "M1"),
        ("S3",),
        block="decomposition",
        tags=("UL 4600: argument",),
    ),
    Node("S3", "side-claim", "The targets cover the hazard.", assumption="covers"),
    Node(
        "C2",
        "claim",
        "Misses are at most 5% of malignant cases.",
        ("A2",),
        number=TARGET,
        tags=("AMLAS: verification",),
    ),
    Node("A2", "argument", "Counting failures on a test set", ("E1",), ("S1", "S2"), block="evidence incorporation"),
    Node("S1", "side-claim", "Cases are independent draws.", rests_on="counted.x", assumption="independent"),
    Node("S2", "side-claim", "Images come from the same device.", rests_on="counted.x", assumption="same-device"),
    Node(
        "E1",
        "evidence",
        "3 failures in 200 malignant cases",
        rests_on="counted.failure probability",
        digest="ab12cd34ef",
    ),
    Node("C3", "claim", "The monitor raises an alarm on unusual images.", ("A2", "E2"), tags=("AMLAS: monitoring",)),
    Node("E2", "evidence", "Alarm study", undeveloped=True, url="https://example.org/study"),
    Node("M1", "sub-case", "The display is safe.", of="display"),
    Node("D1", "defeater", "The clinic may have bought a new device.", challenges=("S2",)),
)


def wide(count):
    """About so many nodes: claims over claims, each with an argument, evidence, a side-claim and now and then more."""
    nodes, claims, place = [], ["C0"], 0
    while place < len(claims):
        claim = claims[place]
        place += 1
        below = [f"C{len(claims) + step}" for step in range(3 if 4 * len(claims) < count else 0)]
        claims += below
        words = f"Claim {place} holds, in words that go on for a line or two of the box, as they do." * (1 + place % 2)
        nodes += [
            Node(claim, "claim", words, (f"A{claim}",), tags=("ISO/PAS 8800: verification",) if place % 3 else ()),
            Node(
                f"A{claim}",
                "argument",
                "Argued over parts",
                (*below, f"E{claim}"),
                (f"S{claim}", f"K{claim}")[: place % 3],
            ),
            Node(f"E{claim}", "evidence", f"Result of test {place}", rests_on="counted.failure probability"),
        ]
        nodes += [Node(f"S{claim}", "side-claim", "The method fits.", assumption="same-device")] if place % 3 else []
        nodes += [Node(f"K{claim}", "context", "In daylight.")] if place % 3 == 2 else []
    return Case.of(nodes)


def evaluated(case, *, doubted=True, findings=()):
    """An evaluation that varies over the nodes without computing anything."""
    estimate = clopper_pearson(3, 200, level=0.95, scope="malignant")
    nodes = {}
    for place, node in enumerate(case):
        standing = (
            "contradicted" if place % 17 == 16 else "not shown" if node.undeveloped or place % 5 == 4 else "supported"
        )
        surely = 0.85 if standing == "supported" else None
        measured = estimate if node.kind == "evidence" and node.rests_on else None
        verdict = estimate.meets(node.number.target) if node.number else None
        why = "all that it needs is supported, under 2 unchecked assumptions" if node.kind == "claim" else ""
        nodes[node.id] = Assessed(standing, why, measured, verdict, surely, ("S1",), 2)
    leaves = [node.id for node in case if not node.below][:4] if doubted else []
    doubts = (
        Doubt(
            each,
            "evidence",
            "open" if place < 2 else "eliminated",
            why="Looked at.",
            decides=tuple(top.id for top in case.tops),
        )
        for place, each in enumerate(leaves)
    )
    return Evaluation(case, nodes, tuple(doubts), findings)


def finding():
    return Diagnostic(
        "shared-data", "two methods differ by 12 points on C1", "warning", "C1", "Look at what they rest on."
    )


def page(case, evaluation=None, *, anchors=ANCHORS):
    """The chapter by itself, with places that its links lead to."""
    found = evaluation or evaluated(case, findings=(finding(),))
    return case_page(case, found, anchors=anchors).replace("</main>", ELSEWHERE)
