"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PROJECT_FILE = "surefoot.yaml"

ProjectFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="The project file, or its folder.", show_default=PROJECT_FILE)
]
StorePlace = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="Folder or URL of the evidence store.",
        show_default=".surefoot beside the project file",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
