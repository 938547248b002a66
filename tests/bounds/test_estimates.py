"""What holds for the estimate of every bound."""

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from tests.refusals import refusal

import surefoot as sf

X = np.random.default_rng(0).beta(1, 9, 40)
W, G = np.linspace(0.5, 1.5, 40), np.repeat(np.arange(20), 2)
b = sf.bounds
BOUNDS = {
    "clopper_pearson": partial(b.clopper_pearson, 2, 40),
    "clopper_pearson_none": partial(b.clopper_pearson, 0, 40),
    "clopper_pearson_all": partial(b.clopper_pearson, 40, 40),
    "jeffreys": partial(b.jeffreys, 2, 40),
    "wilson": partial(b.wilson, 2, 40),
    "hoeffding": partial(b.hoeffding, X),
    "bentkus": partial(b.bentkus, X),
    "empirical_bernstein": partial(b.empirical_bernstein, X),
    "normal_approximation": partial(b.normal_approximation, X),
    "betting": partial(b.betting, X),
    "betting_anytime": partial(b.betting, X, anytime=True),
    "conservative_bayes": partial(b.conservative_bayes, 0, 40, prior_confidence=0.9, prior_bound=0.01),
    "stratified": partial(b.stratified, [1, 0], [20, 20], [0.4, 0.6]),
    "weighted": partial(b.weighted, X, W, max_weight=2),
    "weighted_hoeffding": partial(b.weighted, X, W, max_weight=2, method="hoeffding"),
    "weighted_bernstein": partial(b.weighted, X, W, max_weight=2, method="empirical_bernstein"),
    "weighted_normal": partial(b.weighted, X, W, method="normal"),
    "grouped": partial(b.grouped, X, G, max_group_size=2),
    "grouped_per_group": partial(b.grouped, X, G, per="group"),
}
every_bound = pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS.keys())


@every_bound
def test_json_round_trip(bound):
    found = bound(level=0.95)
    back = sf.Estimate.from_dict(json.loads(json.dumps(found.to_dict())))
    assert back == found
    assert (back.key, back.digest) == (found.key, found.digest)
    assert back.upper(0.95) == found.upper(0.95)


@every_bound
def test_scope_and_quantity_make_another_key(bound):
    plain = bound(level=0.95)
    scoped, named = bound(level=0.95, scope="lidar"), bound(level=0.95, quantity="miss rate")
    assert len({plain.key, scoped.key, named.key}) == 3
    assert scoped.scope == "lidar"
    assert {a.scope for a in scoped.assumptions} == {"lidar"}
    assert bound(level=0.95, unit="per hour").unit == "per hour"


@every_bound
def test_every_estimate_shows_its_level_assumptions_and_any_level(bound):
    found = bound(level=0.9)
    assert found.details["level"] == 0.9
    assert found.assumptions
    uppers = [found.upper(level) for level in (0.2, 0.5, 0.9, 0.95, 0.995, 1 - 1e-9, 1 - 1e-14)]
    assert uppers == sorted(uppers)
    assert found.lower(0.9) <= found.value <= found.upper(0.9)
    assert "0.9" in str(found)


@every_bound
def test_data_or_parameters_decide_the_key(bound):
    assert bound(level=0.95).key == bound(level=0.95).key
    assert bound(level=0.95).key != bound(level=0.9).key


def test_bounds_combine_by_propagation():
    parts = {
        name: BOUNDS[method](level=0.95, scope=name) for name, method in (("a", "betting"), ("b", "clopper_pearson"))
    }
    total = sf.propagate(lambda a, b: a + b, parts, quantity="sum", direction={"a": 1, "b": 1}, level=0.95)
    assert total.upper(0.95) == pytest.approx(sum(e.upper(0.975) for e in parts.values()))


def test_recorded_families_with_a_bad_side_are_refused():
    for name in ("hoeffding", "central-limit", "wilson", "conservative-bayes"):
        families = [f for bound in BOUNDS.values() for f in bound(level=0.95).bounds]
        data = next(f.to_dict() for f in families if f.tag == name)
        assert refusal(sf.InvalidInput, sf.BoundFamily.from_dict, data | {"side": "sideways"}), name


