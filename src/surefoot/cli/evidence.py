"""``surefoot evidence``: look into the evidence store."""

from __future__ import annotations

import json as json_module
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from surefoot.cli.console import say, table
from surefoot.cli.conventions import (
    PROJECT_FILE,
    UNUSABLE,
    AsJson,
    ProjectFile,
    StorePlace,
    check_places,
    say_written,
    show_diagnostics,
)

if TYPE_CHECKING:
    from surefoot.project import Store
    from surefoot.project.store import Entry, Look

KEY_LENGTH = 12


def list_(store: StorePlace = None, json: AsJson = False) -> None:
    """List what the store holds; the last assessment used what is current."""
    opened = _opened(store)
    entries = opened.entries()
    if json:
        typer.echo(json_module.dumps([asdict(entry) for entry in entries], indent=2))
    else:
        _table_of(entries, _current_keys(store))


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The start of a key, or the name of a step.")],
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """Show one piece of evidence: its estimates, bounds, assumptions and tables."""
    opened = _opened(store)
    evidence = opened.get(_found(opened, key, store).key)
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


def looks(store: StorePlace = None, json: AsJson = False) -> None:
    """List the looks at each test set: models and targets, in their order.

    The look with the number k spends 1/(k(k+1)) of what its target may miss, which is valid for models and targets
    fixed beforehand; where only verdicts are shown, it spends less.
    """
    opened = _opened(store)
    ledgers = {data: opened.ledger(data) for data in opened.test_sets()}
    show_diagnostics(opened.warnings)
    if json:
        said = {data: [asdict(look) for look in looks] for data, looks in ledgers.items()}
        typer.echo(json_module.dumps(said, indent=2))
        return
    rows = [_look_row(data, look) for data, looks in ledgers.items() for look in looks]
    table(("test set", "look", "model", "asked", "answer"), rows, right=("look",))


def _look_row(data: str, look: Look) -> tuple[str, ...]:
    asked = look.content.get("asked")
    said = f"{asked['relation']} {asked['limit']:g} per {asked['per']} at {asked['level']:g}" if asked else "nothing"
    number = f"{look.count} of older format" if look.older else str(look.number or "not shown")
    answer = {True: "met", False: "not shown", None: "all shown"}[(look.answer or {}).get("met")]
    return data[:KEY_LENGTH], number, str(look.content.get("model", ""))[:KEY_LENGTH], said, answer


def register(
    file: ProjectFile = Path(PROJECT_FILE),
    output: Annotated[
        Path | None, typer.Argument(metavar="TABLE", help="A .csv file to write; without it a table is printed.")
    ] = None,
    store: StorePlace = None,
    json: AsJson = False,
) -> None:
    """List all documents, data, models, files and results.

    Everything that the last assessment rests on, each with its version, hash, owner and date, the claims of the case
    that it serves, and whether its content was compared with what was recorded. Nothing is computed.
    """
    from surefoot.documents import csv
    from surefoot.project import load, run

    found = run(load(file), store=store, only_stored=True).register
    if json:
        typer.echo(json_module.dumps([asdict(entry) for entry in found], indent=2, ensure_ascii=False))
        return
    if output is None:
        rows = ((e.kind, e.id, e.digest[:KEY_LENGTH], e.state or e.checked, ", ".join(e.serves)) for e in found)
        table(("kind", "id", "digest", "state", "serves"), list(rows))
        return
    told = found.table(digits=None)
    lines = [[_cell(value) for value in row] for row in told.rows]
    if output.suffix.lower() != ".csv":
        raise typer.BadParameter(f"the register is written as CSV, not as {output.suffix or 'a file without ending'}")
    check_places(output)
    csv.write(output, told.columns, lines)
    say_written([output])


def verify(store: StorePlace = None, json: AsJson = False) -> None:
    """Check that every file of the store is what was written.

    A single flipped bit is found. Exit code 2 when something is damaged; what is only left over from an interrupted
    run, or foreign, is told and does no harm.
    """
    opened = _opened(store)
    found = opened.verify()
    damaged = [each for each in found if each.severity == "error"]
    if json:
        typer.echo(json_module.dumps([each.to_dict() for each in found], indent=2))
    else:
        show_diagnostics(found)
        harmless = len(found) - len(damaged)
        beside = f", {harmless} left over or foreign" if harmless else ""
        say(f"{len(opened.entries())} entries, {len(damaged)} damaged{beside}.")
    if damaged:
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
    keys = [_found(opened, each, store).key for each in key] if key else None
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


def _found(store: Store, name: str, place: str | None) -> Entry:
    """By the name of a step, and of several results of it the current one; otherwise by the start of a key."""
    named = [entry for entry in store.entries() if entry.step == name]
    if not named:
        return store.find(name)
    current = [entry for entry in named if entry.key in _current_keys(place)] if len(named) > 1 else named
    if len(current) != 1:
        from surefoot.core import DiagnosticsError

        _table_of(current or named, (), stderr=True)
        text = f"the store has {len(named)} results of the step {name!r}, and no lock file tells which is current."
        raise DiagnosticsError.of("unknown-reference", text, where=store.location, hint="Give the start of a key.")
    return current[0]


def _table_of(entries: list[Entry], current: Collection[str], *, stderr: bool = False) -> None:
    marks = {True: "current", False: ""}
    rows = [(e.key[:KEY_LENGTH], e.step, f"{e.bytes:,}", marks[e.key in current]) for e in entries]
    table(("key", "step", "bytes", ""), rows, right=("bytes",), stderr=stderr)


def _current_keys(place: str | None) -> set[str]:
    """Keys in the lock files beside the store, which the last assessments used."""
    from surefoot.core import DiagnosticsError
    from surefoot.project import read_lock

    found: set[str] = set()
    for path in _lock_files(place):
        with suppress(DiagnosticsError):
            lock = read_lock(path) or {}
            found |= set(lock.get("keys", {}).values())
    return found


def _lock_files(place: str | None) -> Iterator[Path]:
    is_folder = place is not None and "://" not in place
    folder = Path(place).absolute().parent if place is not None and is_folder else Path()
    return folder.glob("*.lock")


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
