"""What holds for the estimate of every bound."""

import json
from functools import partial

import numpy as np
import pytest

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


@pytest.mark.parametrize("name", ["hoeffding", "central-limit", "wilson", "conservative-bayes"])
def test_recorded_families_with_a_bad_side_are_refused(name):
    families = [f for bound in BOUNDS.values() for f in bound(level=0.95).bounds]
    data = next(f.to_dict() for f in families if f.tag == name)
    with pytest.raises(sf.InvalidInput):
        sf.BoundFamily.from_dict(data | {"side": "sideways"})
