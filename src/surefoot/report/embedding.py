"""The whole result inside the page, as data: complete numbers, without what the page shows as pictures.

Pictures are left out (their digest and size stay), tables keep the rows that are shown, and a long list that occurs
several times, such as the draws behind a distribution and both its bounds, is written once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.core import digest
from surefoot.project.result import Result
from surefoot.report.figures import Shown
from surefoot.report.outside import Outside

MOST_ROWS = 50
LONG_LIST = 50
SHARED, SAME, PAGE = "shared", "$same", "page"
SCRIPT = '<script type="application/json" id="surefoot-result">'
_EMBEDDED = re.compile(re.escape(SCRIPT) + r"(.*?)</script>", re.DOTALL)
_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def embedded(result: Result, outside: Outside) -> str:
    """The element that holds the result; no text in it can end it or begin another."""
    data = result.to_dict()
    data["evidence"] = {name: _without_pictures(item, outside.figures[name]) for name, item in data["evidence"].items()}
    data[PAGE] = {"digest": outside.digest, "steps": dict(outside.steps)}
    return f"{SCRIPT}{_text(_shared_once(data))}</script>"


def extracted(page: str) -> dict[str, Any] | None:
    """The result inside a page, or None where there is none."""
    data = _data(page)
    if not isinstance(data, dict):
        return data
    shared = data.pop(SHARED, {})
    data.pop(PAGE, None)
    return _resolved(data, shared)


def about(page: str) -> dict[str, Any]:
    """Digests that the data record of the whole from which they were taken."""
    return dict(_data(page)[PAGE])


def canonical(page: str) -> bool:
    """Whether the data stand in the page exactly as they are written, so that no markup hides between them."""
    found = _EMBEDDED.search(page)
    return found is not None and _text(json.loads(found[1])) == found[1]


def without_data(page: str) -> str:
    """A page without the data inside it."""
    return _EMBEDDED.sub("", page, count=1)


def _data(page: str) -> Any:
    found = _EMBEDDED.search(page)
    return None if found is None else json.loads(found[1])


def _text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(_MARKUP)


def _without_pictures(evidence: Mapping[str, Any], figures: Mapping[str, Shown]) -> dict[str, Any]:
    artefacts = {name: _named(item, figures[name]) for name, item in evidence["artefacts"].items()}
    tables = {name: _cut(item) for name, item in evidence["tables"].items()}
    return {**evidence, "artefacts": artefacts, "tables": tables}


def _named(artefact: Mapping[str, str], shown: Shown) -> dict[str, Any]:
    left_out = {
        "digest": digest(artefact),
        "characters": len(artefact["content"]),
        "sha256": shown.sha256,
        "note": shown.note,
    }
    return {"media_type": artefact["media_type"], "content": "", "left_out": left_out}


def _cut(table: Mapping[str, Any]) -> dict[str, Any]:
    left_out = len(table["rows"]) - MOST_ROWS
    return dict(table) if left_out <= 0 else {**table, "rows": table["rows"][:MOST_ROWS], "left_out": left_out}


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
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
