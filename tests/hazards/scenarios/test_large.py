"""Ten thousand rows are drafted, merged, traced and compared; what is quadratic would not come to an end."""

from dataclasses import replace

import pytest

from surefoot.hazards import HazardStudy, Hazop, Row, compare

SIZE = 10_000


@pytest.fixture(scope="module")
def study():
    rows = (
        Row(f"R{n}", f"item {n % 50}", "value", f"word {n}", (f"cause {n}",), (f"effect {n % 300}", f"effect {n % 7}"))
        for n in range(SIZE)
    )
    return HazardStudy(Hazop("large", rows=tuple(rows)))


def test_every_basic_event_is_traced(study):
    assert not study.scenarios.problems
    assert len(study.scenarios.tops) == 300
    tree = study.scenarios.fault_tree("effect 3")
    assert tree.attributes["cause 3"]["rows"] == "R3"
    assert len(study.trace.basic) == SIZE
    assert list(study.trace.findings(study.scenarios, study.hazop)) == []
    assert len(study.trace.rows_table(study.hazop).rows) == SIZE


def test_chains_of_another_worksheet_are_told_in_short(study):
    other = Hazop("other", rows=[replace(row, id=f"Q{row.id}") for row in study.hazop.rows])
    found = list(study.trace.findings(study.scenarios, other))
    assert len(found) > SIZE
    assert max(len(each.hint) for each in found) < 200


def test_an_edit_of_every_row_is_compared(study):
    after = Hazop("large", rows=[replace(row, reviewer="Ann") for row in study.hazop.rows])
    found = compare(study, HazardStudy(after), top="effect 3")
    assert len(found.rows.rows) == SIZE
    assert not found.tree.rows
