"""Plain data as text that reads well and whose differences stand in single lines: YAML and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from surefoot.faulttree.formats.scalars import written

WIDEST = 110
STEP = "  "


def as_yaml(data: Mapping[str, Any]) -> str:
    """One gate or event a line where it fits, its parts below it where it does not."""
    return "".join(f"{line}\n" for line in _block(data, ""))


def as_json(data: Mapping[str, Any]) -> str:
    """One gate or event a line."""
    body = ",\n".join(f"{json.dumps(key)}: {_json_section(value)}" for key, value in data.items())
    return f"{{\n{body}\n}}\n"


def _json_section(value: Any) -> str:
    if not isinstance(value, Mapping):
        return _json(value)
    return "{\n" + ",\n".join(f"{STEP}{_json(name)}: {_json(item)}" for name, item in value.items()) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _block(data: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        yield from _entry(f"{indent}{written(key)}:", value, indent)


def _entry(start: str, value: Any, indent: str) -> Iterator[str]:
    """What follows a key or a dash: in the same line where it fits and is not one of the large sections."""
    flow = _flow(value, WIDEST - len(start)) if indent or not isinstance(value, Mapping) else None
    if flow is not None:
        yield f"{start} {flow}"
        return
    if isinstance(value, Mapping) and start.endswith("-"):
        first, *others = _block(value, indent + STEP)
        yield from (f"{start} {first.lstrip()}", *others)
        return
    yield start
    if isinstance(value, Mapping):
        yield from _block(value, indent + STEP)
    else:
        for item in value:
            yield from _entry(f"{indent}{STEP}-", item, indent + STEP)


def _flow(value: Any, room: int) -> str | None:
    """The value in one line, None where it needs more room; texts and numbers always fit."""
    if not isinstance(value, Mapping | list):
        return written(value)
    parts = []
    for key in value:
        inner = _flow(value[key] if isinstance(value, Mapping) else key, room)
        part = inner if inner is None or isinstance(value, list) else f"{written(key)}: {inner}"
        room -= len(part or "") + 2
        if part is None or room < 0:
            return None
        parts.append(part)
    return f"[{', '.join(parts)}]" if isinstance(value, list) else f"{{{', '.join(parts)}}}"
