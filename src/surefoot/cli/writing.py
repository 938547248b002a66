"""Results as files: report, JSON, JUnit XML, Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from surefoot.cli.console import say

if TYPE_CHECKING:
    from surefoot.project import Result

STDOUT = Path("-")


def check_places(*paths: Path | None) -> None:
    """Refuse places that cannot be written to before any work is done."""
    if paths.count(STDOUT) > 1:
        raise typer.BadParameter("give - once; two results on stdout cannot be told apart")
    for path in paths:
        if path is not None and path != STDOUT and not path.absolute().parent.is_dir():
            from surefoot.core import DiagnosticsError

            text = f"there is no folder {path.parent}"
            raise DiagnosticsError.of("store-unwritable", text, where=str(path), hint="Make it first.")


def write_all(
    result: Result,
    *,
    html: Path | None = None,
    json: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
) -> list[Path]:
    """Write what was asked for; ``-`` is stdout. Says which files were written."""
    if not any((html, json, junit, markdown)):
        return []
    from surefoot import report

    wanted = ((html, report.html), (json, report.as_json), (junit, report.junit), (markdown, report.markdown))
    named = [(path, render) for path, render in wanted if path is not None]
    for path, render in named:
        put(render(result), path)
    return [path for path, _ in named if path != STDOUT]


def put(text: str, path: Path) -> None:
    """Write a file at once or not at all, or print."""
    from surefoot.project.store import write_atomically

    if path == STDOUT:
        typer.echo(text, nl=False)
    else:
        write_atomically(path, text.encode("utf-8", "replace"))


def say_written(paths: list[Path]) -> None:
    """Name the files that were written."""
    for path in paths:
        say(f"wrote {path}", stderr=True)
