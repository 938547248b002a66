"""Labels and attributes as elements, with what XML or Open-PSA cannot hold as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from surefoot.faulttree.formats.mef.described import EXACT
from surefoot.faulttree.formats.mef.places import is_identifier
from surefoot.faulttree.formats.mef.xml_text import element, escaped_json, is_safe


def description(label: str | None, said: Mapping[str, str] | None, exact: Mapping[str, Any]) -> list[str]:
    """The lines of a label and of attributes."""
    plain = {key: value for key, value in (said or {}).items() if _is_plain(key, value)}
    others = {key: value for key, value in (said or {}).items() if key not in plain}
    own = dict(exact)
    if label is not None and not _is_plain_label(label):
        own["label"] = label
    if others or (said is not None and not said):
        own["attributes"] = others
    shown = plain | ({EXACT: escaped_json(own)} if own else {})
    lines = [] if label is None or "label" in own else [f"<label>{escape(label, quote=False)}</label>"]
    items = [line for key, value in shown.items() for line in element("attribute", {"name": key, "value": value})]
    return lines + (element("attributes", {}, items) if items else [])


def _is_plain(key: str, value: str) -> bool:
    return is_identifier(key) and key != EXACT and is_safe(value)


def _is_plain_label(label: str) -> bool:
    return is_safe(label) and label == label.strip()
