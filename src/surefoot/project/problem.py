"""A problem of a project before it has a place: a code, the keys that lead there, and a predicate about them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from surefoot.adapters.wording import shown
from surefoot.core.diagnostics import Diagnostic, Severity

Keys = tuple[str | int, ...]
LONGEST = 80
_SIMPLE = re.compile(r"[\w -]{1,60}")


@dataclass(frozen=True)
class Problem:
    """``text`` is a predicate about what ``path`` leads to, for example ``must be a number``."""

    code: str
    path: Keys
    text: str
    hint: str = ""
    severity: Severity = "error"
    where: str = ""
    """The place in another file, where the problem is there; the text is then a sentence of its own."""

    def located(self, file: Path | None, places: Mapping[Keys, int]) -> Diagnostic:
        """With the line of the file, or with the keys where there is no file."""
        if self.where:
            return Diagnostic(self.code, self.text, self.severity, self.where, self.hint)
        where = place(file, places, self.path)
        subject = self.path if self.code == "missing-key" else written(places, self.path)
        text = self.text if file is None else f"{dotted(subject)} {self.text}"
        return Diagnostic(self.code, text, self.severity, where, self.hint)


def place(file: Path | None, places: Mapping[Keys, int], path: Keys) -> str:
    """``surefoot.yaml:12``; without a file the keys themselves."""
    return dotted(path) if file is None else f"{shown(file.name)}:{line(places, path)}"


def line(places: Mapping[Keys, int], path: Keys) -> int:
    """The line of the innermost key that is written."""
    return places.get(written(places, path), 1)


def written(places: Mapping[Keys, int], path: Keys) -> Keys:
    """The keys as far as they are written; what was left out or short leads no further."""
    return next((path[:depth] for depth in range(len(path), 0, -1) if path[:depth] in places), ())


def dotted(path: Keys) -> str:
    """Keys as people write them.

    >>> dotted(("components", "camera", "classes", 0))
    'components.camera.classes[0]'
    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key if _SIMPLE.fullmatch(key) else shown(repr(key), 60)}"
    return text.removeprefix(".") or "the project"


def closest(word: str, known: Collection[str]) -> str | None:
    """The known word that was probably meant."""
    return next(iter(get_close_matches(word[:60], list(known), n=1)), None)


def found(value: Any) -> str:
    """A value as a message shows it."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else shown(repr(value), LONGEST)
