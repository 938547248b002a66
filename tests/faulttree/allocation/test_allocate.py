import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

from surefoot.core import Answer, Estimate, InvalidInput, Target, Uniform
from surefoot.faulttree import BetaFactor, Counts, FaultTree, Fixed, Formula, LogNormal


def tree_of(kind, values, **more):
    events = {name: None if value is None else Fixed(value) for name, value in values.items()}
    return FaultTree("top", {"top": Formula(kind, tuple(values))}, events, **more)


BRAKES = FaultTree(
    "no braking",
    {"no braking": Formula("or", ("power", "both channels")), "both channels": Formula("and", ("camera", "radar"))},
    {"power": Fixed(1e-5), "camera": Counts(3, 1000), "radar": Fixed(2e-2)},
)


def test_a_number_and_a_target_mean_the_same():
    stated = BRAKES.allocate(Target(at_most=3e-5, per="demand", level=0.99))
    assert stated.requirements == BRAKES.allocate(3e-5).requirements
    assert stated.top == pytest.approx(3e-5, rel=1e-12)


def test_other_events_stay_and_the_forward_check_is_exact():
    found = BRAKES.allocate(3e-5, events=["camera"])
    assert dict(found.requirements) == pytest.approx({"camera": (3e-5 - 1e-5) / (1 - 1e-5) / 2e-2}, rel=1e-9)
    values = {"power": 1e-5, "radar": 2e-2, **found.requirements}
    assert Table.of(BRAKES).probability(values) == pytest.approx(3e-5, rel=1e-9)


def test_fixed_events_are_left_alone():
    assert set(BRAKES.allocate(3e-5, fixed=["power"]).requirements) == {"camera", "radar"}


def test_others_are_at_upper_bounds_that_share_the_miss_probability_with_the_requirements():
    found = BRAKES.allocate(3e-5, events=["radar"])
    upper = Counts(3, 1000).posterior.ppf(0.975)
    assert found.requirements["radar"] == pytest.approx(2e-5 / (1 - 1e-5) / upper, rel=1e-9)
    assert (found.level, found.each, found.held) == (0.95, pytest.approx(0.975), ("camera",))
    assert BRAKES.allocate(3e-5, events=["radar"], level=0.99).requirements["radar"] < found.requirements["radar"]


CHANNELS = {"top": Formula("and", ("camera", "radar"))}


def test_an_allocation_closes_when_the_tree_is_assessed_with_the_tests_it_asks_for():
    tree = FaultTree("top", CHANNELS, {"camera": None, "radar": Counts(4, 1000)})
    found = tree.allocate(1e-6, events=["camera"], level=0.95)
    assert found.requirements["camera"] == pytest.approx(1e-6 / Counts(4, 1000).posterior.ppf(0.975), rel=1e-6)
    after = tree.with_events({"camera": Counts(0, found.tests["camera"])}).analyse(0.95)
    assert after.top.upper(0.95) <= 1e-6
    assert after.top.bounds[0].kind == "confidence"
    fewer = tree.with_events({"camera": Counts(0, int(found.tests["camera"] * 0.98))}).analyse(0.95)
    assert fewer.top.upper(0.95) > 1e-6
    assert found.assessed.upper(0.95) == after.top.upper(0.95)


@settings(max_examples=12, deadline=None)
@given(
    fault_trees(coherent=True, events=(1, 4), quantities=st.integers(100, 5000).map(lambda n: Counts(0, n))),
    st.floats(1e-4, 1e-2),
)
def test_every_feasible_allocation_closes(tree, target):
    assume(tree.compiled.events)
    first = tree.compiled.events[0]
    found = tree.allocate(target, events=[first], relax=True)
    if found.feasible and found.tests is not None:
        after = found.tree.with_events({n: Counts(0, k) if k else Fixed(1.0) for n, k in found.tests.items()})
        assert after.analyse(found.level).top.upper(found.level) <= target * (1 + 1e-9)
        assert str(found.tests[first]) in str(found).replace(",", "")


