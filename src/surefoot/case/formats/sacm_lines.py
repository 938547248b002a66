"""Lines of SACM elements: names, descriptions, notes and tagged values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from surefoot.case.formats.sacm_words import JSON, OWN
from surefoot.documents import json
from surefoot.documents.xml import opened

Tag = tuple[str, Any]
"""A name, and a text or plain data."""


def name(text: str) -> str:
    """How people call an element."""
    return opened("name", {"content": text}, closed=True)


def worded(tag: str, text: str) -> list[str]:
    """A description or a note, unless it is empty."""
    return [f"<{tag}>{_content('content', text)}</{tag}>"] if text else []


def tagged(tags: Iterable[Tag]) -> list[str]:
    """Tagged values; data as JSON."""
    return [_tagged(key, value) for key, value in tags]


def said(texts: Mapping[str, str]) -> list[Tag]:
    """Those texts that are not empty."""
    return [(key, text) for key, text in texts.items() if text]


def _tagged(key: str, value: Any) -> str:
    plain = isinstance(value, str)
    full = f"{OWN}{key}{'' if plain else JSON}"
    text = value if plain else json.written(value, ascii_only=True, sort_keys=True)
    return f"<taggedValue>{_content('key', full)}{_content('content', text)}</taggedValue>"


def _content(tag: str, text: str) -> str:
    return f"<{tag}>{opened('value', {'content': text}, closed=True)}</{tag}>"
