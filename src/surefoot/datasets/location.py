"""Where data sets lie: the folder that ``SUREFOOT_DATA`` names, then a cache of the user."""

from __future__ import annotations

import os
from pathlib import Path

from surefoot.core.errors import InvalidInput, MissingData

VARIABLE = "SUREFOOT_DATA"


def cache_folder() -> Path:
    """``surefoot`` in ``XDG_CACHE_HOME``, or in ``~/.cache`` where that is not set."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "surefoot"


def locate(name: str, *, remedy: str = "") -> Path:
    """The folder of a data set, first in ``SUREFOOT_DATA``, then in the cache; raises ``MissingData``.

    ``remedy`` says how else the set can be had; loaders fill it in.
    """
    if not isinstance(name, str) or not name or name != Path(name).name or name in (".", ".."):
        raise InvalidInput(
            "a data set is named by its folder", where="locate", found=repr(name), remedy="Use for example 'gtsrb'."
        )
    places = _places()
    for place in places:
        if (place / name).is_dir():
            return place / name
    raise MissingData(
        f"data set {name!r} is not on this machine",
        where="locate",
        found=f"no folder {name!r} in {', '.join(map(str, places))}",
        remedy=f"Set {VARIABLE} to the folder that holds {name}/. {remedy}".strip(),
    )


def locate_file(name: str, file: str, *, remedy: str = "") -> Path:
    """One file of a data set; raises ``MissingData`` when the folder is there and the file is not."""
    path = locate(name, remedy=remedy) / file
    if not path.is_file():
        raise MissingData(f"data set {name!r} lacks {file}", where="locate", found=str(path.parent), remedy=remedy)
    return path


def _places() -> list[Path]:
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]
