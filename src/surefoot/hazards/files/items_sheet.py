"""The sheet Items: a line for each parameter of an item, whose other cells stand in its first line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.documents import Findings, shown
from surefoot.hazards.files.cell_text import cell_of, cell_of_list, list_of, text_of
from surefoot.hazards.files.draft import Entry
from surefoot.hazards.files.words import TRUTH
from surefoot.hazards.worksheet import Hazop, Item
from surefoot.hazards.worksheet.guide_words import GUIDE_WORDS

HEADINGS = ("name", "from", "to", "learned", "description", "parameter", "guide words")
_OWN = HEADINGS[:5]


def item_lines(hazop: Hazop, separator: str) -> Iterator[list[str]]:
    """The cells of the sheet."""
    for item in hazop.items:
        own = _own_cells(item)
        for parameter, words in item.parameters.items():
            yield [*own, cell_of(parameter), _cell_of_words(words, separator)]
            own = [""] * len(_OWN)
        if not item.parameters:
            yield [*own, "", ""]


def read_items(lines: Iterable[Entry], findings: Findings) -> list[Entry]:
    """Items with their parameters."""
    items: list[Entry] = []
    name = ""
    for entry in filter(lambda entry: entry.values, lines):
        stated = text_of(entry.text("name"))
        if not items or (stated and stated != name):
            name = stated
            items.append(_begun(entry, findings))
        else:
            _refuse_other_values(entry, items[-1], findings)
        _add_parameter(entry, items[-1], findings)
    return items


def _own_cells(item: Item) -> list[str]:
    texts = (item.source, item.target, "yes" if item.learned else "", item.description)
    return [cell_of(item.name), *(cell_of(text) if text else "" for text in texts)]


def _cell_of_words(words: tuple[str, ...], separator: str) -> str:
    """A single word that is the name of a set ends with a separator, which the name of the set does not."""
    cell = cell_of_list(words, separator)
    return f"{cell};" if cell in GUIDE_WORDS else cell


def _words_of(cell: str) -> tuple[str, ...]:
    return GUIDE_WORDS.get(cell.strip(), ()) or list_of(cell)


def _begun(entry: Entry, findings: Findings) -> Entry:
    values = {name: text_of(entry.values[name]) for name in _OWN if name in entry.values}
    return Entry(_with_truth(values, entry, findings), entry.place)


def _with_truth(values: dict[str, str], entry: Entry, findings: Findings) -> dict[str, object]:
    said = values.get("learned", "")
    if said.casefold() not in TRUTH:
        text = f"{shown(said)} is neither yes nor no."
        findings.add("hazop-cell", text, where=entry.place("learned"), hint="Write yes, or leave it blank.")
    return {**values, "learned": TRUTH.get(said.casefold(), False)}


def _refuse_other_values(entry: Entry, item: Entry, findings: Findings) -> None:
    """A further line of an item repeats its cells or leaves them blank."""
    again = _begun(entry, findings).values
    for name in again.keys() & entry.values.keys():
        if again[name] != item.values.get(name):
            text = f"{shown(text_of(entry.values[name]))} is not what a line above says of {shown(item.text('name'))}."
            findings.add("hazop-cell", text, where=entry.place(name), hint="Say it once, in the item's first line.")


def _add_parameter(entry: Entry, item: Entry, findings: Findings) -> None:
    parameters = item.values.setdefault("parameters", {})
    if "parameter" in entry.values:
        parameter = text_of(entry.values["parameter"])
        if parameter in parameters:
            text = f"the parameter {shown(parameter)} of {shown(item.text('name'))} is defined twice."
            findings.add("hazop-duplicate", text, where=entry.place("parameter"), hint="Join their guide words.")
        parameters[parameter] = _words_of(entry.text("guide words"))
    elif "guide words" in entry.values:
        text = "guide words are given without a parameter."
        findings.add("hazop-cell", text, where=entry.place("guide words"), hint="Name the parameter.")
