"""An overlap has no p-value that holds where items come in units, and says so."""

import numpy as np


def test_overlaps_of_units_claim_nothing_for_all_tests(two_modules) -> None:
    from surefoot.systems.tables import overlaps

    alone, grouped = overlaps(two_modules()), overlaps(two_modules(units=np.repeat(np.arange(10), 20)))
    assert all(cell.significant_all is not None for cell in alone.cells if cell.value is not None)
    assert {(cell.p_all, cell.significant_all) for cell in grouped.cells} == {(None, None)}
    assert [cell.value for cell in alone.cells] == [cell.value for cell in grouped.cells]
    assert "no p for all" in str(grouped)
