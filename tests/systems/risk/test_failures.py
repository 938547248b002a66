"""Failure probabilities of conditions and of mixes of them, against exact bounds and simulations of known truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.refusals import told

from surefoot import SurefootError, bounds
from surefoot.metrics import tasks
from surefoot.systems import CLEAN, Condition, Measurements, MemoryColumns, Mix, failed, failures, system_failure

FOG, SNOW = Condition("fog", 3), Condition("snow", 5)


def measured(by_condition, *, faults=None, units=None):
    """A system whose error of each item is stated."""
    rows = {c: np.column_stack([np.asarray(v, float), np.ones(len(v))]) for c, v in by_condition.items()}
    return Measurements("s", tasks.mae(), tuple(rows), {}, MemoryColumns(rows, {}, faults or {}), units)


def test_an_item_fails_above_the_limit_without_an_answer_or_where_a_module_raised():
    faults = {CLEAN: np.array([False, False, False, True])}
    found = failed(measured({CLEAN: [0.5, 0.6, np.nan, 0.0]}, faults=faults), CLEAN, limit=0.5)
    assert found.tolist() == [False, True, True, True]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_failures_are_exact_bounds_of_counts(level):
    errors = {CLEAN: [0, 0, 0, 1, 0], FOG: [1, 1, 0, 1, 1], SNOW: [0] * 5}
    found = failures(measured(errors), level=level)
    for condition, values in errors.items():
        exact = bounds.clopper_pearson(sum(values), 5, level=level)
        estimate = found[condition]
        assert estimate.value == exact.value
        assert (estimate.upper(level), estimate.lower(level)) == (exact.upper(level), exact.lower(level))
        codes = {assumption.id for assumption in estimate.assumptions}
        assert ("corruptions-stand-for-conditions" in codes) == (not condition.clean)


def test_failures_of_groups_are_bounds_of_groups():
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(30), 4)
    values = rng.random(120) < 0.2
    found = failures(measured({CLEAN: values}, units=units))[CLEAN]
    assert found.upper(0.95) == bounds.grouped(values.astype(float), units, level=0.95).upper(0.95)


def simulated(seed, *, grouped, items=120):
    """Items that are hard or easy, in all conditions alike, and fail more often in fog."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(items // 4), 4)
    hard = rng.random(len(units))[units] if grouped else rng.random(items)
    chances = {CLEAN: 0.1 * hard, FOG: 0.8 * hard, SNOW: np.where(hard > 0.5, 1.0, 0.0)}
    return measured({c: rng.random(items) < chance for c, chance in chances.items()}, units=units if grouped else None)


TRUE = {CLEAN: 0.05, FOG: 0.4, SNOW: 0.5}


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
def test_under_a_stated_mix_the_bound_holds_though_items_are_reused(grouped):
    mix = Mix({"clean": 0.6, "fog 3": 0.3, "snow 5": 0.1})
    truth, held, limits = 0.6 * 0.05 + 0.3 * 0.4 + 0.1 * 0.5, 0, []
    for seed in range(150):
        estimate = system_failure(simulated(seed, grouped=grouped), mix, level=0.9)
        limits.append(estimate.upper(0.9))
        held += limits[-1] >= truth
    assert held >= 0.88 * 150
    assert np.mean(limits) < 1.6 * truth


def test_the_value_is_the_weighed_share():
    system = simulated(3, grouped=False)
    mix = Mix({"clean": 0.6, "fog 3": 0.3, "snow 5": 0.1})
    expected = sum(share * failed(system, c).mean() for c, share in ((CLEAN, 0.6), (FOG, 0.3), (SNOW, 0.1)))
    estimate = system_failure(system, mix)
    assert estimate.value == pytest.approx(expected)
    assert {"stated-mix", "corruptions-stand-for-conditions"} <= {a.id for a in estimate.assumptions}


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
def test_a_mix_of_one_condition_is_that_condition(grouped):
    system = simulated(1, grouped=grouped)
    alone = system_failure(system, Mix({"fog 3": 1.0, "snow 5": 0.0}))
    assert alone.upper(0.95) == failures(system)[FOG].upper(0.95)


