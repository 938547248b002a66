"""``surefoot init``: a project to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from surefoot.cli.console import say
from surefoot.cli.projects import copy_missing, project_files


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make the project in; . is this one.")],
) -> None:
    """Start a project that runs as it is.

    Writes a commented project file, a small model and test data. Put your model, your data and your targets in
    their place. Nothing is overwritten.
    """
    present = [name for name in project_files("start") if not name.startswith(".") and (folder / name).exists()]
    if present:
        from surefoot.core import InvalidInput

        raise InvalidInput(
            "nothing was written, to overwrite nothing",
            where=str(folder),
            found=", ".join(present),
            remedy="Name another folder, or move these files away.",
        )
    for path in copy_missing("start", folder):
        say(f"wrote {path}")
    inside = "" if folder.resolve() == Path.cwd() else f"  cd {folder}\n"
    say(f"\nNext:\n{inside}  surefoot check\n  surefoot assess --html report.html")
