"""What is written is read back as it was, and SCRAM takes it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.formats.dressed import dressed_trees
from tests.faulttree.formats.mef import scram as peer
from tests.faulttree.formats.texts import read_mef, write_mef
from tests.faulttree.trees import fault_trees

from surefoot.core import Beta, DiagnosticsError, Estimate
from surefoot.faulttree import (
    GLM,
    AlphaFactor,
    BetaDeviate,
    BetaFactor,
    Counts,
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

FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
QUANTITIES = {
    "counts": Counts(3, 50),
    "few counts": Counts(2, 4),
    "measured": Measured(Estimate("misses", 0.03, dist=Beta(2, 98))),
    "lognormal": LogNormal(0.01, 3),
    "lognormal by logarithm": LogNormalMuSigma(-4, 0.5),
    "normal": NormalDeviate(0.1, 0.01),
    "uniform": UniformDeviate(0.1, 0.3),
    "gamma": GammaDeviate(2, 0.01),
    "beta": BetaDeviate(2, 70),
    "histogram": Histogram((0.0, 0.1, 0.4), (3, 1)),
    "exponential": Exponential(1e-5, MissionTime()),
    "GLM": GLM(0.1, 1e-4, 0.01, 100),
    "Weibull": Weibull(1e4, 2, 0, 5000),
    "tested": PeriodicTest(1e-5, 720, 0, 8760),
    "tested and repaired": PeriodicTest(1e-4, 720, 100, 8760, repair_rate=0.05),
    "mean while tested": PeriodicTest(1e-4, 720, 100, 8760, average=True),
    "operations": Operation("mul", (Parameter("p"), Operation("sub", (1, Operation("exp", (-2,)))))),
    "switch": Operation("switch", (Operation("gt", (1, 2)), 0.9, Operation("lt", (1, 2)), 0.2, 0.3)),
}
GROUPS = {
    "beta factor": BetaFactor("C", ("x", "y", "z"), 0.1, 0.2),
    "Greek letters": MultipleGreekLetter("C", ("x", "y", "z"), 0.1, (0.2, 0.3)),
    "alpha factor": AlphaFactor("C", ("x", "y", "z"), 0.1, (0.7, 0.2, 0.1)),
    "phi factor": PhiFactor("C", ("x", "y", "z"), 0.1, (0.7, 0.2, 0.1)),
    "shared training": SharedTraining("C", ("x", "y", "z"), (950, 30, 15, 5), unseen=Fixed(1e-3)),
}


@settings(FEW, max_examples=25)
@given(dressed_trees())
def test_a_tree_survives(tree):
    assert read_mef(write_mef(tree)) == tree


segments = st.sampled_from(["A", "B", "t", "E-1"])
paths = st.lists(segments, min_size=1, max_size=3).map(".".join)


@FEW
@given(fault_trees(events=(1, 5), gates=(1, 5)), st.lists(paths, min_size=13, max_size=13), st.sampled_from("ABt"))
def test_names_that_are_paths_survive(tree, wished, title):
    old = [*tree.gates, *tree.events, *tree.houses]
    called = {
        name: f"{wish}{name}" if index % 3 else wish
        for index, (name, wish) in enumerate(zip(old, wished, strict=False))
    }
    if len(set(called.values())) < len(called):
        called = {name: f"{wish}.{name}" for name, wish in zip(old, wished, strict=False)}
    said = {called[name]: {"container": wish} for name, wish in zip(old[::2], wished[1:], strict=False)}
    new = FaultTree(
        called[tree.top],
        {called[name]: renamed(formula, called) for name, formula in tree.gates.items()},
        {called[name]: quantity for name, quantity in tree.events.items()},
        {called[name]: state for name, state in tree.houses.items()},
        attributes=said,
        name=title,
    )
    assert read_mef(write_mef(new)) == new


def renamed(item, called):
    if isinstance(item, Formula):
        inputs = tuple(renamed(each, called) for each in item.inputs)
        return Formula(item.kind, inputs, item.minimum, item.maximum, item.order)
    return called.get(item, item) if isinstance(item, str) else item


@pytest.mark.parametrize("model", ["chinese", "baobab1", "das9202", "isp9606"])
def test_scram_finds_the_same_in_an_aralia_model_and_in_what_is_written_of_it(scram, aralia, tmp_path, model):
    tree = read_mef(aralia / f"{model}.xml")
    path = tmp_path / "written.xml"
    tree.write(path)
    assert read_mef(path) == tree
    assert not peer.accepts(path)
    assert peer.probabilities(path) == pytest.approx(peer.probabilities(aralia / f"{model}.xml"))


@pytest.mark.parametrize("model", ["edf9201", "edfpa14q", "cea9601"])
def test_scram_takes_what_is_written_of_a_large_model(scram, aralia, tmp_path, model):
    tree = read_mef(aralia / f"{model}.xml")
    path = tmp_path / "written.xml"
    tree.write(path)
    assert read_mef(path) == tree
    assert not peer.accepts(path)


KINDS_THAT_SCRAM_LACKS = {"iff", "imply", "cardinality"}


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(tree=fault_trees(events=(2, 6), gates=(1, 5)))
def test_scram_finds_the_probability_of_random_trees(scram, tmp_path, tree):
    if any(f.kind in KINDS_THAT_SCRAM_LACKS for gate in tree.gates.values() for f in gate.formulas()):
        return
    path = tmp_path / "written.xml"
    tree.write(path)
    truth = Table.of(tree).probability({name: q.value for name, q in tree.events.items()})
    assert peer.probabilities(path)[tree.top] == pytest.approx(truth, rel=1e-5, abs=1e-15)


def test_scram_finds_the_same_value_of_every_quantity(scram, tmp_path):
    for name, quantity in QUANTITIES.items():
        top = Formula("pass", ("an event",))
        tree = FaultTree("top", {"top": top}, {"an event": quantity}, parameters={"p": Fixed(0.25)})
        path = tmp_path / "written.xml"
        tree.write(path)
        assert read_mef(path) == tree, name
        assert peer.probabilities(path)["top"] == pytest.approx(tree.probability(), rel=1e-5), name


def test_scram_finds_the_same_probability_under_every_common_cause(scram, tmp_path):
    for name, group in GROUPS.items():
        tree = FaultTree("top", {"top": Formula("atleast", ("x", "y", "z"), 2)}, {}, groups=(group,))
        path = tmp_path / "written.xml"
        tree.write(path)
        assert read_mef(path) == tree, name
        assert peer.probabilities(path)["top"] == pytest.approx(tree.probability(), rel=1e-5), name


def test_the_mission_time_of_a_tree_reaches_scram(scram, tmp_path):
    gates = {"top": Formula("pass", ("e",))}
    tree = FaultTree("top", gates, {"e": Exponential(1e-4, MissionTime())}, parameters={"mission-time": Fixed(24.0)})
    path = tmp_path / "written.xml"
    tree.write(path)
    assert read_mef(path) == tree
    assert peer.probabilities(path)["top"] == pytest.approx(tree.probability(), rel=1e-5)


def test_formulas_nested_too_deep_are_refused():
    formula = Formula("and", ("a", "b"))
    for _ in range(220):
        formula = Formula("or", (formula, "a"))
    tree = FaultTree("top", {"top": formula}, {"a": Fixed(0.1), "b": Fixed(0.1)})
    with pytest.raises(DiagnosticsError, match=r"'top'.* 200 "):
        write_mef(tree)


def test_what_was_changed_beside_its_exact_words_is_refused():
    gates = {"top": Formula("pand", ("a", "b"))}
    text = write_mef(FaultTree("top", gates, {"a": Counts(1, 9), "b": Fixed(0.1)}))
    changed = text.replace('<basic-event name="b"/>', '<basic-event name="a"/>').replace('"1.5"', '"2.5"')
    with pytest.raises(DiagnosticsError) as error:
        read_mef(changed)
    assert [d.text.split("'")[3] for d in error.value.diagnostics] == ["a", "top"]


@pytest.mark.parametrize("inputs", [("a", "b", "a"), ("a", "a", "b", "c"), ("a", "b", "a", "b", "c")])
def test_scram_counts_an_input_that_stands_twice_twice(scram, tmp_path, inputs):
    gates = {"top": Formula("or", ("g", "d")), "g": Formula("atleast", inputs, minimum=2)}
    events = {"a": 0.5, "b": 0.3, "c": 0.2, "d": 1e-9}
    used = {name: Fixed(p) for name, p in events.items() if name in (*inputs, "d")}
    tree = FaultTree("top", gates, used)
    tree.write(tmp_path / "tree.xml")
    assert read_mef(tmp_path / "tree.xml") == tree
    assert peer.probabilities(tmp_path / "tree.xml")["top"] == pytest.approx(tree.probability(), rel=1e-5)
