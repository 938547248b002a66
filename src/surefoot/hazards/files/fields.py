r"""Fields of a worksheet in files: what cells say, how fields and headings are called, numbers and words.

A cell without a backslash means what it shows: entries of a list end at a semicolon or line break, blanks around them
do not count, and ``...`` says that something was left blank. A backslash before a semicolon or line break makes it part
of the text; one at the edge keeps blanks, an empty text or dots. Backslashes elsewhere, as in a path, are themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

DOTS = frozenset({"...", "…"})
_STOP = re.compile(r"(?<!\\)(\\*)([;\n])")


def is_blank(cell: str) -> bool:
    """Whether a cell says nothing."""
    shown = cell.strip()
    return not shown or shown in DOTS


def cell_of(text: str) -> str:
    r"""A cell that keeps blanks at the edges, an empty text and dots.

    >>> cell_of("pump"), cell_of(" pump"), cell_of("")
    ('pump', '\\ pump', '\\')
    """
    if text and text[0].isalnum() and text[-1].isalnum():
        return text
    text = f"\\{text}" if _open_start(text) else text
    return f"{text}\\" if _open_end(text) else text


def text_of(cell: str) -> str:
    """The text that a cell says."""
    text = cell.strip()
    if "\\" not in text:
        return text
    if text.endswith("\\") and _open_end(text):
        text = text[:-1]
    return text[1:] if text.startswith("\\") and _open_start(text) else text


def cell_of_list(texts: Iterable[str], separator: str) -> str:
    r"""A cell with an entry for each text.

    >>> cell_of_list(["a", "b; c"], "; ")
    'a; b\\; c'
    """
    *others, last = [_STOP.sub(r"\1\1\\\2", cell_of(text)) for text in texts] or [""]
    ends = (f"{cell}{_last_slashes(cell)}{separator}" for cell in others)
    return "".join(ends) + last


def list_of(cell: str) -> tuple[str, ...]:
    r"""The entries of a cell, without those that say nothing.

    >>> list_of("a; b;\n...")
    ('a', 'b')
    """
    return tuple(text_of(entry) for entry in _entries(cell) if not is_blank(entry))


def cell_of_value(value: float | str) -> str:
    r"""A number as it is, a text so that it does not look like one.

    >>> cell_of_value(2.0), cell_of_value("2")
    ('2', '\\2')
    """
    if isinstance(value, float):
        return number_text(value)
    return f"\\{value}" if number(value.lstrip("\\")) is not None else cell_of(value)


def value_of(cell: str) -> float | str:
    """The number or text that a cell says."""
    text = cell.strip()
    if text.startswith("\\") and number(text.lstrip("\\")) is not None:
        return text[1:]
    amount = number(text)
    return text_of(cell) if amount is None else amount


def _entries(cell: str) -> Iterator[str]:
    entry, start = "", 0
    for stop in _STOP.finditer(cell):
        slashes = len(stop[1])
        entry += cell[start : stop.start()] + "\\" * (slashes // 2)
        start = stop.end()
        if slashes % 2:
            entry += stop[2]
        else:
            yield entry
            entry = ""
    yield entry + cell[start:]


def _open_start(text: str) -> bool:
    rest = text.lstrip("\\")
    return not rest or rest[0].isspace() or rest in DOTS


def _open_end(text: str) -> bool:
    return text.rstrip("\\")[-1:].isspace()


def _last_slashes(text: str) -> str:
    return "\\" * (len(text) - len(text.rstrip("\\")))


# Names of fields in files, and the attributes they stand for.

ROW = {
    "id": "id",
    "item": "item",
    "parameter": "parameter",
    "guide word": "guide_word",
    "causes": "causes",
    "consequences": "consequences",
    "mitigations": "mitigations",
    "endangers": "endangers",
    "severity": "severity",
    "likelihood": "likelihood",
    "status": "status",
    "reviewer": "reviewer",
    "remark": "remark",
}
ITEM = {
    "name": "name",
    "from": "source",
    "to": "target",
    "learned": "learned",
    "description": "description",
    "parameters": "parameters",
}
PROPERTY = {
    name: name
    for name in (
        "id",
        "object",
        "property",
        "relation",
        "value",
        "unit",
        "condition",
        "verification",
        "evidence",
        "source",
    )
}
MATRIX = ("severities", "classes", "order", "meaning", "source")
LISTS = frozenset({"causes", "consequences", "mitigations", "endangers"})
NEEDED = {"row": ("item", "parameter", "guide word"), "item": ("name",), "property": ("id", "object", "property")}


# Headings of the sheets, with the names that teams give them.

_ROW_NAMES = {
    "id": "no|number|nr|row|row id|ref|reference|hazop id",
    "item": "hazop item node flow|hazop item|node|flow|node flow|node or flow|element|component|study node",
    "parameter": "process parameter or attribute|process parameter|attribute|parameter or attribute|characteristic",
    "guide word": "guideword|guide words|guidewords|deviation word|keyword",
    "causes": "cause|possible causes|possible cause|potential causes|reason|reasons",
    "consequences": "consequence|possible consequences|possible consequence|effect|effects|potential consequences",
    "mitigations": "mitigation|safeguards|safeguard|actions|action|existing safeguards|recommendations|recommendation"
    "|measures|measure|controls|barriers",
    "endangers": "safety properties|endangered properties|violates|endangered",
    "severity": "severity class|severity level|s",
    "likelihood": "probability|frequency|occurrence|likelihood level|l",
    "status": "state|review status",
    "reviewer": "reviewed by|owner|responsible",
    "remark": "remarks|comment|comments|note|notes",
}
_ITEM_NAMES = {
    "name": "item|node|flow|element|component",
    "from": "source",
    "to": "target|destination",
    "learned": "machine learning|ml",
    "description": "about",
    "parameter": "process parameter or attribute|process parameter|attribute",
    "guide words": "guide word|guideword|guidewords",
}
_MATRIX_NAMES = {"scale": "part", "word": "level", "classes": "classes of risk|risk", "meaning": "explanation"}
_ABOUT_NAMES = {"about": "key|field", "text": "value"}
HEADINGS_NEEDED = {
    "Worksheet": ("item", "parameter", "guide word"),
    "Items": ("name",),
    "Properties": ("id", "object", "property"),
    "Matrix": ("scale", "word"),
    "About": ("about", "text"),
}


def plain(heading: str) -> str:
    """A heading without what does not matter: case, line breaks, hyphens, colons.

    >>> plain("HAZOP item: node/flow"), plain("Guide-word")
    ('hazop item node flow', 'guide word')
    """
    return " ".join(re.findall(r"[^\W_]+", heading.casefold()))


def _known(columns: dict[str, str]) -> dict[str, str]:
    """Columns by each of their names."""
    named = {name: column for column, names in columns.items() for name in names.split("|") if name}
    return named | {column: column for column in columns}


COLUMNS = {
    "Worksheet": _known({name: _ROW_NAMES[name] for name in ROW}),
    "Items": _known(_ITEM_NAMES),
    "Properties": _known(dict.fromkeys(PROPERTY, "")),
    "Matrix": _known(_MATRIX_NAMES),
    "About": _known(_ABOUT_NAMES),
}
"""For each sheet, the column that a plain heading stands for."""


# Words and numbers as people write them: yes and no, relations, numbers, levels in any case.

_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,9})?")
_SIGNS = {
    "<=": "at most",
    "≤": "at most",
    ">=": "at least",
    "≥": "at least",
    "<": "less than",
    ">": "more than",
    "=": "equals",
    "==": "equals",
}
TRUTH = {
    **dict.fromkeys(("true", "yes", "y", "x", "1"), True),
    **dict.fromkeys(("false", "no", "n", "0", ""), False),
}


def number(text: str) -> float | None:
    """The finite number that a text is, None where it is none.

    >>> [number(text) for text in ("2", "1e-3", "two", "1e999")]
    [2.0, 0.001, None, None]
    """
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def number_text(value: float) -> str:
    """The shortest text that reads back as the number.

    >>> number_text(2.0), number_text(0.1)
    ('2', '0.1')
    """
    return repr(value).removesuffix(".0")


def relation(text: str) -> str:
    """A relation in words, from words in any case or from a sign."""
    return _SIGNS.get(text, text.casefold())


def level(text: str, scale: Iterable[str]) -> str | None:
    """The word of a scale that a text is, letter by letter or else in another case; None where it is none."""
    words = list(scale)
    return text if text in words else next((word for word in words if word.casefold() == text.casefold()), None)
