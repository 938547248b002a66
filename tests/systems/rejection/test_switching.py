"""Which of several modules to believe."""

import numpy as np
import pytest
from sklearn.metrics import root_mean_squared_error
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import average_unless_rejected, rejection, switching

QUICK = {"draws": 400}


def cells(table, **wanted):
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@pytest.fixture
def two(measured_of, words_wrong):
    """Two recognisers, each wrong on its own half of the items and told so by its scores."""
    rng = np.random.default_rng(0)
    bad = rng.random(300) < 0.5
    made = {}
    for name, wrong in (("first", bad), ("second", ~bad)):
        words = rng.integers(4, 9, 300)
        errors = [words_wrong(rng.binomial(words, np.where(wrong, p, 0.05)), words) for p in (0.4, 0.8)]
        score = [wrong + 0.4 * rng.normal(size=300) for _ in range(2)]
        made[name] = measured_of(errors, score, score)
    return made


def test_switching_beats_each_module_and_the_oracle_beats_switching(two):
    table = switching(two, pooled=True, **QUICK)
    for group in ({"corruption": "clean"}, {"corruption": "fog"}, {"corruption": "all conditions"}):
        rows = {row["way"]: row for row in cells(table, **group)}
        alone = min(rows["first"]["metric"], rows["second"]["metric"])
        assert rows["lowest error"]["metric"] <= rows["lowest predicted error"]["metric"] < 0.6 * alone
        gain = rows["lowest predicted error"]
        assert gain["improvement"] == pytest.approx(1 - gain["metric"] / alone)
        assert 0 < gain["improvement low"] < gain["improvement"] < gain["improvement high"]


def test_a_module_alone_has_its_own_metric_and_the_best_gains_nothing(two):
    rows = {row["way"]: row for row in cells(switching(two, **QUICK), corruption="clean")}
    for name, measured in two.items():
        assert rows[name]["metric"] == pytest.approx(float(measured.metric.value(measured.statistics().sum(axis=0))))
    best = min(two, key=lambda name: rows[name]["metric"])
    assert (rows[best]["improvement"], rows[best]["improvement low"]) == (0.0, 0.0)


def test_an_item_without_an_answer_of_one_module_is_left_out_of_all(two):
    two["first"].columns.of_statistics[two["first"].conditions[0]][:7] = np.nan
    rows = cells(switching(two, **QUICK), corruption="clean")
    assert {(row["items"], row["left out"]) for row in rows} == {(293, 7)}


def test_modules_measured_otherwise_are_refused(two, speech):
    with pytest.raises(InvalidInput, match="their conditions differ"):
        switching({"first": two["first"], "other": speech(300)}, **QUICK)
    with pytest.raises(InvalidInput, match="at least two modules"):
        switching({"first": two["first"]}, **QUICK)
    with pytest.raises(InvalidInput, match="names are taken"):
        switching({"first": two["first"], "lowest error": two["second"]}, **QUICK)


def test_a_module_without_a_prediction_is_chosen_last():
    assert list(rejection.chosen_module(np.array([[1.0, np.nan, np.nan], [2.0, 5.0, np.nan]]))) == [0, 1, 0]


@pytest.fixture
def numbers():
    """Three modules, each far off on its own tenth of 1000 items, where its suspicion is high."""
    rng = np.random.default_rng(1)
    truth = rng.normal(size=1000)
    off = np.arange(1000) % 10 == np.arange(3)[:, None]
    outputs = truth + np.where(off, 3.0, 0.2) * rng.normal(size=(3, 1000))
    return outputs, off + 0.5 * rng.random((3, 1000)), truth


def test_numbers_that_are_not_rejected_are_averaged(numbers):
    outputs, suspicion, truth = numbers
    rows = {row["way"]: row for row in cells(average_unless_rejected(*numbers, rate=0.1, **QUICK))}
    kept = ~(suspicion > 0.9)
    by_hand = np.array([outputs[kept[:, i], i].mean() for i in range(1000)])
    assert rows["average unless rejected"]["metric"] == pytest.approx(root_mean_squared_error(truth, by_hand))
    assert rows["average of all"]["metric"] == pytest.approx(root_mean_squared_error(truth, outputs.mean(axis=0)))
    assert rows["module 2"]["metric"] == pytest.approx(root_mean_squared_error(truth, outputs[1]))
    order = ["lowest error", "average unless rejected", "lowest predicted error", "average of all", "module 1"]
    values = [rows[name]["metric"] for name in order]
    assert values == sorted(values)
    assert rows["average unless rejected"]["high"] < rows["average of all"]["low"]


def test_improvements_are_against_the_way_that_is_named(numbers):
    table = average_unless_rejected(*numbers, rate=0.1, against="average of all", **QUICK)
    rows = {row["way"]: row for row in cells(table)}
    average, trusted = rows["average of all"], rows["average unless rejected"]
    assert (average["improvement"], average["improvement low"]) == (0.0, 0.0)
    assert trusted["improvement"] == pytest.approx(1 - trusted["metric"] / average["metric"])
    assert 0 < trusted["improvement low"] < trusted["improvement"] < trusted["improvement high"]
    with pytest.raises(InvalidInput, match="way"):
        average_unless_rejected(*numbers, against="the average", **QUICK)


def test_where_every_module_is_rejected_all_are_averaged():
    outputs, truth = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([2.0, 3.0])
    table = average_unless_rejected(outputs, np.zeros((2, 2)), truth, rate=1.0, **QUICK)
    (row,) = cells(table, way="average unless rejected")
    assert row["metric"] == 0


def test_units_and_names_and_metrics_are_taken(numbers):
    names = ["left", "middle", "right"]
    table = average_unless_rejected(*numbers, names=names, metric="mae", units=np.arange(1000) // 50, **QUICK)
    assert [row["way"] for row in cells(table)][:3] == names
    outputs, _, truth = numbers
    assert cells(table, way="left")[0]["metric"] == pytest.approx(np.abs(outputs[0] - truth).mean())


def test_numbers_that_do_not_fit_are_refused(numbers):
    for change, words in [
        (lambda o, s, t: (o[:1], s[:1], t), "two modules or more"),
        (lambda o, s, t: (o, s[:, 1:], t), "modules x items"),
        (lambda o, s, t: (o, s, t[1:]), "same length"),
        (lambda o, s, t: (o * np.nan, s, t), "finite"),
    ]:
        with told(change), pytest.raises(InvalidInput, match=words):
            average_unless_rejected(*change(*numbers), **QUICK)
