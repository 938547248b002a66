"""Text of elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from surefoot.documents import json

INDENT = "  "
_UNSAFE = re.compile("[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_safe(text: str) -> bool:
    """Whether XML keeps the text as it is, without line breaks and with something in it."""
    return bool(text) and not _UNSAFE.search(text)


def element(tag: str, attributes: Mapping[str, str], inner: Iterable[str] = ()) -> list[str]:
    """The lines of an element around the lines inside it."""
    said = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    lines = [f"{INDENT}{line}" for line in inner]
    return [f"<{tag}{said}>", *lines, f"</{tag}>"] if lines else [f"<{tag}{said}/>"]


def escaped_json(value: Any) -> str:
    """JSON in ASCII, which an attribute keeps as it is."""
    return json.written(value, ascii_only=True)
