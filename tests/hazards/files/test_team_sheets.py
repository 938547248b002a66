"""Sheets as teams write them, such as Table 2 of Dong et al. (2023)."""

import csv
from datetime import date, datetime, time

import pytest
from openpyxl import Workbook, load_workbook
from tests.hazards.files.worksheets import problems

from surefoot.hazards import Hazop

FLOW = "flow from object detection to obstacle avoidance and path planning"
TABLE_2 = [
    ["HAZOP item:\nnode/flow", "Process\nparameter\nor attribute", "Guide-word", "Cause", "Consequence", "Mitigation"],
    [FLOW, "data flow", "too late", "...", "...", "..."],
    ["", "", "...", "...", "...", "..."],
    [
        "",
        "data value",
        "wrong value",
        "misclassification",
        "erratic navigation;\nunsafe distance to assets;\ncollision to assets;\nfailed inspection.",
        "acoustic guidance;\nminimum DL-classifier reliability for critical objects;\n"
        "maximum safe distance maintained if uncertain;\n...",
    ],
    ["", "", "no value", "...", "...", "..."],
    ["", "", "...", "...", "...", "..."],
    ["...", "...", "...", "...", "...", "..."],
]


def save_xlsx(path, lines, *, title="Sheet1", merged=()):
    book = Workbook()
    book.active.title = title
    for line in lines:
        book.active.append([cell or None for cell in line])
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)


def save_csv(path, lines, encoding="utf-8", **options):
    with open(path, "w", newline="", encoding=encoding) as stream:
        csv.writer(stream, **options).writerows(lines)


@pytest.fixture(params=["csv", "semicolons", "tabs", "marked", "xlsx"])
def table_2(request, tmp_path):
    options = {"semicolons": {"delimiter": ";"}, "tabs": {"delimiter": "\t"}, "marked": {"encoding": "utf-8-sig"}}
    path = tmp_path / ("table.xlsx" if request.param == "xlsx" else "table.csv")
    if request.param == "xlsx":
        save_xlsx(path, TABLE_2, merged=["A2:A6", "B2:B3", "B4:B6"])
    else:
        save_csv(path, TABLE_2, **options.get(request.param, {}))
    return Hazop.read(path)


def test_table_2_reads_with_its_merged_and_intentionally_blank_cells(table_2):
    assert [(row.id, row.parameter, row.guide_word) for row in table_2.rows] == [
        ("R1", "data flow", "too late"),
        ("R2", "data value", "wrong value"),
        ("R3", "data value", "no value"),
    ]
    assert {row.item for row in table_2.rows} == {FLOW}
    assert table_2.name == "table"


def test_table_2_keeps_its_lists(table_2):
    row = table_2.rows[1]
    assert row.causes == ("misclassification",)
    assert row.consequences == (
        "erratic navigation",
        "unsafe distance to assets",
        "collision to assets",
        "failed inspection.",
    )
    assert [each.text for each in row.mitigations][-1] == "maximum safe distance maintained if uncertain"
    assert table_2.rows[0].blank


def test_columns_come_in_any_order_under_any_usual_name(tmp_path):
    save_csv(
        tmp_path / "a.csv",
        [["SAFEGUARDS", "deviation word", "Attribute", "Node", "No."], ["alarm", "late", "image", "camera", "7"]],
    )
    row = Hazop.read(tmp_path / "a.csv").rows[0]
    assert (row.id, row.item, row.parameter, row.guide_word) == ("7", "camera", "image", "late")
    assert str(row.mitigations[0]) == "alarm"


def test_rows_without_an_id_get_one_that_is_free(tmp_path):
    lines = [
        ["id", "item", "parameter", "guide word"],
        ["", "a", "p", "no"],
        ["R1", "a", "p", "late"],
        ["", "a", "p", "early"],
    ]
    save_csv(tmp_path / "a.csv", lines)
    assert [row.id for row in Hazop.read(tmp_path / "a.csv").rows] == ["R2", "R1", "R3"]


