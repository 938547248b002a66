"""Misspellings of English words from the codespell project.

The project's file ``dictionary.txt`` has a line ``wrong->right`` for each misspelling; where several words can be
meant, commas follow each, and then perhaps a remark. CC BY-SA 3.0.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from types import MappingProxyType

from surefoot.core.errors import MissingData
from surefoot.datasets.location import locate_file

FOLDER, FILE = "misspellings", "codespell_dictionary.txt.gz"
HOME = "https://github.com/codespell-project/codespell"
REMEDY = f"Save codespell_lib/data/dictionary.txt of {HOME}, packed by gzip, as {FOLDER}/{FILE}."
ARROW = "->"


def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Wrong spellings of each right word or phrase, from the folder that ``locate("misspellings")`` finds.

    ``corrupt(texts, "misspellings", severity, words=misspellings())`` misspells texts with them.
    """
    path = locate_file(FOLDER, FILE, remedy=REMEDY)
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    except (OSError, EOFError, ValueError) as error:
        raise MissingData(f"{FILE} cannot be read", where=FOLDER, found=str(error), remedy=REMEDY) from error
    wrong: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        spelling, meant = _entry(line, number)
        for right in meant:
            wrong.setdefault(right, []).append(spelling)
    return MappingProxyType({right: tuple(spellings) for right, spellings in wrong.items()})


def _entry(line: str, number: int) -> tuple[str, list[str]]:
    spelling, arrow, meant = line.partition(ARROW)
    # What follows the last comma is a remark, or nothing.
    words = [word.strip() for word in (meant.rpartition(",")[0] or meant).split(",")]
    if not arrow or not spelling.strip() or not all(words):
        raise MissingData(
            f"line {number} of {FILE} is no misspelling", where=FOLDER, found=repr(line[:80]), remedy=REMEDY
        )
    return spelling.strip(), words
