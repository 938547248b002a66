"""Comparison of monitors on the same rows, in worlds in which the best one is known."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from sklearn import metrics
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Stakes, compare, curve, evaluate


def errors(wrong, **basis):
    wrong = np.asarray(wrong, dtype=bool)
    one = np.ones(wrong.size)
    return Stakes((~wrong).astype(float), one, one, one, wrong.astype(float), **basis)


def world(rows=1500, seed=0, shifts=(0.5, 2.5, 1.5), **basis):
    rng = np.random.default_rng(seed)
    wrong = rng.random(rows) < 0.3
    scores = {f"m{i}": rng.normal(size=rows) + shift * wrong for i, shift in enumerate(shifts)}
    return scores, errors(wrong, **basis)


def test_the_better_monitor_comes_first_and_is_told_apart():
    scores, stakes = world()
    for found in (
        compare(scores, stakes, cost=0.1),
        compare(scores, stakes, thresholds=dict.fromkeys(scores, 1.0)),
        compare(scores, stakes, cost=0.1, by="AUROC"),
    ):
        assert [c.name for c in found.contenders] == ["m1", "m2", "m0"]
        assert all(pair.apart for pair in found.ranking.pairs)
        assert found.ranking.certain.tolist() == [[3, 3], [1, 1], [2, 2]]


def test_two_copies_are_not_told_apart():
    scores, stakes = world()
    found = compare({"a": scores["m1"], "b": scores["m1"]}, stakes, cost=0.1)
    assert found.ranking.pairs[0].p_value == 1
    assert found.ranking.first.tolist() == [0.5, 0.5]


def test_all_keep_within_the_budget():
    scores, stakes = world()
    for contender in compare(scores, stakes, cost=0.05).contenders:
        assert contender.report.availability_cost.value <= 0.05 + 1e-12
        assert contender.report.sum_holds


def test_figures_are_those_of_evaluate_and_scikit_learn():
    scores, stakes = world()
    found = compare(scores, stakes, thresholds=dict.fromkeys(scores, 1.0))
    report = evaluate(stakes.under(scores["m2"] > 1.0))
    assert found["m2"].report.safety_gain.interval(0.95) == report.safety_gain.interval(0.95)
    assert found["m2"].auroc.value == pytest.approx(metrics.roc_auc_score(stakes.hazardous, scores["m2"]))
    assert found.hazard_alone.value == pytest.approx(stakes.hazardous.mean())


def test_every_drawn_gain_within_a_budget_is_that_of_a_search_over_thresholds():
    """Three units are drawn in ten ways; for each, the gain that brute force finds at the best threshold."""
    rng = np.random.default_rng(5)
    units, values = np.arange(200) % 3, world(200)[0]["m1"].round(1)
    harmful = Stakes(*rng.random((5, 200)), units=units)
    ways = [np.bincount(way, minlength=3)[units] for way in combinations_with_replacement(range(3), 3)]
    for stakes in (world(200, units=units)[1], harmful):
        returns = [stakes.under(values > t) for t in [-np.inf, *np.unique(values)]]
        for cost in (0.02, 0.3, 2.0):
            expected = []
            for weight in ways:
                means = [[np.average(v, weights=weight) for v in (r.gains, r.costs)] for r in returns]
                expected.append(max(gain for gain, spent in means if spent <= cost + 1e-12))
            drawn = compare({"a": values, "b": -values}, stakes, cost=cost).ranking.drawn[:, 0]
            assert np.abs(drawn[:, None] - expected).min(axis=1).max() < 1e-12, cost
            assert np.abs(drawn[:, None] - expected).min(axis=0).max() < 1e-12, cost


def test_the_ranking_knows_the_spread_of_gains_within_a_budget():
    scores, stakes = world(800)
    stated = compare(scores, stakes, cost=0.1).ranking.drawn.std(axis=0)
    gains = []
    for seed in range(150):
        fresh, truth = world(800, seed=seed)
        curves = [curve(truth, s) for s in fresh.values()]
        gains.append([c.safety_gain[c.availability_cost <= 0.1 + 1e-12].max() for c in curves])
    assert np.allclose(stated, np.std(gains, axis=0, ddof=1), rtol=0.25)


def test_the_spread_of_areas_is_that_of_delong():
    scores, stakes = world()
    found = compare(scores, stakes, cost=0.1, by="AUROC", draws=4000)
    errors_ = [found[name].auroc.details["standard_error"] for name in scores]
    assert np.allclose(found.ranking.drawn.std(axis=0), errors_, rtol=0.06)


def test_rows_of_one_episode_count_once():
    scores, stakes = world(300, shifts=(1.0, 1.4))
    copied = {name: np.repeat(s, 10) for name, s in scores.items()}
    wrong = np.repeat(stakes.hazardous, 10)
    units = np.repeat(np.arange(300), 10)
    for options in ({"cost": 0.1}, {"thresholds": dict.fromkeys(scores, 1.0)}, {"cost": 0.1, "by": "AUROC"}):
        one = compare(scores, stakes, **options).ranking.drawn.std(axis=0)
        together = compare(copied, errors(wrong, units=units), **options).ranking.drawn.std(axis=0)
        apart = compare(copied, errors(wrong), **options).ranking.drawn.std(axis=0)
        assert np.allclose(together, one, rtol=0.15)
        assert (together > 2 * apart).all()


def test_rows_without_hazards_leave_areas_undefined():
    scores, _ = world(100)
    stakes = errors(np.zeros(100))
    found = compare(scores, stakes, cost=0.1)
    assert found["m0"].auroc is None
    assert "undefined" in found.table().rows[0]
    with pytest.raises(Undefined, match="AUROC does not exist"):
        compare(scores, stakes, cost=0.1, by="AUROC")


def test_the_table_has_a_row_for_each_in_order():
    scores, stakes = world()
    found = compare(scores, stakes, cost=0.1)
    assert [row[0] for row in found.table().rows] == ["m1", "m2", "m0"]
    assert "m1" in str(found)
    assert "surely" in str(found)


def test_bad_input_is_refused_with_words():
    for change, words in [
        ({}, "either cost"),
        ({"cost": 0.1, "thresholds": {"m0": 1.0}}, "either cost"),
        ({"thresholds": {"m0": 1.0}}, "same monitors"),
        ({"scores": {"m0": np.zeros(50)}, "cost": 0.1}, "at least two monitors"),
        ({"scores": [np.zeros(50)] * 2, "cost": 0.1}, "by name"),
        ({"cost": 0.1, "by": "area"}, "unknown by"),
        ({"cost": 0.1, "draws": 50}, "at least 400 draws"),
        ({"cost": np.nan}, "finite"),
    ]:
        scores, stakes = world(50)
        given = {"scores": scores} | change
        with refused((change, words), InvalidInput, match=words):
            compare(given.pop("scores"), stakes, **given)


def test_an_unknown_name_gets_a_suggestion():
    scores, stakes = world(100)
    with pytest.raises(InvalidInput, match="Did you mean"):
        compare(scores, stakes, cost=0.1)["m11"]
