"""Scores in the store: the array itself, and a record of what its columns are."""

from __future__ import annotations

from pathlib import Path

from surefoot.adapters import Scored
from surefoot.core import Diagnostic, Evidence, Table
from surefoot.project.store import Store

CAVEAT = ("code", "text", "severity", "where", "hint")


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
