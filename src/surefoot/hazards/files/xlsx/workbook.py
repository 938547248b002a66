"""Which sheets a workbook has, its shared texts, and which styles show dates."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

from surefoot.hazards.files.xlsx.markup import Handler, attribute, parse
from surefoot.hazards.files.xlsx.package import Package

_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
"""Numbers of built-in formats that show dates or times (ISO/IEC 29500-1, 18.8.30)."""
_NOT_SHOWN = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.|_.|\*.')
_HEXADECIMAL = re.compile(r"_x([0-9A-Fa-f]{4})_")


@dataclass
class Workbook:
    """Parts of the sheets by name, in order, and what their cells refer to."""

    sheets: dict[str, str]
    texts: list[str]
    dates: frozenset[int]
    epoch_1904: bool

    @classmethod
    def of(cls, package: Package) -> Workbook:
        """Read what all sheets share."""
        main = _main_part(package)
        folder = posixpath.dirname(main)
        related = _related(package, main)
        book = _Book()
        parse(package.part(main), book, main, package.findings)
        sheets = {
            name: package.path(target, folder)
            for name, key in book.sheets.items()
            for kind, target in [related.get(key, ("", ""))]
            if kind == "worksheet"
        }
        texts, styles = _Texts(), _Styles()
        for kind, target in related.values():
            handler: Handler | None = {"sharedStrings": texts, "styles": styles}.get(kind)
            if handler is not None:
                part = package.path(target, folder)
                parse(package.part(part), handler, part, package.findings)
        return cls(sheets, texts.all, styles.dates(), book.epoch_1904)


def unescaped(text: str) -> str:
    """A text of a cell, in which ``_x000D_`` stands for a carriage return."""
    return _HEXADECIMAL.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _main_part(package: Package) -> str:
    kinds = dict(_related(package, "").values()) if package.has("_rels/.rels") else {}
    main = package.path(kinds.get("officeDocument", "xl/workbook.xml"), "")
    if not package.has(main) or not main.endswith(".xml"):
        hint = "Save it as .xlsx, not as .xlsb or .ods."
        package.findings.stop("file-unreadable", "the archive holds no workbook.", hint=hint)
    return main


def _related(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Kind and place of the parts that a part refers to, by key."""
    folder, name = posixpath.split(part)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    found = _Related()
    if package.has(place):
        parse(package.part(place), found, place, package.findings)
    return found.all


@dataclass
class _Related(Handler):
    all: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.all[attributes.get("Id", "")] = (kind, attributes.get("Target", ""))


@dataclass
class _Book(Handler):
    sheets: dict[str, str] = field(default_factory=dict)
    epoch_1904: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            self.sheets[attributes.get("name", "")] = attribute(attributes, "id")
        elif name == "workbookPr":
            self.epoch_1904 = attributes.get("date1904", "") in ("1", "true")


@dataclass
class _Texts(Handler):
    """Shared texts; hints at the pronunciation are no part of them."""

    all: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    inside: bool = False
    spoken: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "t":
            self.inside = not self.spoken
        elif name == "rPh":
            self.spoken = True

    def end(self, name: str) -> None:
        if name == "t":
            self.inside = False
        elif name == "si":
            self.all.append(unescaped("".join(self.parts)))
            self.parts.clear()
        elif name == "rPh":
            self.spoken = False

    def text(self, text: str) -> None:
        if self.inside:
            self.parts.append(text)


@dataclass
class _Styles(Handler):
    formats: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    inside: bool = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self.formats[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self.inside = True
        elif name == "xf" and self.inside:
            self.used.append(attributes.get("numFmtId", "0"))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self.inside = False

    def dates(self) -> frozenset[int]:
        """Positions of the styles that show a date or time."""
        return frozenset(position for position, number in enumerate(self.used) if self._is_date(number))

    def _is_date(self, number: str) -> bool:
        if number in self.formats:
            shown = _NOT_SHOWN.sub("", self.formats[number].partition(";")[0])
            return bool(re.search("[dmyhs]", shown, re.IGNORECASE)) and "general" not in shown.casefold()
        return number.isascii() and number.isdigit() and len(number) < 4 and int(number) in _DATES
