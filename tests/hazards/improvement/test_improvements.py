from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.trees import fault_trees
from tests.hazards.improvement.braking import braking, counted_braking

from surefoot.bounds import clopper_pearson, jeffreys
from surefoot.core import DiagnosticsError, InvalidInput, LevelUnavailable, LogNormal, Target
from surefoot.faulttree import Budget, Counts, Exponential, FaultTree, Fixed, Formula, Measured, Parameter, as_quantity
from surefoot.hazards import improvement as im

DRAWS = 2000


def bound_of(tree, level=0.95):
    return tree.analyse(level, DRAWS).top.upper(level)


def mean_of(tree, event):
    quantity = tree.events[event]
    if not quantity.uncertain:
        return float(quantity.value)
    belief = quantity.belief(event)
    if belief.dist is not None:
        return belief.dist.mean
    return (belief.details["failures"] + 0.5) / (belief.details["trials"] + 1)


@pytest.mark.parametrize("tree", [braking(), counted_braking()], ids=["drawn", "bounds"])
@pytest.mark.parametrize("event", ["camera", "radar", "brakes", "valve"])
def test_every_what_if_is_that_of_the_changed_tree(tree, event):
    row = im.improvements(tree, 2e-5, draws=DRAWS)[event]
    assert row.bound == pytest.approx(bound_of(tree), rel=1e-12)
    assert row.if_perfect == pytest.approx(bound_of(tree.with_events({event: 0.0})), rel=1e-9)
    assert row.if_known == pytest.approx(bound_of(tree.with_events({event: mean_of(tree, event)})), rel=1e-9)
    tenth = im.candidates(tree, 2e-5, [im.Candidate("x", {event: im.Times(0.1)})], draws=DRAWS)["x"]
    assert row.if_better == pytest.approx(tenth.bound, rel=1e-9)


@pytest.mark.parametrize(
    ("tree", "limit"),
    [(braking(), 2.5e-5), (braking(), 4e-5), (counted_braking(), 2.5e-5), (counted_braking(), 4e-5)],
    ids=["drawn, low", "drawn, high", "bounds, low", "bounds, high"],
)
def test_what_is_needed_alone_just_meets_the_target(tree, limit):
    some = 0
    for row in im.improvements(tree, limit, draws=DRAWS).rows:
        if row.needed is None:
            assert row.if_perfect > limit
        elif row.needed < 1:
            some += 1
            at_need, beyond = (bound_of(tree.with_events({row.name: row.needed * f})) for f in (1, 1.001))
            assert at_need <= limit * (1 + 1e-9) < beyond * 1.001
    assert some


def test_the_factor_alone_just_meets_the_target():
    tree, limit = braking(), 2e-5
    row = im.improvements(tree, limit, draws=DRAWS)["brakes"]
    scaled = [im.Candidate(str(f), {"brakes": im.Times(f / row.factor)}) for f in (0.999, 1.001)]
    found = im.candidates(tree, limit, scaled, combine=False, draws=DRAWS)
    assert [found[each.name].met for each in scaled] == [True, False]


def test_knowing_can_be_enough_where_the_mean_is_good_and_the_evidence_thin():
    found = im.improvements(braking(), 3e-5, draws=DRAWS)
    assert found["brakes"].if_known <= 3e-5 < found.bound
    assert any("To know exactly" in sentence and "brakes" in sentence for sentence in found.sentences())
    assert found["valve"].gain_known == pytest.approx(0.0, abs=1e-18)


