"""What is particular to workbooks, seen by openpyxl: texts that are no formulas, and sheets that a team can use."""

import re
import zipfile

import pytest
from openpyxl import Workbook, load_workbook
from tests.hazards.files.worksheets import NASTY, problems, small

from surefoot.hazards import Hazop, Row


@pytest.fixture
def book(tmp_path):
    small().write(tmp_path / "a.xlsx")
    return load_workbook(tmp_path / "a.xlsx")


def test_another_library_reads_the_same_cells(tmp_path):
    """openpyxl leaves an escaped carriage return as it stands, and drops the escape of an escape."""
    readable = [text for text in NASTY if "_x005F_" not in text]
    rows = [Row(f"R{n}", f"i{text}", f"p{text}", f"g{text}") for n, text in enumerate(readable)]
    Hazop("x", rows=rows).write(tmp_path / "a.xlsx")
    sheet = load_workbook(tmp_path / "a.xlsx")["Worksheet"]
    for row, line in zip(rows, sheet.iter_rows(min_row=2), strict=True):
        seen = [cell.value.rstrip("\\") for cell in line[:4]]
        expected = [text.rstrip("\\") for text in (row.id, row.item, row.parameter, row.guide_word)]
        assert seen == [text.replace("\r", "_x000D_") for text in expected]
        assert {(cell.data_type, cell.quotePrefix) for cell in line[:4]} == {("s", True)}


def test_what_another_library_saves_again_is_the_same_worksheet(tmp_path, book):
    book.save(tmp_path / "again.xlsx")
    assert Hazop.read(tmp_path / "again.xlsx") == small()


def test_sheets_are_laid_out_for_a_team(book):
    assert book.sheetnames == ["Worksheet", "Items", "Properties", "About"]
    sheet = book["Worksheet"]
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:M3"
    assert sheet["A1"].font.bold
    assert not sheet["A2"].font.bold
    assert sheet["E2"].alignment.wrap_text
    assert sheet["F2"].value == "erratic navigation\nunsafe distance to assets"
    assert sheet.column_dimensions["E"].width > sheet.column_dimensions["A"].width
    assert sheet.print_title_rows == "$1:$1"


def test_levels_have_lists_and_colours(book):
    sheet = book["Worksheet"]
    choices = {str(each.sqref): each.formula1 for each in sheet.data_validations.dataValidation}
    assert choices["I2:I1048576"] == '"insignificant,marginal,critical,catastrophic"'
    assert choices["D2:D1048576"] == '"no value,wrong value"'
    assert choices["K2:K1048576"] == '"open,filled,reviewed,not credible"'
    assert sheet["I2"].fill.fgColor.rgb == sheet["J2"].fill.fgColor.rgb != sheet["A2"].fill.fgColor.rgb


def test_the_same_worksheet_gives_the_same_bytes(tmp_path):
    for name in ("a.xlsx", "b.xlsx"):
        small().write(tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_formulas_and_errors_are_refused_with_their_cells(tmp_path):
    book = Workbook()
    book.active.append(["item", "parameter", "guide word", "cause"])
    book.active.append(["a", "p", "no", "=1+1"])
    book.active.append(["a", "p", '=HYPERLINK("http://x")', "#REF!"])
    book.save(tmp_path / "a.xlsx")
    found = problems(tmp_path / "a.xlsx")
    assert {(each.code, each.where) for each in found} == {
        ("hazop-cell", "a.xlsx, Sheet!D2"),
        ("hazop-cell", "a.xlsx, Sheet!C3"),
        ("hazop-cell", "a.xlsx, Sheet!D3"),
    }


def test_cells_beside_the_headings_are_not_lost_unseen(tmp_path):
    book = Workbook()
    book.active.append(["item", "parameter", "guide word"])
    book.active.append(["a", "p", "no", None, "stray"])
    book.save(tmp_path / "a.xlsx")
    (found,) = problems(tmp_path / "a.xlsx")
    assert (found.where, found.text) == ("a.xlsx, Sheet!E2", "'stray' stands in a column without a heading.")


def test_a_column_that_is_not_known_is_told_once(tmp_path):
    book = Workbook()
    book.active.append(["item", "parameter", "guide word", "price", "Guide-word"])
    for word in ("no", "late"):
        book.active.append(["a", "p", word, "12", word])
    book.save(tmp_path / "a.xlsx")
    assert [each.where for each in problems(tmp_path / "a.xlsx")] == ["a.xlsx, Sheet!D1", "a.xlsx, Sheet!E1"]


def sheet_of(path, cells, texts=""):
    """A workbook whose sheet holds the given XML, as other programs write it."""
    small().write(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    heading = "".join(
        f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("item", "parameter", "guide word", "remark")
    )
    parts["xl/worksheets/sheet1.xml"] = (
        f"<x:worksheet xmlns:x='m'><x:sheetData><x:row>{heading}</x:row>{cells}</x:sheetData></x:worksheet>"
    )
    parts["xl/workbook.xml"] = re.sub(r'<sheet name="(?!Work)[^>]*>', "", parts["xl/workbook.xml"])
    parts["xl/sharedStrings.xml"] = f"<sst>{texts}</sst>"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_texts_of_other_programs_read(tmp_path):
    """Prefixes, cells without references, rich and phonetic texts, escapes, and cells out of order."""
    texts = "<si><r><t>obj</t></r><r><t>ects</t></r><rPh><t>spoken</t></rPh></si><si><t>a_x000D_b</t></si>"
    row = (
        '<x:row r="9"><c r="D9" t="s"><v>1</v></c><c r="A9" t="s"><v>0</v></c><c t="str"><v>p</v></c>'
        '<c t="inlineStr"><is><t>no</t></is></c></x:row>'
    )
    sheet_of(tmp_path / "a.xlsx", row, texts)
    (read,) = Hazop.read(tmp_path / "a.xlsx").rows
    assert (read.item, read.parameter, read.guide_word, read.remark) == ("objects", "p", "no", "a\rb")
    assert read.place == "a.xlsx, Worksheet!A9"


def test_cells_that_make_no_sense_have_a_place(tmp_path):
    for cell in [
        '<c t="s"><v>99</v></c>',
        '<c t="s"><v>x</v></c>',
        '<c t="s"><v>-1</v></c>',
        '<c t="other"><v>1</v></c>',
        "<c><v>1,5</v></c>",
        '<c t="inlineStr"><is><t>_x0007_</t></is></c>',
    ]:
        sheet_of(tmp_path / "a.xlsx", f'<row r="4"><c r="C4"/>{cell}</row>')
        found = {(each.code, each.where) for each in problems(tmp_path / "a.xlsx")}
        assert ("hazop-cell", "a.xlsx, Worksheet!D4") in found, cell
