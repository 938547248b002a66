"""Cases to write and read again: a small one that uses most fields, and random ones with hostile texts."""

from hypothesis import strategies as st

from surefoot.case import (
    BLOCKS,
    COMBININGS,
    KINDS,
    NOTATIONS,
    Case,
    Choice,
    ClaimPoint,
    Module,
    Node,
    Number,
    Policy,
    Stated,
)
from surefoot.core import Beta, Target
from surefoot.opinions import Opinion, judgement_table

HOSTILE = ": \n'\"#-[]{},&*!|>%@`?\\\t~=<-->/. \u2028\u00e9\u4e2d\U0001f600\x85\xa0\u200b\ufeff\r0123456789abcYnNo"
texts = st.one_of(
    st.text(HOSTILE, max_size=30),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12),
    st.sampled_from(
        [
            "null",
            "~",
            "yes",
            "No",
            "1e-3",
            "0x1F",
            "2024-01-31",
            "12:30",
            "- a",
            "<script>",
            "%s",
            "",
            ".inf",
            "=",
            "<<",
        ]
    ),
    st.lists(st.text("abc ,.:", min_size=1, max_size=25), min_size=1, max_size=9).map(". ".join),
)
ids = st.one_of(
    st.sampled_from(
        ["G1", "S1", "Sn1", "C1", "A1", "J1", "CG1", "CSn1", "x", "1", "007", "null", "a/b", "m/G1", "k -> l"]
    ),
    st.text(HOSTILE, min_size=1, max_size=6).filter(str.strip),
)
shares = st.floats(0, 1, allow_subnormal=False)


@st.composite
def opinions(draw):
    if draw(st.booleans()):
        return draw(st.sampled_from(list(judgement_table(base_rate=draw(st.sampled_from([0.5, 0.25]))).values())))
    belief = draw(shares)
    disbelief = draw(st.floats(0, 1 - belief))
    uncertainty = max(0.0, 1 - belief - disbelief)
    return Opinion(belief, disbelief, uncertainty, draw(shares), prior_weight=draw(st.sampled_from([2.0, 3.5])))


@st.composite
def numbers(draw):
    side = draw(st.sampled_from(["at_most", "at_least"]))
    target = Target(
        **{side: draw(shares)},
        level=draw(st.sampled_from([0.95, 0.999])),
        per=draw(st.sampled_from(["demand", "hour", "1"])),
        source=draw(texts),
        uncertainty=draw(st.sampled_from([None, Beta(2, 30.5)])),
        kinds=draw(st.sampled_from([("certain", "confidence", "credible"), ("heuristic",)])),
    )
    return Number(draw(texts), target, draw(st.sampled_from([None, 0.99])))


@st.composite
def stateds(draw):
    both = draw(st.booleans())
    conditional = opinions() if both else st.none()
    opinion = draw(st.none() | opinions())
    return Stated(opinion, draw(conditional), draw(conditional), draw(texts), draw(texts))


plain = st.one_of(texts, st.booleans(), st.integers(-9, 9), st.floats(-9, 9).map(lambda x: round(x, 3)))
attributes = st.dictionaries(
    st.sampled_from(["rankIncrement", "horizontalIndex", "reviewer", "a: b", "classes", "text", "surefoot-x"]),
    st.one_of(plain, st.lists(plain, max_size=2).map(tuple), st.dictionaries(st.sampled_from("ab"), plain, max_size=2)),
    max_size=2,
)


def often(usual, other):
    """Mostly what is usual, so that nodes stay small."""
    return st.one_of(st.just(usual), st.just(usual), other)


def nodes(names, modules):
    links = st.lists(st.sampled_from([*names, "nowhere"]), max_size=3).map(tuple)
    choice = st.builds(Choice, st.just(("G1", "x")), st.just(0), st.sampled_from([1, 2]))
    relations = st.tuples(st.sampled_from([*names, "nowhere"]), st.sampled_from([*names, "x"])).map(
        lambda ends: (f"{ends[0]} -> {ends[1]}",)
    )
    points = st.builds(ClaimPoint, links, st.sampled_from(["", *names]))
    places = [f"{module}/{name}" for module in modules for name in names]

    def node(name):
        return st.builds(
            Node,
            id=st.just(name),
            kind=st.sampled_from(KINDS),
            text=texts,
            supported_by=often((), links),
            in_context_of=often((), links),
            challenges=often((), links | relations),
            block=often(None, st.sampled_from(BLOCKS)),
            combining=often("all", st.sampled_from(COMBININGS)),
            undeveloped=st.booleans(),
            by_contract=st.booleans(),
            module=st.sampled_from(modules),
            of=often("", st.sampled_from([*places, *modules])),
            public=st.booleans(),
            number=often(None, numbers()),
            rests_on=often("", texts),
            assumption=often("", texts),
            digest=often("", texts),
            stated=often(None, stateds()),
            defeated=st.booleans(),
            defeated_relations=often((), links),
            claim_points=often({}, st.dictionaries(ids, points, max_size=2)),
            multiplicity=often({}, st.dictionaries(ids, texts, max_size=2)),
            choice=often((), st.lists(choice, max_size=2)),
            uninstantiated=st.booleans(),
            tags=often((), st.lists(texts, max_size=2)),
            note=often("", texts),
            url=often("", texts),
            attributes=often({}, attributes),
        )

    return st.tuples(*map(node, names)).map(lambda found: {each.id: each for each in found})


@st.composite
def cases(draw, module_names=("", "m", "n o")):
    names = draw(st.lists(ids, max_size=6, unique=True).filter(lambda found: "module" not in found))
    policy = often(
        Policy(), st.builds(Policy, checked=opinions(), discounting=st.sampled_from(["probability", "uncertainty"]))
    )
    develops = often(
        {}, st.dictionaries(st.sampled_from([*names, "m/G1", "x"]), st.tuples(st.sampled_from([*names, "y"])))
    )
    module = st.builds(Module, texts, texts, texts, develops, often({}, attributes))
    listed = st.dictionaries(st.sampled_from(module_names), module, max_size=2)
    return Case(
        draw(nodes(names, module_names)),
        name=draw(texts),
        description=draw(texts),
        modules=draw(listed),
        notation=draw(st.sampled_from(NOTATIONS)),
        policy=draw(policy),
    )


def small():
    """A case as somebody may write it."""
    text = (
        "The detector misses a pedestrian in at most one of a thousand demands. This holds for all conditions of the "
        "operational design domain, by day and by night, and for the version that is released."
    )
    target = Target(at_most=0.001, level=0.99)
    nodes = [
        Node("C1", "claim", text, ("A1",), number=Number("failure probability", target, 0.998)),
        Node("A1", "argument", "From tests to operation", ("E1",), ("S1",), block="evidence incorporation"),
        Node("S1", "side-claim", "Tests are drawn as in operation", rests_on="missed.pmi", assumption="iid"),
        Node("E1", "evidence", "Tests of release 1.2", rests_on="missed.pmi", digest="ab12", tags=("AMLAS: stage 5",)),
        Node("D1", "defeater", "Snow was not tested", challenges=("C1",), defeated=True),
        Node("X1", "sub-case", "The planner keeps its distance", of="planner/P1"),
        Node(
            "P1",
            "claim",
            "The planner keeps its distance",
            module="planner",
            public=True,
            stated=Stated(judgement_table()["very likely", "high confidence"], by="A. Müller", why="by review"),
        ),
    ]
    modules = {"planner": Module("planner", "Plans ahead")}
    return Case({node.id: node for node in nodes}, "Detector", modules=modules)