def test_applied_requirements_give_the_target():
    found = BRAKES.allocate(3e-5, method="importance")
    values = {name: quantity.value for name, quantity in found.apply().events.items()}
    assert Table.of(BRAKES).probability(values) == pytest.approx(3e-5, rel=1e-9)


def test_requirements_become_targets_of_the_events():
    found = BRAKES.allocate(Target(at_most=3e-5, level=0.9), method="cost")
    targets = found.as_targets(0.99)
    assert {name: target.at_most for name, target in targets.items()} == dict(found.requirements)
    assert targets["camera"].level == 0.99
    assert found.as_targets()["camera"].level == pytest.approx(1 - 0.1 / len(found.requirements))
    assert "no braking" in targets["camera"].source


def test_infeasible_is_said_with_the_best_reachable_and_what_stands_in_the_way():
    found = BRAKES.allocate(1e-6, events=["camera", "radar"])
    assert not found.feasible
    assert found.top == pytest.approx(1e-5)
    assert dict(found.requirements) == {"camera": 0.0, "radar": 0.0}
    assert dict(found.blockers) == {"power": 0.0}
    assert "best reachable" in str(found)
    assert "do not meet" in found.as_targets()["camera"].source
    assert "if power were perfect" in str(found)


def test_what_cannot_be_reached_makes_a_target_infeasible():
    found = tree_of("and", {"a": 0.1, "b": 0.1}).allocate(1e-4, lowest={"a": 0.05, "b": 0.05})
    assert not found.feasible
    assert found.top == pytest.approx(0.0025)
    assert dict(found.blockers) == {}


def test_a_target_that_is_met_changes_nothing_and_costs_nothing():
    found = BRAKES.allocate(0.5, method="cost")
    assert found.top == found.before
    assert found.cost == 0
    assert {row[-1] for row in found.table().rows} == {"as today"}


def test_looser_requirements_only_where_that_is_asked_for():
    found = BRAKES.allocate(0.5, method="proportional", relax=True)
    assert found.top == pytest.approx(0.5, rel=1e-9)
    assert {row[-1] for row in found.table().rows} == {"looser"}


def test_events_without_a_probability_can_be_given_requirements():
    found = tree_of("or", {"a": None, "b": None, "c": 0.001}).allocate(0.01, events=["a", "b"])
    assert found.before is None
    expected = 1 - np.sqrt(0.99 / 0.999)
    assert dict(found.requirements) == pytest.approx({"a": expected, "b": expected})
    assert str(found)


def test_events_of_a_common_cause_can_be_given_requirements():
    tree = FaultTree(
        "top",
        {"top": Formula("and", ("a", "b"))},
        {},
        groups=(BetaFactor("channels", ("a", "b"), Fixed(0.01), Fixed(0.1)),),
    )
    found = tree.allocate(1e-4)
    assert found.top == pytest.approx(1e-4, rel=1e-9)
    assert Table.of(found.apply()).probability(dict(found.requirements)) == pytest.approx(1e-4, rel=1e-9)


def test_events_that_lower_the_top_event_are_left_out_and_named():
    tree = FaultTree(
        "top",
        {"top": Formula("and", ("a", Formula("not", ("b",)), Formula("xor", ("c", "d"))))},
        {name: Fixed(0.3) for name in "abcd"},
    )
    found = tree.allocate(0.01)
    assert set(found.requirements) == {"a"}
    assert "b, c, d" in found.notes[0]
    with pytest.raises(InvalidInput, match=r"'b'.*'c'"):
        tree.allocate(0.01, events=["a", "b", "c"])


def test_an_event_without_influence_is_told():
    tree = FaultTree(
        "top", {"top": Formula("or", ("a", Formula("and", ("a", "b"))))}, {"a": Fixed(0.1), "b": Fixed(0.1)}
    )
    assert "b: without influence" in tree.allocate(0.01, events=["a", "b"]).notes[0]


def test_cost_is_never_above_that_of_the_other_methods():
    costs = {"power": 5.0, "camera": 1.0, "radar": 2.0}
    paid = BRAKES.allocate(3e-6, method="cost", costs=costs)
    for method in ("equal", "proportional", "importance"):
        other = BRAKES.allocate(3e-6, method=method)
        price = sum(costs[n] * np.log10(other.today[n] / limit) for n, limit in other.requirements.items())
        assert paid.cost <= price


