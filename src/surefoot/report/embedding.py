"""The whole result inside the page, as data: complete numbers, without what the page shows as pictures.

Pictures are left out (their digest and size stay), tables keep the rows that are shown, and a long list that occurs
several times, such as the draws behind a distribution and both its bounds, is written once. The data are JSON, deflated
and written in Base64, in which no text can become markup.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.core import digest
from surefoot.documents import json
from surefoot.project.result import Result
from surefoot.report.figures import Shown
from surefoot.report.outside import MOST_ROWS, Outside

NEVER_CUT = ("importance",)
"""Tables that other parts of the page compute with, of which a small page holds as many rows as a large one."""
MOST_CHARACTERS = 500_000_000
"""Data that are longer when inflated are hostile."""
LONG_LIST = 50
SHARED, SAME, PAGE = "shared", "$same", "page"
SCRIPT = '<script type="application/json;deflate;base64" id="surefoot-result">'
_EMBEDDED = re.compile(re.escape(SCRIPT) + r"([A-Za-z0-9+/=]*)</script>")


def embedded(result: Result, outside: Outside) -> str:
    """The element that holds the result."""
    data = result.to_dict()
    data["evidence"] = {
        name: _cut(item, outside.figures[name], outside.most_rows) for name, item in data["evidence"].items()
    }
    data[PAGE] = {"digest": outside.digest, "steps": dict(outside.steps), "rows": outside.most_rows}
    packed = base64.b64encode(zlib.compress(_text(_shared_once(data)).encode(), 9))
    return f"{SCRIPT}{packed.decode()}</script>"


def extracted(page: str) -> dict[str, Any] | None:
    """The result inside a page, or None where there is none."""
    found = _inflated(page)
    data = None if found is None else json.loads(found)
    if not isinstance(data, dict):
        return None
    shared = data.pop(SHARED, {})
    data.pop(PAGE, None)
    return dict(_resolved(data, shared))


def about(page: str) -> dict[str, Any]:
    """Digests that the data record of the whole from which they were taken."""
    return dict(json.loads(_inflated(page) or "{}")[PAGE])


def canonical(page: str) -> bool:
    """Whether the data stand in the page exactly as they are written, so that nothing hides between them."""
    found = _inflated(page)
    return found is not None and _text(json.loads(found)) == found


def without_data(page: str) -> str:
    """A page without the data inside it."""
    return _EMBEDDED.sub("", page, count=1)


def _inflated(page: str) -> str | None:
    found = _EMBEDDED.search(page)
    if found is None:
        return None
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(base64.b64decode(found[1], validate=True), MOST_CHARACTERS)
    except zlib.error as error:
        raise ValueError("the data cannot be inflated") from error
    if not inflating.eof or inflating.unused_data:
        raise ValueError("the data are cut off, too long, or followed by others")
    return text.decode()


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=True)


def _cut(evidence: Mapping[str, Any], figures: Mapping[str, Shown], most_rows: int) -> dict[str, Any]:
    artefacts = {name: _named(item, figures[name]) for name, item in evidence["artefacts"].items()}
    tables = {
        name: _first_rows(item, MOST_ROWS if name in NEVER_CUT else most_rows)
        for name, item in evidence["tables"].items()
    }
    return {**evidence, "artefacts": artefacts, "tables": tables}


def _named(artefact: Mapping[str, str], shown: Shown) -> dict[str, Any]:
    left_out = {
        "digest": digest(artefact),
        "characters": len(artefact["content"]),
        "sha256": shown.sha256,
        "note": shown.note,
    }
    return {"media_type": artefact["media_type"], "content": "", "left_out": left_out}


def _first_rows(table: Mapping[str, Any], most: int) -> dict[str, Any]:
    left_out = len(table["rows"]) - most
    return dict(table) if left_out <= 0 else {**table, "rows": table["rows"][:most], "left_out": left_out}


def _shared_once(data: dict[str, Any]) -> dict[str, Any]:
    counts = Counter(_name(item) for item in _long_lists(data))
    shared: dict[str, Any] = {}

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            if len(value) > LONG_LIST and counts[name := _name(value)] > 1:
                shared[name] = value
                return {SAME: name}
            return [replaced(item) for item in value]
        return {key: replaced(item) for key, item in value.items()} if isinstance(value, dict) else value

    return {**replaced(data), SHARED: shared}


def _resolved(value: Any, shared: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        if set(value) == {SAME} and value[SAME] in shared:
            return shared[value[SAME]]
        return {key: _resolved(item, shared) for key, item in value.items()}
    return [_resolved(item, shared) for item in value] if isinstance(value, list) else value


def _long_lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list) and len(value) > LONG_LIST:
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _long_lists(item)


def _name(value: list[Any]) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True).encode()).hexdigest()[:16]
