"""``surefoot report``: render again from the store, without computing."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.options import PROJECT_FILE, ProjectFile, StorePlace
from surefoot.cli.writing import STDOUT, check_places, put, say_written


class Format(StrEnum):
    """What a result can be rendered as."""

    html = "html"
    json = "json"
    junit = "junit"
    markdown = "markdown"


PAGE = Path("report.html")
SUFFIXES = {".html": Format.html, ".json": Format.json, ".xml": Format.junit, ".md": Format.markdown}


def report(
    file: ProjectFile = Path(PROJECT_FILE),
    output: Annotated[Path, typer.Option("--output", "-o", metavar="PATH", help="Where to write; - prints.")] = PAGE,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format", metavar="html|json|junit|markdown", help="What to write.", show_default="by the suffix of PATH"
        ),
    ] = None,
    store: StorePlace = None,
) -> None:
    """Render the report again, without computing.

    The evidence comes from the store; what is not there is an error with the code not-assessed.
    """
    from surefoot import report as rendering
    from surefoot.project import load, run

    chosen = format or _by_suffix(output)
    check_places(output)
    result = run(load(file), store=store, only_stored=True)
    renderers = {
        Format.html: rendering.html,
        Format.json: rendering.as_json,
        Format.junit: rendering.junit,
        Format.markdown: rendering.markdown,
    }
    put(renderers[chosen](result), output)
    say_written([output] if output != STDOUT else [])


def _by_suffix(output: Path) -> Format:
    if output == STDOUT:
        return Format.markdown
    if output.suffix not in SUFFIXES:
        raise typer.BadParameter(f"say with --format what {output} is: {', '.join(Format)}")
    return SUFFIXES[output.suffix]
