import math

import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import tables
from surefoot.systems.tables.correlations import (
    fisher_interval,
    kendall_influence,
    p_between_units,
    spearman_influence,
    spearman_p,
    standard_error,
)


def by_condition(found):
    return {(cell.condition.label, cell.of): cell for cell in found.cells}


def test_rank_correlations_are_those_of_scipy_on_raw_columns(two_modules):
    measured = two_modules()
    for cell in tables.rank_correlations(measured, "strangeness").cells:
        one, other = (next(s for s in measured.scores if s == (m, cell.of[2])) for m in cell.of[:2])
        expected = stats.spearmanr(measured.score(one, cell.condition), measured.score(other, cell.condition))
        assert cell.value == pytest.approx(expected.statistic, abs=1e-12)
        assert cell.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_score_changes_are_the_tau_of_scipy_on_differences(two_modules):
    measured = two_modules()
    found = tables.score_changes(measured, "strangeness")
    assert len(found.cells) == 3 * 2
    for cell in found.cells:
        scores = [next(s for s in measured.scores if s == (m, cell.of[2])) for m in cell.of[:2]]
        expected = stats.kendalltau(*(measured.score(s, cell.condition) - measured.score(s) for s in scores))
        assert (cell.value, cell.p) == (
            pytest.approx(expected.statistic, abs=1e-12),
            pytest.approx(expected.pvalue, rel=1e-9),
        )


def test_error_changes_are_the_tau_of_scipy_on_differences(two_modules):
    measured = two_modules()
    found = tables.error_changes(measured, "strangeness")
    assert len(found.cells) == 3 * 4
    for cell in found.cells:
        score = next(s for s in measured.scores if s == cell.of)
        change = measured.score(score, cell.condition) - measured.score(score)
        expected = stats.kendalltau(change, measured.errors(cell.condition) - measured.errors())
        assert cell.value == pytest.approx(expected.statistic, abs=1e-12)
        assert cell.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_score_that_follows_the_error_is_told_from_one_that_does_not(measured_of):
    rng = np.random.default_rng(1)
    errors = [rng.exponential(size=800) for _ in range(2)]
    scores = {"first kde": list(rng.normal(size=(2, 800))), "second kde": [e + rng.normal(size=800) for e in errors]}
    found = by_condition(tables.error_changes(measured_of(errors, scores), "strangeness"))
    first, second = found["snow 1", ("first", "kde")], found["snow 1", ("second", "kde")]
    assert not first.significant_all
    assert second.significant_all
    assert second.interval[0] > 0.2


@pytest.mark.parametrize(
    ("influence", "truth"),
    [(kendall_influence, 2 / math.pi * math.asin(0.5)), (spearman_influence, 6 / math.pi * math.asin(0.25))],
    ids=["kendall", "spearman"],
)
def test_intervals_over_units_cover_the_truth_and_those_over_items_do_not(influence, truth):
    rng, held = np.random.default_rng(2), []
    units, half = np.repeat(np.arange(25), 8), np.linalg.cholesky([[1, 0.5], [0.5, 1]]).T
    for _ in range(200):
        x, y = ((rng.normal(size=(25, 2)) @ half)[units] + rng.normal(size=(200, 2)) @ half).T
        value, added = influence(x, y)
        both = [fisher_interval(value, standard_error(added, u), n, 0.95) for u, n in ((units, 25), (None, 200))]
        held.append([low <= truth <= high for low, high in both])
    by_units, by_items = np.mean(held, axis=0)
    assert by_units >= 0.91
    assert by_items < 0.87


def test_p_between_units_is_right_where_p_of_items_is_not():
    rng, small = np.random.default_rng(3), []
    units = np.repeat(np.arange(30), 8)
    for _ in range(200):
        x, y = rng.normal(size=(2, 30))[:, units] + 0.5 * rng.normal(size=(2, 240))
        value, added = kendall_influence(x, y)
        p = p_between_units(value, standard_error(added, units), 30)
        small.append([p < 0.05, stats.kendalltau(x, y).pvalue < 0.05])
    by_units, by_items = np.mean(small, axis=0)
    assert by_units <= 0.1
    assert by_items > 0.2