@pytest.mark.parametrize("seen", [400, 40])
def test_under_a_counted_mix_the_bound_is_cautious(seen):
    shares = np.array([0.9, 0.06, 0.04])
    truth, held = float(shares @ list(TRUE.values())), 0
    for seed in range(50):
        counts = np.random.default_rng(1000 + seed).multinomial(seen, shares)
        mix = Mix.of_counts(dict(zip(("clean", "fog 3", "snow 5"), counts.tolist(), strict=True)))
        held += system_failure(simulated(seed, grouped=False), mix, level=0.9).upper(0.9) >= truth
    assert held >= 45


def test_a_condition_that_was_looked_for_and_never_seen_still_counts():
    # Snow always fails; in 100 inputs it was not met, which happens in more than a third of all cases at a share of 1%.
    system = measured({CLEAN: np.zeros(1000), SNOW: np.ones(1000)})
    upper = system_failure(system, Mix.of_counts({"clean": 100, "snow 5": 0}), level=0.95).upper(0.95)
    assert upper >= bounds.clopper_pearson(0, 100, level=0.95).upper(0.95)
    assert Mix.of_counts({"clean": 100, "snow 5": 0}).weights([CLEAN, SNOW]) == {CLEAN: 1.0}


def test_a_counted_mix_has_the_value_of_its_shares_and_says_what_it_assumes():
    estimate = system_failure(simulated(0, grouped=False), Mix.of_counts({"clean": 75, "fog 3": 25}))
    system = simulated(0, grouped=False)
    assert estimate.value == pytest.approx(0.75 * failed(system, CLEAN).mean() + 0.25 * failed(system, FOG).mean())
    assert "counted-mix" in {a.id for a in estimate.assumptions}
    assert estimate.lower(0.95) < estimate.value < estimate.upper(0.95)


def test_equal_shares_are_a_mix_too():
    assert Mix.equal([CLEAN, FOG, SNOW]).weights([CLEAN, FOG, SNOW]) == pytest.approx(dict.fromkeys(TRUE, 1 / 3))


def test_a_wrong_mix_is_told():
    for build, said in [
        (lambda: Mix({"clean": 0.5}), "sum to 1; found 0.5"),
        (lambda: Mix({"clean": 1.5, "fog 3": -0.5}), "clean"),
        (lambda: Mix({}), "sum to 1"),
        (lambda: Mix.equal([]), "sum to 1"),
        (lambda: Mix({"clean": float("nan")}), "clean"),
        (lambda: Mix.of_counts({"clean": 0}), "no condition was seen"),
        (lambda: Mix.of_counts({"clean": 1.5}), "whole number"),
        (lambda: Mix.of_counts({"clean": -1}), "whole number"),
        (
            lambda: Mix({"fog 4": 1.0}).weights([CLEAN, FOG]),
            r"not measured; found fog 4\. Measurements were clean, fog 3",
        ),
        (lambda: Mix.of_counts({"clean": 3, "fog 4": 0}).weights([CLEAN, FOG]), "not measured; found fog 4"),
        (lambda: failures(measured({CLEAN: [0, 1]}), limit=-1), "limit"),
    ]:
        with told(build), pytest.raises(SurefootError, match=said):
            build()


def test_a_stated_group_size_makes_the_bound_one_of_confidence():
    seen = measured({CLEAN: [1.0, *np.zeros(59)]}, units=np.arange(60) // 3)
    heuristic, shown = (failures(seen, max_group_size=size)[CLEAN] for size in (None, 3))
    assert {bound.kind for bound in heuristic.bounds} == {"heuristic"}
    assert {bound.kind for bound in shown.bounds} == {"confidence"}
    mixed = system_failure(seen, Mix({"clean": 1.0}), max_group_size=3)
    assert mixed.upper(0.95) == shown.upper(0.95)