@settings(max_examples=5, deadline=None)
@given(
    fault_trees(
        coherent=True,
        events=(1, 4),
        quantities=st.tuples(st.integers(0, 3), st.integers(4, 50)).map(lambda c: Counts(*c)),
    )
)
def test_perfect_gains_at_least_what_ten_times_better_gains(tree):
    for row in im.improvements(tree, 0.01, draws=400).rows:
        # Another number of counts may have another method, whose certificate is rounded in its own way.
        assert row.gain_perfect >= row.gain_better - 0.5 * row.bound
        assert row.gain_better >= -0.5 * row.bound
        assert (row.needed is None) == (row.if_perfect > 0.01)


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(1, 5)))
def test_fixed_events_agree_with_break_even_also_where_the_top_event_falls(tree):
    expected = tree.break_even(0.3)
    for row in im.improvements(tree, 0.3).rows:
        (event,) = row.events
        assert row.if_perfect == pytest.approx(expected.perfect[event], abs=1e-12)
        if row.needed not in (None, 0.0, 1.0) and tree.compiled.directions[event]:
            assert row.needed == pytest.approx(expected.needed[event], rel=1e-6, abs=1e-12)


def test_events_of_one_estimate_improve_together():
    one = Measured(jeffreys(5, 1000, level=0.95, scope="detector"))
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, {"a": one, "b": one})
    found = im.improvements(tree, 0.004, draws=DRAWS)
    (row,) = found.rows
    assert row.events == ("a", "b")
    assert row.if_perfect == 0
    assert row.if_known == pytest.approx(1 - (1 - one.estimate.dist.mean) ** 2, rel=1e-9)
    assert row.needed == pytest.approx(1 - np.sqrt(1 - 0.004), rel=1e-3)
    assert "change together" in found.notes[0]


def test_a_shared_parameter_is_known_for_all_events_at_once():
    rate = LogNormal(-7.0, 1.0)
    events = {"a": Exponential(Parameter("rate"), 1.0), "b": Exponential(Parameter("rate"), 2.0)}
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, events, parameters={"rate": as_quantity(rate)})
    found = im.improvements(tree, 0.001, draws=DRAWS)
    assert found["a"].if_known == found["b"].if_known == pytest.approx(-np.expm1(-3 * rate.mean), rel=1e-9)
    alone = bound_of(tree.with_events({"a": 0.0}))
    assert found["a"].if_perfect == pytest.approx(alone, rel=1e-9)


def test_an_uncertain_target_counts_with_its_cautious_limit():
    target = Target(at_most=3e-5, uncertainty=LogNormal(np.log(3e-5), 0.2))
    found = im.improvements(braking(), target, draws=DRAWS)
    assert found.aim.limit == pytest.approx(float(target.uncertainty.ppf(0.025)))
    assert found.bound == pytest.approx(bound_of(braking(), 0.975))
    row = found["brakes"]
    assert braking(brakes=Fixed(row.needed * (1 - 1e-9))).analyse(0.975, DRAWS, target=target).verdict


def test_costs_decide_the_order_and_the_rest_comes_by_gain():
    costs = {"camera": 100.0, "radar": 1.0, "brakes": lambda p: -1000 * np.log10(p)}
    found = im.improvements(braking(), 2e-5, costs=costs, draws=DRAWS)
    assert found.rows[0].name == "radar"
    assert found.rows[-1].name == "valve"
    per_gain = [row.cost_per_gain for row in found.rows[:3]]
    assert per_gain == sorted(per_gain)
    assert found["brakes"].cost == pytest.approx(1000)
    assert found["brakes"].cost_alone == pytest.approx(1000 * np.log10(found["brakes"].factor))
    assert found.table().columns[-1] == "cost alone"


def test_where_no_event_suffices_the_allocation_of_all_does():
    found = im.improvements(braking(), 1e-6, draws=DRAWS)
    assert min(min(row.if_perfect, row.if_known) for row in found.rows) > found.aim.limit
    assert "together" in found.sentences()[0]
    together = found.together()
    assert together.feasible
    assert together.apply().probability() <= 1e-6


