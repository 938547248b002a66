"""What a file says as plain data, and the line and column of every key and item of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from surefoot.core.validate import shown

Keys = tuple[str | int, ...]
"""Names of mappings and places in lists that lead from the whole to one of its parts."""
Place = tuple[int, int]
"""A line and a column, both counted from 1."""
START: Place = (1, 1)
_SIMPLE = re.compile(r"[\w -]{1,60}")


class Document:
    r"""Mappings, lists, texts, numbers, truth values and None, with their places in the file.

    Parameters
    ----------
    data
        What the file says.
    places
        The place of each key and list item, and under ``()`` that of the whole; or what finds them, which is asked
        only when a message needs a place.

    Examples
    --------
    >>> from surefoot.documents import Findings, yaml
    >>> document = yaml.parse("target:\n  at most: 0.05\n", Findings("a.yaml"))
    >>> document.data, document.place(("target", "at most"))
    ({'target': {'at most': 0.05}}, (2, 3))

    """

    def __init__(self, data: Any, places: Mapping[Keys, Place] | Callable[[], Mapping[Keys, Place]]) -> None:
        self.data = data
        self._places = places

    @cached_property
    def places(self) -> Mapping[Keys, Place]:
        """Line and column of each key and list item."""
        return self._places() if callable(self._places) else self._places

    def place(self, path: Keys) -> Place:
        """The place of the innermost key that is written."""
        return self.places.get(self.written(path), START)

    def line(self, path: Keys) -> int:
        """The line of the innermost key that is written."""
        return self.place(path)[0]

    def written(self, path: Keys) -> Keys:
        """The keys as far as they are written; what was left out leads no further."""
        return next((path[:depth] for depth in range(len(path), 0, -1) if path[:depth] in self.places), ())

    def part(self, data: Any) -> Document:
        """Some of the data, with their places in the whole."""
        return Document(data, lambda: self.places)


def dotted(path: Keys, whole: str = "the project") -> str:
    """Keys as people write them.

    Parameters
    ----------
    path
        Names of mappings and places in lists.
    whole
        What no keys at all stand for.

    Returns
    -------
    str
        Keys with dots between them.

    Examples
    --------
    >>> dotted(("components", "camera", "classes", 0))
    'components.camera.classes[0]'

    """
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key if _SIMPLE.fullmatch(key) else shown(key, 60)}"
    return text.removeprefix(".") or whole
