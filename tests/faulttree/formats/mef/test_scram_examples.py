"""Every model that SCRAM publishes gives the number that SCRAM finds."""

import pytest
from tests.faulttree.formats.mef import scram as peer
from tests.faulttree.formats.texts import read_mef, read_mef_all, write_mef

from surefoot.core import DiagnosticsError

TREES = [
    "HIPPS/HIPPS.xml",
    "Lift/lift.xml",
    "Theatre/theatre.xml",
    "SmallTree/SmallTree.xml",
    "ne574/ne574.xml",
    "BSCU/BSCU.xml",
    "ThreeMotor/three_motor.xml",
    "TwoTrain/two_train.xml",
    "TwoTrain/common_cause.xml",
    "TwoTrain/substitutions.xml",
    "Chinese/chinese.xml Chinese/chinese-basic-events.xml",
    "Chinese/chinese.xml Chinese/high-prob.xml",
    "Chinese/chinese.xml Chinese/mcs_prob.xml",
    "Chinese/chinese.xml Chinese/mixed_mcs_prob.xml",
    "Baobab/baobab1.xml Baobab/baobab1-basic-events.xml",
    "Baobab/baobab2.xml Baobab/baobab2-basic-events.xml",
]
GAS = "EventTrees/gas_leak/gas_leak.xml EventTrees/gas_leak/gas_leak_reactive.xml"
EVENT_TREES = [
    "EventTrees/attack.xml",
    "EventTrees/bcd.xml",
    "EventTrees/attack.xml EventTrees/attack_alignment.xml",
    GAS,
    "TwoTrain/two_train.xml TwoTrain/event_tree.xml",
    "ThreeMotor/three_motor.xml ThreeMotor/event_tree.xml",
]


def paths(folder, files):
    return [folder / name for name in files.split()]


@pytest.mark.parametrize("files", TREES)
def test_the_top_event_has_the_probability_that_scram_finds(examples, files):
    tree = read_mef(paths(examples, files))
    theirs = peer.probabilities(*paths(examples, files))
    name = tree.top.removesuffix("-with-substitutions")
    assert tree.probability() == pytest.approx(theirs[name], rel=1e-5)
    assert read_mef(write_mef(tree)) == tree


def test_cea9601_of_scram_is_that_of_the_aralia_set(examples, aralia):
    # SCRAM needs 20 s for it, so its number is not asked for.
    ours = read_mef(paths(examples, "CEA9601/CEA9601.xml CEA9601/CEA9601-basic-events.xml"))
    other = read_mef(aralia / "cea9601.xml")
    assert ours.top == other.top
    assert sorted_inputs(ours) == sorted_inputs(other)


def sorted_inputs(tree):
    return {name: (f.kind, f.minimum, sorted(map(str, f.inputs))) for name, f in tree.gates.items()}


@pytest.mark.parametrize("files", EVENT_TREES[2:])
def test_every_sequence_has_the_probability_that_scram_finds(examples, files):
    theirs = {n: p for n, p in peer.probabilities(*paths(examples, files)).items() if "/" in n}
    assert theirs
    trees = {name: read_mef(paths(examples, files), top=name) for name in theirs}
    assert {n: tree.probability() for n, tree in trees.items()} == pytest.approx(theirs, rel=1e-5)
    assert all(read_mef(write_mef(tree)) == tree for tree in trees.values())


@pytest.mark.parametrize("files", [*EVENT_TREES, "TwoTrain/two_train.xml", "TwoTrain/two_train_alignment.xml"])
def test_all_top_events_are_those_that_scram_finds(examples, files):
    ours = {name: tree.probability() for name, tree in read_mef_all(paths(examples, files)).items()}
    assert ours == pytest.approx(peer.probabilities(*paths(examples, files)), rel=1e-5)


def test_phases_are_told_apart(examples):
    with pytest.raises(DiagnosticsError, match="TopEvent@Normal, TopEvent@PumpOne, TopEvent@PumpTwo"):
        read_mef(examples / "TwoTrain/two_train_alignment.xml")
    trees = read_mef_all(examples / "TwoTrain/two_train_alignment.xml", top="TopEvent")
    assert [tree.houses["PumpOneMaintenance"] for tree in trees.values()] == [False, True, False]
    shares = [float(tree.attributes["TopEvent"]["time fraction"]) for tree in trees.values()]
    assert shares == [0.99452, 0.00274, 0.00274]


def test_what_scram_refuses_to_compute_exactly_is_left_out(examples):
    path = examples / "TwoTrain/nondeclarative_substitutions.xml"
    assert "do not apply to exact analyses" in peer.refusal(path)
    first, second = read_mef(path).left_out
    assert "nondeclarative_substitutions.xml:35: the substitution 'ExchangeValves'" in first
    assert "nondeclarative_substitutions.xml:49: the substitution 'RecoverPumps'" in second


def test_the_event_tree_of_the_standard_lacks_its_gates(examples):
    with pytest.raises(DiagnosticsError) as error:
        read_mef(examples / "EventTrees/mef_example.xml", top="S6")
    assert {d.code for d in error.value.diagnostics} == {"tree-undefined"}
    assert [d.text[:3] for d in error.value.diagnostics] == ["'F'", "'G'", "'H'"]


def test_a_configuration_file_is_no_model(examples):
    with pytest.raises(DiagnosticsError, match="<scram>"):
        read_mef(examples / "TwoTrain/config.xml")


def test_several_initiating_events_that_reach_a_sequence_must_be_told_apart(examples):
    with pytest.raises(DiagnosticsError, match=r"Gas-Leak/S1, Gas-Leak-Detection/S1"):
        read_mef(paths(examples, GAS), top="S1")


def test_a_link_to_a_tree_in_another_file_needs_that_file(examples):
    with pytest.raises(DiagnosticsError, match=r"gas_leak.xml:12.*'Gas-Leak-Event-Tree-Reactive'"):
        read_mef(examples / "EventTrees/gas_leak/gas_leak.xml", top="S9")
