"""``surefoot assess --verify``: whether a report can be computed again from the files that are here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from surefoot.cli.console import say, table
from surefoot.cli.failures import UNUSABLE
from surefoot.cli.progress import progress_shown

PAGES = (".html", ".htm")
MAPPINGS = ("definition", "evidence", "keys", "digests", "versions")
NEED_THE_FOLDER = ("file-missing", "unknown-reference")


def verify_report(report: Path, *, folder: Path, quiet: bool) -> None:
    """Print what differs; exit 2 when a file, a number, a verdict or what the page shows does."""
    from surefoot.project import verify

    recorded = _read(report)
    with progress_shown(quiet=quiet) as progress, _folder_hinted(report):
        compared = verify(recorded, folder=folder, progress=progress)
    different = [each for each in compared if not each.same]
    broken = [each for each in different if each.matters]
    if different and not quiet:
        rows = [(each.what, _short(each.recorded), _short(each.found)) for each in different]
        table(("what", "in the report", "here"), rows)
        say()
    true_page = _true_page(report)
    if not true_page:
        say(f"{report}: not genuine; what the page shows differs from what its own data say.")
    if broken:
        say(f"{report}: not reproduced; {len(broken)} of {len(compared)} recorded values differ.")
    elif true_page:
        same = len(compared) - len(different)
        say(f"{report}: reproduced; {same} of {len(compared)} recorded values are the same.")
    if different and not broken:
        say("Versions of libraries may differ as long as files, numbers and verdicts agree.")
    if broken or not true_page:
        raise typer.Exit(UNUSABLE)


def _read(report: Path) -> Mapping[str, Any]:
    from surefoot.core import DiagnosticsError
    from surefoot.report import read

    try:
        recorded = read(report)
        if not all(isinstance(recorded[part], Mapping) for part in MAPPINGS):
            raise TypeError("a part is no mapping")
        return recorded
    except (KeyError, TypeError, AttributeError) as error:
        hint = "Use the file as it was written."
        raise DiagnosticsError.of("file-unreadable", "its data are damaged", where=str(report), hint=hint) from error


@contextmanager
def _folder_hinted(report: Path) -> Iterator[None]:
    """A file that is not here is most likely in the folder of the project."""
    from surefoot.core import DiagnosticsError

    try:
        yield
    except DiagnosticsError as error:
        hint = f"Name the project's folder: surefoot assess FOLDER --verify {report}"
        told = [replace(d, hint=hint) if d.code in NEED_THE_FOLDER else d for d in error.diagnostics]
        raise DiagnosticsError(error.problem, diagnostics=told) from error


def _true_page(report: Path) -> bool:
    """Whether a page shows what its own data say."""
    from surefoot.report import same_page

    return report.suffix.lower() not in PAGES or same_page(report)


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}..." if len(text) == 64 else text