def test_another_item_does_not_inherit_a_parameter(tmp_path):
    lines = [["item", "parameter", "guide word"], ["a", "p", "no"], ["b", "", "no"], ["", "q", "no"], ["", "", "late"]]
    save_csv(tmp_path / "a.csv", lines)
    (found,) = problems(tmp_path / "a.csv")
    assert (found.code, found.where) == ("hazop-cell", "a.csv:3")
    assert "needs parameter" in found.text


def test_only_item_and_parameter_are_inherited(tmp_path):
    lines = [
        ["item", "parameter", "guide word", "cause"],
        ["a", "p", "no", "x"],
        ["", "", "late", ""],
        ["", "", "", "y"],
    ]
    save_csv(tmp_path / "a.csv", lines)
    (found,) = problems(tmp_path / "a.csv")
    assert (found.where, found.text) == ("a.csv:4", "a row needs guide word.")


def test_a_line_with_an_item_only_is_a_heading_for_those_below(tmp_path):
    save_csv(tmp_path / "a.csv", [["item", "parameter", "guide word"], ["camera", "", ""], ["", "image", "no"]])
    assert [row.item for row in Hazop.read(tmp_path / "a.csv").rows] == ["camera"]


def test_numbers_dates_and_truth_values_of_a_workbook_become_text(tmp_path):
    book = Workbook()
    book.active.append(["id", "item", "parameter", "guide word", "causes", "remark"])
    for number, value in enumerate(
        [2.5, 0.1 + 0.2, date(2024, 1, 30), datetime(2024, 1, 30, 12, 5), time(7, 30), True]
    ):
        book.active.append([number, "a", "p", "no", value, 1e6])
    book.save(tmp_path / "a.xlsx")
    rows = Hazop.read(tmp_path / "a.xlsx").rows
    assert [row.causes[0] for row in rows] == ["2.5", "0.3", "2024-01-30", "2024-01-30 12:05:00", "07:30:00", "TRUE"]
    assert (rows[0].id, rows[0].remark) == ("0", "1000000")


def test_words_of_scales_and_states_may_be_capitalised(tmp_path):
    lines = [
        ["item", "parameter", "guide word", "severity", "likelihood", "status"],
        ["a", "p", "no", "Critical", "REMOTE", "Not Credible"],
    ]
    save_csv(tmp_path / "a.csv", lines)
    row = Hazop.read(tmp_path / "a.csv").rows[0]
    assert (row.severity, row.likelihood, row.status) == ("critical", "remote", "not credible")


def test_a_workbook_with_notes_reads_and_one_with_a_misspelt_sheet_does_not(tmp_path):
    save_xlsx(tmp_path / "a.xlsx", TABLE_2, title="Worksheet")
    book = load_workbook(tmp_path / "a.xlsx")
    book.create_sheet("Minutes of 3 May").append(["anything"])
    book.save(tmp_path / "a.xlsx")
    assert len(Hazop.read(tmp_path / "a.xlsx").rows) == 3
    book.create_sheet("Propertys").append(["id"])
    book.save(tmp_path / "a.xlsx")
    (found,) = problems(tmp_path / "a.xlsx")
    assert (found.where, found.hint) == ("a.xlsx, Propertys", "Did you mean 'Properties'?")


def test_two_sheets_of_other_names_are_not_guessed_between(tmp_path):
    book = Workbook()
    book.create_sheet("more")
    book.save(tmp_path / "a.xlsx")
    (found,) = problems(tmp_path / "a.xlsx")
    assert "no sheet 'Worksheet' but 'Sheet', 'more'" in found.text


def test_cells_of_lists_mean_what_they_show(tmp_path):
    for cell, entries in [
        ("a;b", ("a", "b")),
        (" a ;\r\n b; ...;", ("a", "b")),
        ("C:\\new\\file; \\\\server", ("C:\\new\\file", "\\\\server")),
        ("a\\;b", ("a;b",)),
        ("a\\\\;b", ("a\\", "b")),
        ("…", ()),
        ("", ()),
    ]:
        save_csv(tmp_path / "a.csv", [["item", "parameter", "guide word", "causes"], ["a", "p", "no", cell]])
        assert Hazop.read(tmp_path / "a.csv").rows[0].causes == entries, cell
