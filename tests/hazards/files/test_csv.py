"""What is particular to CSV: files beside the rows, guards against formulas, separators."""

import csv
from dataclasses import replace

import pytest
from tests.hazards.files.worksheets import problems, small

from surefoot.core import DiagnosticsError
from surefoot.hazards import Hazop, Row

HEADINGS = "id,item,parameter,guide word,remark\n"


def test_files_are_written_where_there_is_something_to_say(tmp_path):
    small().write(tmp_path / "vehicle.csv")
    assert {path.name for path in tmp_path.iterdir()} == {
        "vehicle.csv",
        "vehicle.items.csv",
        "vehicle.properties.csv",
        "vehicle.about.csv",
    }


def test_what_an_earlier_worksheet_left_does_not_survive(tmp_path):
    small().write(tmp_path / "a.csv")
    less = Hazop("a", rows=[Row("R1", "elsewhere", "p", "no")])
    less.write(tmp_path / "a.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert Hazop.read(tmp_path / "a.csv") == less


def test_a_file_of_somebody_else_is_neither_replaced_nor_removed(tmp_path):
    (tmp_path / "shop.items.csv").write_text("article,price\nscrew,0.10\n")
    for hazop in (small(), Hazop("shop")):
        with pytest.raises(DiagnosticsError) as error:
            hazop.write(tmp_path / "shop.csv")
        assert error.value.diagnostics[0].code == "store-unwritable"
    assert [path.name for path in tmp_path.iterdir()] == ["shop.items.csv"]


def test_no_cell_begins_like_a_formula(tmp_path):
    starts = ["=1", "+1", "-1", "@x", "\t=1", "\r=1", "'=1", "''-1"]
    rows = [Row(f"={n}", text, text, text, (text,), remark=text) for n, text in enumerate(starts)]
    Hazop("a", rows=rows).write(tmp_path / "a.csv")
    with open(tmp_path / "a.csv", newline="", encoding="utf-8-sig") as stream:
        cells = [cell for line in csv.reader(stream) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_the_file_begins_with_the_mark_that_shows_umlauts(tmp_path):
    small().write(tmp_path / "a.csv")
    content = (tmp_path / "a.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbfid,item,")
    assert "Müller".encode() in content


def test_the_separator_may_be_stated(tmp_path):
    (tmp_path / "a.csv").write_text("sep=;\r\nitem;parameter;guide word\r\na;p;no\r\n")
    assert Hazop.read(tmp_path / "a.csv").rows[0].place == "a.csv:3"


def test_places_count_line_breaks_in_quotes(tmp_path):
    (tmp_path / "a.csv").write_text(HEADINGS + 'R1,a,p,no,"two\nlines"\n\nR2,a,p,no,\n')
    assert [row.place for row in Hazop.read(tmp_path / "a.csv").rows] == ["a.csv:2", "a.csv:5"]


def test_ragged_lines_are_reported_together(tmp_path):
    (tmp_path / "a.csv").write_text(HEADINGS + "R1,a,p,no\nR2,a,p,no,x,y\nR3,a,p,no,,,\n")
    found = problems(tmp_path / "a.csv")
    assert [(each.code, each.where) for each in found] == [("hazop-cell", "a.csv:2"), ("hazop-cell", "a.csv:3")]


def test_broken_quotes_and_huge_cells_have_a_place(tmp_path):
    for line in ['R1,a,"p,no,\n', 'R1,"a"b,p,no,\n', f"R1,a,p,no,{'x' * 140_000}\n"]:
        (tmp_path / "a.csv").write_text(HEADINGS + line)
        (found,) = problems(tmp_path / "a.csv")
        assert (found.code, found.where) == ("hazop-syntax", "a.csv:2"), line[:20]


def test_problems_of_a_file_beside_name_that_file(tmp_path):
    (tmp_path / "a.csv").write_text(HEADINGS + "R1,a,p,no,\n")
    (tmp_path / "a.properties.csv").write_text("id,object,property,relation,value\nP1,o,p,at most,two\n")
    (tmp_path / "a.items.csv").write_text("name,parameter,guide words\na,p,no\na,p,late\n")
    found = problems(tmp_path / "a.csv")
    assert {(each.code, each.where) for each in found} == {
        ("hazop-cell", "a.properties.csv:2"),
        ("hazop-duplicate", "a.items.csv:3"),
    }


def test_the_name_is_that_of_the_file_unless_it_is_said(tmp_path):
    replace(small(), description="").write(tmp_path / "vehicle.csv")
    assert not (tmp_path / "vehicle.about.csv").exists()
    assert Hazop.read(tmp_path / "vehicle.csv").name == "vehicle"
