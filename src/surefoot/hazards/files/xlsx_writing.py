"""A worksheet as a workbook that a team can fill in."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

from surefoot.documents import xlsx
from surefoot.hazards.files.sheets_writing import pages
from surefoot.hazards.worksheet import Hazop
from surefoot.hazards.worksheet.properties import RELATIONS
from surefoot.hazards.worksheet.row import STATUSES

_LEVELS = ("severity", "likelihood")
_MILD, _FAIR, _WORST = (0xE2, 0xF0, 0xD9), (0xFF, 0xF2, 0xCC), (0xF8, 0xCB, 0xAD)
_WIDTHS = {"id": 8, "from": 18, "to": 18, "learned": 10, "value": 10, "unit": 10, "relation": 12, "scale": 12}
_WIDTHS |= dict.fromkeys((*_LEVELS, "status", "reviewer", "endangers", "about"), 14)
_WIDTHS |= dict.fromkeys(("item", "parameter", "guide word", "name", "word", "object", "property"), 22)


def write_xlsx(hazop: Hazop, path: Path) -> None:
    """Write the sheets ``Worksheet``, ``About`` and those of ``Items``, ``Properties``, ``Matrix`` that are needed."""
    choices = _choices(hazop)
    first, *others = (
        replace(page, widths=_WIDTHS, choices=choices.get(page.title, {}))
        for page in pages(hazop, separator="\n", file=path.name)
    )
    xlsx.write(path, [replace(first, colours=_colours(hazop), coloured=_LEVELS), *others])


def _choices(hazop: Hazop) -> dict[str, dict[str, tuple[str, ...]]]:
    """Words to choose from, by sheet and column."""
    asked = chain.from_iterable(words for item in hazop.items for words in item.parameters.values())
    rows = {
        "guide word": tuple(dict.fromkeys(asked)),
        "severity": hazop.matrix.severities,
        "likelihood": hazop.matrix.likelihoods,
        "status": STATUSES,
    }
    return {"Worksheet": rows, "Items": {"learned": ("yes",)}, "Properties": {"relation": RELATIONS}}


def _colours(hazop: Hazop) -> list[str]:
    """The colour of the class of risk of each row; none where nobody has judged it."""
    order = hazop.matrix.order
    shades = {name: _shade(rank, len(order)) for rank, name in enumerate(order)}
    return [shades.get(hazop.risk(row), "") if row.severity and row.likelihood else "" for row in hazop.rows]


def _shade(rank: int, classes: int) -> str:
    """From green over yellow to red."""
    share = 2 * rank / max(classes - 1, 1)
    low, high = (_MILD, _FAIR) if share <= 1 else (_FAIR, _WORST)
    part = share if share <= 1 else share - 1
    return "".join(f"{round(a + (b - a) * part):02X}" for a, b in zip(low, high, strict=True))
