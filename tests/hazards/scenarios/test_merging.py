"""Chains merged into a fault tree mean what the chains mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.hazards.scenarios.chains import happened, scenarios

from surefoot.core import InvalidInput
from surefoot.faulttree import BetaFactor, Fixed, Formula
from surefoot.hazards import Hazop, Row, Scenario, Scenarios, fault_tree

CHAIN = Scenario("S1", ("missed", "no braking", "crash"), {"crash": ("driver asleep",)}, rows=("R1",))


def states(names):
    """The basic events of each state; bit ``i`` of its number is event ``i``."""
    for number in range(2 ** len(names)):
        yield {name for place, name in enumerate(names) if number >> place & 1}


@settings(max_examples=50, deadline=None)
@given(scenarios())
def test_a_tree_is_true_exactly_when_its_chains_fire(found):
    for top in found.tops:
        tree = found.fault_tree(top)
        table = Table.of(tree)
        truth = [top in happened(found, basic) for basic in states(table.events)]
        assert np.array_equal(table.true, truth)


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_every_event_is_one_level_above_the_highest_of_its_causes(found):
    for top in found.tops:
        tree = found.fault_tree(top)
        level = {name: int(said["level"]) for name, said in tree.attributes.items()}
        assert all(level[name] == 0 for name in tree.events)
        for name, gate in tree.gates.items():
            assert level[name] == 1 + max(level[each] for each in gate.names())


def test_barriers_must_fail_as_well():
    tree = fault_tree([CHAIN])
    assert tree.gates["crash"] == Formula("and", ("no braking", "driver asleep"))
    assert tree.gates["no braking"] == Formula("pass", ("missed",))


def test_each_cause_brings_its_own_barriers():
    tree = fault_tree([CHAIN, Scenario("S2", ("ice", "crash"))])
    assert tree.gates["crash"] == Formula("or", (Formula("and", ("no braking", "driver asleep")), "ice"))


def test_links_that_say_the_same_are_one():
    again = Scenario("S2", ("unseen", "no braking", "crash"), {"crash": ["driver asleep"]})
    assert len(fault_tree([CHAIN, again]).gates["crash"].inputs) == 2


def test_a_stated_gate_says_how_causes_combine():
    chains = (Scenario("S1", ("a", "top")), Scenario("S2", ("b", "top")), Scenario("S3", ("c", "top")))
    tree = Scenarios(chains, {"top": Formula("atleast", ("a", "b", "c"), 2)}).fault_tree()
    assert tree.gates["top"].minimum == 2


def test_what_is_known_of_events_goes_with_the_tree():
    known = Scenarios(
        (CHAIN, Scenario("S9", ("other", "elsewhere"))),
        events={"missed": Fixed(0.1), "other": Fixed(0.2)},
        labels={"crash": "Crash", "other": "Other"},
        attributes={"missed": {"component": "detector"}},
        name="car",
    )
    tree = known.fault_tree("crash")
    assert (tree.name, dict(tree.labels)) == ("car: crash", {"crash": "Crash"})
    assert dict(tree.events) == {"missed": Fixed(0.1), "driver asleep": None}
    assert tree.attributes["missed"] == {"component": "detector", "rows": "R1", "scenarios": "S1", "level": "0"}


def test_house_events_and_common_causes_are_no_events_of_their_own():
    group = BetaFactor("pair", ("missed", "driver asleep"), Fixed(1e-3), Fixed(0.1))
    known = Scenarios((CHAIN, Scenario("S2", ("winter", "crash"))), houses={"winter": False}, groups=(group,))
    tree = known.fault_tree()
    assert not tree.events
    assert dict(tree.houses) == {"winter": False}
    # Both fail by the shared cause, or each by its own.
    assert tree.probability() == pytest.approx(1e-4 + (1 - 1e-4) * 9e-4**2, rel=1e-9)


def test_a_group_of_another_top_event_is_left_out():
    group = BetaFactor("pair", ("x", "y"), Fixed(1e-3), Fixed(0.1))
    other = Scenario("S2", ("x", "stop"), {"stop": ("y",)})
    assert not Scenarios((CHAIN, other), groups=(group,)).fault_tree("crash").groups


def test_a_worksheet_is_drafted_and_merged():
    row = Row("R1", "camera", "image", "no", causes=("dirt",), consequences=("asset is missed",))
    assert fault_tree(Hazop("vehicle", rows=[row])).attributes["dirt"]["rows"] == "R1"


def test_an_event_in_the_middle_has_a_tree_too():
    assert set(fault_tree([CHAIN], "no braking").events) == {"missed"}


@pytest.mark.parametrize(
    ("top", "words"),
    [
        (None, "2 of them: ['crash', 'stop']"),
        ("crahs", "Did you mean 'crash'?"),
        ("missed", "nothing leads to this event"),
    ],
)
def test_a_top_event_must_be_one(top, words):
    with pytest.raises(InvalidInput) as caught:
        fault_tree([CHAIN, Scenario("S2", ("a", "stop"))], top)
    assert words in str(caught.value)


def test_a_hint_stays_short_among_many_events():
    many = [Scenario(f"S{n}", (f"cause {n}", f"effect {n}")) for n in range(500)]
    with pytest.raises(InvalidInput) as caught:
        fault_tree(many, "zzz")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "name", ["a b", "x -> y", "=cmd()", "<b>", "ü\u202e\U0001f600", "a" * 1000, "'", "R1; R2", "pass", "true"]
)
def test_events_may_be_called_anything(name, tmp_path):
    tree = fault_tree([Scenario(name, (name, f"{name} then"), rows=(name,))])
    assert list(tree.events) == [name]
    for ending in (".yaml", ".json"):
        tree.write(tmp_path / f"tree{ending}")
        assert type(tree).read(tmp_path / f"tree{ending}").gates == tree.gates


def test_a_chain_as_long_as_anybody_likes():
    names = tuple(f"e{number}" for number in range(20_000))
    tree = fault_tree([Scenario("S1", names)])
    assert tree.attributes["e19999"]["level"] == "19999"
