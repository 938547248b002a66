import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW
from tests.refusals import refusal

import surefoot as sf

RNG = np.random.default_rng(4)
WEIGHTS = RNG.choice([0.5, 2.0], 400, p=[2 / 3, 1 / 3])
LOSSES = (RNG.random(400) < 0.05 * WEIGHTS).astype(float)
METHODS = ["betting", "hoeffding", "empirical_bernstein"]


@pytest.mark.parametrize("method", METHODS)
def test_equal_weights_give_the_plain_bound(method):
    found = sf.bounds.weighted(LOSSES, np.ones(400), level=0.95, max_weight=1, method=method)
    plain = getattr(sf.bounds, method)(LOSSES, level=0.95)
    assert found.upper(0.95) == pytest.approx(plain.upper(0.95), rel=1e-9)
    assert found.lower(0.95) == pytest.approx(plain.lower(0.95), rel=1e-9)


@pytest.mark.parametrize("method", ["hoeffding", "empirical_bernstein"])
def test_products_are_bounded_on_their_own_scale(method):
    found = sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95, max_weight=2, method=method)
    plain = getattr(sf.bounds, method)(LOSSES * WEIGHTS / 2, level=0.95)
    assert found.upper(0.95) == pytest.approx(min(2 * plain.upper(0.95), 1))


def test_betting_needs_weights_up_to_a_factor_only():
    one = sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95, max_weight=2)
    other = sf.bounds.weighted(LOSSES, WEIGHTS * 7, level=0.95, max_weight=14)
    assert one.interval(0.9) == pytest.approx(other.interval(0.9))


def test_self_normalised_ratio_matches_statsmodels():
    found = sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95, method="normal")
    weighted = DescrStatsW(LOSSES, weights=WEIGHTS)
    assert found.value == pytest.approx(weighted.mean)
    from statsmodels.regression.linear_model import WLS

    robust = WLS(LOSSES, np.ones(400), weights=WEIGHTS).fit(cov_type="HC1")
    assert found.upper(0.95) == pytest.approx(weighted.mean + 1.6448536269514722 * robust.bse[0], rel=1e-9)
    assert [c.code for c in found.caveats] == ["approximate-coverage"]


def test_kish_effective_size():
    assert sf.bounds.effective_weight_count([1, 1, 1]) == pytest.approx(3)
    assert sf.bounds.effective_weight_count([1, 0, 0]) == pytest.approx(1)
    assert sf.bounds.effective_weight_count([1e-300, 2e-300]) == pytest.approx(1.8)


def test_without_a_stated_maximum_the_bound_is_heuristic():
    found = sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95)
    assert {b.kind for b in found.bounds} == {"heuristic"}
    assert [c.code for c in found.caveats] == ["weights-estimated"]
    assert not found.meets(sf.Target(at_most=0.5))
    assert sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95, max_weight=2).meets(sf.Target(at_most=0.5))


def test_weights_that_do_not_average_one_contradict_the_plain_mean():
    found = sf.bounds.weighted(LOSSES, WEIGHTS * 3, level=0.95, max_weight=6, method="hoeffding")
    assert found.assumptions[0].status == "contradicted"
    good = sf.bounds.weighted(LOSSES, WEIGHTS, level=0.95, max_weight=2, method="hoeffding")
    assert good.assumptions[0].status == "supported"


def test_bad_input_is_refused():
    for losses, weights, options in (
        ([0.1, 0.2], [1, -1], {}),
        ([0.1, 0.2], [0, 0], {}),
        ([0.1, 0.2], [1, math.nan], {}),
        ([0.1, 2], [1, 1], {}),
        ([0.1, 0.2], [1], {}),
        ([0.1], [1], {}),
        ([], [], {}),
        ([0.1, 0.2], [1, 3], {"max_weight": 2}),
        ([0.1, 0.2], [1, 1], {"max_weight": 0}),
        ([0.1, 0.2], [1, 1], {"method": "magic"}),
        ([0, 0], [1, 1], {"level": 1}),
    ):
        assert refusal(sf.InvalidInput, sf.bounds.weighted, losses, weights, **{"level": 0.9, **options}), losses
