"""Sheets of CSV and XLSX: cells as texts, each with its place, and nothing that a spreadsheet would run."""

import csv as standard
import io
import sys
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.core import DiagnosticsError, MissingExtra
from surefoot.documents import Findings, Headings, Kind, Sheet, cell_name, csv, xlsx

KIND = Kind("hazop-syntax", cell="hazop-cell", heading="data-column")
STARTS = ("=", "+", "-", "@", "\t", "\r")
CELLS = st.text(st.sampled_from("\\; \n\t.a1'=-+@\r\",é"), max_size=7)


def findings():
    return Findings("a.file", KIND)


def codes(found):
    return [(each.code, each.where) for each in found.errors]


def workbook(fill):
    book, content = openpyxl.Workbook(), io.BytesIO()
    fill(book)
    book.save(content)
    return content.getvalue()


def read(content, *names):
    found = findings()
    book = xlsx.Workbook(content, found)
    return [sheet.lines for sheet in book.sheets(names or book.names)], found


@given(CELLS)
def test_guards_come_off(text):
    assert csv.unguarded(csv.guarded(text)) == text
    assert not csv.guarded(text).startswith(STARTS)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2).filter(any), max_size=4))
def test_csv_reads_back_as_it_was_and_others_see_no_formula(lines):
    text = csv.written(["one", "two"], lines)
    assert [cells for _, cells in csv.read(text.removeprefix("\ufeff"), findings()).lines[1:]] == lines
    cells = [cell for line in standard.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) for cell in line]
    assert not [cell for cell in cells if cell.startswith(STARTS)]


def test_one_line_of_csv_is_a_row_or_an_error():
    assert csv.row('a,"b,""c",') == ["a", 'b,"c', ""]
    assert csv.row("") == []
    with pytest.raises(ValueError, match="expected"):
        csv.row('"a"b')


def test_lines_may_be_ragged_where_that_is_allowed():
    found = findings()
    sheet = csv.read("a;b\n1\n\n1;2;3\n", found)
    assert codes(found) == [("hazop-cell", "a.file:2"), ("hazop-cell", "a.file:4")]
    assert csv.read("a;b\n1\n\n1;2;3\n", findings(), ragged=True).lines == sheet.lines
    assert sheet.lines == [(1, ["a", "b"]), (2, ["1"]), (4, ["1", "2"])]


def test_control_characters_are_not_written(tmp_path):
    with pytest.raises(DiagnosticsError) as error:
        csv.write(tmp_path / "a.csv", ["a"], [["\x07"]], code="hazop-cell")
    assert error.value.diagnostics[0].code == "hazop-cell"
    assert not list(tmp_path.iterdir())


def test_columns_are_found_by_their_names_and_the_rest_is_told():
    sheet = Sheet([(1, ["B", "x", "", "b"]), (3, ["1", "2", "3", "4"]), (4, ["\x07"])], cell_name)
    found = findings()
    known = Headings({"b": "b", "c": "c"}, plain=str.casefold)
    assert [(line.number, line.values) for line in sheet.entries(known, found)] == [(3, {"b": "1"}), (4, {"b": "\x07"})]
    assert codes(found) == [("data-column", "B1"), ("data-column", "D1"), ("hazop-cell", "C3"), ("hazop-cell", "A4")]
    found = findings()
    assert list(sheet.entries(Headings({"b": "b"}, needed=("c",), others=True), found)) == []
    assert codes(found) == [("data-column", "A1")]


def test_values_of_a_workbook_are_texts():
    values = {
        "text": "text",
        2: "2",
        2.5: "2.5",
        1e21: "1e+21",
        True: "TRUE",
        False: "FALSE",
        date(2024, 1, 30): "2024-01-30",
        date(1900, 1, 2): "1900-01-02",
        datetime(2024, 1, 30, 12, 5, 59, 700_000): "2024-01-30 12:06:00",
        time(7, 30): "07:30:00",
        timedelta(hours=30, seconds=1): "30:00:01",
    }
    for epoch in (openpyxl.utils.datetime.WINDOWS_EPOCH, openpyxl.utils.datetime.MAC_EPOCH):

        def fill(book, epoch=epoch):
            book.epoch = epoch
            for value in values:
                if not (isinstance(value, date) and value.year < 1904):
                    book.active.append([value])

        expected = [text for value, text in values.items() if not (isinstance(value, date) and value.year < 1904)]
        ((lines,), found) = read(workbook(fill))
        assert ([cells[0] for _, cells in lines], found.errors) == (expected, []), epoch


def test_a_cell_keeps_its_place_whatever_stands_before_it():
    def fill(book):
        book.active["C7"] = "far"
        book.active["E9"] = "=1+1"
        book.active["D9"] = "#REF!"
        book.active.merge_cells("A20:B30")
        book.active.title = "two words"

    ((lines,), found) = read(workbook(fill))
    assert lines == [(7, ["", "", "far"])]
    assert codes(found) == [("hazop-cell", "a.file, 'two words'!D9"), ("hazop-cell", "a.file, 'two words'!E9")]


def test_hidden_sheets_are_read_and_charts_are_none():
    def fill(book):
        book.active.append(["a"])
        book.create_sheet("hidden").append(["b"])
        book["hidden"].sheet_state = "veryHidden"
        book.create_chartsheet("chart")
        book.create_sheet("empty")

    content = workbook(fill)
    assert xlsx.Workbook(content, findings()).names == ("Sheet", "hidden", "empty")
    assert read(content)[0] == [[(1, ["a"])], [(1, ["b"])], []]
    assert read(content, "hidden")[0] == [[(1, ["b"])]]


def test_control_characters_of_a_workbook_have_a_cell():
    content = xlsx.written([xlsx.Page("one", ("a",), [["\x7f"]])])
    found = findings()
    (sheet,) = xlsx.Workbook(content, found).sheets(["one"])
    list(sheet.entries(Headings({"a": "a"}), found))
    assert codes(found) == [("hazop-cell", "a.file, one!A2")]


def test_a_text_that_does_not_fit_is_not_cut():
    for text in ("x" * 32_768, f"<r>{'&' * 20_000}</r>"):
        with pytest.raises(DiagnosticsError) as error:
            xlsx.written([xlsx.Page("one", ("a", "b"), [["", text]])])
        assert error.value.diagnostics[0].where == "one!B2", text[:9]


def test_the_libraries_are_asked_for_where_they_are_missing(monkeypatch):
    for name, act in [
        ("python_calamine", lambda: xlsx.Workbook(b"", findings())),
        ("xlsxwriter", lambda: xlsx.written([])),
    ]:
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(MissingExtra, match=r"pip install 'surefoot\[xlsx\]'"):
            act()
