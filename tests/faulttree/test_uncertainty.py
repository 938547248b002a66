"""From the uncertainty of inputs to that of the top event."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

from surefoot.core import Beta, Bound, Estimate, InvalidInput, MixedKinds, Point, QuantileBound
from surefoot.faulttree import (
    BetaFactor,
    Counts,
    Distributed,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    LogNormal,
    Measured,
    MissionTime,
    Parameter,
    bound_of_counts,
    interval_bounds,
)


def tree_of(kind, **quantities):
    return FaultTree("top", {"top": Formula(kind, tuple(quantities))}, quantities)


def believed(name, dist, kind="credible"):
    return Estimate(name, dist.mean, bounds=tuple(QuantileBound(dist, s, kind) for s in ("upper", "lower")), dist=dist)


def bounded(name, low, value, high, kind="certain"):
    alpha = 0.0 if kind == "certain" else 0.0125
    return Estimate(name, value, bounds=(Bound(low, "lower", alpha, kind), Bound(high, "upper", alpha, kind)))


def test_known_probabilities_give_a_certain_estimate():
    found = tree_of("or", a=Fixed(0.1), b=Fixed(0.2)).analyse().top
    assert found.value == pytest.approx(0.28)
    assert isinstance(found.dist, Point)
    assert {family.kind for family in found.bounds} == {"certain"}
    assert [a.id for a in found.assumptions] == ["independent-basic-events", "complete-logic"]


def test_draws_have_the_moments_of_the_product():
    a, b = Beta(3.5, 96.5), Beta(5.5, 94.5)
    found = tree_of("and", a=Distributed(a), b=Distributed(b)).analyse(draws=100_000).top
    assert found.value == pytest.approx(a.mean * b.mean, rel=0.01)
    second = (a.variance + a.mean**2) * (b.variance + b.mean**2)
    assert found.dist.variance == pytest.approx(second - (a.mean * b.mean) ** 2, rel=0.03)


def test_an_estimate_that_two_events_share_is_drawn_once():
    shared, apart = believed("one type", Beta(2, 18)), believed("another type", Beta(2, 18))
    once = tree_of("and", a=Measured(shared), b=Measured(shared)).analyse(draws=50_000).top
    twice = tree_of("and", a=Measured(shared), b=Measured(apart)).analyse(draws=50_000).top
    mean, variance = shared.dist.mean, shared.dist.variance
    assert once.value == pytest.approx(mean**2 + variance, rel=0.02)
    assert twice.value == pytest.approx(mean**2, rel=0.02)


def test_a_parameter_that_two_events_share_is_drawn_once():
    gates, events = {"top": Formula("and", ("a", "b"))}, {"a": Parameter("p"), "b": Parameter("p")}
    found = FaultTree("top", gates, events, parameters={"p": Counts(1.5, 19)}).analyse(draws=50_000).top
    belief = Beta(2, 18)
    assert found.value == pytest.approx(belief.mean**2 + belief.variance, rel=0.02)


def test_the_assumptions_of_groups_and_priority_gates_are_stated():
    group = BetaFactor("pumps", ("a", "b"), Distributed(Beta(1.5, 99.5)), Fixed(0.1))
    tree = FaultTree("top", {"top": Formula("pand", ("a", "b"))}, {}, groups=(group,))
    found = tree.analyse(draws=2000).top
    stated = {assumption.id for assumption in found.assumptions}
    assert {"independent-basic-events", "order-of-events"} | {a.id for a in group.assumptions()} <= stated
    # Both by their common cause, or each alone.
    q = Beta(1.5, 99.5)
    assert found.value == pytest.approx(0.1 * q.mean + 0.81 * (q.mean**2 + q.variance), rel=0.05)


def test_blocks_do_not_change_the_draws(monkeypatch):
    tree = tree_of("or", a=Distributed(Beta(3.5, 96.5)), b=Distributed(Beta(5.5, 94.5)))
    whole = tree.analyse(draws=1000).top
    monkeypatch.setattr(sys.modules[bound_of_counts.__module__], "MOST_VALUES", 250)
    seen = []
    parts = tree.analyse(draws=1000, progress=lambda done, total: seen.append((done, total))).top
    assert parts.dist.draws == whole.dist.draws
    assert parts.key == whole.key
    assert seen == [(125 * i, 1000) for i in range(1, 9)]


def test_another_tree_has_another_key():
    tree, other = (tree_of("or", a=Counts(3, 99), b=Fixed(p)) for p in (0.1, 0.2))
    assert tree.analyse(draws=100).top.key != other.analyse(draws=100).top.key


def test_bounds_alone_are_shared_out_by_the_direction_of_the_top_event():
    gates = {"top": Formula("and", ("a", Formula("not", ("b",))))}
    a, b = (bounded(n, 0.1, 0.2, 0.3, "confidence") for n in "ab")
    found = FaultTree("top", gates, {"a": Measured(a), "b": Measured(b)}).analyse(level=0.975).top
    assert found.upper(0.975) == pytest.approx(0.3 * 0.9)
    assert found.lower(0.975) == pytest.approx(0.1 * 0.7)
    assert {family.kind for family in found.bounds} == {"confidence"}


def test_an_input_without_a_direction_is_named():
    tree = tree_of("xor", a=Measured(bounded("a", 0.1, 0.2, 0.3)), b=Fixed(0.4))
    with pytest.raises(InvalidInput, match=r"falls with a\b"):
        tree.analyse()


def test_kinds_mix_only_where_the_caller_says_so():
    tree = tree_of("or", a=LogNormal(0.01, 3.0), b=Measured(bounded("b", 0.1, 0.2, 0.3, "confidence")))
    with pytest.raises(MixedKinds):
        tree.analyse(level=0.975)
    mixed = tree.analyse(level=0.975, mix=True).top
    assert "mixed-kinds" in [caveat.code for caveat in mixed.caveats]


def test_an_input_that_does_not_matter_takes_no_share_of_alpha():
    gates = {"top": Formula("or", ("a", Formula("and", ("b", False))))}
    a, b = (bounded(n, 0.1, 0.2, 0.3, "confidence") for n in "ab")
    found = FaultTree("top", gates, {"a": Measured(a), "b": Measured(b)}).analyse(level=0.9875).top
    assert found.upper(0.9875) == pytest.approx(0.3)


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(2, 5), quantities=st.just(Fixed(0.3))), st.data())
def test_interval_bounds_enclose_every_value_and_are_reached_by_monotone_trees(tree, data):
    ends = {n: sorted(data.draw(st.tuples(st.floats(0, 1), st.floats(0, 1)))) for n in tree.events}
    quantities = {n: Measured(bounded(n, low, (low + high) / 2, high)) for n, (low, high) in ends.items()}
    table = Table.of(tree)
    measured = FaultTree(tree.top, tree.gates, quantities, tree.houses)
    low, high = interval_bounds(measured)
    corners = [
        table.probability({n: ends[n][(state >> i) & 1] for i, n in enumerate(table.events)})
        for state in range(2 ** len(table.events))
    ]
    assert low <= min(corners) + 1e-12
    assert max(corners) - 1e-12 <= high
    if all(measured.compiled.directions.values()):
        assert (low, high) == pytest.approx((min(corners), max(corners)), abs=1e-12)


def test_hundred_thousand_draws_on_many_events_stay_exact_for_each_draw():
    names = [f"e{i}" for i in range(30)]
    tree = FaultTree(
        "top",
        {"top": Formula("or", tuple(names))},
        {n: Distributed(Beta(i + 0.5, 1000.5 - i)) for i, n in enumerate(names)},
    )
    found = tree.analyse(draws=100_000).top
    expected = 1 - np.prod([1 - Beta(i + 0.5, 1000.5 - i).mean for i in range(30)])
    assert found.value == pytest.approx(expected, rel=2e-3)
    assert len(found.dist.draws) == 100_000


def test_draws_that_were_cut_to_a_probability_are_told():
    found = tree_of("or", a=LogNormal(0.5, 20.0), b=Fixed(0.1)).analyse().top
    beyond = stats.lognorm(np.log(20) / stats.norm.ppf(0.95), scale=LogNormal(0.5, 20.0).distribution().ppf(0.5)).sf(1)
    (told,) = [c for c in found.caveats if c.code == "tree-probability"]
    assert told.severity == "warning"
    assert float(told.text.partition("%")[0]) == pytest.approx(100 * beyond, rel=0.1)
    assert not tree_of("or", a=LogNormal(1e-6, 2.0), b=Fixed(0.1)).analyse().top.caveats


def test_events_that_are_one_input_are_told():
    shared = believed("one type", Beta(2, 18))
    told = tree_of("and", a=Measured(shared), b=Measured(shared), c=Counts(1, 9)).analyse(draws=100).top.caveats
    assert [(c.code, "'a', 'b' are one input" in c.text) for c in told] == [("same-input", True)]


def test_a_rate_in_place_of_a_probability_is_told():
    rate = Estimate.known("failures", 0.01, source="data sheet", unit="per hour")
    (told,) = tree_of("and", a=Measured(rate), b=Fixed(0.1)).analyse().top.caveats
    assert "0.01 per hour and is taken as per demand" in told.text
    assert not tree_of("and", a=Measured(rate), b=Fixed(0.1)).analyse(unit="per hour").top.caveats


def test_a_mission_time_that_nobody_gave_is_an_assumption():
    tree = tree_of("or", a=Exponential(1e-6, MissionTime()), b=Fixed(0.1))
    (told,) = [a for a in tree.analyse().top.assumptions if a.id == "mission-time"]
    assert "8760 hours" in told.text
    given = FaultTree("top", tree.gates, tree.events, parameters={"mission-time": Fixed(10.0)})
    assert "mission-time" not in {a.id for a in given.analyse().top.assumptions}


def test_the_bound_of_a_rate_becomes_that_of_the_top_event():
    rate = Estimate("failures", 1e-5, unit="per hour", bounds=(Bound(3e-5, "upper", 0.05, "confidence"),))
    found = tree_of("or", a=Exponential(rate, 100.0), b=Fixed(1e-4)).analyse(level=0.9).top
    assert found.upper(0.9) == pytest.approx(1 - np.exp(-3e-3) * (1 - 1e-4), rel=1e-12)
