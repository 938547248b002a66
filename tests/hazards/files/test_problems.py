"""Every problem of a file at once, with its place, in every format."""

import pytest
from openpyxl import load_workbook
from tests.hazards.files.test_team_sheets import save_csv, save_xlsx
from tests.hazards.files.worksheets import problems, small

from surefoot.core import DiagnosticsError
from surefoot.hazards import Hazop

LINES = [
    ["id", "item", "parameter", "guide word", "severity", "likelihood", "status"],
    ["R1", "a", "p", "no", "criticl", "", ""],
    ["R1", "a", "p", "no", "", "", ""],
    ["R3", "", "p", "no", "", "", "reviewd"],
    ["R4", "a", "p", "no", "", "often", ""],
]
EXPECTED = {
    ("hazop-unknown", 2, "E", "Did you mean 'critical'?"),
    ("hazop-duplicate", 3, "A", "Rename or remove one of them."),
    ("hazop-cell", 4, "G", "Did you mean 'reviewed'?"),
    ("hazop-unknown", 5, "F", "Known are incredible, improbable, remote, occasional, probable, frequent."),
}


def test_all_problems_of_a_workbook_come_together_with_their_cells(tmp_path):
    save_xlsx(tmp_path / "a.xlsx", LINES, title="My sheet")
    found = {(each.code, each.where, each.hint) for each in problems(tmp_path / "a.xlsx")}
    assert found == {(code, f"a.xlsx, 'My sheet'!{column}{line}", hint) for code, line, column, hint in EXPECTED}


def test_all_problems_of_a_csv_file_come_together_with_their_lines(tmp_path):
    save_csv(tmp_path / "a.csv", LINES)
    found = [(each.code, each.where, each.hint) for each in problems(tmp_path / "a.csv")]
    assert found == [
        (code, f"a.csv:{line}", hint) for code, line, _, hint in sorted(EXPECTED, key=lambda each: each[1])
    ]


def test_columns_that_are_wrong_are_named(tmp_path):
    for headings, named in [
        (["item", "parameter", "guide word", "sverity"], "'sverity'"),
        (["item", "parameter", "guide word", "Safeguards", "Actions"], "'Actions' stands for 'mitigations'"),
        (["item", "guide word"], "'parameter'"),
        (["a"], "'a'"),
    ]:
        save_csv(tmp_path / "a.csv", [headings])
        found = problems(tmp_path / "a.csv")
        assert {each.code for each in found} == {"hazop-syntax"}, headings
        assert any(named in each.text for each in found), headings


def test_a_misspelt_column_gets_a_suggestion(tmp_path):
    save_csv(tmp_path / "a.csv", [["item", "parameter", "guide word", "sverity"]])
    (found,) = problems(tmp_path / "a.csv")
    assert found.hint.startswith("Did you mean 'severity'?")


def test_an_unknown_item_or_end_of_a_flow_is_an_error_where_items_are_given(tmp_path):
    small().write(tmp_path / "a.xlsx")
    book = load_workbook(tmp_path / "a.xlsx")
    book["Worksheet"]["B2"], book["Items"]["B4"] = "objcts", "detektion"
    book.save(tmp_path / "a.xlsx")
    assert {(each.code, each.where, each.hint) for each in problems(tmp_path / "a.xlsx")} == {
        ("hazop-unknown", "a.xlsx, Worksheet!B2", "Did you mean 'objects'?"),
        ("hazop-unknown", "a.xlsx, Items!B4", "Did you mean 'detection'?"),
    }


def test_problems_of_items_do_not_make_rows_look_wrong(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "surefoot-hazop: 1\nitems: {a: {from: b}, c: {}}\nrows:\n  - {item: a, parameter: p, guide word: no}\n"
    )
    assert [found.code for found in problems(tmp_path / "a.yaml")] == ["hazop-cell"]


def test_many_problems_are_counted_and_take_no_time(tmp_path):
    lines = [["id", "item", "parameter", "guide word", "severity"]]
    lines += [[f"R{n}", f"a{n}", "p", "no", f"s{n}"] for n in range(2_000)]
    save_csv(tmp_path / "a.csv", lines)
    save_csv(tmp_path / "a.items.csv", [["name"], *([f"b{n}"] for n in range(2_000))])
    found = problems(tmp_path / "a.csv")
    assert len(found) == 201
    assert "3,800 more problems" in found[-1].text


def test_other_endings_are_refused_both_ways(tmp_path):
    for name in ("a.xls", "a.ods", "a.txt", "a", "a.yaml.bak"):
        for act in (Hazop.read, small().write):
            with pytest.raises(DiagnosticsError) as error:
                act(tmp_path / name)
            (found,) = error.value.diagnostics
            assert (found.code, ".yaml, .yml, .csv, .xlsx" in found.hint) == ("file-unreadable", True), name
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["yaml", "csv", "xlsx"])
def test_missing_files_folders_and_empty_files_are_told_apart(tmp_path, ending):
    assert problems(tmp_path / f"none.{ending}")[0].code == "file-missing"
    (tmp_path / f"folder.{ending}").mkdir()
    assert problems(tmp_path / f"folder.{ending}")[0].code == "file-unreadable"
    (tmp_path / f"empty.{ending}").touch()
    assert problems(tmp_path / f"empty.{ending}")[0].code == "file-unreadable"
    (tmp_path / f"garbage.{ending}").write_bytes(bytes(range(256)))
    assert problems(tmp_path / f"garbage.{ending}")[0].code == "file-unreadable"


@pytest.mark.parametrize("ending", ["yaml", "csv", "xlsx"])
def test_a_folder_that_is_not_there_is_an_error_on_writing(tmp_path, ending):
    with pytest.raises(DiagnosticsError) as error:
        small().write(tmp_path / "none" / f"a.{ending}")
    assert error.value.diagnostics[0].code == "store-unwritable"
