"""Workbooks made to harm: archives that explode, entities, locked and damaged files."""

import io
import zipfile

import pytest
from tests.hazards.files.worksheets import problems, small

from surefoot.hazards.files.xlsx import cells, package

LAUGHS = (
    "<!DOCTYPE x [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


def parts_of(tmp_path):
    small().write(tmp_path / "whole.xlsx")
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def save(path, parts, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "part", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"]
)
def test_document_types_are_refused_before_they_expand(tmp_path, part, encoding):
    parts = parts_of(tmp_path)
    body = parts[part].decode().partition("?>")[2]
    parts[part] = f"<?xml version='1.0' encoding='{encoding}'?>{LAUGHS}{body.replace('</', '&i;</', 1)}".encode(
        encoding
    )
    (found,) = problems(save(tmp_path / "a.xlsx", parts))
    assert found.code == "hazop-syntax"
    assert "document type" in found.text


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(package, "LARGEST_UNPACKED", 1_000_000)
    parts = parts_of(tmp_path) | {"xl/media/bomb.bin": b"\0" * 2_000_000}
    (found,) = problems(save(tmp_path / "a.xlsx", parts))
    assert found.code == "hazop-syntax"
    assert "unpacks to" in found.text


def test_a_size_that_lies_is_found_out(tmp_path):
    content = bytearray(save(tmp_path / "a.xlsx", parts_of(tmp_path)).read_bytes())
    name = b"xl/worksheets/sheet1.xml"
    central = content.rindex(name) - 46
    content[central + 24 : central + 28] = (10).to_bytes(4, "little")
    (tmp_path / "a.xlsx").write_bytes(content)
    assert problems(tmp_path / "a.xlsx")[0].code in ("file-unreadable", "hazop-syntax")


def test_sheets_that_are_too_long_or_wide_are_refused(tmp_path, monkeypatch):
    parts = parts_of(tmp_path)
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    wide = "".join(f'<row r="{n}"><c r="XFD{n}" t="s"><v>0</v></c></row>' for n in range(10, 400))
    parts["xl/worksheets/sheet1.xml"] = sheet.replace("</sheetData>", f"{wide}</sheetData>").encode()
    save(tmp_path / "a.xlsx", parts)
    assert "more than 1,000,000 lines or 5,000,000 cells" in problems(tmp_path / "a.xlsx")[0].text
    monkeypatch.setattr(cells, "MOST_LINES", 1)
    assert "more than 1 lines" in problems(tmp_path / "whole.xlsx")[0].text
    parts["xl/worksheets/sheet1.xml"] = sheet.replace('r="A2"', 'r="XFE2"').encode()
    assert "'XFE'" in problems(save(tmp_path / "a.xlsx", parts))[0].text


def test_locked_older_and_foreign_files_say_what_to_do(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    (found,) = problems(path)
    assert (found.code, found.hint) == ("file-unreadable", "Open it, remove the password, and save it as .xlsx.")
    save(path, {"content.xml": b"<a/>", "mimetype": b"application/vnd.oasis.opendocument.spreadsheet"})
    assert "holds no workbook" in problems(path)[0].text
    path.write_bytes(save(path, parts_of(tmp_path)).read_bytes()[:-200])
    assert (problems(path)[0].code, "damaged" in problems(path)[0].text) == ("file-unreadable", True)


def test_encrypted_parts_and_other_packings_are_refused(tmp_path):
    content = bytearray(save(tmp_path / "a.xlsx", parts_of(tmp_path)).read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1
    (tmp_path / "a.xlsx").write_bytes(content)
    assert "encrypted" in problems(tmp_path / "a.xlsx")[0].text
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "a.xlsx").write_bytes(packed.getvalue())
    assert "packed in a way" in problems(tmp_path / "a.xlsx")[0].text


def test_parts_that_are_missing_or_no_xml_are_named(tmp_path):
    parts = parts_of(tmp_path)
    del parts["xl/worksheets/sheet1.xml"]
    (found,) = problems(save(tmp_path / "a.xlsx", parts))
    assert (found.code, "'xl/worksheets/sheet1.xml'" in found.text) == ("hazop-syntax", True)
    parts["xl/worksheets/sheet1.xml"] = b"<worksheet><row></worksheet>"
    (found,) = problems(save(tmp_path / "a.xlsx", parts))
    assert (found.code, "not valid XML" in found.text) == ("hazop-syntax", True)
