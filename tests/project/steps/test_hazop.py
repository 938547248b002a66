"""The step for worksheets: what a report shows of them, and the assumption that nothing was left out."""

from dataclasses import replace

import pytest
from tests.project.doors import SHEET
from tests.refusals import told

from surefoot.core import DiagnosticsError
from surefoot.hazards import Hazop, Item, Row
from surefoot.project import find_step

hazop = find_step("hazop")


def shown(sheet, folder):
    sheet.write(folder / "sheet.yaml")
    return hazop(file=str(folder / "sheet.yaml"))


def test_a_row_is_shown_as_a_team_reads_it(tmp_path):
    table = shown(SHEET, tmp_path).tables["worksheet"]
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["id"], row["causes"], row["status"]) == ("R1", "person is missed", "reviewed, A. Smith")
    assert row["mitigations"] == "light beam → P1"
    assert row["risk"] == f"{SHEET.matrix.risk('critical', 'remote')}: critical × remote"


def test_properties_keep_their_numbers(tmp_path):
    table = shown(SHEET, tmp_path).tables["safety properties"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [(row["id"], row["value"]) for row in rows] == [("P1", 0.5), ("P2", 0.1)]


def test_what_there_is_nothing_of_is_left_out(tmp_path):
    found = shown(Hazop("empty", [Item("camera", parameters={"image": ("no",)})]), tmp_path)
    assert "safety properties" not in found.tables
    assert list(found.artefacts) == ["system"]
    assert dict(found.tables["progress"].rows) == {"nodes": 1, "deviations": 1}


def test_a_matrix_is_drawn_where_a_row_is_rated(tmp_path):
    assert list(shown(SHEET, tmp_path).artefacts) == ["system", "risk matrix"]


def test_what_nobody_considered_is_to_do(tmp_path):
    texts = [row[1] for row in shown(SHEET, tmp_path).tables["to do"].rows]
    assert any("'image' of 'camera'" in text and "late" in text for text in texts)


def test_the_assumption_needs_every_deviation_and_a_review_of_every_row(tmp_path):
    for status, expected in [("open", "unchecked"), ("filled", "unchecked"), ("reviewed", "supported")]:
        with told(status):
            item = Item("camera", parameters={"image": ("no",)})
            row = Row("R1", "camera", "image", "no", ("lamp is broken",), ("dark",), status=status, reviewer="B")
            (found,) = shown(Hazop("one", [item], [row]), tmp_path).assumptions
            assert (found.id, found.status) == ("hazards-complete", expected)


def test_a_worksheet_without_deviations_supports_nothing(tmp_path):
    (found,) = shown(Hazop("none", [Item("camera")]), tmp_path).assumptions
    assert found.status == "unchecked"


def test_a_worksheet_that_cannot_be_read_says_where(tmp_path):
    (tmp_path / "sheet.yaml").write_text("surefoot-hazop: 1\nrows: 7\n")
    with pytest.raises(DiagnosticsError, match=r"sheet\.yaml:2"):
        hazop(file=str(tmp_path / "sheet.yaml"))


def test_an_edited_row_changes_what_is_found(tmp_path):
    first = shown(SHEET, tmp_path)
    second = shown(replace(SHEET, rows=(replace(SHEET.rows[0], remark="seen"), SHEET.rows[1])), tmp_path)
    assert first.tables["worksheet"].rows[0] != second.tables["worksheet"].rows[0]
    assert first.tables["worksheet"].rows[1] == second.tables["worksheet"].rows[1]
