"""Lines of SACM elements: names, descriptions, notes and tagged values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from surefoot.case.formats.sacm_words import JSON, OWN
from surefoot.case.formats.sacm_xml import as_json, is_writable, opened
from surefoot.drawing import visible

Tag = tuple[str, Any]
"""A name, and a text or plain data."""


def shown(text: str) -> str:
    """The text, or what of it XML can hold."""
    return text if is_writable(text) else visible(text)


def name(text: str) -> str:
    """How people call an element."""
    return opened("name", {"content": shown(text)}, closed=True)


def worded(tag: str, text: str) -> list[str]:
    """A description or a note, unless it is empty."""
    return [f"<{tag}>{_content('content', text)}</{tag}>"] if text else []


def tagged(tags: Iterable[Tag]) -> list[str]:
    """Tagged values; data, and text that XML cannot hold, as JSON."""
    return [_tagged(key, value) for key, value in tags]


def unwritable(texts: Mapping[str, str]) -> list[Tag]:
    """Those texts that XML cannot hold as they are."""
    return [(key, text) for key, text in texts.items() if not is_writable(text)]


def said(texts: Mapping[str, str]) -> list[Tag]:
    """Those texts that are not empty."""
    return [(key, text) for key, text in texts.items() if text]


def _tagged(key: str, value: Any) -> str:
    plain = isinstance(value, str) and is_writable(value)
    full = f"{OWN}{key}{'' if plain else JSON}"
    text = value if plain else as_json(value)
    return f"<taggedValue>{_content('key', full)}{_content('content', text)}</taggedValue>"


def _content(tag: str, text: str) -> str:
    return f"<{tag}>{opened('value', {'content': shown(text)}, closed=True)}</{tag}>"
