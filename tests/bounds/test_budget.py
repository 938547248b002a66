import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefoot as sf


def test_parts_share_the_miss_probability_and_add_up():
    budget = sf.bounds.risk_budget(1e-2, {"model": 0.6, "labels": 0.3, "sensor": 0.1})
    model, labels = (sf.bounds.clopper_pearson(0, n, level=0.95) for n in (1000, 2000))
    spent = budget.spend({"model": model, "labels": labels, "sensor": 5e-4}, level=0.95)
    assert [p.used for p in spent.parts] == [model.upper(0.975), labels.upper(0.975), 5e-4]
    assert spent.used == pytest.approx(model.upper(0.975) + labels.upper(0.975) + 5e-4)
    assert spent.met
    assert spent.kind == "confidence"
    assert spent.overspent == ()
    assert "kept" in str(spent)


def test_an_overspent_part_may_use_what_another_leaves():
    budget = sf.bounds.risk_budget(1e-2, {"a": 0.5, "b": 0.5})
    spent = budget.spend({"a": 6e-3, "b": 1e-3}, level=0.9)
    assert spent.overspent == ("a",)
    assert spent.met
    assert not budget.spend({"a": 6e-3, "b": 5e-3}, level=0.9).met
    assert spent.table().rows[-1][0] == "total"


def test_certain_estimates_take_no_share_and_heuristic_ones_prove_nothing():
    budget = sf.bounds.risk_budget(0.5, {"a": 0.5, "b": 0.5})
    known, exact = sf.Estimate.known("b", 0.1, source="data sheet"), sf.bounds.clopper_pearson(1, 100, level=0.9)
    assert budget.spend({"a": exact, "b": known}, level=0.9).parts[0].used == exact.upper(0.9)
    assert not budget.spend({"a": sf.bounds.wilson(1, 100, level=0.9), "b": known}, level=0.9).met


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
    assert math.fsum(budget.parts.values()) + budget.unallotted == pytest.approx(total)


@pytest.mark.parametrize(
    ("total", "shares"), [(0, {"a": 1}), (1.5, {"a": 1}), (0.1, {}), (0.1, {"a": 1.1}), (0.1, {"a": 0.6, "b": 0.6})]
)
def test_bad_budgets_are_refused(total, shares):
    with pytest.raises(sf.InvalidInput):
        sf.bounds.risk_budget(total, shares)


@pytest.mark.parametrize("used", [{}, {"a": 0.1, "c": 0.1}, {"a": -0.1}, {"a": math.nan}])
def test_bad_spending_is_refused(used):
    with pytest.raises(sf.InvalidInput):
        sf.bounds.Budget(0.5, {"a": 0.1}).spend(used, level=0.9)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.Budget(0.5, {"a": 0.6})
    with pytest.raises(sf.InvalidInput):
        sf.bounds.Budget(0.5, {"a": 0.1}).spend({"a": 0.1}, level=0)
