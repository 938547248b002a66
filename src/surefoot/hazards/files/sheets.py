"""Worksheets as CSV and XLSX: the sheets Worksheet, Items, Properties, Matrix and About, the same for both.

In CSV the rows have a file of their own, and each other sheet one beside it. The sheet Items has a line for each
parameter of an item, Matrix one for each word of a scale, About name, description and version of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.documents import Findings, Headings, Sheet, csv, decoded, read_text, shown, xlsx
from surefoot.documents.xlsx import LONGEST_CELL, Page
from surefoot.hazards.files.fields import (
    COLUMNS,
    LISTS,
    PROPERTY,
    ROW,
    TRUTH,
    cell_of,
    cell_of_list,
    cell_of_value,
    is_blank,
    list_of,
    plain,
    text_of,
    value_of,
)
from surefoot.hazards.files.fields import HEADINGS_NEEDED as NEEDED
from surefoot.hazards.files.hazop_files import FORMAT, VERSION, WORKSHEET, Draft, Entry
from surefoot.hazards.guide_words import GUIDE_WORDS
from surefoot.hazards.worksheet import RELATIONS, STATUSES, Hazop, Item, Property, RiskMatrix, Row

HEADINGS = ("about", "text")
_KNOWN = (FORMAT, "name", "description")
ITEMS_SHEET_HEADINGS = ("name", "from", "to", "learned", "description", "parameter", "guide words")
_OWN = ITEMS_SHEET_HEADINGS[:5]
MATRIX_SHEET_HEADINGS = ("scale", "word", "classes", "meaning")
_SCALES = ("severity", "likelihood", "class", "other word", "source")
TITLES = ("Worksheet", "Items", "Properties", "Matrix", "About")
_INHERITED = ("item", "parameter")
MOST_LINES = 1_000_000
SIBLINGS = TITLES[1:]
_LEVELS = ("severity", "likelihood")
_MILD, _FAIR, _WORST = (0xE2, 0xF0, 0xD9), (0xFF, 0xF2, 0xCC), (0xF8, 0xCB, 0xAD)
_WIDTHS = {"id": 8, "from": 18, "to": 18, "learned": 10, "value": 10, "unit": 10, "relation": 12, "scale": 12}
_WIDTHS |= dict.fromkeys((*_LEVELS, "status", "reviewer", "endangers", "about"), 14)
_WIDTHS |= dict.fromkeys(("item", "parameter", "guide word", "name", "word", "object", "property"), 22)


def csv_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the file and those beside it say."""
    sheets = {"Worksheet": csv_sheet("Worksheet", decoded(content, findings), findings)}
    for title in SIBLINGS:
        place = sibling(path, title)
        if place.exists():
            sheets[title] = csv_sheet(title, _beside(place), findings, file=place.name)
    return draft_of_sheets(path.stem, sheets, findings)


def csv_sheet(title: str, text: str, findings: Findings, *, file: str = "") -> Sheet:
    """The lines of one file."""
    return csv.read(text, findings, file=file, known=lambda heading: plain(heading) in COLUMNS[title])


def sibling(path: Path, title: str) -> Path:
    """The file of another sheet: ``hazop.items.csv`` beside ``hazop.csv``."""
    return path.with_name(f"{path.stem}.{title.casefold()}{path.suffix}")


def _beside(place: Path) -> str:
    return read_text(place, Findings(place.name, WORKSHEET))


def draft_of_sheets(name: str, sheets: Mapping[str, Sheet], findings: Findings) -> Draft:
    """What the sheets say together; ``name`` is that of the worksheet unless they give one."""
    lines = {title: list(entries(title, sheet, findings)) for title, sheet in sheets.items()}
    draft = Draft(name)
    read_about(draft, lines.get("About", []), findings)
    draft.items = read_items(lines.get("Items", []), findings)
    draft.properties = [_property(entry) for entry in lines.get("Properties", []) if entry.values]
    if lines.get("Matrix"):
        draft.matrix = read_matrix(lines["Matrix"], findings)
    draft.rows = list(_rows(lines.get("Worksheet", [])))
    return draft


def entries(title: str, sheet: Sheet, findings: Findings) -> Iterator[Entry]:
    """The lines below the headings, with the cells that are not blank."""
    headings = Headings(COLUMNS[title], NEEDED[title], f"the sheet {title}", plain=plain, blank=is_blank)
    for line in sheet.entries(headings, findings):
        yield Entry(line.values, line.place)


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
        words = entry.text("guide words")
        parameters[parameter] = GUIDE_WORDS.get(words.strip(), ()) or list_of(words)
    elif "guide words" in entry.values:
        text = "guide words are given without a parameter."
        findings.add("hazop-cell", text, where=entry.place("guide words"), hint="Name the parameter.")


def _property(entry: Entry) -> Entry:
    values = {name: value_of(cell) if name == "value" else text_of(cell) for name, cell in entry.values.items()}
    return Entry(values, entry.place)


