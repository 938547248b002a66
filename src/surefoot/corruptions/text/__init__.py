"""Corruptions of texts: digits, characters, spelling, and reading errors.

Each is a function ``f(texts, severity, rngs)`` of a list of texts, one generator a text; ``changed`` checks what comes
in and gives it back as it came. Parameters of paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5. May
import ``core`` and ``datasets``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surefoot.core import InvalidInput

AT_ONCE = 1024
"""Texts that are worked on at a time: each needs a generator."""
Generators = Sequence[np.random.Generator]
Change = Callable[[list[str], Generators], list[str]]


def changed(x: Any, change: Change, generator: Callable[[int], np.random.Generator], *, where: str) -> Any:
    """One text, or a list, tuple or array of texts, changed; an array of fixed width grows where its texts do."""
    texts = _checked(x, where)
    answer: list[str] = []
    for start in range(0, len(texts), AT_ONCE):
        part = texts[start : start + AT_ONCE]
        answer += change(part, [generator(start + i) for i in range(len(part))])
    return _like(x, answer)


def _checked(x: Any, where: str) -> list[str]:
    if isinstance(x, str):
        return [x]
    if not isinstance(x, list | tuple | np.ndarray):
        raise InvalidInput(
            "texts must be one str, or a list, tuple or array of them",
            where=where,
            found=f"{type(x).__name__}",
            remedy="Decode bytes first, and turn other collections into lists.",
        )
    texts = x.ravel().tolist() if isinstance(x, np.ndarray) else list(x)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            remedy = "Decode bytes, and leave out or fill in what is missing."
            raise InvalidInput("texts must be str", where=f"{where}[{i}]", found=type(text).__name__, remedy=remedy)
    return texts


def _like(x: Any, texts: list[str]) -> Any:
    if isinstance(x, str):
        return texts[0]
    if isinstance(x, np.ndarray):
        dtype = np.dtype(str) if x.dtype.kind == "U" else x.dtype
        return np.array(texts, dtype).reshape(x.shape)
    return tuple(texts) if isinstance(x, tuple) else texts
