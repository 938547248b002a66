"""XLSX workbooks: texts, numbers and dates of cells, read by python-calamine and written by XlsxWriter.

Nothing in a workbook is ever run: formulas and errors are refused with their cells. Locked and damaged files, document
types, and what unpacks or spreads to too much are refused before the library sees them.

The library that reads the cells believes what a workbook says of itself and ends the process where that needs more
memory than there is. So each part it is given was unpacked and parsed here, strictly, and the archive around them is
new: there is nothing in it that was not looked at.
"""

from __future__ import annotations

import codecs
import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import Any, NoReturn

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.core.errors import require
from surefoot.core.validate import shown
from surefoot.documents import xml
from surefoot.documents.document import Findings
from surefoot.documents.files import write_whole
from surefoot.documents.sheet import Sheet, cell_name

MOST_COLUMNS, MOST_LINES, MOST_CELLS = 16_384, 1_048_576, 5_000_000
LONGEST_CELL = 32_767
_LONGEST_CHOICE, _WIDEST = 255, 40
_MOMENT = datetime(1980, 1, 1)
"""The time of each file, so that no time of writing gets into it."""
_DIGITS = "0123456789"
_ODD = re.compile(rb"<(?:[\w.-]+:)?(?:f[\s/>]|v(?:\s[^>]*)?>(?!\d+</))")
"""A formula, or a value other than a whole number, which is also how cells refer to texts."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_TYPES = ("b", "d", "e", "inlineStr", "n", "s", "str")
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_MISTAKEN = re.compile(r"(?s)\A<r>.*</r>\Z|_x[0-9A-Fa-f]{4}_x[0-9A-Fa-f]{4}_")
"""Texts that the library takes for markup of its own, or escapes in part."""
_PLAIN = {"num_format": "@", "text_wrap": True, "valign": "top", "border": 1, "border_color": "#BFBFBF"}


class Workbook:
    """The sheets of a workbook by their names, in order; hidden ones too, charts not."""

    def __init__(self, content: bytes, findings: Findings) -> None:
        self._library = require("python_calamine", extra="xlsx", purpose="reading a workbook")
        self._package, self._findings = Package.of(content, findings), findings
        self.names = tuple(self._package.sheets)

    def place(self, name: str) -> str:
        """The place of a sheet, such as ``a.xlsx, 'My sheet'``."""
        return f"{self._findings.file}, {name}" if name.isidentifier() else f"{self._findings.file}, '{name}'"

    def sheets(self, names: Iterable[str]) -> list[Sheet]:
        """The cells of these sheets as texts; places are such as ``a.xlsx, Items!B7``."""
        cells = [_Cells(self._package, self._package.sheets[name], f"{self.place(name)}!") for name in names]
        parts = [each.looked_through() for each in cells]
        try:
            book = self._library.CalamineWorkbook.from_filelike(io.BytesIO(self._package.packed(parts)))
            return [Sheet(list(_lines(book.get_sheet_by_name(str(at)))), each.place) for at, each in enumerate(cells)]
        except self._library.CalamineError as error:
            for each in cells:
                each.looked_through(closely=True)
            self._findings.raise_if_any()
            self._findings.unparsable(f"the workbook cannot be read: {error}.", hint="Save it again.")


class _Cells:
    """Looks through the cells of a sheet: how far they spread, and which of them cannot be taken over."""

    def __init__(self, package: Package, part: str, start: str) -> None:
        self.package, self.part, self.start = package, part, start
        self.findings = package.findings

    def place(self, line: int, position: int) -> str:
        return f"{self.start}{cell_name(line, position)}"

    def looked_through(self, *, closely: bool = False) -> bytes:
        """The part; what its cells hold is looked at where it may be odd, or ``closely``."""
        content, reader = as_utf8(self.package.part(self.part)), self.package.reader(self.part)
        self.line, self.column, self.type, self.value = 0, -1, "n", ""
        self.digits, self.columns = "", dict[str, int]()
        self.formula = self.collecting = False
        self.top = self.left = MOST_LINES
        self.bottom = self.right = -1
        reader.parser.StartElementHandler = self._start
        if closely or _ODD.search(content):
            reader.parser.EndElementHandler = self._end
            reader.parser.CharacterDataHandler = self._text
        reader.read([content], hint="Save the workbook again.")
        area = (self.bottom - self.top + 1) * (self.right - self.left + 1)
        if self.bottom >= 0 and area > MOST_CELLS:
            text = f"the sheet spreads over {area:,} cells; at most {MOST_CELLS:,} are read."
            where = self.place(self.bottom, self.right)
            self.findings.stop(self.findings.kind.syntax, text, where=where, hint="Split it.")
        return content

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2] if ":" in name else name
        if name == "c":
            self._begin_cell(attributes)
        elif name in ("v", "t"):
            self.collecting = name == "v"
            if not self.left <= self.column <= self.right:
                self.left, self.right = min(self.left, self.column), max(self.right, self.column)
            if not self.top <= self.line <= self.bottom:
                self.top, self.bottom = min(self.top, self.line), max(self.bottom, self.line)
        elif name == "row":
            self.column = -1
            self.line = self._number(attributes["r"]) if "r" in attributes else self.line + 1
            self.digits = ""
        elif name == "f":
            self.formula = True

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        reference = attributes.get("r")
        if not reference:
            self.column += 1
        elif self.digits and (known := self.columns.get(reference.removesuffix(self.digits))) is not None:
            self.column = known
        else:
            letters = reference.rstrip(_DIGITS)
            self.column = self._position(letters)
            self.line = self._number(reference[len(letters) :])
            self.columns[letters], self.digits = self.column, str(self.line)
        self.type, self.value, self.formula = attributes.get("t", "n"), "", False

    def _position(self, letters: str) -> int:
        position = 0
        for letter in letters:
            position = 26 * position + ord(letter) - ord("A") + 1 if "A" <= letter <= "Z" else MOST_COLUMNS + 1
        if not 0 < position <= MOST_COLUMNS:
            self._stop(f"a cell has the column {shown(letters)}, which no sheet has.")
        return position - 1

    def _number(self, digits: str) -> int:
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 8 else 0
        if not 0 < number <= MOST_LINES:
            self._stop(f"a row has the number {shown(digits)}, which no sheet has.")
        return number

    def _stop(self, text: str) -> None:
        where = self.place(max(self.line, 1), max(self.column, 0))
        self.findings.stop(self.findings.kind.syntax, text, where=where, hint="Save it again.")

    def _text(self, text: str) -> None:
        if self.collecting:
            self.value += text

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if name == "v":
            self.collecting = False
        elif name == "c":
            problem, hint = self._problem()
            if problem:
                where = self.place(self.line, self.column)
                self.findings.add(self.findings.kind.cell_code, problem, where=where, hint=hint)

    def _problem(self) -> tuple[str, str]:
        """What is wrong with a cell, and what to do."""
        value = self.value.strip()
        if self.formula:
            return "the cell holds a formula, which is not calculated here.", "Paste it as a value."
        if self.type == "e":
            return f"the cell holds the error {shown(value)}.", "Correct or clear it."
        if self.type == "s" and not (value.isascii() and value.isdigit() and int(value) < self.package.text_count):
            return f"the cell refers to the text {shown(value)}, which is not there.", "Save it again."
        if self.type == "n" and value and not _NUMBER.fullmatch(value):
            return f"{shown(value)} is no number.", "Type it again."
        if self.type not in _TYPES:
            return f"the cell has the type {shown(self.type)}, which none has.", "Save it again."
        return "", ""


def _lines(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Lines that say something, from the first column on."""
    top, left = sheet.start or (0, 0)
    before = [""] * left
    for line, values in enumerate(sheet.to_python(), start=top + 1):
        cells = [value if type(value) is str else _text(value) for value in values]
        if any(cells):
            while not cells[-1]:
                cells.pop()
            yield line, before + cells


