"""Reports as files: written whole or not at all, and read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.documents import json, visible
from surefoot.project.result import RESULT_VERSION, Result, in_present_words
from surefoot.project.store import write_atomically
from surefoot.report.embedding import extracted
from surefoot.report.junit import junit
from surefoot.report.markdown import markdown
from surefoot.report.page import html

PAGES = (".html", ".htm")
NEEDED = frozenset({"version", "definition", "answers", "evidence", "case", "keys", "digests", "versions"})


def as_json(result: Result) -> str:
    """The complete result as text; ``result_schema`` describes it."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=True) + "\n"


FORMATS: dict[str, Callable[[Result], str]] = {
    ".html": html,
    ".htm": html,
    ".json": as_json,
    ".md": markdown,
    ".xml": junit,
}


def write(result: Result, path: str | Path) -> Path:
    """Write the report in the format its suffix names: .html, .json, .md or .xml (JUnit)."""
    target = Path(path)
    render = FORMATS.get(target.suffix.lower())
    if render is None:
        problem = f"no report has the suffix {target.suffix!r}"
        raise DiagnosticsError.of("wrong-value", problem, where=_shown(path), hint="Use .html, .json, .md or .xml.")
    write_atomically(target, render(result).encode())
    return target


def read(path: str | Path) -> dict[str, Any]:
    """The result in a report: what ``Result.to_dict`` gave; a page holds it without pictures and long tables."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        data = extracted(text) if Path(path).suffix.lower() in PAGES else json.loads(text)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(path, "its content is damaged or of another kind") from error
    if not isinstance(data, dict) or not set(data) >= NEEDED:
        raise _unreadable(path, "it holds no result of Surefoot")
    try:
        data = in_present_words(data)
    except InvalidInput as error:
        raise _unreadable(path, str(error)) from error
    if data["version"] != RESULT_VERSION:
        problem = f"the report has version {data['version']!r}, and version {RESULT_VERSION} can be read here"
        hint = "Use the version of Surefoot that wrote it."
        raise DiagnosticsError.of("unsupported-version", problem, where=_shown(path), hint=hint)
    return data


def _unreadable(path: str | Path, why: str) -> DiagnosticsError:
    hint = "Give a report (.html) or a result (.json) that Surefoot wrote."
    return DiagnosticsError.of(
        "file-unreadable", f"no report can be read from it: {why}", where=_shown(path), hint=hint
    )


def _shown(path: str | Path) -> str:
    return visible(str(path))