def test_few_units_can_not_be_significant():
    assert p_between_units(1.0, 0.0, 5) == pytest.approx(2 / math.factorial(5))
    assert p_between_units(1.0, 0.0, 1) == 1.0
    assert p_between_units(0.0, 0.0, 5) == 1.0


def test_p_of_few_items_is_that_of_all_orders():
    for n in [2, 3, 4, 5]:
        with told(n):
            rng = np.random.default_rng(n)
            x, y = rng.normal(size=(2, n))

            def statistic(x, y=y):
                return stats.spearmanr(x, y).statistic

            exact = stats.permutation_test((x,), statistic, permutation_type="pairings", n_resamples=np.inf)
            assert spearman_p(x, y) == pytest.approx(exact.pvalue)


def test_undefined_correlations_are_none_and_say_why(measured_of):
    for first, second, why in [
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "does not vary"),
        ([1.0], [2.0], "fewer than two"),
        ([np.nan] * 3, [1.0, 2.0, 3.0], "fewer than two"),
    ]:
        with told(first):
            columns = {"encoder vr": [np.array(first)], "decoder vr": [np.array(second)]}
            found = tables.rank_correlations(measured_of(scores=columns, family="uncertainty"), "uncertainty")
            (cell,) = found.cells
            assert (cell.value, cell.interval, cell.p, cell.p_all, cell.significant) == (None,) * 5
            assert why in cell.why
            assert any("1 cell undefined" in note for note in found.notes)
            assert tables.as_in_paper(found).rows[0][2] == "-"


def test_an_error_that_does_not_change_has_no_tau(measured_of):
    found = tables.error_changes(measured_of(scores={"m kde": [np.arange(9.0), np.arange(9.0) ** 2]}), "strangeness")
    assert found.cells[0].value is None
    assert found.table.rows[0][-1] == "a column does not vary"


def test_two_items_are_correlated_without_being_significant(measured_of):
    columns = {"a kde": [np.array([1.0, 2.0])], "b kde": [np.array([1.0, 2.0])]}
    (cell,) = tables.rank_correlations(measured_of(scores=columns), "strangeness").cells
    assert (cell.value, cell.p, cell.interval, cell.significant) == (1.0, 1.0, None, False)


def test_items_without_a_value_in_either_condition_are_left_out(measured_of):
    clean, worse = np.arange(6.0), np.arange(6.0) ** 2
    holes = worse.copy()
    holes[2] = np.nan
    errors = [clean.copy(), np.exp(clean)]
    errors[0][4] = np.nan
    (cell,) = tables.error_changes(measured_of(errors, {"m kde": [clean, holes]}), "strangeness").cells
    assert (cell.items, cell.left_out) == (4, 2)


def test_units_are_said_and_decide_what_holds_for_all(two_modules):
    found = tables.rank_correlations(two_modules(600, units=np.arange(600) // 20), "strangeness")
    assert any("30 units" in note for note in found.notes)
    assert all(cell.p_by_units is not None and cell.p_all >= cell.p_by_units for cell in found.cells)


def test_a_hundred_thousand_items_are_handled(two_modules):
    found = tables.rank_correlations(two_modules(100_000), "strangeness")
    assert all(cell.items == 100_000 and cell.significant is not None for cell in found.cells)


def test_a_system_of_one_module_has_an_empty_table(measured_of):
    found = tables.score_changes(measured_of(scores={"m kde": [np.ones(3), np.ones(3)]}), "strangeness")
    assert found.table.rows == ()
    assert tables.as_in_paper(found).rows == ()


def test_an_unknown_family_is_refused(two_modules):
    with pytest.raises(InvalidInput, match="family"):
        tables.error_changes(two_modules(), "surprise")