def _text(value: float | bool | date | time | timedelta) -> str:
    """What a cell shows, dates as in ISO 8601 and to the second.

    >>> _text(2.0), _text(0.1 + 0.2), _text(True), _text(datetime(2024, 1, 30, 12, 5)), _text(timedelta(hours=30))
    ('2', '0.3', 'TRUE', '2024-01-30 12:05:00', '30:00:00')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return _to_the_second(value).isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _to_the_second(datetime.combine(_MOMENT, value)).time().isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"
    return f"{value:.15g}"


def _to_the_second(moment: datetime) -> datetime:
    return (moment + timedelta(microseconds=500_000)).replace(microsecond=0)


@dataclass(frozen=True)
class Page:
    """A sheet to write: texts only, of which no program takes one for a formula."""

    title: str
    headings: tuple[str, ...]
    lines: Sequence[Sequence[str]]
    widths: Mapping[str, float] = field(default_factory=dict)
    """Of columns, in characters."""
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Words to choose from in the cells of a column; other words stay possible."""
    colours: Sequence[str] = ()
    """For each line the colour of the cells in ``coloured`` columns, such as ``FFF2CC``; "" for none."""
    coloured: Collection[str] = ()


def write(path: Path, pages: Iterable[Page]) -> None:
    """Write a workbook whole or not at all; the same pages always give the same bytes."""
    write_whole(path, written(pages))


