from itertools import combinations

import numpy as np
import pytest
from tests.hazards.improvement.braking import braking, counted_braking

from surefoot.bounds import clopper_pearson, jeffreys
from surefoot.core import DiagnosticsError, InvalidInput, LevelUnavailable, LogNormal, MixedKinds, Target
from surefoot.faulttree import (
    BetaFactor,
    Counts,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    Operation,
    Parameter,
    as_quantity,
)
from surefoot.hazards import improvement

DRAWS = 1000
RETRAINED = jeffreys(1, 8000, level=0.95, scope="retrained")
MEASURES = (
    improvement.Candidate("second camera", {"camera": improvement.Times(0.1)}, 4000),
    improvement.Candidate("retrain", {"camera": RETRAINED}, 1500),
    improvement.Candidate("radar", {"radar": 0.001}, 800),
    improvement.Candidate("cleaning", {"radar": 0.001, "brakes": improvement.Times(0.5)}, 300),
    improvement.Candidate("brakes", {"brakes": improvement.Times(0.2)}, 2500),
)


def brute_force(tree, names):
    """The tree changed by hand, one event after the other."""
    camera, radar, brakes = (tree.events[name] for name in ("camera", "radar", "brakes"))
    known = {
        "camera": Operation("mul", (0.1, camera)) if "second camera" in names else camera,
        "radar": 0.001 if {"radar", "cleaning"} & set(names) else radar,
        "brakes": brakes,
    }
    if "retrain" in names:
        known["camera"] = RETRAINED
    factor = (0.5 if "cleaning" in names else 1) * (0.2 if "brakes" in names else 1)
    if factor < 1:
        known["brakes"] = Operation("mul", (factor, brakes))
    return tree.with_events(known)


def test_every_combination_is_that_of_the_changed_tree():
    tree, target = braking(), Target(at_most=1.2e-5)
    found = improvement.candidates(tree, target, MEASURES, draws=DRAWS)
    sets = [some for size in range(6) for some in combinations([each.name for each in MEASURES], size)]
    possible = [some for some in sets if not {"second camera", "retrain"} <= set(some)]
    assert {frozenset(option.names) for option in found.options} == {frozenset(some) for some in possible}
    for some in possible:
        expected = brute_force(tree, some).analyse(0.95, DRAWS, target=target)
        option = found[some]
        assert option.bound == pytest.approx(expected.top.upper(0.95), rel=1e-12)
        assert option.top.value == pytest.approx(expected.top.value, rel=1e-12)
        assert option.verdict.status == expected.verdict.status
        assert option.top.bounds[0].kind == expected.top.bounds[0].kind
        assert option.cost == sum(each.cost for each in MEASURES if each.name in some)


def test_confidence_bounds_are_combined_as_the_tree_combines_them():
    tree = counted_braking()
    better = clopper_pearson(0, 500_000, level=0.95, scope="better")
    measures = [
        improvement.Candidate("a", {"brakes": better}),
        improvement.Candidate("b", {"camera": improvement.Times(0.5)}),
        improvement.Candidate("c", {"valve": 0}),
    ]
    found = improvement.candidates(tree, 5e-5, measures)
    half = Operation("mul", (0.5, tree.events["camera"]))
    expected = tree.with_events({"brakes": better, "camera": half, "valve": 0.0}).analyse(0.95)
    assert found[("a", "b", "c")].bound == pytest.approx(expected.top.upper(0.95), rel=1e-12)
    assert found["a"].top.bounds[0].kind == "confidence"


def test_kinds_that_do_not_combine_are_refused_unless_mixed():
    measures = [improvement.Candidate("a", {"camera": clopper_pearson(0, 9000, level=0.95)})]
    tree = braking(brakes=as_quantity(LogNormal(-13.0, 0.5)))
    with pytest.raises(MixedKinds):
        improvement.candidates(tree, 5e-5, measures, draws=DRAWS)
    mixed = improvement.candidates(tree, 5e-5, measures, draws=DRAWS, mix=True)["a"]
    assert mixed.top.bounds[0].kind == "heuristic"
    assert not mixed.met


def test_conflicts_are_left_out_and_said():
    found = improvement.candidates(braking(), 1.2e-5, MEASURES, draws=DRAWS)
    assert [str(each) for each in found.conflicts] == ["second camera and retrain are not combined: both change camera"]
    assert str(found.conflicts[0]) in str(found)
    with pytest.raises(InvalidInput, match="not looked at"):
        found[("second camera", "retrain")]


def test_the_cheapest_and_the_front_are_those_of_brute_force():
    found = improvement.candidates(braking(), 1.2e-5, MEASURES, draws=DRAWS)
    met = [option for option in found.options if option.bound <= 1.2e-5]
    assert found.cheapest.cost == min(option.cost for option in met)
    beaten = {
        option.names
        for option in found.options
        for other in found.options
        if other.cost <= option.cost
        and other.bound <= option.bound
        and (other.cost < option.cost or other.bound < option.bound)
    }
    assert {option.names for option in found.front} == {o.names for o in found.options} - beaten
    assert found.table().rows[0][0] == str(found.cheapest)


