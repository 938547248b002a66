"""Confidence bounds of top events whose events were counted."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.faulttree.trees import fault_trees

from surefoot.bounds import clopper_pearson, jeffreys
from surefoot.core import Estimate, InvalidInput, Provenance, Target, propagate
from surefoot.core.exact_inversion import Count, largest_mean, smallest_mean
from surefoot.faulttree import Counts, FaultTree, Fixed, Formula, LogNormal, Measured, bound_of_counts
from surefoot.faulttree.count_budget import largest_within

BRIDGE = {
    "bridge": Formula("or", ("c1", "c2", "c3", "c4")),
    "c1": Formula("and", ("e1", "e2")),
    "c2": Formula("and", ("e4", "e5")),
    "c3": Formula("and", ("e1", "e3", "e5")),
    "c4": Formula("and", ("e2", "e3", "e4")),
}
TEN = {
    "top": Formula("or", ("bridge", "pair", "voter", "e10")),
    **BRIDGE,
    "pair": Formula("and", ("e1", "e9")),
    "voter": Formula("atleast", ("e6", "e7", "e8"), 2),
}
TEN_TESTS = (200, 200, 50, 1000, 1000, 500, 500, 500, 200, 20000)


def names(count):
    return tuple(f"e{i + 1}" for i in range(count))


def tree_of(kind, failures, tests, least=None):
    gate = Formula(kind, names(len(tests))) if least is None else Formula(kind, names(len(tests)), least)
    events = {name: Counts(k, n) for name, k, n in zip(names(len(tests)), failures, tests, strict=True)}
    return FaultTree("top", {"top": gate}, events)


def test_twenty_events_without_a_failure_are_no_violation():
    ways = {
        "counts": lambda name: Counts(0, 200),
        "Jeffreys": lambda name: Measured(jeffreys(0, 200, level=0.95, scope=name)),
        "Clopper-Pearson": lambda name: Measured(clopper_pearson(0, 200, level=0.95, scope=name)),
    }
    gates = {"top": Formula("or", names(20))}
    for way, known in ways.items():
        found = FaultTree("top", gates, {n: known(n) for n in names(20)}).analyse(0.95, target=Target(at_most=0.02))
        assert (found.verdict.status, found.top.lower(0.95)) == ("met", 0), way
        assert found.top.upper(0.95) == pytest.approx(1 - 0.05 ** (1 / 200), rel=1e-4), way
        assert (found.top.bounds[0].kind, found.top.details["method"]) == ("confidence", "count budget"), way


def test_half_counts_of_a_prior_do_not_add_up_to_a_violation():
    drawn = tree_of("or", (0,) * 20, (200,) * 20).analyse().credible
    assert drawn.lower(0.95) == 0
    one_each = tree_of("or", (1,) * 20, (2000,) * 20).analyse().credible
    # Twenty failures in 40,000 tests: the posteriors alone would refute 0.0105, which is what was observed and more.
    assert one_each.lower(0.95) > 0.0105
    assert one_each.meets(Target(at_most=0.0105)).status == "not shown"
    assert one_each.meets(Target(at_most=0.005)).status == "violated"


def test_a_lower_limit_of_zero_stays_zero_through_everything():
    a, b = jeffreys(0, 200, level=0.95, scope="a"), jeffreys(3, 50, level=0.95, scope="b")
    assert propagate(lambda a: a, {"a": a}, quantity="same").lower(0.95) == 0
    assert propagate(lambda a, b: a * b, {"a": a, "b": b}, quantity="both").lower(0.95) == 0
    either = propagate(lambda a, b: a + b - a * b, {"a": a, "b": b}, quantity="either")
    assert either.lower(0.95) == pytest.approx(b.lower(0.95), rel=0.05)
    assert propagate(lambda a: 1 - a, {"a": a}, quantity="not").upper(0.95) == 1


PUBLISHED = [
    ("or", (200, 200), (0, 0), 0.95, 0.014867),
    ("or", (200, 200), (0, 3), 0.95, 0.0383097),
    ("or", (200, 200), (1, 1), 0.99, 0.0413623),
    ("or", (200, 200, 200), (1, 1, 1), 0.95, 0.0383097),
    ("or", (50, 200, 1000), (0, 0, 3), 0.95, 0.0587441),
    ("or", (50, 200, 1000), (1, 1, 1), 0.95, 0.0940901),
    ("and", (1000, 1000), (0, 0), 0.95, 2.24025e-06),
    ("and", (1000, 1000), (0, 20), 0.95, 5.46674e-05),
    ("and", (1000, 1000), (2, 5), 0.99, 6.03964e-05),
    ("and", (1000, 1000, 1000), (2, 2, 2), 0.95, 6.86637e-08),
    ("atleast", (200, 200, 200), (0, 0, 1), 0.95, 0.00018539),
    ("atleast", (200, 200, 200), (2, 2, 2), 0.95, 0.00117005),
    ("or", (200,) * 20, (1, *(0,) * 19), 0.95, 0.0234985),
    ("or", (200,) * 20, (1, 1, 1, *(0,) * 17), 0.95, 0.0383097),
]


def test_small_designs_are_close_to_the_exact_inversion():
    """Values of an independent exact inversion (Buehler 1957), certified on a grid of its own."""
    for kind, tests, failures, level, exact in PUBLISHED:
        bound = bound_of_counts(tree_of(kind, failures, tests, 2 if kind == "atleast" else None), 1 - level)
        assert exact * (1 - 1e-4) <= bound <= exact * 1.02, (kind, tests, failures)


def test_a_bridge_with_a_shared_event_is_certified_closely():
    for failures, most in (((0,) * 10, 1.0001 * 1.49775e-4), ((1, 1, *(0,) * 8), 3.2e-4), ((0,) * 9 + (2,), 3.2e-4)):
        events = {n: Counts(k, m) for n, k, m in zip(names(10), failures, TEN_TESTS, strict=True)}
        assert bound_of_counts(FaultTree("top", TEN, events), 0.05) <= most, failures


def test_the_certified_maximum_lies_above_every_split_of_the_budget():
    failures = (1, 0, 1, 2, 0, 0, 1, 0, 0, 1)
    events = {n: Counts(k, m) for n, k, m in zip(names(10), failures, TEN_TESTS, strict=True)}
    tree = FaultTree("top", TEN, events)
    result = tree.analyse(0.95)
    counted = result.top.details["counted together"]
    weights = np.array([counted[name]["weight"] for name in names(10)])
    budget = largest_mean(float(weights @ failures), 0.05, whole=bool((weights == 1).all()))
    shares = np.random.default_rng(0).dirichlet(np.full(10, 0.2), 20_000) * budget
    p = np.minimum(shares / (weights * TEN_TESTS), 1)
    order = [names(10).index(name) for name in tree.compiled.events]
    assert tree.compiled.probability(p[:, order].T).max() <= result.top.upper(0.95)


@settings(max_examples=10, deadline=None)
@given(
    fault_trees(coherent=True, events=(2, 5), quantities=st.just(Counts(0, 30))),
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([20, 60, 300])), min_size=8, max_size=8),
)
def test_bounds_enclose_what_was_observed_and_widen_with_the_level(tree, counts):
    changed = {name: Counts(*count) for name, count in zip(tree.events, counts, strict=False)}
    top = tree.with_events(changed).analyse(0.9).top
    if top.bounds[0].kind == "certain":
        return
    assert top.lower(0.9) <= top.value * (1 + 1e-9) <= top.upper(0.9) * (1 + 1e-9)
    assert top.upper(0.9) <= top.upper(0.99) * (1 + 1e-9)
    assert top.lower(0.99) <= top.lower(0.9) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("kind", "tests", "least"), [("or", (5, 6), None), ("and", (4, 5), None), ("atleast", (2, 2, 3), 2)]
)
def test_the_level_is_kept_for_every_truth_of_a_grid(kind, tests, least):
    """All outcomes are enumerated; the coverage is exact."""
    outcomes = list(product(*(range(n + 1) for n in tests)))
    limits = np.array(
        [[bound_of_counts(tree_of(kind, x, tests, least), 0.2, side) for side in ("lower", "upper")] for x in outcomes]
    )
    compiled = tree_of(kind, outcomes[0], tests, least).compiled
    for p in product(np.array([0.001, 0.03, 0.1, 0.25, 0.5]), repeat=len(tests)):
        masses = np.array(
            [np.prod([stats.binom.pmf(k, n, q) for k, n, q in zip(x, tests, p, strict=True)]) for x in outcomes]
        )
        by_name = dict(zip(names(len(tests)), p, strict=True))
        truth = float(compiled.probability(np.array([by_name[name] for name in compiled.events])))
        assert masses[truth <= limits[:, 1] * (1 + 1e-9)].sum() >= 0.8 - 1e-9
        assert masses[limits[:, 0] <= truth * (1 + 1e-9)].sum() >= 0.8 - 1e-9


def test_a_count_that_feeds_two_events_is_one_count():
    one = Measured(clopper_pearson(1, 300, level=0.95, scope="sensor"))
    tree = FaultTree("top", {"top": Formula("or", ("a", "b", "c"))}, {"a": one, "b": one, "c": Counts(0, 10**9)})
    single = one.estimate.upper(0.95)
    assert tree.analyse(0.95).top.upper(0.95) == pytest.approx(1 - (1 - single) ** 2, rel=0.05)
    both = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {"a": one, "b": one})
    assert both.analyse(0.95).top.upper(0.95) == pytest.approx(single**2, rel=1e-6)


def test_counts_on_the_same_data_do_not_speak_together():
    def on(data, name):
        found = clopper_pearson(0, 200, level=0.95, scope=name)
        return Measured(
            Estimate(
                found.quantity,
                found.value,
                scope=name,
                bounds=found.bounds,
                details=found.details,
                provenance=Provenance("test", {"of": name}, data={"data": data}),
            )
        )

    gates = {"top": Formula("or", ("a", "b"))}
    same = FaultTree("top", gates, {"a": on("one set", "a"), "b": on("one set", "b")}).analyse(0.95).top
    other = FaultTree("top", gates, {"a": on("one set", "a"), "b": on("another", "b")}).analyse(0.95).top
    each = clopper_pearson(0, 200, level=0.95).upper(0.975)
    assert same.upper(0.95) == pytest.approx(1 - (1 - each) ** 2)
    assert same.details["alone"] == ("b",)
    assert other.upper(0.95) == pytest.approx(1 - 0.05 ** (1 / 200), rel=0.01)
    assert "independent-tests" in {assumption.id for assumption in other.assumptions}


def test_inputs_of_other_kinds_keep_their_share_or_their_road():
    stated = tree_of("or", (0, 0), (200, 200)).with_events({"e2": 0.01})
    assert stated.analyse(0.95).top.upper(0.95) == pytest.approx(1 - 0.99 * 0.05 ** (1 / 200))
    believed = tree_of("or", (0, 0), (200, 200)).with_events({"e2": LogNormal(0.001, 3.0)})
    assert believed.analyse(0.95).top.bounds[0].kind == "credible"


def test_trees_that_are_not_coherent_share_alpha_or_are_refused():
    gates = {"top": Formula("and", ("a", Formula("not", ("b",))))}
    events = {n: Measured(clopper_pearson(5, 100, level=0.95, scope=n)) for n in "ab"}
    top = FaultTree("top", gates, events).analyse(0.95).top
    upper, lower = (events["a"].estimate.upper(0.975), events["b"].estimate.lower(0.975))
    assert top.upper(0.95) == pytest.approx(upper * (1 - lower))


def test_the_credible_view_stays_beside_the_confidence_bounds():
    found = tree_of("or", (1, 0), (100, 100)).analyse(0.95)
    assert found.credible.bounds[0].kind == "credible"
    assert found.credible.value == pytest.approx(1 - (1 - 1.5 / 101) * (1 - 0.5 / 101), rel=0.02)
    assert "credible view" in str(found)
    assert "counts" in found.evidence().tables


def test_the_multipliers_say_which_further_test_tightens_most():
    tree = FaultTree(
        "top",
        {"top": Formula("or", ("a", "b", "g")), "g": Formula("and", ("c", "d"))},
        {"a": Counts(0, 1000), "b": Counts(1, 300), "c": Counts(2, 200), "d": Counts(0, 100)},
    )
    rows = {row[0]: row[-1] for row in tree.analyse(0.95).evidence().tables["counts"].rows}
    more = tree.with_events({"b": Counts(1, 303)})
    assert max(rows, key=rows.get) == "b"
    assert rows["b"] == pytest.approx((bound_of_counts(tree, 0.05) - bound_of_counts(more, 0.05)) / 3, rel=0.1)


def test_testing_that_may_stop_at_any_time_has_wider_bounds_that_hold_then():
    fixed, anytime = (tree_of("or", (1, 0), (200, 200)).analyse(0.95, anytime=flag).top for flag in (False, True))
    # An independent computation with a mixture centred at the numbers of tests gave 0.0407518.
    assert anytime.upper(0.95) == pytest.approx(0.0407518, rel=0.12)
    assert anytime.upper(0.95) > fixed.upper(0.95)
    rng, misses = np.random.default_rng(1), 0
    for _ in range(40):
        failed = rng.random((2, 150)) < 0.02
        counts = [(failed[:, :stop].sum(axis=1).tolist(), (stop, stop)) for stop in (50, 150)]
        tops = [tree_of("or", *each).analyse(0.8, anytime=True).top for each in counts]
        misses += any(top.upper(0.8) < 1 - 0.98**2 for top in tops)
    assert misses <= 0.2 * 40


def test_one_count_behind_many_events_of_a_series_refutes_nothing_that_it_did_not_see():
    channel = Measured(clopper_pearson(0, 1000, level=0.95, scope="channel"))
    other = clopper_pearson(10, 1000, level=0.95, scope="other")
    events = {**{f"c{i}": channel for i in range(10)}, "other": Measured(other)}
    found = FaultTree("top", {"top": Formula("or", tuple(events))}, events).analyse(0.95, target=Target(at_most=0.01))
    assert found.verdict.status == "not shown"
    assert found.top.lower(0.95) <= other.lower(0.95)


def test_at_any_time_no_input_keeps_a_bound_for_a_fixed_number_of_tests():
    def on_one_log(failures, name):
        found = clopper_pearson(failures, 100, level=0.95, scope=name)
        return Measured(replace(found, provenance=Provenance("test", {"of": name}, data={"tests": "one log"})))

    events = {"a": on_one_log(100, "a"), "b": on_one_log(3, "b")}
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, events)
    fixed, anytime = (tree.analyse(0.95, anytime=flag).top.upper(0.95) for flag in (False, True))
    assert anytime > 1.2 * fixed
    bounded = Measured(replace(clopper_pearson(3, 100, level=0.95, scope="c"), details={}))
    with pytest.raises(InvalidInput, match="at any time"):
        tree.with_events({"a": Counts(1, 100), "b": bounded}).analyse(0.95, anytime=True)


def test_likelihoods_of_rates_leave_the_same_whatever_the_unit_of_time():
    budgets = np.array([1.0, 5.0])
    in_one = largest_within(Count(2, 1.0, poisson=True), budgets)
    for exposure in (0.01, 1e4):
        found = largest_within(Count(2, exposure, poisson=True), budgets) * exposure
        assert found == pytest.approx(in_one), exposure


def test_totals_of_whole_numbers_have_the_limits_of_garwood():
    for total in (0, 1, 4, 30):
        assert largest_mean(total, 0.05, whole=True) == pytest.approx(stats.chi2.ppf(0.95, 2 * total + 2) / 2), total
        assert largest_mean(total, 0.05, whole=False) >= largest_mean(total, 0.05, whole=True) * (1 - 1e-9), total
        exact = stats.chi2.ppf(0.05, 2 * total) / 2 if total else 0.0
        assert smallest_mean(total, 0.05, whole=True) <= exact * (1 + 1e-9), total


SHARES = st.just(0.0) | st.floats(1e-9, 0.9)  # SciPy has no binomial probabilities of the smallest numbers


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.05, 1), st.integers(1, 10), SHARES), min_size=1, max_size=2),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_weighted_totals_are_refuted_no_more_often_than_alpha(counts, alpha):
    """The distribution of the weighted total is convolved exactly."""
    values, masses = np.zeros(1), np.ones(1)
    for weight, tests, p in counts:
        k = np.arange(tests + 1)
        values = (values[:, None] + weight * k).ravel()
        masses = (masses[:, None] * stats.binom.pmf(k, tests, p)).ravel()
        values, place = np.unique(np.round(values, 9), return_inverse=True)
        masses = np.bincount(place, masses)
    mean = sum(weight * tests * p for weight, tests, p in counts)
    likely = np.flatnonzero(masses > 1e-9)
    above = [i for i in likely if largest_mean(float(values[i]), alpha, whole=False) < mean * (1 - 1e-9)]
    below = [i for i in likely if smallest_mean(float(values[i]), alpha, whole=False) > mean * (1 + 1e-9)]
    assert masses[above].sum() <= alpha
    assert masses[below].sum() <= alpha


def test_fixed_events_leave_nothing_to_count():
    assert tree_of("or", (0,), (100,)).with_events({"e1": Fixed(0.1)}).analyse(0.95).top.bounds[0].kind == "certain"