def written(pages: Iterable[Page]) -> bytes:
    """A workbook that a team can fill in: frozen headings, wrapped texts, filters, lists to choose from."""
    library = require("xlsxwriter", extra="xlsx", purpose="writing a workbook")
    content = io.BytesIO()
    book = library.Workbook(content, {"in_memory": True})
    book.set_properties({"created": _MOMENT})
    formats = _Formats(book)
    for page in pages:
        _add(page, book.add_worksheet(page.title, _sheet_of_texts()), formats)
    book.close()
    return content.getvalue()


class _Formats:
    """How cells look; texts are marked as such."""

    def __init__(self, book: Any) -> None:
        self.heading = book.add_format({**_PLAIN, "bold": True, "bg_color": "#D9E2F3"})
        self.unused = book.add_format(_PLAIN)
        self.text = book.add_format({**_PLAIN, "quote_prefix": True})
        self._book = book
        self._coloured: dict[str, Any] = {"": self.text}

    def coloured(self, colour: str) -> Any:
        """A text on a colour."""
        if colour not in self._coloured:
            style = {**_PLAIN, "quote_prefix": True, "bg_color": f"#{colour}"}
            self._coloured[colour] = self._book.add_format(style)
        return self._coloured[colour]


def _add(page: Page, sheet: Any, formats: _Formats) -> None:
    for position, heading in enumerate(page.headings):
        sheet.set_column(position, position, page.widths.get(heading, _WIDEST), formats.unused)
        sheet.write_string(0, position, heading, formats.heading)
        _add_choices(sheet, position, page.choices.get(heading, ()))
    coloured = {position for position, heading in enumerate(page.headings) if heading in page.coloured}
    written = {text: _as_markup(text) for text in {text for line in page.lines for text in line} if _mistaken(text)}
    put, plain = sheet.write_string, formats.text
    for number, line in enumerate(page.lines, start=1):
        colour = formats.coloured(page.colours[number - 1] if page.colours else "")
        for position, cell in enumerate(line):
            if cell and put(number, position, written.get(cell, cell), colour if position in coloured else plain):
                where = f"{page.title}!{cell_name(number + 1, position)}"
                problem, hint = f"{shown(cell)} does not fit into a cell.", "Shorten it."
                raise DiagnosticsError.of("wrong-value", problem, where=where, hint=hint)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, len(page.lines), len(page.headings) - 1)
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


@cache
def _sheet_of_texts() -> type[Any]:
    """A sheet of the library that writes lines of texts at once, where the library asks of each cell what it holds."""
    from xlsxwriter.worksheet import Worksheet

    class SheetOfTexts(Worksheet):  # type: ignore[misc]
        def _write_rows(self) -> None:
            columns = [cell_name(0, position)[:-1] for position in range(self.dim_colmax + 1)]
            for row, cells in self.table.items():
                line = row + 1
                texts = [
                    f'<c r="{columns[position]}{line}" s="{style._get_xf_index()}" t="s"><v>{text}</v></c>'
                    for position, (text, style) in cells.items()
                ]
                self.fh.write(f'<row r="{line}">{"".join(texts)}</row>')

    return SheetOfTexts


def _mistaken(text: str) -> bool:
    return ("_x" in text or text.startswith("<r>")) and _MISTAKEN.search(text) is not None


def _as_markup(text: str) -> str:
    """A text as the library would write one of several styles, with every escape made (ISO/IEC 29500-1, 22.9.2.19)."""
    escaped = escape(_ESCAPE.sub("_x005F_", text), quote=False).replace("\r", "_x000D_").replace("_", "&#95;")
    return f'<r><t xml:space="preserve">{escaped}</t></r>'