def test_without_costs_the_fewest_measures_count():
    free = [improvement.Candidate(each.name, each.changes) for each in MEASURES]
    found = improvement.candidates(braking(), 1.2e-5, free, draws=DRAWS)
    met = [len(option.names) for option in found.options if option.met]
    assert len(found.cheapest.names) == min(met)
    assert "fewest measures" in found.sentences()[0]


def test_a_measure_without_cost_is_not_on_the_front():
    some = [improvement.Candidate("free", {"brakes": 0.0}), improvement.Candidate("dear", {"brakes": 1e-9}, 10)]
    found = improvement.candidates(braking(), 1e-5, some, draws=DRAWS)
    assert found["free"].cost is None
    assert not found["free"].best
    assert any("No cost is stated for free" in sentence for sentence in found.sentences())


def test_where_only_measures_without_cost_suffice_the_fewest_come_first():
    few = improvement.Candidate("few", {"brakes": improvement.Times(0.001), "camera": improvement.Times(0.1)})
    more = improvement.Candidate("more", {"radar": improvement.Times(0.1)}, cost=5)
    found = improvement.candidates(braking(), 1.3e-5, [more, few], draws=DRAWS)
    assert found["more", "few"].bound < found["few"].bound
    assert found.cheapest.names == ("few",)
    assert found.sentences()[0] == "few meets the target with the fewest measures."


def test_gates_houses_and_barriers_change_the_logic():
    gates = {"t": Formula("or", ("x", "y")), "x": Formula("and", ("a", "on")), "y": Formula("or", ("b", "c"))}
    events = {"a": Fixed(0.1), "b": Fixed(0.2), "c": Counts(1, 10)}
    tree = FaultTree("t", gates, events, houses={"on": True})
    measures = [
        improvement.Candidate("off", {"on": False}),
        improvement.Candidate("no y", {"y": False}),
        improvement.Candidate(
            "guard", {"y": improvement.Barrier("guard fails", 0.01), "x": improvement.Barrier("guard fails", 0.01)}
        ),
        improvement.Candidate("fence", {"y": improvement.Barrier("fence fails", Counts(2, 100))}),
    ]
    found = improvement.candidates(tree, 0.1, measures, draws=DRAWS)
    off = FaultTree("t", gates, events, houses={"on": False}).analyse(0.95, DRAWS).top
    assert found["off"].bound == pytest.approx(off.upper(0.95))
    assert found["no y"].bound == pytest.approx(0.1)
    guarded = FaultTree("t", {"t": Formula("and", ("g", Formula("or", ("a", "b", "c"))))}, events | {"g": Fixed(0.01)})
    assert found["guard"].bound == pytest.approx(guarded.analyse(0.95, DRAWS).top.upper(0.95))
    both = Formula("and", (Formula("or", ("b", "c")), "fence fails"))
    fenced = FaultTree("t", {"t": Formula("or", ("a", both))}, events | {"fence fails": Counts(2, 100)})
    assert found["fence"].bound == pytest.approx(fenced.analyse(0.95, DRAWS).top.upper(0.95))
    assert {str(each) for each in found.conflicts} == {
        "no y and guard are not combined: both change y",
        "no y and fence are not combined: both change y",
    }


def test_parameters_that_events_share_are_changed_once():
    events = {"a": Exponential(Parameter("rate"), Parameter("time")), "b": Exponential(Parameter("rate"), 2.0)}
    parameters = {"rate": as_quantity(LogNormal(-7.0, 1.0)), "time": as_quantity(3.0)}
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, events, parameters=parameters)
    found = improvement.candidates(
        tree,
        0.01,
        [improvement.Candidate("rate", {"rate": improvement.Times(0.5)}), improvement.Candidate("time", {"time": 1.0})],
        draws=DRAWS,
    )
    both = found[("rate", "time")].bound
    assert both == pytest.approx(-np.expm1(-1.5 * _rate_bound(tree)), rel=1e-9)
    assert found["time"].bound == pytest.approx(-np.expm1(-3 * _rate_bound(tree)), rel=1e-9)


def _rate_bound(tree):
    """The bound of the rate in the draws of the tree, whose top event is 1 - exp(-5 rate)."""
    return -np.log1p(-tree.analyse(0.95, DRAWS).top.upper(0.95)) / 5


def test_events_of_common_cause_groups_can_be_changed():
    tree = FaultTree(
        "t",
        {"t": Formula("and", ("a", "b"))},
        {"a": None, "b": None},
        groups=(BetaFactor("pumps", ("a", "b"), Fixed(0.01), Fixed(0.1)),),
    )
    shared = next(name for name in tree.compiled.events if "a" in name and "b" in name)
    found = improvement.candidates(tree, 1e-3, [improvement.Candidate("apart", {shared: 0.0})])
    assert found["apart"].bound == pytest.approx(0.009**2)