def read_matrix(lines: list[Entry], findings: Findings) -> Entry:
    """The fields of the matrix."""
    words: dict[str, list[str]] = {scale: [] for scale in _SCALES}
    classes: dict[str, tuple[str, ...]] = {}
    meaning: dict[str, str] = {}
    for entry in filter(lambda entry: entry.values, lines):
        scale, word = text_of(entry.text("scale")).casefold(), text_of(entry.text("word"))
        if not _allowed(scale, word, words, entry, findings):
            continue
        words[scale].append(word)
        if scale == "likelihood":
            classes[word] = list_of(entry.text("classes"))
        if "meaning" in entry.values:
            meaning.setdefault(word, text_of(entry.values["meaning"]))
    values: dict[str, object] = {"severities": tuple(words["severity"]), "classes": classes, "meaning": meaning}
    if words["class"]:
        values["order"] = tuple(words["class"])
    values["source"] = "".join(words["source"])
    return Entry(values, lines[0].place)


def _allowed(scale: str, word: str, words: dict[str, list[str]], entry: Entry, findings: Findings) -> bool:
    if scale not in _SCALES:
        text, hint = f"{shown(scale)} is no scale.", findings.suggestion(scale, _SCALES)
        findings.add("hazop-cell", text, where=entry.place("scale"), hint=hint)
    elif word in words[scale] or (scale == "source" and words[scale]):
        text = f"{scale} {shown(word)} is defined twice."
        findings.add("hazop-duplicate", text, where=entry.place("word"), hint="Remove one of them.")
    else:
        return True
    return False


def _rows(lines: Iterable[Entry]) -> Iterator[Entry]:
    """Item and parameter of a line that leaves them blank are those above, as where cells are merged."""
    above: dict[str, str] = {}
    for entry in lines:
        values = entry.values
        if values.get("item", above.get("item")) != above.get("item"):
            above = {}
        above |= {name: values[name] for name in _INHERITED if name in values}
        if values.keys() - set(_INHERITED):
            cells = (above | values).items()
            yield Entry({name: (list_of if name in LISTS else text_of)(cell) for name, cell in cells}, entry.place)


def write_csv(hazop: Hazop, path: Path) -> None:
    """Write ``name.csv``, and ``name.items.csv`` and so on where there is something to say.

    A file beside it that an earlier worksheet of this name left is removed. One that is no such sheet is somebody
    else's: it stays, and nothing is written.
    """
    said = {page.title: page for page in pages(hazop, separator="; ", file=path.name)}
    if hazop.name == path.stem and not hazop.description:
        del said["About"]
    places = {title: sibling(path, title) for title in SIBLINGS}
    for title, place in places.items():
        _refuse_foreign(title, place)
    for title, page in reversed(said.items()):
        csv.write(places.get(title, path), page.headings, page.lines)
    for title, place in places.items():
        if title not in said:
            _remove(place)


def pages(hazop: Hazop, *, separator: str, file: str) -> Iterator[Page]:
    """The rows, then what else there is to say; ``separator`` stands between the entries of a list."""
    yield _checked(Page("Worksheet", tuple(ROW), [_row(row, separator) for row in hazop.rows]), file)
    if hazop.items:
        lines = list(item_lines(hazop, separator))
        yield _checked(Page("Items", ITEMS_SHEET_HEADINGS, lines), file)
    if hazop.properties:
        yield _checked(Page("Properties", tuple(PROPERTY), list(map(_sheets_writing_property, hazop.properties))), file)
    if hazop.matrix != RiskMatrix.usual():
        lines = list(matrix_lines(hazop.matrix, separator))
        yield _checked(Page("Matrix", MATRIX_SHEET_HEADINGS, lines), file)
    yield _checked(Page("About", HEADINGS, about_lines(hazop)), file)


def _checked(page: Page, file: str) -> Page:
    """The page, unless programs that open sheets would cut it."""
    if len(page.lines) > MOST_LINES:
        text = f"the sheet {page.title} has {len(page.lines):,} lines; it can hold {MOST_LINES:,}."
        raise DiagnosticsError.of("hazop-cell", text, where=file, hint="Write YAML.")
    for number, line in enumerate(page.lines, start=2):
        if max(map(len, line)) <= LONGEST_CELL:
            continue
        for heading, cell in zip(page.headings, line, strict=True):
            if len(cell) > LONGEST_CELL:
                text = f"a cell would have {len(cell):,} characters; it can hold {LONGEST_CELL:,}."
                where = f"{file}, {page.title}, line {number}, {heading}"
                raise DiagnosticsError.of("hazop-cell", text, where=where, hint="Shorten it, or write YAML.")
    return page


def _row(row: Row, separator: str) -> list[str]:
    cells = []
    for name, attribute in ROW.items():
        value = getattr(row, attribute)
        if not value:
            cells.append("")
        elif name in LISTS:
            cells.append(cell_of_list(map(str, value), separator))
        else:
            cells.append(cell_of(value))
    return cells


