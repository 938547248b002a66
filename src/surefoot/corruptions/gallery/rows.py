"""Each corruption at each severity, of one input."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from surefoot.corruptions.catalogue import SEVERITIES, corrupt, function_of

RATE = 16_000


@dataclass(frozen=True)
class Example:
    """An input of a domain, what it is called, and how many samples a second it has where it is a sound."""

    domain: str
    item: Any
    title: str
    rate: int = RATE


@dataclass(frozen=True)
class Row:
    """What a corruption makes of an input at severities 1 to 5."""

    name: str
    about: str
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Chapter:
    """An input and its corruptions."""

    example: Example
    rows: tuple[Row, ...]


def about(name: str) -> str:
    """What a corruption does, in a line."""
    return (inspect.getdoc(function_of(name)) or "").partition("\n")[0].replace("``", "")


def chapter(
    example: Example, names: Sequence[str], *, seed: int = 0, tell: Callable[[str], None] = lambda name: None
) -> Chapter:
    """Corruptions of an input at all severities; ``tell`` hears the name of each."""
    options = {"rate": example.rate} if example.domain == "audio" else {}

    def row(name: str) -> Row:
        tell(name)
        found = (corrupt(example.item, name, severity, seed=seed, **options) for severity in SEVERITIES)
        return Row(name, about(name), tuple(found))

    return Chapter(example, tuple(map(row, names)))
