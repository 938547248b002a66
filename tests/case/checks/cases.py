"""A case with nothing wrong, and for each code one that raises it and the same one mended."""

from dataclasses import replace

from surefoot.bounds import clopper_pearson
from surefoot.case import Case, Module, Node, Number, Stated
from surefoot.core import Assumption, Bound, Check, Estimate, Evidence, Provenance, Target
from surefoot.opinions import Opinion

LEVEL = 0.95
BY_HAND = Stated(Opinion(0.9, 0.0, 0.1), by="A. Assessor", why="Reviewed in March")
QUANTITY = "failure probability"
TESTED = clopper_pearson(2, 10_000, level=LEVEL)
REFERENCE = f"tests.{QUANTITY}"
ASSUMED = TESTED.assumptions


def target(at_most=1e-3, **options):
    return Target(at_most=at_most, **options)


def number(at_most=1e-3, quantity=QUANTITY, strict_level=None, **options):
    return Number(quantity, target(at_most, **options), strict_level)


def with_checks(status):
    """The tests, with all their assumptions looked at."""
    check = Check(status, "a look at the data")
    return replace(TESTED, assumptions=tuple(replace(each, check=check) for each in ASSUMED))


MEASURED = {"tests": Evidence((with_checks("supported"),))}


def side_claims():
    return [
        Node(f"W{i}", "side-claim", f"{each.text} of the tests", rests_on=REFERENCE, assumption=each.id)
        for i, each in enumerate(ASSUMED)
    ]


def good(**changes):
    """A complete case in CAE that nothing is wrong with; changes replace fields of nodes by id."""
    beside = tuple(node.id for node in side_claims())
    nodes = [
        Node("top", "claim", "The component is safe enough in its use", ("split",), ("use",)),
        Node("use", "context", "Daylight, dry roads"),
        Node("split", "argument", "Over failures and their consequences", ("rare", "mild"), block="decomposition"),
        Node("rare", "claim", "It fails on at most 0.1% of demands", ("measured",), number=number()),
        Node("measured", "argument", "By testing", ("E1",), beside, block="evidence incorporation"),
        Node("E1", "evidence", "Tests of March", rests_on=REFERENCE, digest=MEASURED["tests"].estimates[0].digest),
        *side_claims(),
        Node("mild", "claim", "Failures are mild", ("E2",)),
        Node("E2", "evidence", "Hazard analysis", url="reports/hazards.pdf"),
    ]
    return case_of([replace(node, **changes.pop(node.id, {})) for node in nodes] + list(changes.pop("add", ())))


def case_of(nodes, *, modules=(), notation="cae", extends=""):
    listed = {name: Module(name, extends=extends) for name in modules}
    return replace(Case.of(nodes, notation=notation), modules=listed)


def small(*nodes, claim=None, **options):
    """A claim ``top`` on some nodes, of which those that nothing else names are put below or beside it."""
    named = {each for node in nodes for each in node.related}
    loose = [node for node in nodes if node.id not in named and not node.challenges]
    beside = tuple(node.id for node in loose if node.kind in ("context", "side-claim", "justification"))
    below = tuple(node.id for node in loose if node.id not in beside and node.module == "")
    fields = {"supported_by": below, "in_context_of": beside, "undeveloped": not below, **(claim or {})}
    return case_of([Node("top", "claim", "All is well", **fields), *nodes], **{"notation": "gsn", **options})


def leaf(identity="C1", text="It holds", **fields):
    return Node(identity, "claim", text, **{"undeveloped": True, **fields})


def paper(identity="E1", text="A report", **fields):
    return Node(identity, "evidence", text, **{"url": "report.pdf", **fields})


def argument(identity, *below, **fields):
    return Node(identity, "argument", f"By {identity}", below, **{"block": "substitution", **fields})


def numbered(estimate=None, claim=None, evidence=None, **limits):
    """A claim with a number, a piece of evidence below it, and what was measured."""
    nodes = [
        Node("rare", "claim", **{"text": "Rare", "supported_by": ("E1",), "number": number(**limits), **(claim or {})}),
        Node("E1", "evidence", "Tests", **{"rests_on": REFERENCE, **(evidence or {})}),
    ]
    found = estimate or replace(TESTED, assumptions=())
    return case_of(nodes, notation="gsn"), {"evidence": {REFERENCE: found}}


def two_levels(upper, lower, **fields):
    block = {"block": "concretion", **fields}
    return small(
        argument("S1", "low", **block),
        leaf("low", "Parts are good", number=lower),
        claim={"number": upper},
    )


def side(**fields):
    return small(Node("A1", "side-claim", "Tests are alike", **fields))


def plain(value=1e-4, bounds=(), **fields):
    return Estimate(QUANTITY, value, bounds=bounds, provenance=Provenance("stated", {"source": "a test"}), **fields)


def upper(limit, kind, alpha=0.05):
    return Bound(limit, "upper", alpha, kind)


CONDITIONALS = Stated(given_true=Opinion(0.9, 0.0, 0.1), given_false=Opinion(0.1, 0.8, 0.1), by="A. Assessor")
OTHER = replace(leaf("far", "Far is good", module="M"), public=True)


def deputy(of, **fields):
    return Node("sub", "sub-case", "Far is good", of=of, **fields)


def two_legs(*shared):
    legs = argument("S1", "S2", "S3", combining="legs"), argument("S2", shared[0]), argument("S3", shared[-1])
    return small(*legs, *(paper(each, f"Report {each}") for each in dict.fromkeys(shared)))


def measured_with(status="unchecked", identity="same-source"):
    assumption = Assumption(identity, "One source", Check(status, "a look") if status != "unchecked" else None)
    return {"evidence": {REFERENCE: replace(TESTED, assumptions=(assumption,))}}


ONE_SIDE = {"rests_on": REFERENCE, "assumption": "same-source"}