def test_recorded_families_with_bad_counts_are_refused():
    for counts in ({"trials": 0}, {"failures": 41}, {"failures": -1}, {"trials": 1.5}):
        for name in ("wilson", "conservative_bayes"):
            data = BOUNDS[name](level=0.95).bounds[0].to_dict()
            assert refusal(sf.InvalidInput, sf.BoundFamily.from_dict, data | counts), (counts, name)


def test_recorded_families_with_bad_figures_are_refused():
    for name, damage in (
        ("hoeffding", {"width": -5}),
        ("hoeffding", {"mean": [0.1]}),
        ("bentkus", {"mean": 1.5}),
        ("empirical_bernstein", {"variance": -1}),
        ("empirical_bernstein", {"width": 0}),
        ("normal_approximation", {"standard_error": -1}),
        ("conservative_bayes", {"prior_confidence": 2}),
        ("conservative_bayes", {"floor": "low"}),
    ):
        data = BOUNDS[name](level=0.95).bounds[0].to_dict()
        assert refusal(sf.InvalidInput, sf.BoundFamily.from_dict, data | damage), (name, damage)


LEVELS = [Fraction(19, 20), np.float32(0.95), np.array(0.95)]
DEMAND = {"a": b.clopper_pearson(2, 40, level=0.95), "b": 0.1}


@every_bound
def test_any_real_number_is_a_level_and_text_is_not(bound):
    for level in LEVELS:
        found, plain = bound(level=level), bound(level=float(level))
        assert (found, found.key) == (plain, plain.key), level
        assert "level" in refusal(sf.InvalidInput, bound, level="0.95"), level


def test_levels_of_other_functions_are_used_as_checked():
    budget = b.risk_budget(Fraction(1, 2), {"a": Fraction(1, 2), "b": Fraction(1, 4)})
    for level in LEVELS:
        for use in (
            lambda p: b.normal_exact(X, level=p),
            lambda p: b.betting_sequence(X, level=p).upper[-1],
            lambda p: budget.spend(DEMAND, level=p).used,
            lambda p: b.trials_needed(Fraction(1, 100), level=p),
            lambda p: b.trials_needed_by_stratum(0.01, {"a": 0.5, "b": 0.5}, level=p).total,
        ):
            assert use(level) == use(float(level)), level
            assert "level" in refusal(sf.InvalidInput, use, "0.95"), level


def test_fractions_are_used_as_checked():
    options = {"prior_confidence": Fraction(9, 10), "prior_bound": Fraction(1, 100), "floor": Fraction(1, 10**6)}
    plain = {name: float(value) for name, value in options.items()}
    assert b.conservative_bayes(1, 40, level=0.95, **options) == b.conservative_bayes(1, 40, level=0.95, **plain)
    assert b.weighted(X, W, level=0.9, max_weight=Fraction(2)) == b.weighted(X, W, level=0.9, max_weight=2.0)
    third = Fraction(1, 30)
    assert b.normal_score_budget(X, 0.1, gamma=third, eta=third).rest == pytest.approx(1 / 30)


SHUFFLED = ["betting", "betting_anytime", "weighted", "grouped", "grouped_per_group"]


@every_bound
def test_bets_say_that_their_order_was_chosen_first(bound, request):
    name = request.node.callspec.id
    found = bound(level=0.9)
    assert ("order-before-outcomes" in {a.id for a in found.assumptions}) == (name in SHUFFLED)
    assert (found.provenance.seed is not None) == (name in set(SHUFFLED) - {"betting_anytime"})


def test_groups_that_are_counted_are_not_shuffled():
    found = b.grouped((X > 0.2).astype(float), G, level=0.9, per="group")
    assert found.provenance.seed is None
    assert "order-before-outcomes" not in {a.id for a in found.assumptions}


def test_bad_seeds_are_refused():
    for seed in (-1, 0.5, "a", None):
        for name in ("betting", "weighted", "grouped"):
            assert "seed" in refusal(sf.InvalidInput, BOUNDS[name], level=0.9, seed=seed), (seed, name)
