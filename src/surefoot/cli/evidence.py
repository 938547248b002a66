"""``surefoot evidence``: look into the evidence store."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.console import say, table
from surefoot.cli.failures import UNUSABLE, show_diagnostics
from surefoot.cli.options import AsJson, StorePlace

if TYPE_CHECKING:
    from surefoot.project import Store
    from surefoot.project.store import Entry

KEY_LENGTH = 12


def list_(store: StorePlace = None, json: AsJson = False) -> None:
    """List what the store holds."""
    entries = _opened(store).entries()
    if json:
        typer.echo(json_module.dumps([asdict(entry) for entry in entries], indent=2))
    else:
        rows = [(entry.key[:KEY_LENGTH], entry.step, f"{entry.bytes:,}") for entry in entries]
        table(("key", "step", "bytes"), rows, right=("bytes",))


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The start of a key, or the name of a step.")],
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """Show one piece of evidence: its estimates, bounds, assumptions and tables."""
    opened = _opened(store)
    evidence = opened.get(_found(opened, key).key)
    show_diagnostics(opened.warnings)
    if evidence is None:
        raise typer.Exit(UNUSABLE)
    if json:
        typer.echo(json_module.dumps(evidence.to_dict(), indent=2, ensure_ascii=False))
        return
    for estimate in evidence.estimates:
        say(f"{estimate}\n")
    for name, content in evidence.tables.items():
        say(name, style="bold")
        table(content.columns, [[_cell(value) for value in row] for row in content.rows])
        say()


def verify(store: StorePlace = None, json: AsJson = False) -> None:
    """Check that every file of the store is what was written.

    A single flipped bit is found. Exit code 2 when something is damaged.
    """
    opened = _opened(store)
    found = opened.verify()
    if json:
        typer.echo(json_module.dumps([each.to_dict() for each in found], indent=2))
    else:
        show_diagnostics(found)
        say(f"{len(opened.entries())} entries, {len(found)} damaged.")
    if found:
        raise typer.Exit(UNUSABLE)


def export(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="File to write.")],
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="KEY", help="Only this one; may be given again.")
    ] = None,
    store: StorePlace = None,
) -> None:
    """Copy evidence out of the store, to keep or to hand on."""
    opened = _opened(store)
    keys = [_found(opened, each).key for each in key] if key else None
    say(opened.export(target, keys=keys))


def _opened(place: str | None) -> Store:
    from surefoot.core import DiagnosticsError
    from surefoot.project import Store
    from surefoot.project.runner import STORE_FOLDER

    location = place or STORE_FOLDER
    if "://" not in location and not Path(location).is_dir():
        hint = "Run surefoot assess first, or name the store with --store."
        raise DiagnosticsError.of("file-missing", "there is no evidence store", where=location, hint=hint)
    return Store.open(location)


def _found(store: Store, key: str) -> Entry:
    """By the name of a step where only one piece of evidence has it, otherwise by the start of a key."""
    named = [entry for entry in store.entries() if entry.step == key]
    return named[0] if len(named) == 1 else store.find(key)


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
