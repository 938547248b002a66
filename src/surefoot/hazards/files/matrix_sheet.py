"""The sheet Matrix: the words of each scale from mild to severe, and the classes of risk of each likelihood."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.documents import Findings, shown
from surefoot.hazards.files.cell_text import cell_of, cell_of_list, list_of, text_of
from surefoot.hazards.files.draft import Entry
from surefoot.hazards.worksheet import RiskMatrix

HEADINGS = ("scale", "word", "classes", "meaning")
_SCALES = ("severity", "likelihood", "class", "other word", "source")


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