def item_lines(hazop: Hazop, separator: str) -> Iterator[list[str]]:
    """The cells of the sheet."""
    for item in hazop.items:
        own = _own_cells(item)
        for parameter, words in item.parameters.items():
            yield [*own, cell_of(parameter), _cell_of_words(words, separator)]
            own = [""] * len(_OWN)
        if not item.parameters:
            yield [*own, "", ""]


def _own_cells(item: Item) -> list[str]:
    texts = (item.source, item.target, "yes" if item.learned else "", item.description)
    return [cell_of(item.name), *(cell_of(text) if text else "" for text in texts)]


def _cell_of_words(words: tuple[str, ...], separator: str) -> str:
    """A single word that is the name of a set ends with a separator, which the name of the set does not."""
    cell = cell_of_list(words, separator)
    return f"{cell};" if cell in GUIDE_WORDS else cell


def _sheets_writing_property(given: Property) -> list[str]:
    cells = []
    for name in PROPERTY:
        value = getattr(given, name)
        cells.append("" if value == "" else cell_of_value(value) if name == "value" else cell_of(value))
    return cells


def matrix_lines(matrix: RiskMatrix, separator: str) -> Iterator[list[str]]:
    """The cells of the sheet; a word is explained where it first stands."""
    unsaid = {word: cell_of(meaning) for word, meaning in matrix.meaning.items()}
    for scale, words in (("severity", matrix.severities), ("likelihood", matrix.likelihoods), ("class", matrix.order)):
        for word in words:
            classes = cell_of_list(matrix.classes[word], separator) if scale == "likelihood" else ""
            yield [scale, cell_of(word), classes, unsaid.pop(word, "")]
    for word, meaning in unsaid.items():
        yield ["other word", cell_of(word), "", meaning]
    if matrix.source:
        yield ["source", cell_of(matrix.source), "", ""]


def about_lines(hazop: Hazop) -> list[list[str]]:
    """The cells of the sheet."""
    description = [["description", cell_of(hazop.description)]] if hazop.description else []
    return [[FORMAT, VERSION], ["name", cell_of(hazop.name)], *description]


def _refuse_foreign(title: str, place: Path) -> None:
    if not place.exists():
        return
    findings = Findings(place.name, WORKSHEET)
    try:
        sheet = beside(title, place)
        list(entries(title, Sheet(sheet.lines[:1], sheet.place), findings))
        findings.raise_if_any()
    except DiagnosticsError as error:
        text = f"the file {place.name!r} would be replaced, and it is no sheet {title} of a worksheet."
        hint = "Move it, or choose another name for the worksheet."
        raise DiagnosticsError.of("store-unwritable", text, where=str(place), hint=hint) from error


def beside(title: str, place: Path) -> Sheet:
    """A file beside the rows."""
    return csv_sheet(title, _beside(place), Findings(place.name, WORKSHEET))


def _remove(place: Path) -> None:
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        text = f"a file of an earlier worksheet cannot be removed: {error.strerror or error}."
        raise DiagnosticsError.of("store-unwritable", text, where=str(place), hint="Remove it.") from error


def xlsx_draft(path: Path, content: bytes, findings: Findings) -> Draft:
    """What the sheets of a workbook say; the rows are in ``Worksheet``, or in the only sheet of another name."""
    book = xlsx.Workbook(content, findings)
    chosen = _chosen(book, findings)
    sheets = dict(zip(chosen, book.sheets(chosen.values()), strict=True))
    return draft_of_sheets(path.stem, sheets, findings)


def _chosen(book: xlsx.Workbook, findings: Findings) -> dict[str, str]:
    """The names of the sheets to read, by kind."""
    chosen: dict[str, str] = {}
    others = []
    for name in book.names:
        title = title_of(name)
        if title is None or title in chosen:
            others.append(name)
        else:
            chosen[title] = name
    if "Worksheet" not in chosen:
        if len(others) != 1:
            names = f" but {', '.join(map(shown, others))}" if others else ""
            text = f"the workbook has no sheet 'Worksheet'{names}."
            findings.stop("hazop-syntax", text, hint="Give the sheet with the rows that name.")
        chosen["Worksheet"] = others.pop()
    for name in others:
        refuse_misspelt(name, book.place(name), findings)
    return {title: chosen[title] for title in TITLES if title in chosen}


def title_of(name: str) -> str | None:
    """The kind of sheet that a name says, in any case; None for another name."""
    return next((title for title in TITLES if title.casefold() == name.strip().casefold()), None)


def refuse_misspelt(name: str, where: str, findings: Findings) -> None:
    """A problem where a name is nearly that of a sheet, so that its content is not left out unseen."""
    hint = findings.suggestion(name.strip().capitalize(), TITLES)
    if hint.startswith("Did"):
        findings.add("hazop-syntax", f"the sheet {shown(name)} is not known.", where=where, hint=hint)


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
