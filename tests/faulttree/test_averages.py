"""Bounds that hold on average, from basic events to the top event."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

import surefoot as sf
from surefoot.core import Bound, Estimate, MixedKinds, Provenance, Target
from surefoot.faulttree import (
    BetaFactor,
    Counts,
    Exponential,
    FaultTree,
    Fixed,
    Formula,
    Measured,
    Operation,
    PlugInValue,
)


def average(limit, name, value=0.01):
    return Estimate(
        "risk",
        value,
        scope=name,
        bounds=(Bound(limit, "upper", 1.0, "expectation"),),
        provenance=Provenance("test", {"name": name}),
    )


def tree_of(kind, **quantities):
    return FaultTree("top", {"top": Formula(kind, tuple(quantities))}, quantities)


def codes(found):
    return {caveat.code for caveat in found.caveats}


def limit_of(found):
    (bound,) = found.bounds
    assert (bound.kind, bound.side) == ("expectation", "upper")
    return bound.limit


def test_the_bound_of_a_normal_classifier_passes_and_the_value_is_marked():
    camera = sf.bounds.normal_score(np.random.default_rng(7).normal(2.0, 1.0, 110), scope="camera")
    tree = tree_of("or", camera=Measured(camera), brakes=Fixed(1e-3))
    found = tree.analyse(target=Target(at_most=0.1, kinds=("expectation",)))
    assert limit_of(found.top) == pytest.approx(1 - (1 - camera.details["bound"]) * (1 - 1e-3))
    assert found.top.value == pytest.approx(1 - (1 - camera.value) * (1 - 1e-3))
    assert {"plug-in-value", "expectation-only"} <= codes(found.top)
    assert found.verdict.status == "met"
    assert found.top.meets(Target(at_most=0.1)).status == "not shown"
    assert "holds on average" in str(found)
    assert {"top event", "importance"} <= set(found.evidence().artefacts)


@settings(max_examples=20, deadline=None)
@given(tree=fault_trees(coherent=True), data=st.data())
def test_a_coherent_tree_is_evaluated_at_the_limits(tree, data):
    names = data.draw(st.lists(st.sampled_from(list(tree.events)), min_size=1, unique=True))
    limits = {name: data.draw(st.floats(0.001, 1), label=name) for name in names}
    fed = tree.with_events({name: average(limit, name, value=limit / 2) for name, limit in limits.items()})
    known = {name: quantity.constant for name, quantity in tree.events.items()}
    found = fed.analyse().top
    if not set(names) & set(fed.compiled.events):
        assert {bound.kind for bound in found.bounds} == {"certain"}
        return
    assert limit_of(found) == pytest.approx(Table.of(tree).probability({**known, **limits}), abs=1e-12)
    halves = {name: limit / 2 for name, limit in limits.items()}
    assert found.value == pytest.approx(Table.of(tree).probability({**known, **halves}), abs=1e-12)


def test_the_probability_of_a_tree_tells_of_estimates_taken_for_the_truth():
    tree = tree_of("or", a=Measured(average(0.05, "camera")), b=Fixed(0.001))
    with pytest.warns(PlugInValue, match=r"'a' 0.01 \(bound 0.05\)"):
        assert tree.probability() == pytest.approx(1 - 0.99 * 0.999)
    with pytest.warns(PlugInValue, match="'a' 0[.] Use analyse"):
        tree.with_events({"a": sf.bounds.clopper_pearson(0, 100, level=0.95)}).probability()
    for silent in (0.2, Counts(1, 100), Estimate.known("a", 0.1, source="data sheet")):
        tree.with_events({"a": silent}).probability()


def test_one_estimate_of_two_events_does_not_pass_as_two():
    same = Measured(average(0.05, "camera"))
    both = tree_of("and", a=same, b=same).analyse().top
    either = tree_of("or", a=same, b=same).analyse().top
    assert limit_of(both) == pytest.approx(0.1)  # not 0.0025: E[Q^2] is not E[Q]^2
    assert limit_of(either) == pytest.approx(0.1)
    assert "taken-together" in codes(both)


def test_a_common_cause_group_keeps_its_bound():
    """The members alone and together are linear in one estimate, and so are taken for one event."""
    group = BetaFactor("pair", ("a", "b"), Measured(average(0.05, "sensor")), Fixed(0.1))
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {}, groups=(group,))
    assert limit_of(tree.analyse().top) == pytest.approx(2 * 0.9 * 0.05 + 0.1 * 0.05)


def test_a_share_of_an_estimate_is_linear_and_a_rate_over_time_is_not():
    scaled = Operation("mul", (0.1, Measured(average(0.05, "camera"))))
    assert limit_of(tree_of("or", a=scaled, b=Fixed(0.01)).analyse().top) == pytest.approx(1 - 0.995 * 0.99)
    rate = average(0.05, "camera", value=1e-3)
    bent = tree_of("or", a=Exponential(Measured(rate), 10.0), b=Fixed(0.01))
    with pytest.raises(MixedKinds, match="not linear in 'a'"):
        bent.analyse()
    mixed = bent.analyse(mix=True).top
    assert {bound.kind for bound in mixed.bounds} == {"heuristic"}
    assert mixed.upper(0.95) == pytest.approx(1 - np.exp(-0.5) * 0.99)
    assert {"mixed-kinds", "plug-in-value"} <= codes(mixed)


def test_products_of_independent_estimates_pass_inside_an_event_and_of_one_do_not():
    one, two = (Measured(average(limit, name)) for name, limit in (("x", 0.1), ("y", 0.2)))
    found = tree_of("or", a=Operation("mul", (one, two)), b=Fixed(0.0)).analyse().top
    assert limit_of(found) == pytest.approx(0.02)
    with pytest.raises(MixedKinds, match="not linear"):
        tree_of("or", a=Operation("mul", (one, one)), b=Fixed(0.0)).analyse()


def test_where_the_top_event_falls_the_least_probability_stands():
    tree = FaultTree(
        "top",
        {"top": Formula("and", ("a", Formula("not", ("b",))))},
        {"a": Measured(average(0.05, "x")), "b": Measured(average(0.3, "y"))},
    )
    assert limit_of(tree.analyse().top) == pytest.approx(0.05)
    (least,) = FaultTree("top", {"top": Formula("not", ("b",))}, {"b": tree.events["b"]}).analyse().top.bounds
    assert (least.side, least.kind, least.limit) == ("lower", "expectation", pytest.approx(0.7))
    either = FaultTree("top", {"top": Formula("xor", ("a", "b"))}, dict(tree.events))
    with pytest.raises(MixedKinds, match="falls with 'a'"):
        either.analyse()


@pytest.mark.parametrize("mix", [False, True])
def test_confidence_bounds_join_and_beliefs_only_on_request(mix):
    camera, counted = average(0.05, "camera"), sf.bounds.clopper_pearson(1, 100, level=0.95, scope="radar")
    sure = tree_of("or", a=Measured(camera), b=Measured(counted)).analyse(level=0.9, mix=mix).top
    assert limit_of(sure) == pytest.approx(1 - 0.95 * (1 - counted.upper(0.9) / 0.9))
    believed = tree_of("or", a=Measured(camera), b=Counts(1, 100))
    if mix:
        found = believed.analyse(level=0.9, mix=True).top
        limit = Counts(1, 100).posterior.ppf(0.9)
        assert found.upper(0.9) == pytest.approx(1 - 0.95 * (1 - limit))
        assert {bound.kind for bound in found.bounds} == {"heuristic"}
    else:
        with pytest.raises(MixedKinds, match="credible, expectation"):
            believed.analyse()


@pytest.mark.parametrize(("kind", "minimum"), [("and", None), ("or", None), ("atleast", 2)])
def test_the_expected_bound_of_normal_classifiers_is_above_the_true_top_event(kind, minimum):
    """Exact averages over five equally likely data sets of each of three classifiers."""
    rng, ratio = np.random.default_rng(0), 1.5
    margins = rng.normal(ratio, 1, (3, 5, 30))
    limits = np.array([[sf.bounds.normal_score(m, check=False).details["bound"] for m in part] for part in margins])
    risk = 0.0668072  # Phi(-1.5)
    formula = Formula(kind, ("a", "b", "c"), **({} if minimum is None else {"minimum": minimum}))
    tree = FaultTree("top", {"top": formula}, dict.fromkeys("abc", Fixed(risk)))
    truth = tree.probability()
    found = []
    for which in product(range(5), repeat=3):
        known = {name: average(limits[i, k], name) for i, (name, k) in enumerate(zip("abc", which, strict=True))}
        found.append(limit_of(tree.with_events(known).analyse().top))
    means = dict(zip("abc", limits.mean(axis=1), strict=True))
    assert np.mean(found) == pytest.approx(tree.with_events(means).probability())
    assert np.mean(found) >= truth
