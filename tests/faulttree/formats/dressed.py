"""Random fault trees with everything that a tree can say: odd names, all quantities, groups, labels, attributes."""

from hypothesis import assume
from hypothesis import strategies as st
from tests.faulttree.trees import fault_trees

from surefoot.core import Beta, DiagnosticsError, Estimate
from surefoot.faulttree import (
    GLM,
    AlphaFactor,
    BetaDeviate,
    BetaFactor,
    Counts,
    Distributed,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    GammaDeviate,
    Histogram,
    LogNormal,
    LogNormalMuSigma,
    Measured,
    MissionTime,
    MultipleGreekLetter,
    NormalDeviate,
    Operation,
    Parameter,
    PeriodicTest,
    PhiFactor,
    SharedTraining,
    UniformDeviate,
    Weibull,
)

PARAMETERS = ("a rate", "yes")
letters = st.characters(
    exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff", include_characters="\t\n\r\x85"
)
words = st.sampled_from(
    ["true", "No", "1e-3", "-", "a: b", "[x]", "x #y", "'", '"', "\\", "~", " ", "p", "12", "é ü", "\u2028"]
)
texts = st.text(letters, max_size=10) | words
names = st.text(letters, min_size=1, max_size=10) | words

shares = st.floats(0.001, 0.3)
rates = st.floats(1e-7, 1e-5) | st.sampled_from([Parameter(PARAMETERS[0]), LogNormal(1e-6, 10)])
times = st.sampled_from([1.0, 100.0, MissionTime()])
QUANTITIES = {
    "fixed": st.builds(Fixed, st.floats(0, 1)),
    "measured": st.sampled_from(
        [
            Measured(Estimate.known("misses", 0.01, source="maker")),
            Measured(Estimate("misses", 0.02, dist=Beta(2, 98), details={"trials": 98, "limit": float("inf")})),
        ]
    ),
    "counts": st.builds(Counts, st.integers(0, 5), st.integers(5, 99), st.sampled_from([(0.5, 0.5), (1.0, 2.0)])),
    "parameter": st.just(Parameter(PARAMETERS[1])),
    "system-mission-time": st.just(Operation("div", (1, MissionTime()))),
    "distribution": st.just(Distributed(Beta(1, 9))),
    "lognormal-deviate": st.builds(LogNormal, shares, st.floats(2, 20), st.sampled_from([0.95, 0.9])),
    "lognormal-mu-sigma": st.builds(LogNormalMuSigma, st.floats(-9, -3), st.floats(0.1, 1)),
    "normal-deviate": st.builds(NormalDeviate, st.floats(0.4, 0.5), st.floats(0.01, 0.05)),
    "uniform-deviate": st.builds(UniformDeviate, st.just(0.0), shares),
    "beta-deviate": st.builds(BetaDeviate, st.floats(1, 5), st.floats(1, 5)),
    "gamma-deviate": st.builds(GammaDeviate, st.floats(1, 5), st.floats(0.01, 0.1)),
    "histogram-deviate": st.builds(Histogram, st.just((0.0, 0.1, 0.5)), st.tuples(shares, shares)),
    "exponential": st.builds(Exponential, rates, times),
    "GLM": st.builds(GLM, shares, rates, st.floats(0.01, 0.1), times),
    "Weibull": st.builds(Weibull, st.floats(1e3, 1e5), st.floats(1, 3), st.just(0.0), times),
    "periodic-test": st.builds(
        PeriodicTest, st.floats(1e-7, 1e-5), st.sampled_from([720.0, 8.0]), st.just(720.0), times
    )
    | st.just(PeriodicTest(1e-5, 720, 100, 8760, repair_rate=0.1, coverage=0.9, average=True)),
    "operation": st.builds(lambda a, b: Operation("mul", (a, Operation("min", (b, 0.5)))), shares, shares),
}
quantities = st.one_of(*QUANTITIES.values())
GROUPS = {
    "beta-factor": st.builds(BetaFactor, st.just("group"), st.just(("left", "right")), shares, shares),
    "multiple-greek-letter": st.builds(
        MultipleGreekLetter, st.just("yes"), st.just(("m1", "m2", "m3")), shares, st.tuples(shares, shares)
    ),
    "alpha-factor": st.builds(
        AlphaFactor,
        st.just("alpha"),
        st.just(("a1", "a2")),
        quantities.filter(lambda q: q.constant),
        st.just((0.9, 0.1)),
    ),
    "phi-factor": st.builds(PhiFactor, st.just("phi"), st.just(("f1", "f2")), shares, st.just((0.75, 0.25))),
    "shared-training": st.builds(
        SharedTraining,
        st.just("nets"),
        st.just(("n1", "n2")),
        st.just((90, 8, 2)),
        unseen=st.none() | shares.map(Fixed),
    ),
}


@st.composite
def dressed_trees(draw):
    """A fault tree in which everything occurs that the model has a word for."""
    tree = draw(fault_trees(events=(1, 4), gates=(1, 3), quantities=st.none()))
    old = [*tree.gates, *tree.events, *tree.houses]
    called = dict(zip(old, draw(st.lists(names, min_size=len(old), max_size=len(old), unique=True)), strict=True))
    told = [*called.values(), *PARAMETERS, "group"]
    try:
        return FaultTree(
            called[tree.top],
            {called[name]: ordered(draw, renamed(formula, called)) for name, formula in tree.gates.items()},
            {called[name]: draw(st.none() | quantities) for name in tree.events},
            {called[name]: state for name, state in tree.houses.items()},
            tuple(draw(st.lists(st.one_of(*GROUPS.values()), max_size=3, unique_by=lambda group: group.name))),
            {PARAMETERS[0]: LogNormal(1e-5, 3), PARAMETERS[1]: Fixed(0.25)},
            draw(st.dictionaries(st.sampled_from(told), texts, max_size=4)),
            draw(st.dictionaries(st.sampled_from(told), attributes, max_size=4)),
            draw(texts),
        )
    except DiagnosticsError:
        # A name that was drawn is one that a group or an uncertain part needs.
        assume(False)


attributes = st.dictionaries(st.just("component") | texts, texts, max_size=3)


def renamed(formula, called):
    inputs = (
        renamed(item, called) if isinstance(item, Formula) else item if isinstance(item, bool) else called[item]
        for item in formula.inputs
    )
    return Formula(formula.kind, tuple(inputs), formula.minimum, formula.maximum)


def ordered(draw, formula):
    """With the probability of the order, where it is a priority gate."""
    if formula.kind != "pand":
        return formula
    return Formula("pand", formula.inputs, order=draw(st.none() | st.floats(0, 1)))