def _add_choices(sheet: Any, position: int, words: Sequence[str]) -> None:
    """Lists to choose from where the words fit."""
    if words and len(",".join(words)) <= _LONGEST_CHOICE and not any(set(word) & set(',"\n\r\t') for word in words):
        choice = {"validate": "list", "source": list(words), "show_error": False}
        sheet.data_validation(1, position, MOST_LINES - 1, position, choice)


LARGEST_UNPACKED = 200_000_000
MOST_PARTS = 10_000
MOST_TEXTS = 5_000_000
_OLDER, _ZIP = b"\xd0\xcf\x11\xe0", b"PK"
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, IndexError, struct.error)
_DECLARATION = re.compile(r"\A\ufeff?<\?xml[^>]*\?>")
_TEXT = re.compile(rb"<(?:[\w.-]+:)?si[\s/>]")
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/package/2006/relationships"


@dataclass
class Package:
    """An archive whose parts together unpack to at most ``LARGEST_UNPACKED`` bytes."""

    archive: zipfile.ZipFile
    findings: Findings
    sheets: dict[str, str] = field(default_factory=dict)
    """Parts of the sheets by name, in order."""
    epoch_1904: bool = False
    texts: bytes = b""
    """The part with the texts that cells refer to."""
    styles: bytes = b""

    @classmethod
    def of(cls, content: bytes, findings: Findings) -> Package:
        """Open the content of a file, and read what all sheets share."""
        _refuse_others(content, findings)
        try:
            archive = zipfile.ZipFile(io.BytesIO(content))
        except (*_BROKEN, NotImplementedError) as error:
            _damaged(findings, error)
        _refuse_bombs(archive, findings)
        package = cls(archive, findings)
        package._open()
        return package

    @cached_property
    def text_count(self) -> int:
        """How many texts cells may refer to."""
        return len(_TEXT.findall(self.texts))

    def part(self, name: str) -> bytes:
        """The content of a part."""
        if name not in self.archive.NameToInfo:
            text = f"the workbook lacks its part {name!r}."
            self.findings.unparsable(text, hint="Save it again as .xlsx.")
        try:
            return self.archive.read(name)
        except _BROKEN as error:
            _damaged(self.findings, error)

    def reader(self, name: str) -> xml.Reader:
        """A parser of a part, without any document type; control characters are found in the cells."""
        reader = xml.Reader(self.inside(name), controls=True)

        def refuse(*_: object) -> None:
            hint = "Do not trust this file; ask who made it."
            reader.findings.refuse("the part declares a document type, which no workbook needs.", hint=hint)

        reader.parser.StartDoctypeDeclHandler = refuse
        return reader

    def inside(self, name: str) -> Findings:
        """The findings, at places of a part."""
        kind = replace(self.findings.kind, largest=LARGEST_UNPACKED)
        return Findings(f"{self.findings.file}, {name}", kind, self.findings.errors)

    def looked_through(self, name: str, start: Callable[[str, dict[str, str]], None] | None = None) -> bytes:
        """A part that is well-formed, in UTF-8; ``start`` is told of its elements."""
        content, reader = self.part(name), self.reader(name)
        if start is not None:
            reader.parser.StartElementHandler = start
        reader.read([content], hint="Save the workbook again.")
        return as_utf8(content)

    def packed(self, sheets: list[bytes]) -> bytes:
        """A new archive with these sheets, called by their positions, and what they refer to."""
        numbers = range(len(sheets))
        listed = "".join(f'<sheet name="{at}" sheetId="{at + 1}" r:id="rId{at}"/>' for at in numbers)
        inner = f'<workbookPr date1904="{int(self.epoch_1904)}"/><sheets>{listed}</sheets>'
        related = [("worksheet", f"worksheets/sheet{at}.xml") for at in numbers]
        related += [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
        parts: dict[str, bytes | str] = {
            "_rels/.rels": _relationships([("officeDocument", "xl/workbook.xml")]),
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{inner}</workbook>',
            "xl/_rels/workbook.xml.rels": _relationships(related),
            "xl/styles.xml": self.styles or f'<styleSheet xmlns="{_MAIN}"/>',
            "xl/sharedStrings.xml": self.texts or f'<sst xmlns="{_MAIN}"/>',
        }
        parts |= {f"xl/worksheets/sheet{at}.xml": sheet for at, sheet in enumerate(sheets)}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, content)
        return packed.getvalue()

    def _open(self) -> None:
        main = self._main_part()
        related, folder = self._related(main), posixpath.dirname(main)
        for element in self._parsed(main).children:
            if element.tag == "workbookPr":
                self.epoch_1904 = element.attributes.get("date1904", "") in ("1", "true")
            for sheet in element.named("sheet"):
                kind, target = related.get(sheet.attributes.get("r:id", ""), ("", ""))
                if kind == "worksheet":
                    self.sheets[sheet.attributes.get("name", "")] = _path(target, folder)
        for kind, target in related.values():
            if kind == "sharedStrings":
                self.texts = self.looked_through(_path(target, folder), self._refuse_many_texts)
            elif kind == "styles":
                self.styles = self.looked_through(_path(target, folder))

    def _refuse_many_texts(self, name: str, attributes: dict[str, str]) -> None:
        """More texts than there can be, for which the library would reserve memory."""
        said = attributes.get("uniqueCount", "") if attributes and name.endswith("sst") else ""
        if said and not (said.isascii() and said.isdigit() and len(said) < 10 and int(said) <= MOST_TEXTS):
            text = f"the workbook says that it has {shown(said)} texts; at most {MOST_TEXTS:,} are read."
            self.findings.unparsable(text, hint="Save it again.")

    def _main_part(self) -> str:
        kinds = dict(self._related("").values())
        main = _path(kinds.get("officeDocument", "xl/workbook.xml"), "")
        if main not in self.archive.NameToInfo or not main.endswith(".xml"):
            hint = "Save it as .xlsx, not as .xlsb or .ods."
            self.findings.stop("file-unreadable", "the archive holds no workbook.", hint=hint)
        return main

    def _related(self, part: str) -> dict[str, tuple[str, str]]:
        """Kind and place of the parts that a part refers to, by key."""
        folder, name = posixpath.split(part)
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        if place not in self.archive.NameToInfo:
            return {}
        said = [each.attributes for each in self._parsed(place).named("Relationship")]
        return {each.get("Id", ""): (each.get("Type", "").rpartition("/")[2], each.get("Target", "")) for each in said}

    def _parsed(self, name: str) -> xml.Element:
        """A small part as a whole."""
        self.looked_through(name)
        return xml.parse(self.part(name), self.inside(name), {"relationships": "r"})


