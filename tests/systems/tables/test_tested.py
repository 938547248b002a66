import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from surefoot.systems import tables


def test_p_for_all_is_that_of_holm_by_statsmodels(two_modules):
    cells = tables.shifts(two_modules(), "strangeness", significance=0.05).cells
    ps = np.array([cell.p for cell in cells])
    reject, adjusted, *_ = multipletests(ps, alpha=0.05, method="holm")
    np.testing.assert_allclose([cell.p_all for cell in cells], adjusted)
    assert [cell.significant_all for cell in cells] == reject.tolist()
    assert [cell.significant for cell in cells] == (ps < 0.05).tolist()


def test_undefined_cells_are_no_tests(measured_of):
    clean, worse = np.arange(9.0), np.arange(9.0) + 1
    scores = {"a kde": [clean, worse], "b kde": [clean, clean * np.nan], "c kde": [clean, clean[::-1]]}
    first, undefined, last = tables.shifts(measured_of(scores=scores), "strangeness").cells
    assert (undefined.p_all, undefined.significant) == (None, None)
    assert (first.p_all, last.p_all) == (pytest.approx(2 * first.p), last.p)


def test_p_for_all_is_of_units_where_there_are_any(two_modules):
    measured = two_modules(600, units=np.arange(600) // 100)
    cells = tables.shifts(measured, "strangeness", significance=0.05).cells
    _, adjusted, *_ = multipletests([cell.p_by_units for cell in cells], method="holm")
    np.testing.assert_allclose([cell.p_all for cell in cells], adjusted)
    assert [cell.significant for cell in cells] == [cell.p < 0.05 for cell in cells]
    assert any(cell.significant and not cell.significant_all for cell in cells)


@pytest.mark.parametrize("table_of", [tables.shifts, tables.rank_correlations])
def test_tables_have_plain_values_and_read_back(two_modules, table_of):
    table = table_of(two_modules(), "strangeness").table
    assert table == type(table).from_dict(table.to_dict())
    allowed = (str, int, float, bool, type(None))
    assert all(type(value) in allowed for row in table.rows for value in row)


def test_a_table_reads_with_its_notes(two_modules):
    text = str(tables.shifts(two_modules(), "strangeness"))
    assert "Holm 1979" in text
    assert "encoder" in text