def test_many_candidates_are_searched_in_part_and_that_is_said():
    measures = [
        improvement.Candidate(f"m{i}", {"brakes": improvement.Times(0.9 - 0.01 * i)}, 10 + i) for i in range(15)
    ]
    found = improvement.candidates(braking(), 1.2e-5, measures, draws=200)
    sizes = [len(option.names) for option in found.options]
    assert sizes.count(1) == 15
    assert sizes.count(2) == 105
    assert max(sizes) == 15
    assert "A cheaper combination may exist" in found.notes[0]
    assert len(improvement.candidates(braking(), 1.2e-5, measures, draws=200, combine=False).options) == 16


def test_the_whole_result_of_an_option_can_be_asked_for():
    found = improvement.candidates(braking(), 1.2e-5, MEASURES, draws=DRAWS)
    result = found.result("radar", "retrain")
    assert result.top.upper(0.95) == pytest.approx(found[("retrain", "radar")].bound)
    assert result.verdict.status == found[("retrain", "radar")].verdict.status


def test_an_uncertain_target_is_drawn_with_both_limits():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    target = Target(at_most=1.5e-5, uncertainty=LogNormal(np.log(1.5e-5), 0.2))
    found = improvement.candidates(braking(), target, MEASURES, draws=DRAWS)
    assert all(option.met == (option.bound <= found.aim.limit) for option in found.options)
    axes = found.plot()
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert any("cautious limit" in word for word in words)
    assert any("stated limit 1.5" in word for word in words)
    assert any(str(found.cheapest)[:20] in word for word in words)
    plt.close(axes.figure)


def test_too_few_draws_for_the_level_are_refused():
    with pytest.raises(LevelUnavailable, match="at least 200 draws"):
        improvement.candidates(braking(brakes=as_quantity(LogNormal(-13.0, 0.5))), 1e-5, MEASURES, draws=100)


def test_plain_candidates_are_read():
    said = {
        "better": {"events": {"e": 0.01, "f": "x0.1", "g": False}, "cost": 1000, "note": "from the supplier"},
        "tested": {"events": {"e": {"failures": 1, "trials": 100}, "top": {"barrier": "fence", "fails": 0.1}}},
    }
    better, tested = improvement.candidates_from_plain(said)
    assert better == improvement.Candidate(
        "better", {"e": 0.01, "f": improvement.Times(0.1), "g": False}, 1000.0, "from the supplier"
    )
    assert tested == improvement.Candidate("tested", {"e": Counts(1, 100), "top": improvement.Barrier("fence", 0.1)})
    assert improvement.Candidate.from_plain("better", said["better"]) == better


def test_every_problem_of_plain_candidates_comes_at_once():
    said = {
        "a": {"event": {"e": 0.1}},
        "b": {"events": {"e": "0.1 times", "f": ["x"]}},
        "c": {"events": {"e": {"failures": 5, "trials": 1}}, "cost": "dear"},
        "d": 3,
        "e": {"events": {"g": {"barrier": "x"}}},
        "f": {"events": {"e": 0.5}, "cost": -1},
    }
    with pytest.raises(DiagnosticsError) as caught:
        improvement.candidates_from_plain(said)
    places = [problem.where for problem in caught.value.diagnostics]
    assert {"candidate 'a'", "candidate 'b', 'e'", "candidate 'b', 'f'", "candidate 'd'", "candidate 'f'"} <= set(
        places
    )
    assert "Did you mean 'events'?" in str(caught.value)
    assert "x0.1" in str(caught.value)


def test_counts_that_cannot_be_are_refused_with_their_place():
    with pytest.raises(DiagnosticsError, match="candidate 'c', 'e'"):
        improvement.Candidate.from_plain("c", {"events": {"e": {"failures": 5, "trials": 1}}})


def test_names_that_the_tree_does_not_have_are_refused_together():
    measures = [
        improvement.Candidate("a", {"camra": 0.1}),
        improvement.Candidate("b", {"missed": 0.1}),
        improvement.Candidate("c", {"radar": 1.5}),
        improvement.Candidate("d", {"radar": improvement.Barrier("x", 0.1)}),
        improvement.Candidate("e", {"missed": improvement.Barrier("radar", 0.1)}),
    ]
    with pytest.raises(DiagnosticsError) as caught:
        improvement.candidates(braking(), 1e-5, measures)
    text = str(caught.value)
    assert "Did you mean 'camera'?" in text
    assert "candidate 'a', 'camra'" in text
    assert len(caught.value.diagnostics) == 5


def test_candidates_need_names_changes_and_numbers():
    for wrong in (
        lambda: improvement.Candidate("", {"e": 0.1}),
        lambda: improvement.Candidate("a", {}),
        lambda: improvement.Candidate("a", {"e": "x0.1"}),
        lambda: improvement.Candidate("a", {"e": 0.1}, cost=-1),
        lambda: improvement.Candidate("a", {"e": 0.1}, cost=float("nan")),
        lambda: improvement.Times(-0.1),
        lambda: improvement.Barrier("", 0.1),
        lambda: improvement.candidates(braking(), 1e-5, []),
        lambda: improvement.candidates(braking(), 1e-5, [MEASURES[0], MEASURES[0]]),
    ):
        with pytest.raises(InvalidInput):
            wrong()
