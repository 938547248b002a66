"""The sheet About: name and description of a worksheet, and the version of the format."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.documents import Findings, shown
from surefoot.hazards.files.cell_text import cell_of, text_of
from surefoot.hazards.files.draft import FORMAT, VERSION, Draft, Entry
from surefoot.hazards.worksheet import Hazop

HEADINGS = ("about", "text")
_KNOWN = (FORMAT, "name", "description")


def about_lines(hazop: Hazop) -> list[list[str]]:
    """The cells of the sheet."""
    description = [["description", cell_of(hazop.description)]] if hazop.description else []
    return [[FORMAT, VERSION], ["name", cell_of(hazop.name)], *description]


def read_about(draft: Draft, lines: Iterable[Entry], findings: Findings) -> None:
    """Put name and description into the draft."""
    seen: set[str] = set()
    for entry in lines:
        if not entry.values:
            continue
        key, text = text_of(entry.text("about")), text_of(entry.text("text"))
        if key not in _KNOWN or key in seen:
            problem = (
                f"{shown(key)} is said twice." if key in seen else f"{shown(key)} is not known in the sheet About."
            )
            findings.add("hazop-cell", problem, where=entry.place("about"), hint=findings.suggestion(key, _KNOWN))
        elif key == FORMAT and text != VERSION:
            problem = f"the format has version {shown(text)}; this Surefoot reads version {VERSION}."
            findings.add("unsupported-version", problem, where=entry.place("text"), hint="Use a newer Surefoot.")
        elif key != FORMAT:
            setattr(draft, key, text)
        seen.add(key)
