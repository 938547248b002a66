import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from surefoot.systems import CLEAN, tables
from surefoot.systems.tables.tested import corrected


def cells_of(ps, by_units=None):
    units = by_units or [None] * len(ps)
    return [tables.Cell(("m", "kde"), CLEAN, 0.0, 5, 0, p=p, p_by_units=u) for p, u in zip(ps, units, strict=True)]


def test_p_for_all_is_that_of_holm_by_statsmodels():
    ps = np.random.default_rng(0).random(25) ** 4
    reject, adjusted, *_ = multipletests(ps, alpha=0.05, method="holm")
    cells = corrected(cells_of(ps.tolist()), 0.05)
    np.testing.assert_allclose([cell.p_all for cell in cells], adjusted)
    assert [cell.significant_all for cell in cells] == reject.tolist()
    assert [cell.significant for cell in cells] == (ps < 0.05).tolist()


def test_undefined_cells_are_no_tests():
    cells = corrected(cells_of([0.01, None, 0.04]), 0.05)
    assert [cell.p_all for cell in cells] == [0.02, None, 0.04]
    assert cells[1].significant is None


def test_p_for_all_is_of_units_where_there_are_any():
    cells = corrected(cells_of([1e-9, 1e-9], [0.2, 0.01]), 0.05)
    assert [cell.p_all for cell in cells] == [0.2, 0.02]
    assert [(cell.significant, cell.significant_all) for cell in cells] == [(True, False), (True, True)]


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
