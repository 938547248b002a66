"""Arrays that code of the project makes: in a process of its own, and handed on through files."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from surefoot.adapters.isolation import converse
from surefoot.adapters.npz_data import Arrays
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError, validate
from surefoot.documents import printable

NAMES = "names.json"


def make_isolated(callable: str, *, folder: Path, time_limit: float) -> Arrays:
    """Run ``module:name`` in a process of its own, which is killed after ``time_limit`` seconds."""
    limit = validate.positive(time_limit, where="make_isolated", name="time_limit")
    with TemporaryDirectory(prefix="surefoot-") as made:
        request = {"task": "make", "callable": callable, "folder": str(Path(folder).absolute()), "target": made}
        converse(request, time_limit=limit, name=printable(callable), code_in_data=True)
        return read_arrays(Path(made), where=callable)


def write_arrays(arrays: Arrays, folder: Path) -> None:
    """Leave arrays as files in a folder."""
    try:
        for number, name in enumerate(arrays.names):
            np.save(folder / f"{number}.npy", arrays.array(name), allow_pickle=False)
        (folder / NAMES).write_text(json.dumps(arrays.names))
    except (OSError, ValueError) as error:
        text = f"what {arrays.where} made could not be written: {explained(error)}."
        raise DiagnosticsError.of("data-unreadable", text, where=printable(arrays.where)) from error


def read_arrays(folder: Path, *, where: str) -> Arrays:
    """What ``write_arrays`` left."""
    names = json.loads((folder / NAMES).read_text())
    return Arrays({name: np.load(folder / f"{number}.npy") for number, name in enumerate(names)}, where)
