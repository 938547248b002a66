import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import tables
from surefoot.systems.tables.degradation import p_of_items, p_of_units, share_interval


def only(measured_of, *columns, **more):
    """The cells of one score with these columns."""
    options = {key: more.pop(key) for key in ("alternative", "level", "significance") if key in more}
    arrays = [np.asarray(column, dtype=float) for column in columns]
    return tables.shifts(measured_of(scores={"encoder kde": arrays}, **more), "strangeness", **options).cells


def test_p_is_that_of_scipy_on_raw_columns(measured_of):
    for decimals in [1, 8]:
        for alternative in ["greater", "less", "two-sided"]:
            with told((alternative, decimals)):
                columns = np.round(np.random.default_rng(1).normal([[0], [0.1], [0.0], [0.4]], size=(4, 300)), decimals)
                cells = only(measured_of, *columns, alternative=alternative)
                for cell, milder, worse in zip(cells, columns, columns[1:], strict=False):
                    expected = stats.wilcoxon(worse, milder, alternative=alternative).pvalue
                    assert cell.p == pytest.approx(expected, rel=1e-12)
                    assert cell.value == pytest.approx(np.mean((worse > milder) + 0.5 * (worse == milder)))
                    assert cell.details["larger"] == np.mean(worse > milder)


def test_p_of_few_items_is_the_exact_one_of_scipy():
    for decimals in [0, 8]:
        for alternative in ["greater", "less", "two-sided"]:
            for n in [3, 7, 9]:
                with told((n, alternative, decimals)):
                    change = np.round(np.random.default_rng(n).normal(2, 3, size=n), decimals)
                    change = change[change != 0]
                    assert p_of_items(change, alternative) == pytest.approx(
                        stats.wilcoxon(change, alternative=alternative).pvalue
                    )


def test_severities_are_compared_with_the_next_milder(measured_of):
    cells = only(measured_of, *np.zeros((4, 3)))
    assert [(cell.condition.label, cell.against.label) for cell in cells] == [
        ("snow 1", "clean"),
        ("snow 3", "snow 1"),
        ("snow 5", "snow 3"),
    ]


def test_effects_without_ties_have_exact_intervals(measured_of):
    (cell,) = only(measured_of, np.zeros(40), np.where(np.arange(40) < 31, 1.0, -1.0), level=0.9)
    exact = stats.binomtest(31, 40).proportion_ci(0.9, method="exact")
    np.testing.assert_allclose(cell.interval, exact, rtol=1e-9)


def test_effects_at_the_ends_have_exact_intervals(measured_of):
    for larger, n in [(0, 12), (12, 12), (1, 1)]:
        with told(larger):
            (cell,) = only(measured_of, np.zeros(n), np.where(np.arange(n) < larger, 1.0, -1.0))
            np.testing.assert_allclose(
                cell.interval, stats.binomtest(larger, n).proportion_ci(method="exact"), rtol=1e-9
            )


def test_all_ties_are_no_shift(measured_of):
    (cell,) = only(measured_of, np.ones(20), np.ones(20))
    assert (cell.value, cell.p, cell.significant, cell.details["ties"]) == (0.5, 1.0, False, 20)


def test_intervals_with_ties_are_cautious():
    rng = np.random.default_rng(2)
    draws = rng.choice([1.0, 0.5, 0.0], p=[0.2, 0.5, 0.3], size=(400, 25))
    held = [low <= 0.45 <= high for low, high in (share_interval(v, None, level=0.95) for v in draws)]
    assert np.mean(held) >= 0.95


def test_a_small_share_of_larger_values_among_ties_is_significant_as_in_table_19(measured_of):
    worse = np.where(np.arange(1000) < 80, 1.0, 0.0)
    (cell,) = only(measured_of, np.zeros(1000), worse + 1e-9 * np.arange(1000) * (worse > 0))
    assert cell.details["larger"] == 0.08
    assert cell.value == pytest.approx(0.54)
    assert cell.significant


def test_a_small_share_without_ties_is_not_significant_as_in_table_8(measured_of):
    rng = np.random.default_rng(3)
    (cell,) = only(measured_of, np.zeros(2600), np.where(rng.random(2600) < 0.06, 1, -1) * rng.exponential(size=2600))
    assert cell.value == pytest.approx(0.06, abs=0.02)
    assert cell.significant is False


def test_items_without_a_value_are_left_out_and_counted(measured_of):
    (cell,) = only(measured_of, [0, np.nan, 0, 0], [1, 1, np.nan, -1])
    assert (cell.items, cell.left_out, cell.value) == (2, 2, 0.5)


def test_a_score_without_values_is_undefined_and_says_why(measured_of):
    cell, later = only(measured_of, [1.0, 2.0], [np.nan, np.nan], [1.0, 2.0])
    assert (cell.value, cell.interval, cell.p, cell.significant) == (None,) * 4
    assert "no item" in cell.why
    assert later.value is None


