"""Workbooks made to harm: archives that explode, entities, locked and damaged files."""

import io
import re
import zipfile

from tests.hazards.files.worksheets import problems, small

from surefoot.hazards import Hazop

SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
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


def changed(content, part, offset, value):
    """An archive whose directory says something else of a part; ``offset`` is in bytes from the start of its entry."""
    at = content.rindex(part.encode()) - 46 + offset
    return content[:at] + value + content[at + len(value) :]


def codes(path):
    return [found.code for found in problems(path)]


def test_document_types_are_refused_before_they_expand(tmp_path):
    whole = parts_of(tmp_path)
    for part in (SHEET, TEXTS, "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"):
        body = whole[part].decode().partition("?>")[2]
        for encoding in ("utf-8", "utf-16"):
            for declared in (f"{LAUGHS}{body.replace('</', '&i;</', 1)}", f"<!DOCTYPE x>{body}"):
                text = f"<?xml version='1.0' encoding='{encoding}'?>{declared}"
                (found,) = problems(save(tmp_path / "a.xlsx", whole | {part: text.encode(encoding)}))
                assert (found.code, found.where) == ("hazop-syntax", f"a.xlsx, {part}"), (part, encoding)


def test_parts_may_be_in_utf_16(tmp_path):
    parts = parts_of(tmp_path)
    for name in (SHEET, TEXTS, "xl/workbook.xml"):
        parts[name] = parts[name].decode().replace('encoding="UTF-8"', 'encoding="UTF-16"').encode("utf-16")
    assert Hazop.read(save(tmp_path / "a.xlsx", parts)) == small()


def test_an_archive_that_would_unpack_to_too_much_is_not_unpacked(tmp_path):
    content = save(tmp_path / "a.xlsx", parts_of(tmp_path)).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(changed(content, SHEET, 24, (200_000_000).to_bytes(4, "little")))
    assert codes(tmp_path / "a.xlsx") == ["hazop-syntax"]
    save(tmp_path / "a.xlsx", parts_of(tmp_path) | {f"media/{number}": b"" for number in range(10_000)})
    assert codes(tmp_path / "a.xlsx") == ["hazop-syntax"]


def test_a_size_that_lies_is_found_out(tmp_path):
    content = save(tmp_path / "a.xlsx", parts_of(tmp_path)).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(changed(content, SHEET, 24, (10).to_bytes(4, "little")))
    assert codes(tmp_path / "a.xlsx") == ["file-unreadable"]


def test_counts_that_lie_reserve_no_memory(tmp_path):
    """The library that reads cells would end the process."""
    parts = parts_of(tmp_path)
    for said in (b"99999999999", b"5000001", b"-1"):
        texts = re.sub(rb'uniqueCount="[0-9]+"', b'uniqueCount="%s"' % said, parts[TEXTS])
        assert codes(save(tmp_path / "a.xlsx", parts | {TEXTS: texts})) == ["hazop-syntax"], said


def test_sheets_that_are_too_long_or_wide_are_refused(tmp_path):
    parts = parts_of(tmp_path)
    for row, reference, where in (
        (400, "XFD400", "Worksheet!XFD400"),
        (1_048_576, "E1048576", "Worksheet!M1048576"),
        (4, "XFE4", "Worksheet!A4"),
        (4, "4", "Worksheet!A4"),
        (4, "a4", "Worksheet!A4"),
        (4, "A1048577", "Worksheet!A4"),
        (9_999_999_999, "A4", "Worksheet!A3"),
    ):
        far = f'<row r="{row}"><c r="{reference}" t="s"><v>0</v></c></row></sheetData>'.encode()
        (found,) = problems(save(tmp_path / "a.xlsx", parts | {SHEET: parts[SHEET].replace(b"</sheetData>", far)}))
        assert (found.code, found.where) == ("hazop-syntax", f"a.xlsx, {where}"), reference


def test_locked_older_and_foreign_files_say_what_to_do(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    (found,) = problems(path)
    assert (found.code, found.hint) == ("file-unreadable", "Open it, remove the password, and save it as .xlsx.")
    save(path, {"content.xml": b"<a/>", "mimetype": b"application/vnd.oasis.opendocument.spreadsheet"})
    (found,) = problems(path)
    assert (found.code, found.hint) == ("file-unreadable", "Save it as .xlsx, not as .xlsb or .ods.")
    path.write_bytes(save(path, parts_of(tmp_path)).read_bytes()[:-200])
    assert codes(path) == ["file-unreadable"]


def test_encrypted_parts_and_other_packings_are_refused(tmp_path):
    content = save(tmp_path / "a.xlsx", parts_of(tmp_path)).read_bytes()
    (tmp_path / "a.xlsx").write_bytes(changed(content, SHEET, 8, b"\x01"))
    assert codes(tmp_path / "a.xlsx") == ["file-unreadable"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    (tmp_path / "a.xlsx").write_bytes(packed.getvalue())
    assert codes(tmp_path / "a.xlsx") == ["file-unreadable"]


def test_parts_that_are_missing_or_no_xml_are_named(tmp_path):
    parts = parts_of(tmp_path)
    del parts[SHEET]
    (found,) = problems(save(tmp_path / "a.xlsx", parts))
    assert (found.code, SHEET in found.text) == ("hazop-syntax", True)
    (found,) = problems(save(tmp_path / "a.xlsx", parts | {SHEET: b"<worksheet><row></worksheet>"}))
    assert (found.code, found.where) == ("hazop-syntax", f"a.xlsx, {SHEET}:1")
