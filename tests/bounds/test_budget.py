import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refusal

import surefoot as sf


def test_parts_share_the_miss_probability_and_add_up():
    budget = sf.bounds.risk_budget(1e-2, {"model": 0.6, "labels": 0.3, "sensor": 0.1})
    model, labels = (sf.bounds.clopper_pearson(0, n, level=0.95) for n in (1000, 2000))
    spent = budget.spend({"model": model, "labels": labels, "sensor": 5e-4}, level=0.95)
    assert [p.used for p in spent.parts] == [model.upper(0.975), labels.upper(0.975), 5e-4]
    assert spent.used == pytest.approx(model.upper(0.975) + labels.upper(0.975) + 5e-4)
    assert spent.met
    assert spent.kind == "confidence"
    assert "kept" in str(spent)


def test_an_overspent_part_may_use_what_another_leaves():
    budget = sf.bounds.risk_budget(1e-2, {"a": 0.5, "b": 0.5})
    spent = budget.spend({"a": 6e-3, "b": 1e-3}, level=0.9)
    assert [part.left < 0 for part in spent.parts] == [True, False]
    assert spent.met
    assert not budget.spend({"a": 6e-3, "b": 5e-3}, level=0.9).met
    assert spent.table().rows[-1][0] == "total"


def test_certain_estimates_take_no_share_and_heuristic_ones_prove_nothing():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.5})
    known, exact = sf.Estimate.known("b", 0.1, source="data sheet"), sf.bounds.clopper_pearson(1, 100, level=0.9)
    assert budget.spend({"a": exact, "b": known}, level=0.9).parts[0].used == exact.upper(0.9)
    assert not budget.spend({"a": sf.bounds.wilson(1, 100, level=0.9), "b": known}, level=0.9).met


def test_a_certain_limit_caps_an_uncertain_one():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.5})
    exact, few = sf.bounds.clopper_pearson(1, 100, level=0.9), sf.bounds.clopper_pearson(0, 10, level=0.9)
    capped = replace(few, bounds=(*few.bounds, sf.certain(1e-3, "upper")))
    spent = budget.spend({"a": exact, "b": capped}, level=0.9)
    assert [p.used for p in spent.parts] == [exact.upper(0.95), 1e-3]
    assert spent.estimate.upper(0.9) == pytest.approx(spent.used)
    assert spent.met


def test_low_levels_are_allowed():
    for level in (0.1, 0.3):
        half = sf.bounds.clopper_pearson(50, 100, level=level)
        spent = sf.bounds.Budget(0.5, {"a": 0.5}).spend({"a": half}, level=level)
        assert spent.used == pytest.approx(half.upper(level)), level
        assert spent.used < half.value, level


def test_kinds_never_mix_silently():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.5})
    used = {"a": sf.bounds.clopper_pearson(1, 100, level=0.9), "b": sf.bounds.jeffreys(1, 100, level=0.9)}
    with pytest.raises(sf.MixedKinds):
        budget.spend(used, level=0.9)
    assert budget.spend(used, level=0.9, mix=True).kind == "heuristic"


@given(st.floats(1e-9, 0.9), st.lists(st.floats(0, 0.2), min_size=1, max_size=5))
@settings(deadline=None)
def test_parts_never_exceed_the_total(total, shares):
    budget = sf.bounds.risk_budget(total, {str(i): s for i, s in enumerate(shares)})
    assert math.fsum(budget.parts.values()) <= total * (1 + 1e-12)


def test_bad_budgets_are_refused():
    for total, shares in ((0, {"a": 1}), (1.5, {"a": 1}), (0.1, {}), (0.1, {"a": 1.1}), (0.1, {"a": 0.6, "b": 0.6})):
        assert refusal(sf.InvalidInput, sf.bounds.risk_budget, total, shares), (total, shares)


def test_bad_spending_is_refused():
    for used in ({}, {"a": 0.1, "c": 0.1}, {"a": -0.1}, {"a": math.nan}):
        assert refusal(sf.InvalidInput, sf.bounds.Budget(0.5, {"a": 0.1}).spend, used, level=0.9), used
    assert refusal(sf.InvalidInput, sf.bounds.Budget, 0.5, {"a": 0.6})
    assert refusal(sf.InvalidInput, sf.bounds.Budget(0.5, {"a": 0.1}).spend, {"a": 0.1}, level=0)


SKEWED = np.random.default_rng(0).exponential(size=300) + 0.5


def test_a_contradicted_assumption_is_not_laundered_by_a_sum():
    budget = sf.bounds.risk_budget(0.9, {"model": 0.5, "labels": 0.5})
    model, labels = sf.bounds.normal_exact(SKEWED, level=0.95), sf.bounds.jeffreys(0, 50, level=0.95)
    spent = budget.spend({"model": model, "labels": 1e-4}, level=0.95)
    assert spent.used < spent.total
    assert spent.contradicted == ("normal-margins",)
    assert not spent.met
    assert "not shown to be kept at level 0.95 (confidence); contradicted: normal-margins." in str(spent)
    assert "assumption-contradicted" in str(spent)
    mixed = budget.spend({"model": model, "labels": labels}, level=0.95, mix=True)
    assert set(mixed.assumptions) == {*model.assumptions, *labels.assumptions}
    assert {c.code for c in mixed.caveats} == {"mixed-kinds", "assumption-contradicted", "approximate-coverage"}


def test_the_sum_is_the_propagated_estimate():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.3, "c": 0.2})
    twice = sf.bounds.clopper_pearson(1, 100, level=0.9)
    spent = budget.spend({"a": twice, "b": twice, "c": 0.01}, level=0.9)
    assert [p.used for p in spent.parts] == [twice.upper(0.95), twice.upper(0.95), 0.01]
    assert spent.estimate.upper(0.9) == pytest.approx(spent.used, rel=1e-15)
    assert spent.estimate.value == pytest.approx(0.03)
    assert twice.key in spent.estimate.provenance.inputs


def test_parts_with_different_units_do_not_add_up():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.5})
    demand, group = (sf.bounds.clopper_pearson(0, 100, level=0.9, unit=f"per {u}") for u in ("demand", "group"))
    with pytest.raises(sf.InvalidInput, match="different units do not add up; found a per demand, b per group"):
        budget.spend({"a": demand, "b": group}, level=0.9)
    assert budget.spend({"a": group, "b": 0.1}, level=0.9).estimate.unit == "per group"


def test_an_estimate_that_holds_on_average_has_no_place_in_a_budget():
    with pytest.raises(sf.LevelUnavailable, match="holds on average"):
        sf.bounds.Budget(0.5, {"a": 0.1}).spend({"a": sf.bounds.normal_score(SKEWED)}, level=0.9)


def test_parts_shares_and_evidence_are_mappings():
    for bad in (5, None, [0.1], "model"):
        for make in (
            lambda part: sf.bounds.Budget(0.5, part),
            lambda part: sf.bounds.risk_budget(0.5, part),
            lambda part: sf.bounds.Budget(0.5, {"a": 0.1}).spend(part, level=0.9),
            lambda part: sf.bounds.Budget(0.5, {"a": 0.1}).spend({"a": part}, level=0.9),
        ):
            assert refusal(sf.InvalidInput, make, bad), bad