def test_infinite_scores_are_the_largest(measured_of):
    (cell,) = only(measured_of, [np.inf, 1.0, 2.0, -np.inf], [np.inf, np.inf, 3.0, 0.0])
    assert (cell.value, cell.details["ties"]) == (0.875, 1)
    assert cell.p == pytest.approx(0.125)


def test_one_item_is_enough_for_an_effect(measured_of):
    (cell,) = only(measured_of, [0.0], [1.0])
    assert (cell.value, cell.p) == (1.0, 0.5)


def test_units_of_one_item_give_the_p_of_items():
    rng = np.random.default_rng(4)
    change = np.round(rng.normal(0.05, 1, size=400), 1)
    change = change[change != 0]
    for side in ("greater", "less", "two-sided"):
        by_items = stats.wilcoxon(change, alternative=side, method="asymptotic").pvalue
        assert p_of_units(change, np.arange(change.size), side) == pytest.approx(by_items, rel=1e-9)


def test_few_units_are_tested_exactly():
    change = np.array([1.0, 2.0, 4.0, -3.0, 5.0, 6.0])
    by_items = stats.wilcoxon(change, alternative="greater", method="exact").pvalue
    assert p_of_units(change, np.arange(6), "greater") == pytest.approx(by_items)
    assert p_of_units(change, np.zeros(6, dtype=np.int64), "greater") == 0.5


def test_many_units_follow_random_flips_of_whole_units():
    rng = np.random.default_rng(5)
    units = np.arange(300) // 10
    change = rng.normal(size=30)[units] * 0.7 + rng.normal(0.15, 1, size=300)
    signed = stats.rankdata(np.abs(change)) * np.sign(change)
    flips = rng.choice([-1, 1], size=(20_000, 30))[:, units] @ signed
    assert p_of_units(change, units, "greater") == pytest.approx(np.mean(flips >= signed.sum()), abs=0.012)


def test_p_of_units_is_right_where_p_of_items_is_not():
    rng, small = np.random.default_rng(6), []
    units = np.arange(400) // 10
    for _ in range(400):
        change = rng.normal(size=40)[units] + rng.normal(size=400)
        small.append([p_of_units(change, units, "greater") < 0.05, p_of_items(change, "greater") < 0.05])
    by_units, by_items = np.mean(small, axis=0)
    assert by_units <= 0.08
    assert by_items > 0.12


def test_intervals_over_units_cover_the_truth_and_those_over_items_do_not():
    rng, held = np.random.default_rng(7), []
    units = np.repeat(np.arange(25), 12)
    for _ in range(300):
        values = (rng.random(300) < rng.beta(2, 2, size=25)[units]).astype(float)
        held.append(
            [low <= 0.5 <= high for low, high in (share_interval(values, u, level=0.95) for u in (units, None))]
        )
    by_units, by_items = np.mean(held, axis=0)
    assert by_units >= 0.92
    assert by_items < 0.85


def test_units_that_agree_count_once_each():
    low, high = share_interval(np.ones(60), np.arange(60) // 10, level=0.95)
    assert (low, high) == (pytest.approx(stats.binomtest(6, 6).proportion_ci(method="exact").low), 1.0)


def test_units_are_said_and_decide_what_holds_for_all(measured_of):
    rng = np.random.default_rng(8)
    units = np.arange(500) // 100
    found = tables.shifts(
        measured_of(scores={"encoder kde": [np.zeros(500), rng.normal(1, 0.5, size=500)]}, units=units), "strangeness"
    )
    (cell,) = found.cells
    assert cell.significant
    assert cell.p_by_units == 1 / 2**5
    assert (cell.p_all, cell.significant_all) == (cell.p_by_units, False)
    assert any("5 units" in note for note in found.notes)


def test_effects_are_printed_as_in_the_paper(measured_of):
    rng = np.random.default_rng(9)
    clean, worse = rng.normal(size=100), rng.normal(3, 1, size=100)
    scores = {"encoder kde": [clean, worse, worse], "decoder kde": [clean, clean, clean * np.nan]}
    found = tables.shifts(measured_of(scores=scores), "strangeness")
    table = tables.as_in_paper(found)
    assert table.columns == ("corruption", "severity", "encoder kde", "decoder kde")
    assert table.rows[1] == ("snow", "3 - 1", "0.50*", "-")
    assert table.rows[0][1:] == ("1 - clean", f"{np.mean(worse > clean):.2f}", "0.50*")
    assert tables.as_in_paper(found, intervals=True).rows[0][2].count("[") == 1


def test_unknown_words_are_refused(measured_of):
    for family, options in [
        ("oddness", {}),
        ("strangeness", {"alternative": "more"}),
        ("uncertainty", {"significance": 0}),
    ]:
        with told(family), pytest.raises(InvalidInput):
            tables.shifts(measured_of([np.ones(2), np.ones(2)]), family, **options)
