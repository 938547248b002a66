"""The gain of rejection at chosen rates, against hand calculation and known worlds."""

import numpy as np
import pytest
from tests.refusals import told

from surefoot.core import InvalidInput, Undefined
from surefoot.systems import Measurements, MemoryColumns, Score, predicted_errors, rejection, rejections

QUICK = {"draws": 400}


def cells(table, **wanted):
    """Rows as dictionaries, those that have the wanted values."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def one(table, **wanted):
    (row,) = cells(table, **wanted)
    return row


@pytest.fixture
def ten(measured_of, words_wrong):
    """Ten items of five words; uncertainty falls with the number of wrong words, strangeness rises with it."""
    wrong = np.array([5, 4, 3, 2, 1, 0, 0, 0, 0, 0])
    return measured_of([words_wrong(wrong, 5)], [-np.arange(10.0)], [np.arange(10.0)])


def test_improvement_is_that_of_a_hand_calculation(ten, scores):
    table = rejections(ten, **scores, rates=(0.2,), **QUICK)
    # 15 of 50 words are wrong; without items 0 and 1 it is 6 of 40, without items 8 and 9 15 of 40.
    first, second = (one(table, strategy=name) for name in ("S1", "S2"))
    assert (first["rejected"], first["without"], first["with"]) == (2, 0.3, 0.15)
    assert first["improvement"] == pytest.approx(1 - 0.15 / 0.3)
    assert second["improvement"] == pytest.approx(1 - 0.375 / 0.3)
    # S3 rejects items 0 and 9: 10 of 40.
    assert one(table, strategy="S3")["with"] == pytest.approx(0.25)
    assert first["of largest errors"] == pytest.approx(1)


def test_where_higher_is_better_the_gain_is_the_relative_rise(measured_of, scores):
    right = np.array([0.0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    measured = measured_of(
        [np.column_stack([right, np.ones(10)])], [-np.arange(10.0)], [np.arange(10.0)], metric="accuracy"
    )
    row = one(rejections(measured, **scores, rates=(0.1,), **QUICK), strategy="S1")
    assert row["with"] == pytest.approx(8 / 9)
    assert row["improvement"] == pytest.approx(8 / 9 / 0.8 - 1)


def test_rejecting_none_gains_nothing_and_rejecting_all_is_undefined(ten, scores):
    table = rejections(ten, **scores, rates=(0.0, 1.0), **QUICK)
    assert {row["improvement"] for row in cells(table, rate=0.0)} == {0.0}
    assert {row["with"] for row in cells(table, rate=1.0)} == {None}
    assert {(row["improvement"], row["low"], row["p random"]) for row in cells(table, rate=1.0)} == {(None, None, None)}


def test_a_system_without_errors_has_no_relative_gain(measured_of, words_wrong, scores):
    measured = measured_of([words_wrong(np.zeros(20), 5)], [np.arange(20.0)], [np.arange(20.0)])
    row = one(rejections(measured, **scores, rates=(0.1,), **QUICK), strategy="S5")
    assert (row["without"], row["with"], row["improvement"], row["low"]) == (0.0, 0.0, None, None)


def test_items_without_an_answer_are_left_out_and_those_without_a_score_go_first(measured_of, words_wrong, scores):
    statistics = words_wrong([0, 0, 5, 5, 0], 5)
    statistics[0] = np.nan
    measured = measured_of([statistics], [[9, 1, np.nan, 2, 3]], [np.zeros(5)])
    row = one(rejections(measured, **scores, rates=(0.25,), **QUICK), strategy="S1")
    assert (row["items"], row["left out"], row["rejected"]) == (4, 1, 1)
    assert row["with"] == pytest.approx(1 / 3)


def test_blind_rejection_gains_nothing_on_average(speech, scores):
    table = rejections(speech(300), **scores, rates=(0.1,), draws=2000)
    for row in cells(table, strategy="random"):
        assert abs(row["improvement"]) < 0.005
        assert row["low"] < 0 < row["high"]


def test_luck_is_told_from_skill(speech, scores):
    measured = speech(300)
    idle = Score("encoder", "idle")
    guess = rejections(measured, uncertainty=idle, strangeness=scores["strangeness"], rates=(0.1,), **QUICK)
    skilled = rejections(measured, **scores, rates=(0.1,), **QUICK)
    assert all(row["p random"] > 0.01 for row in cells(guess, strategy="S1"))
    assert all(row["p random"] < 0.01 for row in cells(skilled, strategy="S1"))


def test_the_best_strategy_is_the_one_made_to_be(measured_of, words_wrong, scores):
    """Errors where both scores are high: S5 finds them, each score alone is misled by other items."""
    rng = np.random.default_rng(0)
    uncertainty, strangeness = rng.permutation(400), rng.permutation(400)
    wrong = 5 * (np.minimum(uncertainty, strangeness) >= 320)
    measured = measured_of([words_wrong(wrong, 5)], [uncertainty], [strangeness])
    table = rejections(measured, **scores, rates=(float((wrong > 0).mean()),), **QUICK)
    gains = {row["strategy"]: row["improvement"] for row in cells(table)}
    assert gains["S5"] == pytest.approx(1)
    assert all(gains["S5"] > gains[name] + 0.3 for name in ("S1", "S2", "S3", "S4"))
    assert gains["largest errors"] == pytest.approx(1)


def test_nothing_beats_the_largest_errors_where_items_weigh_the_same(measured_of, words_wrong, scores):
    rng = np.random.default_rng(3)
    measured = measured_of([words_wrong(rng.integers(0, 6, 200), 5)], [rng.random(200)], [rng.random(200)])
    rows = cells(rejections(measured, **scores, **QUICK))
    for rate in (0.01, 0.03, 0.05):
        gains = {row["strategy"]: row["improvement"] for row in rows if row["rate"] == rate}
        assert max(gains.values()) == gains["largest errors"]


def test_intervals_hold_the_gain_of_the_procedure(words_wrong, measured_of, scores):
    """The truth is what the procedure gains on very many items; 95% intervals hold it in most of 60 samples."""

    held = dict.fromkeys(("S1", "S3", "S5"), 0)

    def drawn(items, seed):
        rng = np.random.default_rng(seed)
        hard = rng.normal(size=items)
        wrong = rng.binomial(8, 1 / (1 + np.exp(2 - hard)))
        u, s = (hard + rng.normal(size=items) for _ in range(2))
        return wrong, u, s

    wrong, *pair = drawn(200_000, 99)
    rejected = {name: rejection.STRATEGIES[name](*pair, 20_000) for name in held}
    truth = {name: 1 - wrong[~mask].mean() / wrong.mean() for name, mask in rejected.items()}
    for seed in range(60):
        wrong, u, s = drawn(250, seed)
        table = rejections(measured_of([words_wrong(wrong, 8)], [u], [s]), **scores, rates=(0.1,), draws=400)
        for name in held:
            row = one(table, strategy=name)
            held[name] += row["low"] <= truth[name] <= row["high"]
    assert min(held.values()) >= 52  # 57 are expected, and 51 or fewer have a probability below 1%.


def test_intervals_of_units_are_wider_than_of_items(speech, scores):
    alone = one(rejections(speech(200, severities=1), **scores, rates=(0.1,), **QUICK), strategy="S1")
    copies = speech(50, severities=1)
    tiled = _repeated(copies, 4)
    grouped = one(rejections(tiled, **scores, rates=(0.1,), **QUICK), strategy="S1")
    assert grouped["items"] == alone["items"]
    assert grouped["high"] - grouped["low"] > 1.4 * (alone["high"] - alone["low"])


def _repeated(measured, times):
    kept = MemoryColumns(
        {c: np.tile(measured.statistics(c), (times, 1)) for c in measured.conditions},
        {s: {c: np.tile(measured.score(s, c), times) for c in measured.conditions} for s in measured.scores},
    )
    units = np.tile(np.arange(len(measured.statistics())), times)
    return Measurements("made", measured.metric, measured.conditions, measured.scores, kept, units)


def test_all_conditions_together_and_other_strategies_have_rows(speech, scores):
    measured = speech(60)
    table = rejections(measured, **scores, others={"learned": predicted_errors(measured)}, pooled=True, **QUICK)
    assert len(table.rows) == 4 * 3 * 8
    pooled = one(table, corruption="all conditions", strategy="learned", rate=0.05)
    assert (pooled["severity"], pooled["items"], pooled["rejected"]) == (None, 180, 9)


def test_the_same_seed_gives_the_same_table(speech, scores):
    assert rejections(speech(40), **scores, **QUICK) == rejections(speech(40), **scores, **QUICK)


def test_what_makes_no_sense_is_refused(speech, scores):
    for options, words in [
        ({"uncertainty": Score("decoder", "VR")}, "no score 'decoder VR'"),
        ({"rates": (1.5,)}, "rate must lie"),
        ({"draws": 10}, "too few draws"),
        ({"others": {"S1": {}}}, "names are taken"),
        ({"others": {"mine": {}}}, "needs values in every condition"),
    ]:
        with told(options), pytest.raises(InvalidInput, match=words):
            rejections(speech(10), **{**scores, **QUICK, **options})


def test_a_condition_without_any_answer_is_refused(measured_of, scores):
    measured = measured_of([np.full((3, 4), np.nan)], [np.zeros(3)], [np.zeros(3)])
    with pytest.raises(Undefined, match="no item has an answer"):
        rejections(measured, **scores, **QUICK)
