"""``surefoot assess --verify``: whether a report can be computed again from the files that are here."""

from __future__ import annotations

from pathlib import Path

import typer

from surefoot.cli.console import say, table
from surefoot.cli.failures import UNUSABLE
from surefoot.cli.progress import progress_shown


def verify_report(report: Path, *, folder: Path, quiet: bool) -> None:
    """Print what differs; exit 2 when a file, a number or a verdict does."""
    from surefoot.project import verify
    from surefoot.report import read

    recorded = read(report)
    with progress_shown(quiet=quiet) as progress:
        compared = verify(recorded, folder=folder, progress=progress)
    different = [each for each in compared if not each.same]
    broken = [each for each in different if each.matters]
    if different and not quiet:
        table(
            ("what", "in the report", "here"),
            [(each.what, _short(each.recorded), _short(each.found)) for each in different],
        )
        say()
    if broken:
        say(f"{report}: not reproduced; {len(broken)} of {len(compared)} recorded values differ.")
        raise typer.Exit(UNUSABLE)
    say(f"{report}: reproduced; {len(compared) - len(different)} of {len(compared)} recorded values are the same.")
    if different:
        say("Versions of libraries may differ as long as files, numbers and verdicts agree.")


def _short(value: str) -> str:
    return f"{value[:12]}..." if len(value) == 64 else value
