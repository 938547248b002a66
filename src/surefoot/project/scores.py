"""Scores in the store: the array itself, and a record of what its columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from surefoot.adapters import Arrays, Scored, score_isolated, write_arrays
from surefoot.core import Diagnostic, Evidence, Table
from surefoot.project.definition import ModelSource
from surefoot.project.project import Project
from surefoot.project.store import Store

Progress = Callable[[int, int], None]
CAVEAT = ("code", "text", "severity", "where", "hint")


def compute(
    project: Project,
    store: Store,
    key: str,
    component: str,
    data: str,
    *,
    made: Arrays | None,
    check: Callable[[], None],
    progress: Progress | None,
) -> None:
    """Run the model and keep its scores, unless ``check`` finds that a file is no longer what the key says."""
    part = project.definition.components[component]
    assert part.model is not None
    source = part.data[data].reading | {"classes": list(part.classes)}
    with _unfinished(store) as folder:
        if made is not None:
            write_arrays(made, folder)
            source["made"] = str(folder.absolute())
        found = score_isolated(
            model_arguments(part.model),
            source,
            folder=project.folder,
            batch_size=part.model.batch_size,
            time_limit=part.model.time_limit,
            target=folder / f"{key}.npy",
            progress=progress,
        )
        check()
        keep(store, key, found, folder / f"{key}.npy", step=f"scores of {component} on {data}")


def model_arguments(source: ModelSource) -> dict[str, Any]:
    """What ``load_model`` needs to know."""
    return source.model_dump(exclude={"files", "batch_size", "time_limit"})


def keep(store: Store, key: str, found: Scored, file: Path, *, step: str) -> None:
    """Move a finished file of scores into the store; the record comes last, so that it never leads to nothing."""
    store.adopt_array(key, file)
    tables = {
        "output": Table(("output",), ((found.output,),)),
        "classes": Table(("class",), tuple((name,) for name in found.classes)),
        "caveats": Table(CAVEAT, tuple(tuple(getattr(c, name) for name in CAVEAT) for c in found.caveats)),
    }
    store.put(key, Evidence((), tables), step=step)


def read(store: Store, key: str) -> Scored | None:
    """What ``keep`` kept; None where something is missing or damaged."""
    record, scores = store.get(key), store.get_array(key)
    if record is None or scores is None:
        return None
    tables = record.tables
    return Scored(
        tables["output"].rows[0][0],
        tuple(name for (name,) in tables["classes"].rows),
        tuple(Diagnostic(*row) for row in tables["caveats"].rows),
        scores,
    )


@contextmanager
def _unfinished(store: Store) -> Iterator[Path]:
    """A folder that is gone afterwards, whatever happens."""
    folder = store.scratch()
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)
