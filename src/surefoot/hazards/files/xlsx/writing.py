"""A worksheet as a workbook that a team can fill in: the same worksheet always gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape

from surefoot.documents import write_whole
from surefoot.hazards.files.sheets_writing import Page, pages
from surefoot.hazards.files.xlsx.sheet_xml import NAMESPACE, Texts, sheet_xml
from surefoot.hazards.files.xlsx.styles import risk_styles, styles_xml
from surefoot.hazards.worksheet import Hazop
from surefoot.hazards.worksheet.properties import RELATIONS
from surefoot.hazards.worksheet.row import STATUSES

_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The time of each part, so that no time of writing gets into the file."""
_SPECIAL = re.compile(r"[&<>\r]|_x[0-9A-Fa-f]{4}_")
_LITERAL = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(hazop: Hazop, path: Path) -> None:
    """Write the sheets ``Worksheet``, ``About`` and those of ``Items``, ``Properties``, ``Matrix`` that are needed."""
    written = list(pages(hazop, separator="\n", file=path.name))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=5) as archive:
        for name, content in _parts(hazop, written):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _DECLARATION + content)
    write_whole(path, packed.getvalue())


def _parts(hazop: Hazop, written: list[Page]) -> Iterator[tuple[str, str]]:
    yield "[Content_Types].xml", _content_types(len(written))
    yield "_rels/.rels", _relationships([("officeDocument", "xl/workbook.xml")])
    yield "xl/workbook.xml", _workbook(written)
    sheets = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(written) + 1)]
    others = [("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")]
    yield "xl/_rels/workbook.xml.rels", _relationships([*sheets, *others])
    yield "xl/styles.xml", styles_xml(len(hazop.matrix.order))
    texts, levels, choices = Texts(), risk_styles(hazop), _choices(hazop)
    for number, page in enumerate(written, start=1):
        colours = levels if page.title == "Worksheet" else ()
        yield f"xl/worksheets/sheet{number}.xml", sheet_xml(page, texts, levels=colours, choices=choices[page.title])
    yield "xl/sharedStrings.xml", _shared(texts)


def _choices(hazop: Hazop) -> dict[str, dict[str, tuple[str, ...]]]:
    """Words to choose from, by sheet and column."""
    asked = chain.from_iterable(words for item in hazop.items for words in item.parameters.values())
    rows = {
        "guide word": tuple(dict.fromkeys(asked)),
        "severity": hazop.matrix.severities,
        "likelihood": hazop.matrix.likelihoods,
        "status": STATUSES,
    }
    return {
        "Worksheet": rows,
        "Items": {"learned": ("yes",)},
        "Properties": {"relation": RELATIONS},
        "Matrix": {},
        "About": {},
    }


def _shared(texts: Texts) -> str:
    """The texts; those that XML readers would change are written so that they stay."""
    inner = "".join(
        f'<si><t xml:space="preserve">{_escaped(text) if _SPECIAL.search(text) else text}</t></si>'
        for text in texts.positions
    )
    return f'<sst xmlns="{NAMESPACE}" uniqueCount="{len(texts.positions)}">{inner}</sst>'


def _escaped(text: str) -> str:
    return escape(_LITERAL.sub("_x005F_", text), {"\r": "&#13;"})


def _workbook(written: list[Page]) -> str:
    sheets = "".join(
        f'<sheet name="{page.title}" sheetId="{number}" r:id="rId{number}"/>'
        for number, page in enumerate(written, start=1)
    )
    names = "".join(
        f'<definedName name="_xlnm.Print_Titles" localSheetId="{at}">{page.title}!$1:$1</definedName>'
        for at, page in enumerate(written)
    )
    return (
        f'<workbook xmlns="{NAMESPACE}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{sheets}</sheets><definedNames>{names}</definedNames></workbook>"
    )


def _relationships(targets: list[tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _content_types(sheets: int) -> str:
    parts = [("workbook", "sheet.main"), ("styles", "styles"), ("sharedStrings", "sharedStrings")]
    parts += [(f"worksheets/sheet{number}", "worksheet") for number in range(1, sheets + 1)]
    inner = "".join(f'<Override PartName="/xl/{name}.xml" ContentType="{_TYPES}.{kind}+xml"/>' for name, kind in parts)
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{inner}</Types>'
    )