def test_a_tree_beyond_the_budget_says_so():
    names = [f"e{i}" for i in range(20)]
    gates = {f"g{i}": Formula("or", (names[i], names[(7 * i + 3) % 20], names[(5 * i + 1) % 20])) for i in range(20)}
    gates["t"] = Formula("atleast", tuple(gates), minimum=10)
    tree = FaultTree("t", gates, dict.fromkeys(names, Fixed(0.1)))
    budget = Budget(nodes=1, seconds=0.05)
    found = im.improvements(tree, 0.1, budget=budget)
    assert found.verdict is None
    assert found.table().rows == found.sentences() == ()
    with pytest.raises(InvalidInput, match="beyond the budget"):
        found.plot()
    plan = im.test_plan(tree, 0.1, budget=budget)
    assert not plan.feasible
    assert plan.table().rows == ()
    options = im.candidates(tree, 0.1, [im.Candidate("x", {"e0": 0.0})], budget=budget)
    assert options.cheapest is None
    assert options.table().rows == ()
    assert all("beyond the budget" in str(each) for each in (found, plan, options))


def test_mistakes_are_named():
    with pytest.raises(DiagnosticsError, match=r"No probability.*|tree-probability"):
        im.improvements(braking(radar=None), 1e-5)
    with pytest.raises(InvalidInput, match="Did you mean 'camera'"):
        im.improvements(braking(), 1e-5, costs={"camra": 1.0})
    with pytest.raises(InvalidInput, match="at least 0"):
        im.improvements(braking(), 1e-5, costs={"camera": -1.0})
    with pytest.raises(LevelUnavailable, match="draws"):
        im.improvements(braking(brakes=as_quantity(LogNormal(-13.0, 0.5))), 1e-5, level=0.9999, draws=1000)
    with pytest.raises(InvalidInput, match="matters"):
        im.improvements(braking(), 1e-5, draws=DRAWS)["camra"]


def test_a_figure_shows_bars_and_what_is_missing():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = im.improvements(braking(), 2e-5, draws=DRAWS)
    axes = found.plot(most=3)
    widths = sorted(patch.get_width() for patch in axes.patches)
    assert widths[-1] == pytest.approx(max(row.gain_perfect for row in found.rows[:3]))
    assert any("missing" in text.get_text() for text in axes.get_legend().get_texts())
    assert "1 more" in axes.get_xlabel()
    plt.close(axes.figure)


def test_bounds_without_distribution_share_the_miss_probability():
    known = Measured(clopper_pearson(0, 3000, level=0.95, scope="a"))
    tree = FaultTree("t", {"t": Formula("or", ("a", "b"))}, {"a": known, "b": Fixed(1e-4)})
    row = im.improvements(tree, 1e-3)["a"]
    assert row.if_perfect == pytest.approx(1e-4)
    assert row.if_known == pytest.approx(1 - (1 - 0.5 / 3001) * (1 - 1e-4))


def test_an_event_that_is_enough_only_when_known_is_not_called_too_little():
    """Two bounds that are not of counts share the miss probability; without one of them the other has it all."""
    counts = {name: clopper_pearson(3, 300, level=0.95, scope=name) for name in ("a", "b")}
    events = {name: Measured(replace(estimate, details={})) for name, estimate in counts.items()}
    tree = FaultTree("top", {"top": Formula("or", ("a", "b"))}, events)
    b_alone, b_sharing = (events["b"].estimate.upper(level) for level in (0.95, 0.975))
    found = im.improvements(tree, (b_alone + b_sharing) / 2)
    assert found["a"].needed == pytest.approx(((b_sharing - b_alone) / 2) / (1 - b_alone), rel=1e-6)
    assert found["a"].factor is None
    assert found.sentences()[0].startswith("a alone would be enough: known to be at most")
    assert not any("No event alone" in sentence for sentence in found.sentences())


def test_an_event_of_unclear_direction_is_not_called_too_little():
    events = {"a": Counts(3, 100), "b": Counts(1, 100)}
    tree = FaultTree("top", {"top": Formula("xor", ("a", "b"))}, events)
    found = im.improvements(tree, 0.05, draws=DRAWS)
    assert found["a"].needed is None
    assert found["a"].if_perfect == pytest.approx(bound_of(tree.with_events({"a": 0.0})))
    assert found["a"].if_perfect <= 0.05 < found.bound
    assert found.sentences()[0].startswith("a at 0 alone would be enough")
