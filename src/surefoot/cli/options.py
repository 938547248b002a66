"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PROJECT_FILE = "surefoot.yaml"


def _known_theme(name: str | None) -> str | None:
    if name is None:
        return None
    from surefoot.drawing import THEMES

    if name not in THEMES:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(THEMES)}")
    return name


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
ThemeName = Annotated[
    str | None,
    typer.Option(
        "--theme",
        metavar="NAME",
        help="Colours of a picture: light, dark, print, or auto, which follows the reader's setting.",
        show_default=False,
        callback=_known_theme,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