def _relationships(targets: list[tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_RELATED}">{inner}</Relationships>'


def as_utf8(content: bytes) -> bytes:
    """A part in the encoding that the library reads."""
    if content.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        with suppress(UnicodeError):
            return _DECLARATION.sub("", content.decode("utf-16")).encode()
    return content


def _path(target: str, folder: str) -> str:
    """The name of a part that another part in a folder refers to."""
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))


def _refuse_others(content: bytes, findings: Findings) -> None:
    if not content:
        findings.stop("file-unreadable", "the file is empty.", hint="Save it again.")
    if content.startswith(_OLDER):
        text = "the workbook is locked with a password, or it is an older .xls file."
        findings.stop("file-unreadable", text, hint="Open it, remove the password, and save it as .xlsx.")
    if not content.startswith(_ZIP):
        findings.stop("file-unreadable", "this is no XLSX workbook.", hint="Save it as .xlsx.")


def _refuse_bombs(archive: zipfile.ZipFile, findings: Findings) -> None:
    parts = archive.infolist()
    size = sum(part.file_size for part in parts)
    if size > LARGEST_UNPACKED or len(parts) > MOST_PARTS:
        text = f"the workbook unpacks to {len(parts):,} parts with {size:,} bytes; at most {MOST_PARTS:,} with "
        hint = "Split it, or remove pictures and sheets that are not needed."
        findings.unparsable(f"{text}{LARGEST_UNPACKED:,} bytes are read.", hint=hint)
    if any(part.flag_bits & 1 for part in parts):
        findings.stop("file-unreadable", "parts of the workbook are encrypted.", hint="Save it without a password.")
    if any(part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for part in parts):
        findings.stop("file-unreadable", "parts are packed in a way that XLSX does not know.", hint="Save it again.")


def _damaged(findings: Findings, error: BaseException) -> NoReturn:
    findings.stop("file-unreadable", f"the workbook is damaged: {error}.", hint="Save it again, or take a copy of it.")
