"""Results as files: report, JSON, JUnit XML, Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from surefoot.cli.console import say

if TYPE_CHECKING:
    from surefoot.project import Result

STDOUT = Path("-")


def write_all(
    result: Result,
    *,
    html: Path | None = None,
    json: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
    quiet: bool = False,
) -> None:
    """Write what was asked for; ``-`` is stdout."""
    from surefoot import report

    wanted = ((html, report.html), (json, report.as_json), (junit, report.junit), (markdown, report.markdown))
    for path, render in wanted:
        if path is not None:
            put(render(result), path, quiet=quiet)


def put(text: str, path: Path, *, quiet: bool = False) -> None:
    """Write a file at once or not at all, or print."""
    from surefoot.project.store import write_atomically

    if path == STDOUT:
        typer.echo(text, nl=False)
    else:
        write_atomically(path, text.encode("utf-8", "replace"))
        if not quiet:
            say(f"wrote {path}", stderr=True)
