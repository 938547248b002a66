import re
from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.project import find_step

product = find_step("product")
stated = find_step("stated")

MISS = sf.bounds.clopper_pearson(3, 500, level=0.95, scope="camera")
FAIL = sf.bounds.clopper_pearson(0, 200, level=0.95, scope="radar")
EXPOSURE = stated(quantity="exposure", value=0.02, source="traffic count of 2020")


def test_a_constant_scales_the_bound():
    found = product(factors={"miss": MISS, "exposure": EXPOSURE})["hazard probability"]
    assert found.value == pytest.approx(0.02 * 0.006)
    assert found.upper(0.95) == pytest.approx(0.02 * MISS.upper(0.95))
    assert found.lower(0.99) == pytest.approx(0.02 * MISS.lower(0.99), rel=0.1)
    assert found.scope == "camera"


def test_two_counts_speak_together_and_two_other_bounds_share_the_miss_probability():
    found = product(factors={"a": MISS, "b": FAIL}, quantity="both fail")["both fail"]
    shared = MISS.upper(0.975) * FAIL.upper(0.975)
    assert 0.2 * shared < found.upper(0.95) < 0.8 * shared
    assert found.details["method"] == "exact inversion"
    assert found.scope == "camera, radar"
    bounded = {name: replace(factor, details={}) for name, factor in {"a": MISS, "b": FAIL}.items()}
    assert product(factors=bounded)["hazard probability"].upper(0.95) == pytest.approx(shared)


def test_posteriors_are_drawn_together():
    a = sf.bounds.jeffreys(3, 500, level=0.95, scope="camera")
    b = sf.bounds.jeffreys(1, 300, level=0.95, scope="radar")
    found = product(factors={"a": a, "b": b}, seed=5)["hazard probability"]
    rng = np.random.default_rng(0)
    drawn = rng.beta(3.5, 497.5, 200_000) * rng.beta(1.5, 299.5, 200_000)
    assert found.value == pytest.approx(drawn.mean(), rel=0.05)
    assert found.upper(0.95) == pytest.approx(np.quantile(drawn, 0.95), rel=0.05)


def test_labels_may_be_any_words():
    assert product(factors={"miss rate": MISS, "x-1": EXPOSURE})["hazard probability"].value > 0


def test_what_factors_assume_is_kept_and_that_they_may_be_multiplied():
    found = product(factors={"miss": MISS, "exposure": EXPOSURE})["hazard probability"]
    ids = {assumption.id for assumption in found.assumptions}
    assert {"conditional-factors", "independent-trials", "stated-value"} <= ids


def test_the_table_lists_factors_and_product():
    rows = product(factors={"miss": MISS, "exposure": EXPOSURE}).tables["factors"].rows
    assert rows[0] == ("miss", "failure probability", "camera", 0.006, pytest.approx(MISS.upper(0.95)))
    assert rows[-1][0] == "product"


def test_a_product_is_told_what_each_factor_would_have_to_reach():
    rate = stated(quantity="rate", value=0.5, source="log")
    found = product(factors={"a": MISS, "b": FAIL, "rate": rate})["hazard probability"]
    sentences = sf.bounds.needed(found, sf.Target(at_most=5e-5))
    wanted = {m[1]: float(m[2]) for m in map(re.compile(r"they are, (\w) at most (\S+) would").search, sentences) if m}
    assert set(wanted) == {"a", "b"}
    for name, other in (("a", FAIL), ("b", MISS)):
        limit = 5e-5 / (0.5 * other.upper(0.975))
        assert limit * 0.999 < wanted[name] <= limit
    # At another level than the product was made for, the bounds of its factors are not known.
    assert "would have to reach" in sf.bounds.needed(found, sf.Target(at_most=5e-5, level=0.9))[0]


def test_units_are_joined_only_on_request():
    rate = stated(quantity="demands", value=12, source="log", unit="per hour")
    with pytest.raises(sf.InvalidInput, match="different units"):
        product(factors={"miss": MISS, "rate": rate})
    assert product(factors={"miss": MISS, "rate": rate}, unit="per hour")["hazard probability"].unit == "per hour"


def test_kinds_are_mixed_only_on_request():
    factors = {"a": MISS, "b": sf.bounds.jeffreys(1, 300, level=0.95, scope="radar")}
    with pytest.raises(sf.MixedKinds):
        product(factors=factors)
    found = product(factors=factors, mix=True)["hazard probability"]
    assert found.bounds[0].kind == "heuristic"


@pytest.mark.parametrize(
    "factor",
    [
        sf.Estimate.known("loss", -1.0, source="test"),
        sf.Estimate("gain", 0.5, bounds=[sf.QuantileBound(sf.Normal(0.5, 1), "lower", "confidence")]),
    ],
    ids=["value", "bound"],
)
def test_negative_factors_are_refused(factor):
    with pytest.raises(sf.InvalidInput, match="factor 'x': a factor may be negative"):
        product(factors={"x": factor, "miss": MISS})


def test_a_product_needs_a_factor():
    with pytest.raises(sf.InvalidInput, match="at least one"):
        product(factors={})


def test_a_stated_value_is_certain_and_names_its_source():
    assert EXPOSURE.upper(0.999) == EXPOSURE.lower(0.5) == EXPOSURE.value == 0.02
    assert EXPOSURE.provenance.params["source"] == "traffic count of 2020"
    assert EXPOSURE.assumptions[0].text == "exposure is 0.02 per demand: traffic count of 2020."
    assert EXPOSURE.assumptions[0].status == "unchecked"