def test_wrong_arguments_are_refused():
    wrong = [
        ({"method": "agree"}, "unknown method"),
        ({"events": ["lidar"]}, "unknown event"),
        ({"events": "camera"}, "collection of names"),
        ({"events": ["camera"], "fixed": ["camera"]}, "chosen and fixed"),
        ({"fixed": ["camera", "radar", "power"]}, "no event left"),
        ({"lowest": {"camera": 0.5}}, "above the largest allowed"),
        ({"lowest": {"camera": -1}}, "lowest of 'camera'"),
        ({"costs": {"camera": 1.0}}, "for the method 'cost'"),
        ({"level": 1.4}, "level"),
    ]
    for options, says in wrong:
        with pytest.raises(InvalidInput, match=says):
            BRAKES.allocate(1e-5, **options)
    for target in (-0.1, 1.5, "low", Target(at_least=0.9), Target(at_most=3, per="hour")):
        with pytest.raises(InvalidInput):
            BRAKES.allocate(target)


def test_methods_that_start_from_today_need_probabilities():
    with pytest.raises(InvalidInput, match="none for a, b"):
        tree_of("or", {"a": None, "b": None}).allocate(0.1, method="cost")
    with pytest.raises(InvalidInput, match="probability"):
        tree_of("or", {"a": 0.1, "b": None}).allocate(0.1, events=["a"])


def test_the_text_shows_every_method():
    for method in ("equal", "proportional", "importance", "cost"):
        found = tree_of("or", {"a": 0.1, "b": 0.2}).allocate(0.01, method=method)
        assert f"{method}: " in str(found), method
        assert "<table>" in found._repr_html_()


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_random_trees_reach_the_target_or_say_why_not(data):
    tree = data.draw(fault_trees(events=(2, 5), gates=(1, 4), coherent=True, constants=False))
    names = sorted(Table.of(tree).relevant)
    assume(names)
    some = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    method = data.draw(st.sampled_from(("equal", "proportional", "importance", "cost")))
    target = data.draw(st.floats(1e-6, 1.0))
    found = tree.allocate(target, events=some, method=method)
    values = {name: quantity.value for name, quantity in found.apply().events.items()}
    top = Table.of(tree).probability(values)
    assert top == pytest.approx(found.top, rel=1e-9, abs=1e-300)
    assert all(limit <= found.today[name] for name, limit in found.requirements.items())
    if found.feasible:
        assert top == pytest.approx(min(target, found.before), rel=1e-9, abs=1e-300)
    else:
        perfect = {**{name: q.value for name, q in tree.events.items()}, **dict.fromkeys(some, 0.0)}
        assert top == pytest.approx(Table.of(tree).probability(perfect), rel=1e-9)
        assert top > target


def test_uncertain_chosen_events_start_from_their_mean():
    tree = FaultTree("top", {"top": Formula("or", ("a",))}, {"a": LogNormal(0.01, 3.0)})
    assert tree.allocate(0.001).today["a"] == pytest.approx(0.01)


def test_a_top_event_at_the_limit_of_an_uncertain_target_meets_it():
    aim = Target(at_most=1e-3, level=0.9, uncertainty=Uniform(0.5e-3, 1.5e-3))
    found = tree_of("and", {"a": 0.1, "b": 0.1}).allocate(aim)
    answer = Answer("A. Berg", "2026-05-01", "The limit of the allocation.")
    assert Estimate.known("top", found.top, source="allocation", answer=answer).meets(aim).status == "met"
    assert found.top == pytest.approx(0.5e-3 + 0.05 * 1e-3, rel=1e-9)


def test_requirements_share_what_an_uncertain_target_leaves_of_the_miss_probability():
    aim = Target(at_most=1e-3, level=0.9, uncertainty=Uniform(0.5e-3, 1.5e-3))
    found = tree_of("and", {"a": 0.1, "b": 0.1}).allocate(aim)
    assert {target.level for target in found.as_targets().values()} == {1 - 0.05 / 2}
