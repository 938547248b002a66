"""The classic common-cause models against SCRAM, closed forms and published values."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import Beta, Estimate
from surefoot.faulttree import (
    AlphaFactor,
    BetaFactor,
    CommonCause,
    Distributed,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    LogNormal,
    MultipleGreekLetter,
    Parameter,
    PhiFactor,
    inputs,
    probabilities,
)

TWO_TRAINS = Path("/usr/share/scram/input/TwoTrain/common_cause.xml")
TOTAL = 0.03
NAMES = ("A", "B", "C", "D")
CASES = [
    (BetaFactor, "beta-factor", 2, {2: 0.2}),
    (BetaFactor, "beta-factor", 3, {3: 0.1}),
    (BetaFactor, "beta-factor", 4, {4: 0.35}),
    (MultipleGreekLetter, "MGL", 2, {2: 0.2}),
    (MultipleGreekLetter, "MGL", 3, {2: 0.2, 3: 0.6}),
    (MultipleGreekLetter, "MGL", 4, {2: 0.1, 3: 0.2, 4: 0.3}),
    (MultipleGreekLetter, "MGL", 4, {2: 0.1, 3: 0.2}),
    (AlphaFactor, "alpha-factor", 2, {1: 0.9, 2: 0.1}),
    (AlphaFactor, "alpha-factor", 3, {1: 0.7, 2: 0.2, 3: 0.1}),
    (AlphaFactor, "alpha-factor", 4, {1: 0.7, 2: 0.15, 3: 0.1, 4: 0.05}),
    (AlphaFactor, "alpha-factor", 4, {1: 0.8, 2: 0.2}),
    (PhiFactor, "phi-factor", 2, {1: 0.8, 2: 0.2}),
    (PhiFactor, "phi-factor", 3, {1: 0.7, 2: 0.2, 3: 0.1}),
    (PhiFactor, "phi-factor", 4, {1: 0.7, 2: 0.15, 3: 0.1, 4: 0.05}),
]
IDS = [f"{model}-{size}-{len(factors)}" for _, model, size, factors in CASES]


def group_of(kind, size, factors, total=TOTAL):
    given = next(iter(factors.values())) if kind is BetaFactor else tuple(factors.values())
    return kind("G", NAMES[:size], total, given)


@pytest.mark.parametrize(("kind", "model", "size", "factors"), CASES, ids=IDS)
def test_probabilities_equal_those_of_scram(kind, model, size, factors, scram, exact, tree_of):
    group = group_of(kind, size, factors)
    for minimum in range(1, size + 1):
        ours = exact(tree_of(group, minimum), ("top",))
        assert ours == pytest.approx(scram(model, group.members, TOTAL, factors, minimum), rel=1e-5)


@pytest.mark.skipif(not TWO_TRAINS.exists(), reason="SCRAM's example files are not installed")
def test_the_two_trains_of_scram_with_two_groups(scram, exact):
    gates = {
        "top": Formula("and", ("one", "two")),
        "one": Formula("or", ("v1", "p1")),
        "two": Formula("or", ("v2", "p2")),
    }
    groups = (BetaFactor("Pumps", ("p1", "p2"), 0.1, 0.2), BetaFactor("Valves", ("v1", "v2"), 0.1, 0.2))
    ours = exact(FaultTree("top", gates, {}, groups=groups), ("top",))
    assert ours == pytest.approx(0.0622587, rel=1e-5) == pytest.approx(scram.run(TWO_TRAINS), rel=1e-5)


def test_two_of_three_sensors_with_five_percent_shared_causes(exact, tree_of):
    """Worked example of common practice: beta p + 3 (1 - beta)^2 p^2 = 5.3e-5 (FTA Studio, CCF guide)."""
    group = BetaFactor("Sensors", ("A", "B", "C"), 1e-3, 0.05)
    assert exact(tree_of(group), ("top",)) == pytest.approx(5.3e-5, abs=5e-7)


def test_the_multiple_greek_letters_of_four_match_nureg_4780():
    """Q1 = (1-b) Q, Q2 = b (1-g) Q / 3, Q3 = b g (1-d) Q / 3, Q4 = b g d Q (Mosleh et al. 1988)."""
    b, g, d = 0.1, 0.27, 0.4
    tree = FaultTree("A", {}, {}, groups=(MultipleGreekLetter("G", NAMES, TOTAL, (b, g, d)),))
    levels = [(1 - b), b * (1 - g) / 3, b * g * (1 - d) / 3, b * g * d]
    found = probabilities(tree.expanded)
    assert [found[n] for n in ("[A]", "[A C]", "[B C D]", "[A B C D]")] == pytest.approx([TOTAL * s for s in levels])


def test_events_and_gates_are_named_as_in_scram():
    for kind, model, size, factors in CASES:
        tree = FaultTree("A", {}, {}, groups=(group_of(kind, size, factors),)).expanded
        subsets = [s for k in sorted({1, *factors}) for s in combinations(NAMES[:size], k)]
        assert list(tree.events) == [f"[{' '.join(s)}]" for s in subsets], model
        assert tree.gates["B"] == Formula("or", tuple(f"[{' '.join(s)}]" for s in subsets if "B" in s)), model
        assert not tree.groups, model


@settings(max_examples=15, deadline=None)
@given(
    data=st.data(),
    kind=st.sampled_from([BetaFactor, MultipleGreekLetter, AlphaFactor]),
    size=st.integers(2, 5),
    total=st.floats(1e-6, 0.5),
)
def test_the_subsets_of_a_member_add_up_to_its_total_probability(data, kind, size, total):
    share = st.floats(0.01, 0.99)
    count = {BetaFactor: 1, MultipleGreekLetter: size - 1, AlphaFactor: size}[kind]
    factors = dict(enumerate(data.draw(st.lists(share, min_size=count, max_size=count))))
    group = kind("G", (*NAMES, "E")[:size], total, factors[0] if kind is BetaFactor else tuple(factors.values()))
    tree = FaultTree("A", {}, {}, groups=(group,)).expanded
    found = probabilities(tree)
    assert sum(found[name] for name in tree.gates["A"].inputs) == pytest.approx(total)
    assert all(0 <= p <= 1 for p in found.values())


def test_the_total_of_a_member_is_kept_to_first_order(exact):
    tree = FaultTree("A", {}, {}, groups=(AlphaFactor("G", NAMES, 1e-3, (0.8, 0.1, 0.05, 0.05)),))
    assert 1e-3 - 1e-6 < exact(tree, ("A",)) < 1e-3


def test_a_tree_without_groups_is_the_same_object():
    tree = FaultTree("a", {}, {"a": Fixed(0.1)})
    assert tree.expanded is tree


def test_labels_and_attributes_of_members_stay_with_their_gates():
    group = BetaFactor("G", ("A", "B"), 0.1, 0.2)
    tree = FaultTree("A", {}, {"A": None}, groups=(group,), labels={"A": "pump"}, attributes={"A": {"component": "m"}})
    new = tree.expanded
    assert (new.labels["A"], new.attributes["A"]["component"]) == ("pump", "m")
    assert new.labels["[A B]"] == "common cause in G: A, B"
    assert "A" not in new.events


def test_an_uncertain_total_and_an_uncertain_factor_are_drawn_once():
    group = BetaFactor("Pumps", ("A", "B"), LogNormal(1e-3, 3.0), Distributed(Beta(2, 18)))
    tree = FaultTree("A", {}, {}, groups=(group,)).expanded
    assert set(inputs(tree)) == {"[Pumps distribution]", "[Pumps factor 2]"}
    drawn = {"[Pumps distribution]": np.array([1e-3, 2e-3]), "[Pumps factor 2]": np.array([0.1, 0.5])}
    found = probabilities(tree, drawn)
    np.testing.assert_allclose(found["[A]"], [0.9e-3, 1e-3])
    np.testing.assert_allclose(found["[B]"], found["[A]"])
    np.testing.assert_allclose(found["[A B]"], [1e-4, 1e-3])


def test_a_group_can_use_parameters_of_the_tree(exact):
    group = BetaFactor("G", ("A", "B"), Exponential(Parameter("rate"), 10.0), Parameter("beta"))
    parameters = {"rate": Fixed(0.01), "beta": Fixed(0.2)}
    tree = FaultTree("top", {"top": Formula("and", ("A", "B"))}, {}, groups=(group,), parameters=parameters)
    total = 1 - np.exp(-0.1)
    q1, q2 = 0.8 * total, 0.2 * total
    assert exact(tree, ("top",)) == pytest.approx(q2 + (1 - q2) * q1**2)


@pytest.mark.parametrize(("kind", "model", "size", "factors"), CASES[:12:4], ids=IDS[:12:4])
def test_a_group_is_read_back_as_it_was_written(kind, model, size, factors):
    group = replace(group_of(kind, size, factors), distribution=LogNormal(1e-3, 3.0))
    assert CommonCause.from_dict(group.to_dict()) == group


@pytest.mark.parametrize(("kind", "model", "size", "factors"), CASES[::4], ids=IDS[::4])
def test_every_model_says_what_it_assumes(kind, model, size, factors):
    ids = [a.id for a in group_of(kind, size, factors).assumptions()]
    assert ids == ["independent-subsets", "alike-members", kind.tag]


def test_a_measured_estimate_can_be_the_total(exact, tree_of):
    measured = Estimate.known("failure", 0.01, source="test")
    group = BetaFactor("G", ("A", "B"), measured, 0.1)
    assert exact(tree_of(group), ("top",)) == pytest.approx(1e-3 + (1 - 1e-3) * 9e-3**2)
