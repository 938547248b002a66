"""Plain data as YAML that reads well: one key a line, so that a difference stands in single lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.case.formats.folding import WIDEST, folded, folds
from surefoot.core.yaml_words import WORDS
from surefoot.faulttree.formats.scalars import OLDER_CONSTANTS, written

STEP = "  "
_PLAIN = re.compile(r"[^\W\d_][\w./()+,;'%=<>*!?-]*( [\w./()+,;'%=<>*!?-]+)*")
"""Text that needs no quotes after a key, where, unlike inside brackets, a comma is only a comma."""


def as_yaml(data: Mapping[str, Any], *, blocks: int) -> str:
    """Mappings in blocks down to that depth; below it in one line where they fit."""
    return "".join(f"{line}\n" for line in _block(data, "", blocks))


def flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{written(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    return written(value)


def _block(data: Mapping[str, Any], indent: str, blocks: int) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{indent}{written(key)}:", value, indent, blocks)


def _entry(start: str, value: Any, indent: str, blocks: int) -> Iterator[str]:
    if isinstance(value, str):
        yield from _text(start, value, indent)
    elif not isinstance(value, Mapping | list) or not value:
        yield f"{start} {flow(value)}"
    elif isinstance(value, Mapping) and blocks > 1:
        yield start
        yield from _block(value, indent + STEP, blocks - 1)
    else:
        line = f"{start} {flow(value)}"
        yield from (line,) if len(line) <= WIDEST else _below(start, value, indent)


def _below(start: str, value: Any, indent: str) -> Iterator[str]:
    """What does not fit into one line: one key or item a line."""
    yield start
    if isinstance(value, Mapping):
        yield from _block(value, indent + STEP, 1)
    else:
        yield from (f"{indent}{STEP}- {flow(item)}" for item in value)


def _text(start: str, text: str, indent: str) -> Iterator[str]:
    if (len(start) + len(text) >= WIDEST or "\n" in text) and folds(text):
        yield f"{start} >-"
        yield from folded(text, indent + STEP)
    else:
        yield f"{start} {text if _is_plain(text) else written(text)}"


def _is_plain(text: str) -> bool:
    return (
        bool(_PLAIN.fullmatch(text))
        and text.isprintable()
        and text.casefold() not in OLDER_CONSTANTS
        and text.casefold() not in WORDS
    )
